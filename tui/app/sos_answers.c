#include "tui/app/sos_line.h"

/* clang-format off */
const struct sos_answer sos_answers[] = {
	/* names, and what to use instead */
	{ "clrstack dumpstack eestack parallelstacks pstacks", "calls on stacks are not read; threads lists the threads, dso what their stacks could hold, and dumpasync the calls that wait" },
	{ "ip2md u clru dumpmd dumpil dumpsig dumpsigelem ehinfo gcinfo", "code is not read; dumpmt -MD lists the methods of a type" },
	{ "bpmd setthread stoponexception soe suppressjitoptimization watch", "this is no debugger: nothing is run or changed" },
	{ "token2ee", "name2ee MODULE TYPE finds a type by its name" },
	{ "dumpassembly dumpdomain dumpalc findappdomain", "modules lists what is loaded, dumpmodule ADDRESS shows one; groups module says what their types take in the heap" },
	{ "threadpool threadpoolqueue tpq", "the pool's own state is not read; threads lists its threads, and dumpheap -stat -type WorkItem what waits in it" },
	{ "threadstate", "threads tells GC mode and exception of each, locks who holds what; other states are not read" },
	{ "taskstate tks", "dumpasync -tasks -completed lists tasks, fields ADDRESS shows what is in one" },
	{ "dumpconcurrentqueue dcq", "fields ADDRESS shows what is in it; references ADDRESS goes on to its segments" },
	{ "dumprequests", "dumphttp lists requests that a client sends; those of a server are objects; where type ~ /HttpContext$/" },
	{ "analyzeoom ao", "why memory ran out is not kept here; gcheapstat, eeheap and free show what the heap takes, and heaptop -g PID the collections as they come" },
	{ "gchandleleaks", "gchandles -type Strong lists them, with what each holds alone; findings tells of those that are many" },
	{ "findroots", "gcroot ADDRESS shows every way from a root, roots lists the roots kind by kind" },
	{ "pathto", "gcroot TARGET shows the ways to it; objects; where under SOURCE lists what would go with SOURCE" },
	{ "heapstat", "gcheapstat is the same" },
	{ "ephrefs ephtoloh", "objects; where gen = loh and holds TYPE lists those that refer to a type; verifyheap checks the cards of all references to younger objects" },
	{ "findpointersin gctonative maddress notreachableinrange", "native memory is not searched; segments has where the heap lies, find VALUE searches values in objects" },
	{ "histinit histobj histobjfind histroot histstats histclear dumplog", "the stress log is not read; gcroot ADDRESS says why an object is alive now" },
	{ "dumpruntimetype", "dumpruntimetypes lists them; fields ADDRESS has the method table (m_handle), and dumpmt says what it is" },
	{ "comstate rcwcleanuplist dumprcw dumpccw", "there is no COM on Linux" },
	{ "dumpgcdata", "heaptop -g PID tells why and how the collector runs, collection by collection" },
	{ "crashinfo watsonbuckets", "what a crash left behind beside memory is not read; dumpexceptions lists the exceptions in the heap" },
	{ "runtimes sosstatus setclrpath procinfo", "eeversion has the runtime; heaptop --probe FILE tells what was found, and --runtime chooses of several" },
	{ "soshelp", "?, or heaptop --help keys: SOS names stand at the end" },
	{ 0 },
};
/* clang-format on */
