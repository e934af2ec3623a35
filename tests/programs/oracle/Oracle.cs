// What ClrMD says about a heap, as text that a test can compare with what heaptop says.
//   oracle [--dac FOLDER] [--hold] PID|CORE SECTION…
// A process is stopped with SIGSTOP meanwhile, so that somebody else may trace it afterwards; with --hold it stays stopped
// after "held" is printed until a line comes on standard input. The matching libmscordaccore.so is looked for beside the
// runtime, or in FOLDER (a program of a single file has none).
// Sections, one record a line, fields separated by tabs, sorted; numbers hexadecimal if they are addresses or raw values:
//   heap         flavour  version  heaps  "server"|"workstation"  walkable (1 or 0)
//   objects      object   address  method-table  size (rounded up to 8)  generation  type
//   types        type     method-table  count  bytes  type  module
//   refs         ref      address  target…      in order, null left out, values of dependent handles too; only objects that have some
//   refsums      refsum   address  count  fnv1a-64 of the targets, 8 bytes each, little endian
//   segments     segment  kind  start  end  committed-start  committed-end  heap  gen0-start gen0-end gen1-start gen1-end gen2-start gen2-end
//   contexts     context  start  end            allocation contexts: no objects there
//   handles      handle   kind  address  object  dependent (0 if none)
//   finalizers   registered object  /  ready object
//   roots        root     kind  address  object  interior (0/1)  pinned (0/1)
//   threads      thread   address  os-id  managed-id  "preemptive"|"cooperative"  the exception thrown last (0: none)  locks held
//   modules      module   address  image-base  size  name,  domain  address  name
//   statics      static   address  element-type  type  field  raw value (0 address: not allocated)  content (of a structure or
//                         object; 0: none, unknown)  method-table
//   threadstatics  threadstatic  os-id  address  element-type  type  field  raw value  method-table
//   fields       field    object  address  element-type  size  path of names  raw value, or 16 hexadecimal digits a word
//   elements     element  object  index  element-type  raw value, or path=value…   (arrays, the first 64)
//   stackroots   stackroot  os-id  address (0: a register)  object  interior (0/1)  pinned (0/1)  register  instruction
//   strings      string   object  length  text with \u escapes
//   delegates    delegate  object  "one"|"several"  address of "this"  its method's name  type
//   async        task     address  completed (1 or 0)  state of the method, or -  address of what goes on after it, each
//   timers       timer    address  due  period  state  target of the callback (0 if none)
//   locks        syncblock  object  index  held (0/1)  thread's record  how often entered  waiting
//                thinlock   object  managed thread  how often again
//   tables       table    address  base size  component size  parent (0 if none)  references (0/1)  finalizer (0/1)  collectible (0/1)
//                         token  instance fields  statics, of threads too       of all objects and their base types
//   methods      method   table of a type that has objects, or is their base type  method  token  name   (those that it does not inherit; no arrays)
//   code         code     address  method (0: none)  in its newest code (1 or 0: there, in earlier code, or in none)  for some addresses of every compiled method, and of every frame of every thread
//   frames       frame    os-id  address of the instruction  stack pointer  method (0: none)  "managed"|"runtime"  name of the runtime's Frame
//   fieldsof:ADDRESS      the same of one object
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Microsoft.Diagnostics.Runtime;
using Microsoft.Diagnostics.Runtime.DataReaders.Implementation;

static class Oracle
{
    static StreamWriter output;
    static ClrRuntime runtime;
    static ClrHeap heap;

    static int Main(string[] arguments)
    {
        string dac = null, where = null;
        bool hold = false;
        var sections = new List<string>();
        for (int i = 0; i < arguments.Length; i++)
        {
            if (arguments[i] == "--dac" && i + 1 < arguments.Length) dac = arguments[++i];
            else if (arguments[i] == "--hold") hold = true;
            else if (where == null) where = arguments[i];
            else sections.Add(arguments[i]);
        }
        if (where == null || sections.Count == 0)
        {
            Console.Error.WriteLine("usage: oracle [--dac FOLDER] [--hold] PID|CORE SECTION…");
            return 2;
        }
        output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false), 1 << 16) { NewLine = "\n" };
        bool isProcess = int.TryParse(where, out int pid);
        if (isProcess) Stop(pid);
        try
        {
            using (var target = isProcess ? DataTarget.AttachToProcess(pid, true, Options()) : DataTarget.LoadDump(where, Options()))
            using (var whole = new DataTarget(new WholeReader(target.DataReader), Options()))
                Print(whole, dac, sections);
            output.Flush();
            if (isProcess && hold)
            {
                // No longer traced, its threads stop again; none of them gets to run.
                for (int i = 0; State(pid) != 'T'; i++, Thread.Sleep(5))
                    if (i == 1000) throw new Exception("the process runs");
                output.WriteLine("held");
                output.Flush();
                Console.In.ReadLine();
            }
        }
        finally
        {
            if (isProcess) kill(pid, SIGCONT);
        }
        return 0;
    }

    static readonly Locator locator = new();
    static DataTargetOptions Options() => new() { FileLocator = locator };

    [DllImport("libc", SetLastError = true)] static extern int kill(int pid, int signal);
    const int SIGCONT = 18, SIGSTOP = 19;

    static char State(int pid)
    {
        string stat = File.ReadAllText($"/proc/{pid}/stat");
        return stat[stat.LastIndexOf(')') + 2];
    }

    static void Stop(int pid)
    {
        if (kill(pid, SIGSTOP) != 0) throw new Exception("cannot stop the process");
        while (State(pid) != 'T') Thread.Sleep(1);
    }

    static void Print(DataTarget target, string dac, List<string> sections)
    {
        var info = target.ClrVersions.FirstOrDefault() ?? throw new Exception("no runtime in it");
        if (dac != null) runtime = info.CreateRuntime(Path.Combine(dac, "libmscordaccore.so"), true);
        else
        {
            // A core names it where the process had it.
            locator.Folder = Path.GetDirectoryName(info.ModuleInfo.FileName) ?? "";
            string beside = Path.Combine(locator.Folder, "libmscordaccore.so");
            runtime = File.Exists(beside) ? info.CreateRuntime(beside, true) : info.CreateRuntime();
        }
        heap = runtime.Heap;
        foreach (string section in sections)
            switch (section)
            {
                case "heap":
                    Line("heap", info.Flavor, info.Version, heap.SubHeaps.Length, heap.IsServer ? "server" : "workstation", heap.CanWalkHeap ? 1 : 0);
                    break;
                case "objects": Objects(); break;
                case "types": Types(); break;
                case "refs": References(true); break;
                case "refsums": References(false); break;
                case "segments": Segments(); break;
                case "contexts":
                    Sorted(heap.EnumerateAllocationContexts().Select(x => Text("context", Hex(x.Start), Hex(x.End))));
                    break;
                case "handles": Handles(); break;
                case "finalizers": Finalizers(); break;
                case "roots": Roots(); break;
                case "threads":
                    Sorted(runtime.Threads.Select(t => Text("thread", Hex(t.Address), t.OSThreadId, t.ManagedThreadId, t.GCMode.ToString().ToLowerInvariant(), Hex(t.CurrentException?.Address ?? 0), (int)t.LockCount)));
                    break;
                case "modules":
                    Sorted(runtime.AppDomains.Select(d => Text("domain", Hex(d.Address), d.Name)));
                    Sorted(runtime.EnumerateModules().Select(m => Text("module", Hex(m.Address), Hex(m.ImageBase), m.Size, m.Name)));
                    break;
                case "statics": Statics(); break;
                case "threadstatics": ThreadStatics(); break;
                case "fields": foreach (var o in All()) Fields(o); break;
                case "elements": foreach (var o in All()) Elements(o); break;
                case "delegates": foreach (var o in All()) Delegate(o); break;
                case "async": foreach (var o in All().Where(o => !o.IsFree)) Async(o); break;
                case "timers": Timers(); break;
                case "locks": Locks(); break;
                case "tables": Tables(); break;
                case "methods": Methods(); break;
                case "code": Code(); break;
                case "frames":
                    foreach (var t in runtime.Threads)
                        foreach (var f in t.EnumerateStackTrace())
                            Line("frame", t.OSThreadId, Hex(f.InstructionPointer), Hex(f.StackPointer), Hex(f.Method?.MethodDesc ?? 0), f.Kind == ClrStackFrameKind.ManagedMethod ? "managed" : "runtime", f.FrameName ?? "");
                    break;
                case "stackroots":
                    foreach (var t in runtime.Threads)
                        foreach (var r in t.EnumerateStackRoots())
                            Line("stackroot", t.OSThreadId, Hex(r.Address), Hex(r.Object.Address), r.IsInterior ? 1 : 0, r.IsPinned ? 1 : 0, r is ClrStackRoot s && s.RegisterName != null ? s.RegisterName : "", Hex(r is ClrStackRoot f ? f.StackFrame?.InstructionPointer ?? 0 : 0));
                    break;
                case "strings": foreach (var o in All()) String(o); break;
                default:
                    if (!section.StartsWith("fieldsof:")) throw new Exception("no section " + section);
                    string text = section[9..];
                    if (text.StartsWith("0x")) text = text[2..];
                    var one = heap.GetObject(ulong.Parse(text, NumberStyles.HexNumber));
                    Fields(one); Elements(one); String(one);
                    break;
            }
    }

    static string Hex(ulong n) => n.ToString("x");
    static string Text(params object[] fields) => string.Join('\t', fields.Select(x => Convert.ToString(x, CultureInfo.InvariantCulture).Replace('\t', ' ').Replace('\n', ' ')));
    static void Line(params object[] fields) => output.WriteLine(Text(fields));
    static void Sorted(IEnumerable<string> lines)
    {
        foreach (string line in lines.Order(StringComparer.Ordinal)) output.WriteLine(line);
    }

    static List<ClrObject> all;
    static List<ClrObject> All() => all ??= heap.EnumerateObjects().OrderBy(o => o.Address).ToList();
    static ulong Size(ClrObject o) => (o.Size + 7) & ~7UL;
    static string Name(ClrType type) => type?.Name ?? "?";

    static void Objects()
    {
        ClrSegment segment = null;
        foreach (var o in All())
        {
            if (segment == null || !segment.ObjectRange.Contains(o.Address)) segment = heap.GetSegmentByAddress(o.Address);
            Line("object", Hex(o.Address), Hex(o.Type?.MethodTable ?? 0), Size(o), segment?.GetGeneration(o.Address), Name(o.Type));
        }
    }

    static void Types()
    {
        var totals = new Dictionary<ulong, (ClrType type, ulong count, ulong bytes)>();
        foreach (var o in All())
        {
            if (o.Type == null) continue;
            totals.TryGetValue(o.Type.MethodTable, out var t);
            totals[o.Type.MethodTable] = (o.Type, t.count + 1, t.bytes + Size(o));
        }
        foreach (var t in totals.OrderBy(t => t.Key))
            Line("type", Hex(t.Key), t.Value.count, t.Value.bytes, Name(t.Value.type), t.Value.type.Module?.Name ?? "");
    }

    static void References(bool whole)
    {
        var text = new StringBuilder();
        foreach (var o in All())
        {
            if (o.IsFree || o.Type == null) continue;
            int count = 0;
            ulong hash = 0xcbf29ce484222325;
            text.Clear();
            foreach (ulong to in o.EnumerateReferenceAddresses(false, true))
            {
                if (to == 0) continue;
                count++;
                if (whole) text.Append('\t').Append(to.ToString("x"));
                else for (int i = 0; i < 8; i++) hash = (hash ^ ((to >> (8 * i)) & 0xff)) * 0x100000001b3;
            }
            if (count == 0) continue;
            if (whole) output.WriteLine("ref\t" + Hex(o.Address) + text);
            else Line("refsum", Hex(o.Address), count, hash.ToString("x16"));
        }
    }

    static void Segments()
    {
        foreach (var s in heap.Segments.OrderBy(s => s.Start))
            Line("segment", s.Kind, Hex(s.ObjectRange.Start), Hex(s.ObjectRange.End), Hex(s.CommittedMemory.Start), Hex(s.CommittedMemory.End), s.SubHeap.Index,
                 Hex(s.Generation0.Start), Hex(s.Generation0.End), Hex(s.Generation1.Start), Hex(s.Generation1.End), Hex(s.Generation2.Start), Hex(s.Generation2.End));
    }

    static void Handles() =>
        Sorted(runtime.EnumerateHandles().Select(h => Text("handle", h.HandleKind, Hex(h.Address), Hex(h.Object.Address), Hex(h.HandleKind == ClrHandleKind.Dependent ? h.Dependent.Address : 0))));

    // What ClrMD calls the queue's objects includes its roots.
    static void Finalizers()
    {
        var lines = new List<string>();
        var reader = runtime.DataTarget.DataReader;
        foreach (var sub in heap.SubHeaps)
        {
            foreach (var (name, range) in new[] { ("registered", new MemoryRange(sub.FinalizerQueueObjects.Start, sub.FinalizerQueueRoots.Start)), ("ready", sub.FinalizerQueueRoots) })
                for (ulong at = range.Start; at < range.End; at += 8)
                    if (reader.ReadPointer(at) is ulong o && o != 0) lines.Add(Text(name, Hex(o)));
        }
        Sorted(lines);
    }

    static void Roots() =>
        Sorted(heap.EnumerateRoots().Select(r => Text("root", r.RootKind, Hex(r.Address), Hex(r.Object.Address), r.IsInterior ? 1 : 0, r.IsPinned ? 1 : 0)));

    static void Locks()
    {
        foreach (var s in heap.EnumerateSyncBlocks())
            Line("syncblock", Hex(s.Object), s.Index, s.IsMonitorHeld ? 1 : 0, Hex(s.HoldingThreadAddress), s.RecursionCount, s.WaitingThreadCount);
        foreach (var o in All().Where(o => !o.IsFree))
            if (o.GetThinLock() is ClrThinLock l) Line("thinlock", Hex(o.Address), l.Thread?.ManagedThreadId ?? 0, l.Recursion);
    }

    static void Tables()
    {
        var seen = new HashSet<ulong>();
        foreach (var o in All().Where(o => !o.IsFree))
            for (var t = o.Type; t != null && seen.Add(t.MethodTable); t = t.BaseType)
                Line("table", Hex(t.MethodTable), t.StaticSize, t.ComponentSize, Hex(t.BaseType?.MethodTable ?? 0), t.ContainsPointers ? 1 : 0, t.IsFinalizable ? 1 : 0, t.IsCollectible ? 1 : 0,
                     t.MetadataToken, t.Fields.Length, t.StaticFields.Length + t.ThreadStaticFields.Length);
    }

    static void Methods()
    {
        var seen = new HashSet<ulong>();
        foreach (var o in All().Where(o => !o.IsFree))
            for (var t = o.Type; t != null && seen.Add(t.MethodTable); t = t.BaseType)
            {
                if (t.IsArray) continue;
                var inherited = new HashSet<ulong>();
                for (var b = t.BaseType; b != null; b = b.BaseType) inherited.UnionWith(b.Methods.Select(m => m.MethodDesc));
                foreach (var m in t.Methods.Where(m => !inherited.Contains(m.MethodDesc)))
                    Line("method", Hex(t.MethodTable), Hex(m.MethodDesc), Hex((ulong)m.MetadataToken), m.Name);
            }
    }

    // The bounds of the code, its middle, and a place that differs from method to method.
    static void Code()
    {
        var addresses = new SortedSet<ulong>();
        void Add(ulong start, uint size)
        {
            if (size == 0) return;
            addresses.UnionWith(new[] { start - 1, start, start + size / 2, start + (start / 16 * 2654435761 % size), start + size - 1, start + size });
        }
        var types = new HashSet<ClrType>();
        foreach (var module in runtime.EnumerateModules())
            foreach (var (table, _) in module.EnumerateTypeDefToMethodTableMap())
                if (runtime.GetTypeByMethodTable(table) is ClrType type) types.Add(type);
        types.UnionWith(All().Where(o => !o.IsFree && o.Type != null).Select(o => o.Type));
        foreach (var method in types.SelectMany(t => t.Methods))
        {
            Add(method.HotColdInfo.HotStart, method.HotColdInfo.HotSize);
            Add(method.HotColdInfo.ColdStart, method.HotColdInfo.ColdSize);
        }
        foreach (var frame in runtime.Threads.SelectMany(t => t.EnumerateStackTrace()))
            if (frame.InstructionPointer != 0) addresses.Add(frame.InstructionPointer);
        foreach (ulong address in addresses)
        {
            // ClrMD names the method before an address that is in none; or it is in an earlier version of that method's code.
            var method = runtime.GetMethodByInstructionPointer(address);
            var code = method?.HotColdInfo ?? default;
            bool inside = method != null && (address - code.HotStart < code.HotSize || address - code.ColdStart < code.ColdSize);
            Line("code", Hex(address), Hex(method?.MethodDesc ?? 0), inside ? 1 : 0);
        }
    }

    static string Raw(ulong address, int size)
    {
        var bytes = new byte[size];
        if (address == 0 || runtime.DataTarget.DataReader.Read(address, bytes) != size) return "?";
        if (size > 8) return Convert.ToHexString(bytes).ToLowerInvariant();
        ulong value = 0;
        for (int i = size - 1; i >= 0; i--) value = value << 8 | bytes[i];
        return Hex(value);
    }

    static int SizeOf(ClrElementType type) => type switch
    {
        ClrElementType.Boolean or ClrElementType.Int8 or ClrElementType.UInt8 => 1,
        ClrElementType.Char or ClrElementType.Int16 or ClrElementType.UInt16 => 2,
        ClrElementType.Int32 or ClrElementType.UInt32 or ClrElementType.Float => 4,
        _ => 8,
    };

    // Asked for the statics of free space, the library of .NET 8 crashes.
    static IEnumerable<ClrType> LoadedTypes()
    {
        var seen = new HashSet<ulong>();
        foreach (var module in runtime.EnumerateModules())
            foreach (var (table, _) in module.EnumerateTypeDefToMethodTableMap())
                if (seen.Add(table) && runtime.GetTypeByMethodTable(table) is ClrType type) yield return type;
        foreach (var o in All().Where(o => !o.IsFree))
            for (var type = o.Type; type != null; type = type.BaseType)
                if (seen.Add(type.MethodTable)) yield return type;
    }

    // Of a structure, where its first field is; of an object, where that is.
    static ulong Content(ClrStaticField field, ClrAppDomain domain, ulong at)
    {
        try
        {
            if (at == 0) return 0;
            if (field.ElementType == ClrElementType.Struct) return field.ReadStruct(domain).Address;
            return field.IsObjectReference ? field.ReadObject(domain).Address : 0;
        }
        catch { return 0; }
    }

    static void Statics()
    {
        var lines = new List<string>();
        foreach (var type in LoadedTypes())
            foreach (var field in type.StaticFields)
                foreach (var domain in runtime.AppDomains)
                {
                    ulong at = 0;
                    try { at = field.GetAddress(domain); } catch { }
                    lines.Add(Text("static", Hex(at), field.ElementType, Name(type), field.Name, at == 0 ? "0" : Raw(at, SizeOf(field.ElementType)), Hex(Content(field, domain, at)), Hex(type.MethodTable)));
                }
        Sorted(lines.Distinct());
    }

    static void ThreadStatics()
    {
        var lines = new List<string>();
        // Over these the DAC of .NET 8 ends the whole process.
        foreach (var type in LoadedTypes().Where(t => t.Name?.StartsWith("System.Collections.Immutable.AllocFreeConcurrentStack") != true))
            foreach (var field in type.ThreadStaticFields)
                foreach (var thread in runtime.Threads)
                {
                    ulong at = 0;
                    try { at = field.GetAddress(thread); } catch { }
                    if (at != 0) lines.Add(Text("threadstatic", thread.OSThreadId, Hex(at), field.ElementType, Name(type), field.Name, Raw(at, SizeOf(field.ElementType)), Hex(type.MethodTable)));
                }
        Sorted(lines.Distinct());
    }

    // A struct's fields one by one; what ClrMD cannot tell apart is left as one piece.
    static void Values(ulong address, ClrType type, bool isInside, string path, int depth, Action<ulong, ClrElementType, int, string, string> tell)
    {
        foreach (var f in type.Fields)
        {
            ulong at = f.GetAddress(address, isInside);
            string name = path + f.Name;
            if (f.ElementType == ClrElementType.Struct && f.Type != null && f.Type.Fields.Length > 0 && depth < 8)
                Values(at, f.Type, true, name + ".", depth + 1, tell);
            else if (f.ElementType == ClrElementType.Struct) tell(at, f.ElementType, f.Size, name, Raw(at, Math.Min(Math.Max(f.Size, 1), 64)));
            else tell(at, f.ElementType, SizeOf(f.ElementType), name, Raw(at, SizeOf(f.ElementType)));
        }
    }

    static bool Has(ClrObject o, string field) => o.IsValid && o.Type?.GetFieldByName(field) != null;
    static ClrObject Follow(ClrObject o, string field) => Has(o, field) ? o.ReadObjectField(field) : default;

    // What a continuation comes to: the task that it runs, or the object whose method it calls.
    static ClrObject Unwrapped(ClrObject o)
    {
        if (Has(o, "m_stateFlags")) return o;
        if (Follow(o, "m_task") is { IsValid: true, IsNull: false } task) return task;
        if (Follow(o, "m_action") is { IsValid: true, IsNull: false } action) o = action;
        if (Follow(o, "_target") is { IsValid: true, IsNull: false } target) o = target;
        return o;
    }

    static void Async(ClrObject o)
    {
        if (!Has(o, "m_stateFlags") || !Has(o, "m_continuationObject")) return;
        string state = "-";
        if (o.Type.GetFieldByName("StateMachine") is ClrInstanceField machine)
            state = (machine.IsValueType ? o.ReadValueTypeField("StateMachine").ReadField<int>("<>1__state") : o.ReadObjectField("StateMachine").IsNull ? -2 : o.ReadObjectField("StateMachine").ReadField<int>("<>1__state")).ToString();
        bool hasEnded = (o.ReadField<int>("m_stateFlags") & 0x1600000) != 0;
        var next = new List<string>();
        if (!hasEnded && o.ReadObjectField("m_continuationObject") is { IsValid: true, IsNull: false } to)
        {
            if (to.Type.Name.StartsWith("System.Collections.Generic.List<"))
            {
                var items = to.ReadObjectField("_items").AsArray();
                for (int i = 0; i < items.Length; i++)
                    if (items.GetObjectValue(i) is { IsValid: true, IsNull: false } item) next.Add(Hex(Unwrapped(item).Address));
            }
            else next.Add(Hex(Unwrapped(to).Address));
        }
        Line("task", Hex(o.Address), hasEnded ? 1 : 0, state, string.Join(' ', next));
    }

    static void Timers()
    {
        foreach (var queue in All().Where(o => o.Type?.Name == "System.Threading.TimerQueue"))
            foreach (string list in new[] { "_shortTimers", "_longTimers" })
                for (var t = queue.ReadObjectField(list); !t.IsNull; t = t.ReadObjectField("_next"))
                {
                    var callback = t.ReadObjectField("_timerCallback");
                    Line("timer", Hex(t.Address), t.ReadField<uint>("_dueTime"), t.ReadField<uint>("_period"), Hex(t.ReadObjectField("_state").Address), Hex(callback.IsNull ? 0 : callback.ReadObjectField("_target").Address));
                }
    }

    static void Fields(ClrObject o)
    {
        if (o.IsFree || o.Type == null || o.IsArray || o.Type.IsString) return;
        Values(o.Address, o.Type, false, "", 0, (at, element, size, name, value) => Line("field", Hex(o.Address), Hex(at), element, size, name, value));
    }

    static void Elements(ClrObject o)
    {
        if (!o.IsArray || o.Type == null) return;
        var array = o.AsArray();
        var element = o.Type.ComponentType;
        if (element == null) return;
        ulong start = o.Address + (ulong)o.Type.StaticSize - 8;
        for (int i = 0; i < Math.Min(array.Length, 64); i++)
        {
            ulong at = start + (ulong)i * (ulong)o.Type.ComponentSize;
            if (element.ElementType != ClrElementType.Struct)
            {
                Line("element", Hex(o.Address), i, element.ElementType, Raw(at, element.IsObjectReference ? 8 : SizeOf(element.ElementType)));
                continue;
            }
            var parts = new List<string>();
            Values(at, element, true, "", 0, (_, _, _, name, value) => parts.Add(name + "=" + value));
            Line("element", Hex(o.Address), i, element.ElementType, string.Join('\t', parts));
        }
    }

    static void Delegate(ClrObject o)
    {
        if (o.IsFree || !o.IsDelegate) return;
        var d = o.AsDelegate();
        var target = d.HasMultipleTargets ? null : d.GetDelegateTarget();
        Line("delegate", Hex(o.Address), d.HasMultipleTargets ? "several" : "one", Hex(target == null ? 0 : target.TargetObject.Address), target?.Method?.Name ?? "?", target?.Method?.Type?.Name ?? "?");
    }

    static void String(ClrObject o)
    {
        if (o.Type == null || !o.Type.IsString) return;
        string s = o.AsString(int.MaxValue / 4);
        var text = new StringBuilder();
        foreach (char c in s)
            if (c >= 0x20 && c < 0x7f && c != '\\') text.Append(c);
            else text.Append("\\u").Append(((int)c).ToString("x4"));
        output.WriteLine($"string\t{Hex(o.Address)}\t{s.Length}\t{text}");
    }
}

// Files are where the process had them, or beside the runtime; nothing is asked for over the network.
class Locator : IFileLocator
{
    public string Folder = "";
    string Find(string name) => File.Exists(name) ? name : File.Exists(Path.Combine(Folder, Path.GetFileName(name))) ? Path.Combine(Folder, Path.GetFileName(name)) : null;
    public string FindPEImage(string name, int time, int size, bool check) => Find(name);
    public string FindPEImage(string name, SymbolProperties under, ImmutableArray<byte> id, OSPlatform platform, bool check) => Find(name);
}

// ClrMD takes the lowest mapping of a file for its beginning. A program of a single file is also mapped piece by piece, for
// the assemblies in it: then its runtime is not found. This one adds the mapping that begins with the file.
class WholeReader(IDataReader inner) : IDataReader, IThreadReader
{
    public string DisplayName => inner.DisplayName;
    public bool IsThreadSafe => inner.IsThreadSafe;
    public OSPlatform TargetPlatform => inner.TargetPlatform;
    public Architecture Architecture => inner.Architecture;
    public int ProcessId => inner.ProcessId;
    public int PointerSize => inner.PointerSize;
    public bool GetThreadContext(uint thread, uint flags, Span<byte> context) => inner.GetThreadContext(thread, flags, context);
    public void FlushCachedData() => inner.FlushCachedData();
    public int Read(ulong address, Span<byte> buffer) => inner.Read(address, buffer);
    public bool Read<T>(ulong address, out T value) where T : unmanaged => inner.Read(address, out value);
    public T Read<T>(ulong address) where T : unmanaged => inner.Read<T>(address);
    public bool ReadPointer(ulong address, out ulong value) => inner.ReadPointer(address, out value);
    public ulong ReadPointer(ulong address) => inner.ReadPointer(address);
    public IEnumerable<uint> EnumerateOSThreadIds() => ((IThreadReader)inner).EnumerateOSThreadIds();
    public ulong GetThreadTeb(uint thread) => ((IThreadReader)inner).GetThreadTeb(thread);

    public IEnumerable<ModuleInfo> EnumerateModules()
    {
        var modules = inner.EnumerateModules().ToList();
        string maps = $"/proc/{ProcessId}/maps", program = null;
        if (inner.GetType().Name != "LinuxLiveDataReader") return modules;
        program = File.ResolveLinkTarget($"/proc/{ProcessId}/exe", false)?.FullName;
        foreach (string line in File.ReadLines(maps))
        {
            string[] fields = line.Split(' ', 6, StringSplitOptions.RemoveEmptyEntries);
            if (fields.Length < 6 || fields[5] != program || fields[2] != "00000000") continue;
            ulong start = ulong.Parse(fields[0][..fields[0].IndexOf('-')], NumberStyles.HexNumber);
            if (Read<uint>(start) != 0x464c457f || modules.Any(m => m.ImageBase == start)) continue;
            if (ModuleInfo.TryCreate(this, start, program) is ModuleInfo module) modules.Add(module);
        }
        return modules;
    }
}
