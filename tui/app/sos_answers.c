#include "tui/app/sos_line.h"

/* clang-format off */
const struct sos_answer sos_answers[] = {
	/* names, and what to use instead */
	{ "dumpstack eestack", "native frames are not listed; clrstack lists the calls of all threads, dso the objects on their stacks, and dumpasync the async calls that wait" },
	{ "u clru dumpmd dumpil dumpsig dumpsigelem ehinfo gcinfo", "code is not read; dumpmt -MD lists the methods of a type, ip2md finds the one at an address" },
	{ "bpmd stoponexception soe suppressjitoptimization watch", "heaptop is not a debugger: it cannot run or change the program" },
	{ "token2ee", "name2ee MODULE TYPE finds a type by its name" },
	{ "dumpassembly dumpdomain dumpalc findappdomain", "use \"modules\" to list loaded modules, \"dumpmodule ADDRESS\" for one; \"groups module\" shows their bytes in the heap" },
	{ "threadpool threadpoolqueue tpq", "the pool's own state is not read; threads lists its threads, and dumpheap -stat -type WorkItem its waiting items" },
	{ "threadstate", "threads shows GC mode and exception of each, locks shows who holds them; other states are not read" },
	{ "taskstate tks", "dumpasync -tasks -completed lists tasks, fields ADDRESS shows one" },
	{ "dumpconcurrentqueue dcq", "fields ADDRESS shows its items; references ADDRESS shows its segments" },
	{ "dumprequests", "dumphttp lists requests of a client; for those of a server use objects; where type ~ /HttpContext$/" },
	{ "analyzeoom ao", "the cause of an out-of-memory error is not read; gcheapstat, eeheap and free show the heap's memory, and heaptop -g PID its collections" },
	{ "gchandleleaks", "gchandles -type Strong lists them, with what each alone retains; findings reports unusually many" },
	{ "findroots", "gcroot ADDRESS shows every path from a root, roots lists the roots by kind" },
	{ "pathto", "use \"gcroot TARGET\" for the paths to it; \"objects; where under SOURCE\" lists what only SOURCE keeps alive" },
	{ "heapstat", "gcheapstat is the same" },
	{ "ephrefs ephtoloh", "\"objects; where gen = loh and holds TYPE\" lists those that refer to a type; verifyheap checks the cards of all references to younger objects" },
	{ "findpointersin gctonative maddress notreachableinrange", "native memory is not searched; segments shows where the heap is, find VALUE searches objects" },
	{ "histinit histobj histobjfind histroot histstats histclear dumplog", "the stress log is not read; gcroot ADDRESS shows why an object is alive now" },
	{ "dumpruntimetype", "dumpruntimetypes lists them; fields ADDRESS shows the method table (m_handle), which dumpmt describes" },
	{ "comstate rcwcleanuplist dumprcw dumpccw", "there is no COM on Linux" },
	{ "dumpgcdata", "heaptop -g PID shows why and how the collector runs, for each collection" },
	{ "crashinfo watsonbuckets", "crash records outside memory are not read; dumpexceptions lists the exceptions in the heap" },
	{ "runtimes sosstatus setclrpath procinfo", "eeversion shows the runtime; heaptop --probe FILE lists all that were found, and --runtime selects one" },
	{ "soshelp", "?, or heaptop --help keys: commands of SOS are at the end" },
	{ 0 },
};
/* clang-format on */
