// What TraceEvent (Microsoft's library below PerfView) says about the samples of allocations in a .nettrace file.
//   traces FILE
// Prints a line for each stack and type, sorted, with tabs between its fields: estimated bytes, samples, type, and the
// frames from the outermost caller to the innermost. A frame is TYPE.METHOD, or ? for code without a name. A random sample
// of s bytes stands for s/p of them, where p = 1 - (1 - 1/102400)^s; one of an allocation budget for its amount.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Microsoft.Diagnostics.Tracing.Etlx;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

static class Traces
{
    static double Chance(long size) => 1 - Math.Pow(1 - 1 / 102400.0, size);

    static string Frame(TraceCallStack stack)
    {
        TraceCodeAddress code = stack.CodeAddress;
        if (code.FullMethodName.Length == 0)
            return "?";
        int end = code.FullMethodName.IndexOf('(');
        return end < 0 ? code.FullMethodName : code.FullMethodName[..end];
    }

    static List<string> Frames(TraceCallStack stack)
    {
        var frames = new List<string>();
        for (; stack != null; stack = stack.Caller)
            frames.Add(Frame(stack));
        frames.Reverse();
        return frames;
    }

    static int Main(string[] args)
    {
        if (args.Length != 1)
        {
            Console.Error.WriteLine("usage: traces FILE");
            return 2;
        }
        string etlx = Path.GetTempFileName();
        var sums = new SortedDictionary<string, (double Bytes, long Samples)>(StringComparer.Ordinal);
        try
        {
            TraceLog.CreateFromEventPipeDataFile(args[0], etlx);
            using var log = new TraceLog(etlx);
            if (log.EventsLost != 0)
                Console.Error.WriteLine($"events lost: {log.EventsLost}");
            foreach (var e in log.Events)
            {
                (string type, double bytes) = e switch
                {
                    AllocationSampledTraceData s => (s.TypeName, s.ObjectSize / Chance(s.ObjectSize)),
                    GCAllocationTickTraceData t => (t.TypeName, Math.Max(t.AllocationAmount64, t.ObjectSize)),
                    _ => (null, 0),
                };
                if (type == null)
                    continue;
                string key = type + "\t" + string.Join("\t", Frames(e.CallStack()));
                sums.TryGetValue(key, out var sum);
                sums[key] = (sum.Bytes + bytes, sum.Samples + 1);
            }
        }
        finally
        {
            File.Delete(etlx);
        }
        foreach (var (key, sum) in sums)
            Console.WriteLine($"{sum.Bytes:F0}\t{sum.Samples}\t{key}");
        return 0;
    }
}
