/*
 * The program as others call it: what it prints where, and how it ends. Runs
 * $HEAPTOP; what a row does not name is not looked at.
 */
#include "tests/drive/run_tests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAKY       "tests/data/leaky-10.gcdump"
#define LEAKY_LATER "tests/data/leaky-10-later.gcdump.zst"
#define TRACE       "tests/data/leaky-10.nettrace.zst"
#define LATER       "tests/data/leaky-10-later.gcdump.zst"
#define SESSION     "7fe019c05b18"
#define GCS         "tests/data/gcs-10.nettrace.zst"

enum { OUTPUT_BYTES = 1 << 22, COMMAND_BYTES = 1024 };

static char folder[] = "/tmp/test_batch.XXXXXX";
static const char *program;

/* clang-format off */
static const struct batch_case {
	const char *name, *command; /* $H is the program, $B also elsewhere */
	int status;
	const char *begins;         /* standard output */
	const char *contains;
	const char *error;          /* part of standard error; "": nothing there */
	int lines;                  /* of standard output; -1: any number */
} cases[] = {
	{ "types", "$H -b types " LEAKY, 0,
	  "Type  ", "\nLeaky.Session  ", "", 164 },
	{ "types csv", "$H -b types --csv " LEAKY, 0,
	  "type,raw,module,count,size,share,avg,max\n"
	  "byte[],System.Byte[],System.Private.CoreLib.dll,1262,600177,0.259",
	  "\n\"Dictionary<string, List<int>>\",\"System.Collections.Generic.Dictionary<System.String,System.Collections.Generic.List<System.Int32>>\",System.Private.CoreLib.dll,5001,400080,", "", 164 },
	{ "types tsv", "$H --tsv -b types " LEAKY, 0,
	  "type\traw\tmodule\tcount\tsize\t", "\nDictionary<string, List<int>>\t", "", 164 },
	{ "rows", "$H -b types -n 3 --csv " LEAKY, 0, "type,raw", NULL, "", 4 },
	{ "no rows", "$H -b types -n 0 --csv " LEAKY, 0, "type,raw", NULL, "", 1 },
	{ "sorted", "$H -b types --csv -s count -n 1 " LEAKY, 0,
	  NULL, "\nLeaky.Link,Leaky.Link,leaky.dll,10000,320000,", "", 2 },
	{ "sorted up", "$H -b types --csv -s module -n 1 " LEAKY, 0,
	  NULL, "\nPlugin.Thing,Plugin.Thing,Plugin,1,24,", "", 2 },
	{ "filtered", "$H -b types --csv -f 'leaky\\.link' " LEAKY, 0,
	  NULL, "\nLeaky.Link,", "", 2 },
	{ "filtered by raw name", "$H -b types --csv -f 'System\\.Byte\\[' " LEAKY, 0,
	  NULL, "\nbyte[],", "", 2 },
	{ "no address", "$H -b 'gcroot zz' " LEAKY, 2, NULL, NULL, "\"zz\" is not an address such as", 0 },
	{ "an address of nothing", "$H -b 'gcroot 123' " LEAKY, 1, NULL, NULL, "no object starts at 123", 0 },
	{ "nothing matches", "$H -b types -f xyzzy " LEAKY, 1, NULL, NULL, "heaptop: types: no row matches \"xyzzy\"\n", 0 },
	{ "findings", "$H -b findings --csv " LEAKY, 0,
	  "kind,finding,objects,size,share,retained,retained_share,address,harmless\n"
	  "collection,\"5,000 of 5,001 Leaky.Session are in one List<Leaky.Session>, kept by static Sessions\",5000,440000,",
	  "\nasync,50 calls of async Leaky.Program.WaitForever() have not completed: all wait for one Task<int>,50,5200,", "", 10 },
	{ "findings without room for retained sizes", "$H --mem 1400K -b findings --csv " LEAKY, 0,
	  "kind,finding,objects,size,share,address,harmless\n", NULL, "retained sizes of objects are left out: ", 8 },
	{ "groups", "$H -b 'groups module' --csv " LEAKY, 0,
	  "name,count,size,share\nSystem.Private.CoreLib.dll,14733,", "\nleaky.dll,16409,876944,", "", 6 },
	{ "the types of a group", "$H -b 'groups module' -x '2;open' --csv " LEAKY, 0,
	  "type,raw,", "\nLeaky.Session,Leaky.Session,leaky.dll,5001,", "", -1 },
	{ "no such groups", "$H -b 'groups xyzzy' " LEAKY, 2, NULL, NULL, "no grouping \"xyzzy\": use namespace, module,", 0 },
	{ "objects", "$H -b 'objects Leaky.Session' --csv " LEAKY, 0,
	  "address,type,size,gen,in,out,distance,root\n" SESSION ",Leaky.Session,88,,3,2,1,static Pairs\n", NULL, "", 5002 },
	{ "objects by short name", "$H -b 'objects Session' --csv " LEAKY, 0, NULL, NULL, "", 5002 },
	{ "objects by raw name", "$H -b 'objects System.Byte[]' --csv " LEAKY, 0, NULL, NULL, "", 1263 },
	{ "objects by regex", "$H -b 'objects ^leaky\\.li' --csv " LEAKY, 0, NULL, NULL, "", 10001 },
	{ "objects by module", "$H -b 'objects leaky.dll!Leaky.Link' --csv " LEAKY, 0, NULL, NULL, "", 10001 },
	{ "objects by module without .dll", "$H -b 'objects Leaky!session' --csv " LEAKY, 0, NULL, NULL, "", 5002 },
	{ "objects by module behind", "$H -b 'objects Session [leaky]' --csv " LEAKY, 0, NULL, NULL, "", 5002 },
	{ "objects, capitals or not", "$H -b 'objects leaky.session' --csv " LEAKY, 0, NULL, NULL, "", 5002 },
	{ "one of two of a name", "$H -b 'objects System.OrdinalIgnoreCaseComparer [System.Private.CoreLib.dll]' " LEAKY, 0, NULL, NULL, "", -1 },
	{ "the other of two", "$H -b 'objects OrdinalIgnoreCaseComparer [System.Private.CoreLib.dll]' --csv " LEAKY, 0, NULL, NULL, "", 2 },
	{ "the one that reads so", "$H -b 'objects OrdinalIgnoreCaseComparer' --csv " LEAKY, 0, NULL, NULL, "", 2 },
	{ "two that read alike", "$H -b types -f OrdinalIgnoreCaseComparer --csv --columns type " LEAKY, 0, "type\nSystem.OrdinalIgnoreCaseComparer\nOrdinalIgnoreCaseComparer\n", NULL, "", 3 },
	{ "all objects", "$H -b objects --csv " LEAKY, 0, NULL, NULL, "", 31868 },
	{ "an expression", "$H -b objects -f 'type ~ /Session/ and size > 1k' --csv " LEAKY, 0, "address,type,", ",Leaky.Session[],65560,", "", 3 },
	{ "of types", "$H -b types -f '(count > 4k or share > 20%) and not module = leaky.dll' --csv " LEAKY, 0, "type,raw,", "\nbyte[],", "", 4 },
	{ "what columns need", "$H -b objects -f 'distance > 100 and held by Leaky.Link' -n 1 --csv " LEAKY, 0, "address,type,", "Leaky.Link", "", 2 },
	{ "as a command", "$H -b roots -x \"where kind = static and target = 'string[]'\" --csv " LEAKY, 0, "depth,kind,name,", "s_smallNumberCache", "", -1 },
	{ "and away again", "$H -b types -x 'where size > 1M; where' --csv " LEAKY, 0, "type,raw,", NULL, "", 164 },
	{ "true of nothing", "$H -b objects -f 'size > 1G' " LEAKY, 1, NULL, NULL, "objects: no row matches \"size > 1G\"", 0 },
	{ "what would go with an object", "$H -b objects -f 'under 7fe019c05bc0' -n 20 --csv " LEAKY, 0, "address,type,", ",Leaky.Session,88,", "", 21 },
	{ "a mistake in it", "$H -b objects -f 'size > 1 and coun = 3' " LEAKY, 2, NULL, NULL, "heaptop: at character 14: \"coun\" is not a column of objects; it has address, type, ", 0 },
	{ "objects, filtered", "$H -b objects -f '^Leaky.Session$' --csv " LEAKY, 0, NULL, NULL, "", 5002 },
	{ "unknown type", "$H -b 'objects Sesion' " LEAKY, 1, NULL, NULL,
	  "heaptop: no type \"Sesion\"; nearest: Leaky.Session [leaky.dll], ", 0 },
	{ "ambiguous type", "$H -b 'objects Leaky.S' " LEAKY, 1, NULL, NULL,
	  "heaptop: 10 types match \"Leaky.S\": List<Leaky.Session> [System.Private.CoreLib.dll], Leaky.Session [leaky.dll], ", 0 },
	{ "path", "$H -b 'path 0x" SESSION "' " LEAKY, 0,
	  "kept by static Pairs \xe2\x86\x92 Pair<string, Session>[] \xe2\x86\x92 Session\nDist ", NULL, "", 4 },
	{ "path csv", "$H -b 'path " SESSION "' --csv " LEAKY, 0,
	  "distance,address,type,size,root\n0,7fe019df5b90,\"Leaky.Pair<string, Leaky.Session>[]\",280,static Pairs\n1," SESSION ",Leaky.Session,88,\n", NULL, "", 3 },
	{ "no such object", "$H -b 'path 123' " LEAKY, 1, NULL, NULL, "heaptop: no object starts at 123; :near 123 shows what is there\n", 0 },
	{ "referrers", "$H -b 'referrers " SESSION "' --tsv " LEAKY, 0,
	  "address\ttype\tsize\t", "\n7fe019d0d5a8\tLeaky.Session[]\t65560\t", "", 4 },
	{ "references", "$H -b 'references " SESSION "' --csv " LEAKY, 0,
	  "address,type,size,", ",string,32,", "", 3 },
	{ "summary", "$H -b summary " LEAKY, 0,
	  "objects 31867\nbytes 2313879\nreferences 44174\ntypes 163\nroots ",
	  "\nreachable 31731\nreachable_bytes 2305779\nundefined 1\n", "", -1 },
	{ "summary csv", "$H -b summary --csv " LEAKY, 0, "name,value\nobjects,31867\n", NULL, "", -1 },
	{ "collections", "$H -g " GCS, 0, "   GC  Time          Gen  Kind ",
	  " gen2 budget, gen2 too small\n", "heaptop: 29 collections in 4.0 s: 8 of gen0, 10 of gen1, 11 of gen2 (5 in the background); 15 induced, 11 compacting\n", 30 },
	{ "collections by -b", "$H -b gcs --csv --columns number,kind,why " GCS, 0,
	  "number,kind,why\n1,blocking,induced full\n", NULL, "heaptop: paused ", 30 },
	{ "two collections of all", "$H -g -n 2 " GCS, 0, NULL, NULL, "heaptop: 29 collections", 3 },
	{ "long pauses", "$H -g --min-pause 40ms --json " GCS, 0,
	  "{\"schema\":1,\"number\":17,", "\n{\"schema\":1,\"number\":20,", "heaptop: 29 collections", 3 },
	{ "collections heap by heap", "$H -g -v --tsv tests/data/gcs-server-10.nettrace.zst", 0,
	  "number\theap\tgeneration\tbudget\t", "\n8\t1\tpoh\t", "heaptop: 5 collections", 76 },
	{ "collections of a cut trace", "$H -g --csv - <tests/data/gcs-10-cut.nettrace", 4,
	  "number,", NULL, "heaptop: the stream ends in the middle", 15 },
	{ "collections for one who has seen enough", "$H -g " GCS " 2>/dev/null | head -n 1", 0, "   GC", NULL, "", 1 },
	{ "collections on a full disk", "$H -g " GCS " >/dev/full", 6, NULL, NULL, "cannot write to the standard output", 0 },
	{ "collections of a heap", "$H -g " LEAKY, 5, NULL, NULL, "not a .nettrace file: only event traces have collections; to watch a process: heaptop -g PID\n", 0 },
	{ "collections as Markdown", "$H -g --md " GCS, 2, NULL, NULL, "heaptop: -g has no end, ", 0 },
	{ "columns with a width", "$H -b types --columns count:9,type -n 1 " LEAKY, 0, "    Count  Type\n    1,262  byte[]\n", NULL, NULL, 2 },
	{ "columns with a wrong width", "$H -b types --columns count:x,type -n 1 " LEAKY, 2, NULL, NULL, "heaptop: count:WIDTH needs a width from 1 to 500, not \"x\"", 0 },
	{ "no such column of collections", "$H -g --columns nix " GCS, 2, NULL, NULL, "heaptop: gcs has no column \"nix\"", 0 },
	{ "collections of nothing", "$H -g", 2, NULL, NULL, "heaptop: -g wants one process or .nettrace", 0 },
	{ "collections of two", "$H -g " GCS " " GCS, 2, NULL, NULL, "heaptop: -g wants one process or .nettrace", 0 },
	{ "collections sorted", "$H -g -s pause_us " GCS, 2, NULL, NULL, "heaptop: -s cannot be used with -g", 0 },
	{ "collections and a heap to write", "$H -g -o $D/g.heaptop " GCS "; code=$?; ls $D/g.heaptop 2>/dev/null; exit $code", 2, "", NULL, "heaptop: -o cannot be used with -g", 0 },
	{ "collections and a heap for a pipe", "$H -g -o- " GCS, 2, "", NULL, "heaptop: -o cannot be used with -g", 0 },
	{ "collections and types", "$H -g -b types " GCS, 2, NULL, NULL, "heaptop: -g prints collections and cannot be used with -b types\n", 0 },
	{ "-v without -g", "$H -b types -v " LEAKY, 2, NULL, NULL, "heaptop: -v is for collections: -g\n", 0 },
	{ "a pause of no time", "$H -g --min-pause long " GCS, 2, NULL, NULL, "heaptop: --min-pause wants a time such as 5s", 0 },
	{ "memory", "$H -b memory --mem 3G --csv " LEAKY, 0, "part,bytes,per_object,meaning\nheap,", "\nlimit,3221225472,,", "", 9 },
	{ "retained sizes", "$H -b types --csv -s retained -n 1 " LEAKY, 0,
	  "type,raw,module,count,size,share,retained,retained_share,avg,max\n",
	  "\nLeaky.Session,Leaky.Session,leaky.dll,5001,440088,0.190195,1111222,", "", 2 },
	{ "filtered by retained size", "$H -b objects --columns type,retained --csv -f 'retained > 142640' " LEAKY, 0,
	  "type,retained\n", "\nLeaky.Publisher,224560\n", "", -1 },
	{ "dominators", "$H -b dominators --csv -n 2 " LEAKY, 0,
	  "address,type,size,retained,count,dominator\n"
	  "7fe019d9f830,Leaky.Link,32,320000,10000,\n"
	  "7fe019d511f8,List<object>,32,285798,426,\n", NULL, "", 3 },
	{ "all dominators", "$H -b dominators --csv -n 0 " LEAKY, 0, "address,", NULL, "", 5295 },
	{ "the first dominators", "$H -b dominators --csv " LEAKY, 0, "address,", NULL, "", 101 },
	{ "inside an object", "$H -b 'dominators 7fe019d511c0' --csv -n 0 " LEAKY, 0,
	  "address,type,size,retained,count,dominator\n"
	  "7fe019d511c0,Leaky.Publisher,24,224560,603,\n"
	  "7fe019df5b50,EventHandler,64,224536,602,7fe019d511c0\n", NULL, "", 3 },
	{ "memory as JSON", "$H -b memory --json " LEAKY " | grep -E '\"part\":\"(heap|limit)\"' | sed 's/\"bytes\":[0-9]*,//; s/[0-9]+/N/' | grep -cE '\"per_object\":([0-9]+\\.[0-9]{2}|null),'", 0, "2\n", NULL, "", 1 },
	{ "memory by number", "$H -b memory --csv -f 'per_object > 1 and per_object < 100' " LEAKY, 0, "part,bytes,per_object,meaning\nheap,", NULL, "", -1 },
	{ "too little memory", "$H --mem 1400K -b dominators " LEAKY, 6, NULL, NULL,
	  ", and 1.37 MiB are allowed; --mem 3M or :set mem=3M allows it\n", 0 },
	{ "no size", "$H --mem 12x -b types " LEAKY, 2, NULL, NULL,
	  "--mem wants a size such as 512M or 2G, not \"12x\"\n", 0 },
	{ "SOS", "$H -b 'dumpheap -type Leaky.Node' --csv " LEAKY, 0, NULL, NULL, "", 65 },
	{ "several commands", "$H -b 'summary; types' -n 2 --csv " LEAKY, 0,
	  "name,value\nobjects,31867\nbytes,2313879\ntype,raw,", NULL, "", 6 },
	{ "more commands in it", "$H -b types -x 'sort count; filter ^leaky; sort -count' --csv " LEAKY, 0,
	  "type,raw,", "\nLeaky.Link,Leaky.Link,leaky.dll,10000,320000,", "", -1 },
	{ "more commands without -b", "$H -x 'filter Session' " LEAKY, 0, "Type  ", NULL, "", 12 },
	{ "another view in it", "$H -b types -x 'objects Leaky.Node; sort size' --csv -n 2 " LEAKY, 0,
	  "address,type,", NULL, "", 3 },
	{ "commands of the view", "$H -b 'tree Leaky.Session' -x 'last; to-root' --csv " LEAKY, 0, "depth,", NULL, "", -1 },
	{ "a row in it", "$H -b types -x 3 -n 1 " LEAKY, 0, "Type  ", NULL, "", 2 },
	{ "sorted the other way", "$H -b types -s -count -f '^Leaky.(Link|Node)$' --csv " LEAKY, 0,
	  "type,raw,module,count,size,share,avg,max\nLeaky.Node,", NULL, "", 3 },
	{ "no terminal", "$H " LEAKY, 0, "Type  ", NULL, "", 164 },
	{ "packed", "$H -b types --csv tests/data/leaky-8.gcdump.zst", 0, "type,raw,", NULL, "", -1 },
	{ "walks of a trace", "$H -b walks --csv " TRACE, 0,
	  "number,gc,time,objects,size,refs,roots,pause_us,this,state\n1,5,2026-11-21 14:56:55,35025,2561825,51945,457,15109,this one,complete\n", NULL, "", 2 },
	{ "a walk that is not there", "$H -b types " TRACE "#2", 2, NULL, NULL, "the trace has 1 heap walk, but number 2 was asked for", 0 },
	{ "no walks in a dump", "$H -b walks " LEAKY, 2, NULL, NULL, "only a .nettrace contains heap walks", 0 },
	{ "standard input", "$H -b types --csv - <" LEAKY, 0, "type,raw,", NULL, "", 164 },
	{ "standard input by its name", "cat " LEAKY " | $H -b types --csv /dev/stdin", 0, "type,raw,", NULL, "", 164 },
	{ "endless and no dump", "cat /dev/zero | $H -b types -", 5, NULL, NULL, "heaptop: -: neither a .gcdump nor a .nettrace", 0 },
	{ "packed on standard input", "$H -b types --csv - <tests/data/leaky-8.gcdump.zst", 0, "type,raw,", NULL, "", -1 },
	{ "packed in a pipe", "cat tests/data/leaky-8.gcdump.zst | $H -b types --csv -", 0, "type,raw,", NULL, "", -1 },
	{ "in small pieces", "{ head -c 10 " LEAKY "; tail -c +11 " LEAKY "; } | $H -b types --csv -", 0, "type,raw,", NULL, "", 164 },
	{ "shorter than a head", "printf 12345 | $H -b types -", 5, NULL, NULL, "neither a .gcdump nor a .nettrace", 0 },
	{ "nothing in a pipe", ": | $H -b types -", 5, NULL, NULL, "standard input is empty", 0 },
	{ "named pipe", "mkfifo $D/pipe; cat " LEAKY " >$D/pipe & $H -b types --csv $D/pipe", 0, "type,raw,", NULL, "", 164 },
	{ "closed pipe", "{ $H -b objects " LEAKY "; echo $? >$D/status; } | head -n 1; exit $(cat $D/status)", 0, NULL, NULL, "", 1 },
	{ "full disk", "$H -b objects " LEAKY " >/dev/full", 6, NULL, NULL, "heaptop: cannot write to the standard output: No space", 0 },
	{ "help on a full disk", "$H --help >/dev/full", 6, NULL, NULL, "heaptop: cannot write to the standard output: No space", 0 },
	{ "in ASCII", "LC_ALL=C $H -b 'path " SESSION "' " LEAKY, 0, "kept by static Pairs -> Pair<string, Session>[] -> Session\nDist ", NULL, "", 4 },
	{ "CSV is UTF-8", "LC_ALL=C $H -b 'tree Leaky.Session' --csv " LEAKY, 0, "depth,", NULL, "", -1 },

	/* What is incomplete is told, and the status says so. */
	{ "cut in half", "head -c 300000 " LEAKY " >$D/half; $H -b types $D/half", 4, "Type  ", NULL, "/half: the file was cut short: at least ", 68 },
	{ "zeros in it", "{ head -c 200000 " LEAKY "; head -c 4096 /dev/zero; tail -c +204097 " LEAKY "; } >$D/zero; $H -b types --csv $D/zero", 4, "type,", NULL, "/zero: damaged: ", -1 },
	{ "nothing in the half", "$H -b types -f xyzzy $D/half", 1, NULL, NULL, "cut short", 0 },
	{ "a trace cut in half", "head -c 150000 " TRACE " >$D/cut; $H -b types --csv $D/cut", 4, "type,raw,", NULL, "/cut: the heap is incomplete: the end of the collection not seen", -1 },
	{ "a trace cut behind its walk", "head -c 205000 " TRACE " >$D/cut; $H -b types --csv $D/cut", 0, "type,raw,", NULL, "/cut: the stream ends in the middle", -1 },
	{ "undefined is no damage", "$H -b objects -n 1 " LEAKY, 0, NULL, "Address  Type", "", 2 },

	{ "help", "$H --help", 0, "heaptop ", "--csv", "", -1 },
	{ "help by its letter", "$H -h", 0, "heaptop ", "-h, --help", "", -1 },
	{ "help of keys by its letter", "$H -h keys", 0, "Everywhere\n", ":", "", -1 },
	{ "help has the commands of -b", "$H --help | sed -n '/^Commands of -b/,/^$/p'", 0,
	  "Commands of -b: types, objects [TYPE], ", "tree ADDRESS|TYPE", "", -1 },
	{ "help keys", "$H --help keys", 0, "Everywhere\n", ":", "", -1 },
	{ "help columns", "$H --help=columns", 0, "types\n  type ", "\nobjects\n", "", -1 },
	{ "help filter", "$H --help filter", 0, "  size > 85000 ", "\n  held by TYPE ", "", -1 },
	{ "help unknown", "$H --help xyzzy", 2, NULL, NULL, "knows keys, columns, filter, json and settings", 0 },
	{ "help settings", "$H --help settings", 0, "  ascii, noascii ", "\n  theme=THEME ", "", -1 },
	{ "paths", "TERM=nonsense HEAPTOP_RC=/x/rc HOME=/y XDG_CONFIG_HOME=/c XDG_STATE_HOME= $H --paths", 0,
	  "rc        absent   /x/rc\nthemes    absent   /c/heaptop/themes\nthemes ",
	  "\nhistory   absent   /y/.local/state/heaptop/history\nsearches  absent   /y/.local/state/heaptop/searches\n"
	  "filters   absent   /y/.local/state/heaptop/filters\nsession   absent   /y/.local/state/heaptop/session\neditrc    absent   /y/.editrc\nterminfo  built-in nonsense\n", "named by HEAPTOP_RC", 11 },
	{ "paths of both rc", "unset HEAPTOP_RC; XDG_CONFIG_HOME=/c $H --paths", 0,
	  "rc        ", "/etc/heaptop/heaptoprc\nrc        absent   /c/heaptop/heaptoprc\n", NULL, 12 },
	{ "paths of the tour", "$H --paths | grep ^tour", 0,
	  "tour      there    /", "/leaky-10.gcdump\ntour      there    /", "", 2 },
	{ "paths without a home", "env -i HEAPTOP_RC= $H --paths", 0,
	  "themes    unknown  HOME is not set\n", "\nterminfo  built-in \n", "", 10 },
	{ "rc: what is wrong is told, the rest is done",
	  "printf 'set mem=1400K\nset colour\nsummary; nonsense\n' >$D/rc; HEAPTOP_RC=$D/rc $H -b findings --csv " LEAKY, 0,
	  "kind,finding,objects,size,share,address,harmless\n", NULL, "/rc:2:5: there is no setting \"colour\"; perhaps: color\n/", 8 },
	{ "rc: the one that was named is absent", "HEAPTOP_RC=$D/no.rc $H -b types -n 1 --csv " LEAKY, 0, "type,raw", NULL, "/no.rc, named by HEAPTOP_RC, does not exist\n", 2 },
	{ "rc: none is wanted", "HEAPTOP_RC=$D/no.rc $H --no-rc -b types -n 1 --csv " LEAKY, 0, "type,raw", NULL, "", 2 },
	{ "rc: none is read", "HEAPTOP_RC=$D/rc $H --no-rc -b types -n 1 --csv " LEAKY, 0, "type,raw", NULL, "", 2 },
	{ "rc: the command line counts more", "HEAPTOP_RC=$D/rc $H --mem 1G -b findings --csv " LEAKY, 0,
	  "kind,finding,objects,size,share,retained,", NULL, NULL, 10 },
	{ "rc: paths say that it is skipped", "HEAPTOP_RC=$D/rc $H --no-rc --paths", 0, "rc        skipped  ", "/rc\nthemes", "", 11 },
	{ "rc: not if everybody may write to it", "chmod 666 $D/rc; HEAPTOP_RC=$D/rc $H --paths", 0,
	  "rc        refused  ", NULL, "can be written to by everybody: it is not read; chmod go-w", 11 },
	{ "rc: text is the same whatever stands there",
	  "printf 'set names=short bytes=exact sort.types=count theme=mono nostatics' >$D/own; "
	  "HEAPTOP_RC=$D/own $H -b types " LEAKY " >$D/a; $H -b types " LEAKY " | cmp - $D/a", 0, NULL, NULL, "", 0 },
	{ "bad setting", "$H --mem much -b types " LEAKY, 2, NULL, NULL, "--mem wants a size such as 512M or 2G, not \"much\"", 0 },
	{ "bad theme", "$H --theme night -b types " LEAKY, 2, NULL, NULL, "there is no theme “night”; perhaps: light; built-in themes are ", 0 },
	{ "probe", "$H --probe tests/corpus/core/server-9", 0, "core_bytes 110036\n", "\ngc server, regions\n", "", -1 },
	{ "probe nothing", "$H --probe", 2, NULL, NULL, "--probe wants one process or core, not 0", 0 },
	{ "probe a dump", "$H --probe " LEAKY, 5, NULL, NULL, "this is not an ELF file", 0 },
	{ "version", "$H --version", 0, "heaptop 0.", "\ntables   .NET 8", "", 7 },
	{ "no file", "$H -b types", 2, NULL, NULL, "no file or process is given: ", 0 },
	{ "diff", "$H -b diff --csv -n 3 " LEAKY " " LATER, 0,
	  "type,raw,module,count_1,size_1,count_2,size_2,count_delta,size_delta\n"
	  "Leaky.Session,Leaky.Session,leaky.dll,5001,440088,10001,880088,5000,440000\n"
	  "\"Dictionary<string, List<int>>\",\"System.Collections.Generic.Dictionary<System.String,System.Collections.Generic.List<System.Int32>>\","
	  "System.Private.CoreLib.dll,5001,400080,10001,800080,5000,400000\n", NULL, "", 4 },
	{ "diff the other way", "$H -b diff --csv -s -count_delta -n 1 " LATER " " LEAKY, 0, NULL,
	  "\nstring,System.String,System.Private.CoreLib.dll,11774,453412,5692,228066,-6082,-225346\n", "", 2 },
	{ "diff of three", "$H -b diff --csv -f '^Leaky.Session$' " LEAKY " " LATER " tests/data/leaky-10.nettrace.zst", 0,
	  "type,raw,module,count_1,size_1,count_2,size_2,count_3,size_3,count_delta,size_delta\n",
	  "\nLeaky.Session,Leaky.Session,leaky.dll,5001,440088,10001,880088,", NULL, -1 },
	{ "diff of two of three", "$H -b 'diff 2 1' --csv -n 1 " LEAKY " " LATER " " LEAKY, 0,
	  "type,raw,module,count_1,size_1,count_2,size_2,count_delta,size_delta\n", NULL, "", 2 },
	{ "diff by root", "$H -b 'diff root' --csv -n 1 " LEAKY " " LATER, 0,
	  "name,count_1,size_1,count_2,size_2,count_delta,size_delta\nstatic Sessions,16946,", NULL, "", 2 },
	{ "diff by path", "$H -b 'diff path' --csv -n 1 " LEAKY " " LATER, 0, NULL,
	  "\nstatic Sessions \xe2\x86\x92 List<Session> \xe2\x86\x92 Session[] \xe2\x86\x92 Session,16944,", "", 2 },
	{ "diff by path and another", "$H -b 'diff root; diff module' --csv " LEAKY " " LATER, 0, "name,", "\nleaky.dll,16409,876944,21409,1382480,5000,505536\n", "", -1 },
	{ "diff in JSON", "$H -b diff --json -s -size_delta -n 1 " LATER " " LEAKY, 0, "{\"schema\":", "\"count_delta\":-5000,\"size_delta\":-440000}", "", -1 },
	{ "diff with states", "$H -b diff --csv --columns type,state -f RuntimeParameterInfo " LEAKY " " LATER, 0,
	  "type,state\nSystem.Reflection.RuntimeParameterInfo,new\n", NULL, "", 2 },
	{ "diff of equals", "$H -b diff --csv " LEAKY " " LEAKY, 1, "type,raw,", NULL, ": nothing differs, or there is nothing to compare; :equal shows", 1 },
	{ "findings of a heap with lost roots", "printf 'a 2 A\\nt 1 T\\no 8 1 8\\n' | $H -b findings -", 1, NULL, NULL, "findings: roots are unknown, and most leaks cannot be found without them", 0 },
	{ "diff of equals, all", "$H -b 'diff all' --csv " LEAKY " " LEAKY, 0, "type,raw,", ",0,0\n", "", 164 },
	{ "diff of one", "$H -b diff " LEAKY, 2, NULL, NULL, "there is only one heap: give two files or more", 0 },
	{ "diff of what", "$H -b 'diff xyzzy' " LEAKY " " LATER, 2, NULL, NULL, "diff does not know \"xyzzy\"", 0 },
	{ "diff of no number", "$H -b 'diff 1 3' " LEAKY " " LATER, 2, NULL, NULL, "there is no heap 3", 0 },
	{ "diff with a bad file", "$H -b diff " LEAKY " Makefile", 5, NULL, NULL, "Makefile: neither", 0 },
	{ "several files without a terminal", "$H " LEAKY " " LATER, 0, "+1.39 MiB, +20,909 objects: 1 leaky-10.gcdump \xe2\x86\x92 2 leaky-10-later.gcdump.zst\n", "\nLeaky.Session ", "", -1 },
	{ "diff with half a file", "head -c 300000 " LEAKY " >$D/half; $H -b diff -n 1 " LEAKY " $D/half", 4, "-832,657 B, -6,543 objects: 1 leaky-10.gcdump", "\n2 half: part of it is missing, its numbers are too low\n", "/half: the file was cut short: at least ", 5 },
	{ "diff in ASCII", "LC_ALL=C $H -b diff " LEAKY " " LATER, 0, "+1.39 MiB, +20,909 objects: 1 leaky-10.gcdump -> 2 ", " o#     grows\n", "", -1 },
	{ "two files", "$H -b types " LEAKY " " LEAKY, 2, NULL, NULL, "types is about one heap, not 2", 0 },
	{ "a process and a file", "$H -b types 4711 " LEAKY, 2, NULL, NULL, "process 4711 cannot be combined with other heaps", 0 },
	{ "the second is no heap", "$H -b types " LEAKY " $D/none", 2, NULL, NULL, "types is about one heap, not 2", 0 },
	{ "no such process", "$H 99999999", 3, NULL, NULL, "there is no process 99999999", 0 },
	{ "process 0", "$H 0", 3, NULL, NULL, "there is no process 0", 0 },
	{ "no number of a process", "$H 99999999999", 2, NULL, NULL, "99999999999 is too large for a process ID; to name a file: ./99999999999", 0 },
	{ "not a .NET process", "$H -b types $$", 3, NULL, NULL, ") is not a .NET process", 0 },
	{ "a file named like a process", "cp " LEAKY " $D/4711; cd $D; \"$B\" -b types ./4711", 0, "Type  ", NULL, "", 164 },
	{ "neither file nor process", "$H -b types no.such.name", 5, NULL, NULL, "no.such.name: there is no such file and no .NET process of that name", 0 },
	{ "list and a file", "$H -l " LEAKY, 2, NULL, NULL, "-l takes neither a file nor a process", 0 },
	{ "list and a view", "$H -l -b types", 2, "", NULL, "-b cannot be used with -l, which lists processes\n", 0 },
	{ "list and commands", "$H -l -x quit", 2, "", NULL, "-x cannot be used with -l", 0 },
	{ "list and a file to write", "$H -l -o $D/l.heaptop", 2, "", NULL, "-o cannot be used with -l", 0 },
	{ "list and a trace to write", "$H -l -o $D/l.nettrace", 2, "", NULL, "-o cannot be used with -l", 0 },
	{ "list and collections", "$H -l -g", 2, "", NULL, "-g cannot be used with -l", 0 },
	{ "a runtime without memory", "$H --runtime 2 -b types 4711", 2, "", NULL, "heaptop: --runtime is for reading memory: -m PID\n", 0 },
	{ "collections, narrower", "$H --min-pause 10ms " LEAKY, 2, NULL, NULL, "heaptop: --min-pause is for collections: -g\n", 0 },
	{ "memory and a trace", "$H -m -o $D/m.nettrace 4711", 2, "", NULL, "heaptop: -m reads memory, but -o FILE.nettrace saves events\n", 0 },
	{ "the tour and a file", "$H --tour " LEAKY, 2, NULL, NULL, "heaptop: --tour opens its own dumps", 0 },
	{ "port and a process", "$H --port $D/port 4711", 2, NULL, NULL, "--port takes neither a file nor a process", 0 },
	{ "a budget that is no time", "$H --budget 5 99999999", 2, NULL, NULL, "a time such as 5s or 200ms, not \"5\"", 0 },
	{ "a negative budget", "$H --budget -1s 99999999", 2, NULL, NULL, "a time such as 5s or 200ms, not \"-1s\"", 0 },
	{ "memory that is no size", "$H --mem 5X 99999999", 2, NULL, NULL, "--mem wants a size such as 512M or 2G, not \"5X\"", 0 },
	{ "no memory at all", "$H --mem 0 99999999", 2, NULL, NULL, "--mem wants a size such as 512M or 2G, not \"0\"", 0 },
	{ "more memory than numbers", "$H --mem 99999999T 99999999", 2, NULL, NULL, "--mem wants a size", 0 },
	{ "memory for a file", "$H --mem 1G -b types -n 1 " LEAKY, 0, "Type ", NULL, "", 2 },
	{ "a budget for a file", "$H --budget 5s " LEAKY, 2, NULL, NULL, "for processes, not for files", 0 },
	{ "events kept of a file", "$H -o $D/kept.nettrace " LEAKY, 2, NULL, NULL, "save the heap of a file as FILE.heaptop", 0 },
	{ "unknown option", "$H --xyzzy " LEAKY, 2, NULL, NULL, "unknown option --xyzzy", 0 },
	{ "option without value", "$H " LEAKY " -b", 2, NULL, NULL, "-b wants a value", 0 },
	{ "not a number", "$H -b types -n x " LEAKY, 2, NULL, NULL, "a number of rows, not \"x\"", 0 },
	{ "nothing asked", "$H -b '' " LEAKY, 2, NULL, NULL, "-b wants a command", 0 },
	{ "blanks asked", "$H -b ' ; ' " LEAKY, 2, NULL, NULL, "-b wants a command", 0 },
	{ "a motion", "$H -b down " LEAKY, 2, NULL, NULL, "down prints nothing", 0 },
	{ "quit", "$H -b quit " LEAKY, 2, NULL, NULL, "quit prints nothing", 0 },
	{ "unknown in -x", "$H -b types -x xyzzy " LEAKY, 2, NULL, NULL, "no command \"xyzzy\"", 0 },
	{ "-x twice", "$H -b types -x 'sort size' -x 'sort count' " LEAKY, 2, NULL, NULL, "-x is given twice; one takes several commands: -x 'COMMAND; COMMAND'", 0 },
	{ "-b without a command", "$H -b -x types " LEAKY, 2, NULL, NULL, "-b wants a command before \"-x\"", 0 },
	{ "one of several in -x", "$H -b types -x 'sort size; xyzzy' " LEAKY, 2, NULL, NULL, "-x command 2 of 2: no command \"xyzzy\"", 0 },
	{ "several for -b", "$H -b 'types; xyzzy' " LEAKY, 2, NULL, NULL, "-b command 2 of 2: no command \"xyzzy\"", 0 },
	{ "a semicolon in quotes", "$H -b types -x \"where type = 'a;b' or type = 'Leaky.Session'; sort size\" --csv " LEAKY, 0, "type,raw", "\nLeaky.Session,", "", 2 },
	{ "a file of commands", "printf '# order\\nsort -count\\n:where count > 1000 and size < 1M\\n' >$D/rc; $H -b types -x \"source $D/rc\" --csv --columns type,count -n 1 " LEAKY, 0, "type,count\nint[],1014\n", NULL, "", 2 },
	{ "a file that needs referrers", "echo 'where in > 599' >$D/rc; $H -b objects -x \"source $D/rc\" --csv --columns in,type " LEAKY, 0, "in,type\n", "\n", "", -1 },
	{ "a file of commands with a mistake", "printf 'sort count\\n\\n  xyzzy' >$D/rc; $H -b types -x \"sort size; source $D/rc\" " LEAKY " 2>&1 | sed s,$D/,,g", 0, NULL, "-x command 2 of 2: rc:3:3: no command \"xyzzy\"", "", 1 },
	{ "a file that names itself", "echo \"source $D/rc\" >$D/rc; $H -b types -x \"source $D/rc\" " LEAKY, 2, NULL, NULL, "is not read: files may be nested 8 deep at most", 0 },
	{ "files that name too many", "for i in 1 2 3 4 5 6; do for j in 1 2 3 4 5 6 7 8 9 10; do echo \"source $D/rc$((i + 1))\"; done >$D/rc$i; done; echo \"# none\" >$D/rc7; timeout 100 $H -b types -x \"source $D/rc1\" " LEAKY, 2, NULL, NULL, "is not read: at most 50 files may be read by others", 0 },
	{ "a folder of commands", "$H -b types -x 'source .' " LEAKY, 2, NULL, NULL, ". is not a regular file", 0 },
	{ "a table in a file", "$H -b types -x \"filter ^leaky; sort count; w $D/w.csv\" -n 0 " LEAKY " && ls -l $D/w.csv | cut -c 1-10 && head -3 $D/w.csv && $H -b types -f ^leaky -s count --csv " LEAKY " | cmp - $D/w.csv", 0, "-rw-------\ntype,raw,", "\nLeaky.Link,", "", 4 },
	{ "a table in a file that is there", "$H -b types -x \"w $D/w.csv\" " LEAKY " 2>&1 | sed s,$D/,,g", 0, "heaptop: w.csv exists; w! w.csv replaces it\n", NULL, "", 1 },
	{ "a table in its place", "$H -b types -x \"w! $D/w.csv\" -n 0 " LEAKY " && $H -b types --csv " LEAKY " | cmp - $D/w.csv", 0, NULL, NULL, "", 0 },
	{ "tables in all formats", "for f in tsv json jsonl md; do $H -b types -x \"w $D/w.$f\" -n 0 " LEAKY " && $H -b types --$f " LEAKY " | cmp - $D/w.$f || exit 1; done; $H -b types -x \"w $D/w.txt\" -n 0 " LEAKY " && $H -b types " LEAKY " | cmp - $D/w.txt", 0, NULL, NULL, "", 0 },
	{ "a table in no file", "$H -b types -x 'w $D/w' " LEAKY, 2, NULL, NULL, "w writes FILE.csv, .tsv, .json, .jsonl, .md or .txt, not", 0 },
	{ "a table named as a heap", "$H -b types -x 'w x.gcdump' " LEAKY, 2, NULL, NULL, "x.gcdump is a name for a heap, but w writes the rows of this view; save x.gcdump saves the heap", 0 },
	{ "a table where there is no folder", "$H -b types -x 'w $D/none/x.csv' " LEAKY, 6, NULL, NULL, "cannot write", 0 },
	{ "a table over a folder", "mkdir $D/w.d.csv; $H -b types -x \"w! $D/w.d.csv\" " LEAKY, 2, NULL, NULL, "is not a regular file and is not replaced", 0 },
	{ "a table for a command", "$H -b types -x 'sort count; w csv !head -2; sleep 0' -n 0 " LEAKY, 0, "type,raw,module,count,size,share,avg,max\nLeaky.Link,", NULL, "", 2 },
	{ "a table for one that does not read", "$H -b objects -x 'w !true' -n 0 " LEAKY, 0, NULL, NULL, "", 0 },
	{ "a table for one that fails", "$H -b types -x 'w !cat >/dev/null; exit 3' " LEAKY, 6, NULL, NULL, "cat >/dev/null; exit 3 exited with status 3", 0 },
	{ "a command", "SHELL=/nonexistent/sh $H -b 'objects Leaky.Session' -x '!echo $HEAPTOP_FILE $HEAPTOP_TYPE $HEAPTOP_ADDRESS; env | grep -c ^HEAPTOP_[FPTA][IYD][LDPR]' -n 0 " LEAKY, 0, LEAKY " Leaky.Session 7fe01", "\n3\n", "", 2 },
	{ "a command after a look at nothing", "HEAPTOP_TYPE=old HEAPTOP_PID=1 $H -b types -x 'filter xyzzy; !env | grep ^HEAPTOP_[FPTA][IYD][LDPR]' -n 0 " LEAKY, 1, "HEAPTOP_FILE=" LEAKY "\n", NULL, NULL, 1 },
	/* INT, QUIT, PIPE, TSTP, TTOU, XFSZ. */
	{ "a command hears all signals", "$H -b types -x '!echo deaf to $((0x$(grep SigIgn /proc/self/status | cut -f 2) & 0x1281006))' -n 0 " LEAKY, 0, "deaf to 0\n", NULL, "", 1 },
	{ "a command that is missing", "$H -b types -x '!' " LEAKY, 2, NULL, NULL, "! needs a command: !COMMAND", 0 },
	{ "a heap kept by a command", "$H -b types -x \"save $D/s.heaptop; save $D/s.gclog\" -n 0 " LEAKY " && $H -b types --csv $D/s.heaptop >$D/a && $H -b types --csv " LEAKY " | cmp - $D/a && head -c 2 $D/s.gclog", 0, NULL, NULL, NULL, -1 },
	{ "a heap kept where one is", "$H -b types -x \"save $D/s.heaptop\" " LEAKY " 2>&1 | sed s,$D/,,g", 0, "heaptop: s.heaptop exists; save! s.heaptop replaces it\n", NULL, "", 1 },
	{ "a heap kept behind a link", "mkdir $D/behind && cp " LEAKY " $D/behind/t && ln -s behind/t $D/l.heaptop && $H --force -o $D/l.heaptop " LEAKY " && test -L $D/l.heaptop && $H -b types --csv -n 0 $D/behind/t && head -c 5 $D/behind/t | tail -c 4 && rm -r $D/behind $D/l.heaptop", 0, "type,raw", "\nHEAP", "", -1 },
	{ "a heap kept in its place", "$H -b types -x \"save! $D/s.heaptop\" -n 0 " LEAKY, 0, NULL, NULL, "", 0 },
	{ "a heap kept as a table", "$H -b types -x 'save x.csv' " LEAKY, 2, NULL, NULL, "save writes a heap to FILE.heaptop, FILE.gcdump or FILE.gclog, not \"x.csv\"; w FILE.csv writes this table", 0 },
	{ "a command that needs no force", "$H -b types -x 'sort! size' " LEAKY, 2, NULL, NULL, "sort takes no !", 0 },
	{ "of another view in -x", "$H -b types -x to-root " LEAKY, 2, NULL, NULL, "no command \"to-root\"", 0 },
	{ "a heap kept", "$H -o $D/k.heaptop " LEAKY " && $H -b types --csv $D/k.heaptop >$D/a && $H -b types --csv " LEAKY " | cmp - $D/a && $H -b roots --csv $D/k.heaptop >$D/a && $H -b roots --csv " LEAKY " | cmp - $D/a", 0, "", NULL, "", 0 },
	{ "a heap in a pipe", "$H -o- " LEAKY " | $H -b summary -", 0, "objects 31867\n", "\nformat gcdump 10\n", "", -1 },
	{ "a heap in a pipe that was cut", "$H -o- " LEAKY " | head -c 30000 | $H -b types --csv -n 1 -", 4, "type,raw,module,count,", "byte[],System.Byte[],System.Private.CoreLib.dll,1262,600177,", "cut short: only its types were read", 2 },
	{ "kept over an old one", "echo mine >$D/m.heaptop; $H -o $D/m.heaptop " LEAKY "; code=$?; cat $D/m.heaptop; exit $code", 6, "mine\n", NULL, "not overwritten without --force", 1 },
	{ "kept in place of an old one", "echo mine >$D/m.heaptop; $H --force -o $D/m.heaptop " LEAKY " && $H -b types -n 1 $D/m.heaptop", 0, "Type ", NULL, "", 2 },
	{ "kept as something else", "$H -o $D/x.txt " LEAKY, 2, NULL, NULL, "-o writes FILE.heaptop", 0 },
	{ "kept as it was", "$H convert " LEAKY " $D/again.gcdump && cmp " LEAKY " $D/again.gcdump && $H -o- --format gcdump " LEAKY " | cmp - " LEAKY, 0, "", NULL, "", 0 },
	{ "a packed one kept unpacked", "$H convert tests/data/leaky-8.gcdump.zst $D/u.gcdump && zstd -dc tests/data/leaky-8.gcdump.zst | cmp - $D/u.gcdump && $H -o- --format gcdump - <tests/data/leaky-8.gcdump.zst | cmp - $D/u.gcdump && cat " LEAKY " | $H -o- --format gcdump - | cmp - " LEAKY, 0, "", NULL, "", 0 },
	{ "kept in its own place", "cp " LEAKY " $D/own.gcdump && $H --force -o $D/own.gcdump $D/own.gcdump && cmp " LEAKY " $D/own.gcdump", 0, "", NULL, "", 0 },
	{ "in another format", "$H convert " TRACE " $D/t.gcdump && $H -b summary $D/t.gcdump", 0, "objects ", "\ntool heaptop\n", "weak handles are left out", -1 },
	{ "there and back", "$H convert " LEAKY " $D/f.heaptop && $H convert $D/f.heaptop $D/f.gcdump && $H -b types --csv $D/f.gcdump >$D/a && $H -b types --csv " LEAKY " | cmp - $D/a && $H -b roots --csv $D/f.gcdump >$D/a && $H -b roots --csv " LEAKY " | cmp - $D/a", 0, "", NULL, "", 0 },
	{ "convert: one name", "$H convert " LEAKY, 2, NULL, NULL, "convert wants two names", 0 },
	{ "convert: three names", "$H convert " LEAKY " " LEAKY " $D/x.gcdump", 2, NULL, NULL, "convert wants two names", 0 },
	{ "convert: no such format", "$H convert " LEAKY " $D/x.foo", 2, NULL, NULL, "-o writes FILE.heaptop", 0 },
	{ "convert: a trace of a file", "$H convert " LEAKY " $D/x.nettrace", 2, NULL, NULL, "convert writes FILE.heaptop, FILE.gcdump or FILE.gclog", 0 },
	{ "convert: -f", "$H convert -f Session " LEAKY " $D/x.gcdump", 2, NULL, NULL, "-f cannot be used with convert", 0 },
	{ "check: -s", "$H check -s size --max A=0 " LEAKY, 2, NULL, NULL, "-s cannot be used with check", 0 },
	{ "-o: -b", "$H -b types -o $D/x.heaptop " LEAKY, 2, NULL, NULL, "-b cannot be used with -o", 0 },
	{ "-o: two heaps", "$H -o $D/x.heaptop " LEAKY " " LEAKY, 2, NULL, NULL, "-o saves one heap, not 2", 0 },
	{ "convert: -b", "$H convert -b types " LEAKY " $D/x.gcdump", 2, NULL, NULL, "no -b, no -g", 0 },
	{ "convert: a bad file", "$H convert tests/tui/cli/test_batch.c $D/x.gcdump; code=$?; ls $D/x.gcdump 2>/dev/null; exit $code", 5, NULL, NULL, "neither a .gcdump", 0 },
	{ "convert: half a file", "$H convert $D/half $D/half.gcdump; code=$?; $H -b types -n 1 --csv $D/half.gcdump; exit $code", 4, "type,", NULL, "half.gcdump: written anew, not copied: the file was cut short", 2 },
	{ "convert: over an old one", "$H convert " LEAKY " $D/again.gcdump", 6, NULL, NULL, "not overwritten without --force", 0 },
	{ "convert: a full disk", "$H convert --format gcdump " LEAKY " - >/dev/full", 6, NULL, NULL, "No space left", 0 },
	{ "a device is not replaced", "$H --force -o /dev/null --format gcdump " LEAKY, 2, NULL, NULL, "/dev/null is not a regular file", 0 },
	{ "no such format", "$H -o- --format zip " LEAKY, 2, NULL, NULL, "--format knows heaptop, gcdump and gclog, not \"zip\"", 0 },
	{ "a format of nothing", "$H -b types --format gcdump " LEAKY, 2, NULL, NULL, "--format sets the format of a saved heap", 0 },
	{ "their report", "$H --compat=dotnet-gcdump " LEAKY " | cmp - tests/data/leaky-10.report.txt", 0, "", NULL, "", 0 },
	{ "their report of a trace", "$H --compat=dotnet-gcdump " TRACE " >$D/a && $H --compat=dotnet-gcdump $D/t.gcdump | cmp - $D/a", 0, "", NULL, "", 0 },
	{ "whose report?", "$H --compat=visualvm " LEAKY, 2, NULL, NULL, "--compat knows dotnet-gcdump, not \"visualvm\"", 0 },
	{ "a report and something else", "$H --compat=dotnet-gcdump -b types " LEAKY, 2, NULL, NULL, "--compat prints a report, and nothing else", 0 },
	{ "a GC log", "$H -b types --csv tests/data/sample.gclog", 0, "type,raw,module,count,", "\nstring,System.String,ShopFront.exe,3,120,", "", 19 },
	{ "a GC log with a mistake", "printf 'a 2 A\\nt 1 T\\no 8 1 8\\nx\\nc A\\n' >$D/m.gclog; $H -b types $D/m.gclog 2>&1 >/dev/null | sed s,$D/,,", 0, "m.gclog:4:1: warning: unknown record 'x', line ignored [unknown-record]\n", NULL, "", 1 },
	{ "strictly", "$H -b types --strict $D/m.gclog", 5, "Type ", NULL, "[unknown-record]", 2 },
	{ "strictly, and good", "$H -b types --strict tests/data/sample.gclog", 0, "Type ", NULL, "", 19 },
	{ "no GC log", "printf 'a 2 A\\nb\\nc\\n' | $H -b types -", 5, NULL, NULL, "-:1:1: error: this does not look like a GC log [not-gclog]", 0 },
	{ "a GC log kept", "$H -o $D/k.gclog tests/data/sample.gclog && for view in types roots objects; do $H -b $view --csv $D/k.gclog >$D/a && $H -b $view --csv tests/data/sample.gclog | cmp - $D/a || exit 1; done", 0, "", NULL, "", 0 },
	{ "a GC log kept by way of another format", "$H -o $D/g.heaptop tests/data/sample.gclog && $H -o $D/g.gclog $D/g.heaptop && cmp $D/g.gclog $D/k.gclog", 0, "", NULL, "", 0 },
	{ "kept as a GC log, with long ids", "$H --force -o $D/k.gclog " LEAKY, 0, "", NULL, "some ids have more than 32 bits", 0 },
	{ "kept on a full disk", "for as in heaptop gclog gcdump; do (ulimit -f 8; $H --force -o $D/full.$as " LEAKY "); echo $?; done; ls $D | grep full", 1, "6\n6\n6\n", NULL, "full.heaptop: File too large", 3 },
	{ "kept in place of another on a full disk", "echo mine >$D/full.heaptop; (ulimit -f 8; $H --force -o $D/full.heaptop " LEAKY "); echo $?; cat $D/full.heaptop; ls $D | grep -c full; rm $D/full.heaptop", 0, "6\nmine\n1\n", NULL, "full.heaptop: File too large", 3 },
	{ "kept in a pipe that is closed", "{ $H --raw -o- " LEAKY "; echo $? >$D/code; } | true; cat $D/code", 0, "0\n", NULL, "", 1 },
	{ "all formats in a pipe that is closed", "for how in '-o- --format heaptop' '-o- --format gcdump' '-o- --format gclog' --compat=dotnet-gcdump; do { $H $how " LEAKY "; echo $? >$D/code; } | true; cat $D/code; done", 0, "0\n0\n0\n0\n", NULL, NULL, 4 },
	{ "all formats in a pipe that is closed later", "for how in '-o- --format heaptop' '-o- --format gcdump' '-o- --format gclog' --compat=dotnet-gcdump; do { $H $how " LEAKY "; echo $? >$D/code; } | head -c 100 >/dev/null; cat $D/code; done", 0, "0\n0\n0\n0\n", NULL, NULL, 4 },
	{ "kept where nobody may write", "$H -o /proc/x.heaptop " LEAKY, 6, "", NULL, "cannot write /proc/x.heaptop: ", 0 },
	{ "kept as a GC log over an old one", "echo mine >$D/m.gclog; $H -o $D/m.gclog " LEAKY "; code=$?; cat $D/m.gclog; exit $code", 6, "mine\n", NULL, "not overwritten without --force", 1 },
	{ "kept as a trace over an old one", "echo mine >$D/m.nettrace; $H -o $D/m.nettrace 1; code=$?; cat $D/m.nettrace; exit $code", 6, "mine\n", NULL, "not overwritten without --force", 1 },
	{ "kept to be mapped", "$H --force --raw -o $D/raw.heaptop " LEAKY " && for view in types roots objects; do $H -b $view --csv $D/raw.heaptop >$D/a && $H -b $view --csv " LEAKY " | cmp - $D/a || exit 1; done", 0, "", NULL, "", 0 },
	{ "kept with what is computed", "$H --force --with retained -o $D/w.heaptop " LEAKY " && for view in dominators types roots; do $H -b $view --csv $D/w.heaptop >$D/a && $H -b $view --csv " LEAKY " | cmp - $D/a || exit 1; done; $H -b summary $D/w.heaptop | grep from_the_file", 0, "from_the_file distances\n", NULL, "", 1 },
	{ "kept with something else", "$H --with love -o $D/w.heaptop " LEAKY, 2, "", NULL, "--with knows distances", 0 },
	{ "a GC log to be mapped", "$H --raw -o $D/raw.gclog " LEAKY, 2, "", NULL, "--raw is for .heaptop files only", 0 },
	{ "mapped, and not kept", "$H --raw -b types " LEAKY, 2, "", NULL, "--raw is for saving a heap", 0 },
	{ "kept where there is no folder", "$H -o $D/none/x.heaptop " LEAKY, 6, NULL, NULL, "cannot write", 0 },
	{ "limits that are broken", "$H check --max 'Leaky.Session=0' --max-size '/Leaky/=50M' --where 'type ~ /Sub/ and count > 100' " LEAKY, 1, "FAILED  leaky-10.gcdump: max Leaky.Session=0: 5,001 objects, 0 allowed\nok      leaky-10.gcdump: max-size /Leaky/=50M: ", "\nFAILED  leaky-10.gcdump: where type ~ /Sub/ and count > 100: 1 type matches: Leaky.Subscriber\n", "", 3 },
	{ "limits that hold", "$H check --allow-missing --max 'Leaky.Session=5001' --max 'No.Such=0' " LEAKY, 0, "ok      leaky-10.gcdump: max Leaky.Session=5001: 5,001 objects, 5,001 allowed\nok      leaky-10.gcdump: max No.Such=0: 0 objects (there is no such type), 0 allowed\n", NULL, "", 2 },
	{ "limits that only a part is known to keep", "head -c 200000 " LEAKY " >$D/cut && $H check --max 'Leaky.Session=5000' $D/cut", 4, "ok      cut: max Leaky.Session=5000: ", NULL, "the file was cut short", 1 },
	{ "only types: no column of what is retained", "$H -o- " LEAKY " | head -c 20000 >$D/types.heaptop; $H -b types --csv -n 1 $D/types.heaptop", 4, "type,raw,module,count,size,share,avg,max\n", NULL, "only its types were read", 2 },
	{ "only types: no ways", "$H -b 'paths A' $D/types.heaptop", 5, "", NULL, "this file is cut short and has only types, no objects", 0 },
	{ "no map of a trace", "$H -b heapmap tests/data/leaky-10.nettrace.zst", 2, "", NULL, "this trace does not record segments", 0 },
	{ "only types: what is known", "$H -b summary $D/types.heaptop", 4, "objects 31867\nbytes 2313879\ntypes 163\nundefined_roots 7\nmissing_bytes ", NULL, "only its types were read", 8 },
	{ "only types: sorted by what is retained", "$H -b types -s retained $D/types.heaptop", 5, "", NULL, "this file is cut short and has only types, no objects", 0 },
	{ "only types: limits", "$H check --max Leaky.Session=5001 --max-retained Leaky.Session=1 --where 'retained > 1' --junit $D/j.xml $D/types.heaptop; code=$?; cat $D/j.xml; exit $code", 4, "ok      types.heaptop: max Leaky.Session=5001: 5,001 objects, 5,001 allowed\nFAILED  types.heaptop: max-retained Leaky.Session=1: it could not be measured: types.heaptop: this file is cut short and has only types, no objects\nFAILED  types.heaptop: where retained > 1: it could not", "<error message=\"it could not be measured: ", "only its types were read", -1 },
	{ "only types: growth", "$H check --grew 'type ~ /^Leaky/' --baseline " LEAKY " $D/types.heaptop", 4, "FAILED  types.heaptop: grew type ~ /^Leaky/: it could not be measured: types.heaptop: this file is cut short", NULL, "only its types were read", 1 },
	{ "only types: growth since", "$H check --grew 'type ~ /^Leaky/' --baseline $D/types.heaptop " LEAKY, 4, "FAILED  leaky-10.gcdump: grew type ~ /^Leaky/: it could not be measured: types.heaptop: this file is cut short", NULL, "only its types were read", 1 },
	{ "a cut heap for build servers", "head -c 200000 " LEAKY " >$D/cut && $H check --max Leaky.Session=5000 --junit $D/j.xml $D/cut; code=$?; cat $D/j.xml; exit $code", 4, "ok ", "tests=\"2\" failures=\"0\" errors=\"1\">\n<testcase classname=\"heaptop\" name=\"the heap is complete\"><error message=\"the file was cut short: ", "the file was cut short", -1 },
	{ "an unreadable heap for build servers", "echo no >$D/no.gcdump; $H check --max Leaky.Session=5000 --junit $D/j.xml $D/no.gcdump " LEAKY "; code=$?; cat $D/j.xml; exit $code", 1, "FAILED  leaky-10.gcdump: max Leaky.Session=5000: ", "<testsuite name=\"no.gcdump\" tests=\"1\" failures=\"0\" errors=\"1\">\n", "/no.gcdump: ", -1 },
	{ "rules about what is not there", "for r in '--max No.Such=0' '--max /NoSuch/=0' '--max-size No.Such=1' '--where type~/NoSuch/' \"--where type='No.Such'\"; do $H check $r " LEAKY " | grep -o 'could not be measured: no type'; $H check $r " LEAKY " >/dev/null 2>&1; echo $?; $H check --allow-missing $r " LEAKY " >/dev/null 2>&1; echo $?; done", 0, "could not be measured: no type\n5\n0\ncould not be measured: no type\n5\n0\n", "\n0\ncould not be measured: no type\n5\n0\n", "", 15 },
	{ "a pattern of --grew that is not there", "$H check --grew 'type ~ /NoSuch/' --baseline " LEAKY " " LEAKY_LATER "; echo $?; $H check --grew 'type ~ /^Leaky/ and count_1 > 99999999' --baseline " LEAKY " " LEAKY_LATER, 0, "FAILED  leaky-10-later.gcdump.zst: grew type ~ /NoSuch/: it could not be measured: no type matches \"NoSuch\" (--allow-missing accepts that)\n5\nok ", NULL, "", 3 },
	{ "growth from and to", "$H check --grew 'type ~ /^Leaky.Session$/' --baseline " LEAKY " " LEAKY_LATER, 1, "FAILED  leaky-10-later.gcdump.zst: grew type ~ /^Leaky.Session$/: 1 type has grown: Leaky.Session (5,001 to 10,001 objects, 440,088 B to 880,088 B)\n", NULL, "", 1 },
	{ "limits on what is not there, strictly", "$H check --strict --max Leaky.Sesion=0 --max Leaky.Session=9000 " LEAKY, 5, "FAILED  leaky-10.gcdump: max Leaky.Sesion=0: it could not be measured: no type \"Leaky.Sesion\"; nearest: Leaky.Session [leaky.dll]", "\nok      leaky-10.gcdump: max Leaky.Session=9000", "", 2 },
	{ "limits on a type as programs write it", "$H check --strict --max 'System.Collections.Generic.Dictionary<string, System.Collections.Generic.List<int>>=5000' " LEAKY, 1, "FAILED  ", ": 5,001 objects, 5,000 allowed\n", "", 1 },
	{ "limits on a full disk", "$H check --max 'Leaky.Session=5001' " LEAKY " >/dev/full", 6, "", NULL, "cannot write to the standard output", 0 },
	{ "a negative limit", "$H check --max 'Leaky.Session= -5' " LEAKY, 2, NULL, NULL, "--max wants TYPE=NUMBER", 0 },
	{ "growth", "cp " LEAKY_LATER " $D/later; $H check --grew 'type ~ /^Leaky/' --baseline " LEAKY " --junit $D/j.xml $D/later; code=$?; cat $D/j.xml; exit $code", 1, "FAILED  later: grew type ~ /^Leaky/: 2 types have grown: Leaky.Session (5,001 to 10,001 objects, 440,088 B to 880,088 B), Leaky.Session[] (", "<testsuite name=\"later\" tests=\"1\" failures=\"1\" errors=\"0\">", "", -1 },
	{ "growth of what types retain", "cp " LEAKY_LATER " $D/later && $H check --grew 'retained_delta > 1M' --baseline " LEAKY " $D/later", 1, "FAILED  later: grew retained_delta > 1M: 1 type has grown: Leaky.Session (5,001 to 10,001 objects, 440,088 B to 880,088 B)\n", NULL, "", 1 },
	{ "limits that there is no memory for", "$H check --max-retained 'Leaky.Session=1M' --mem 1400K " LEAKY, 6, "FAILED  leaky-10.gcdump: max-retained Leaky.Session=1M: it could not be measured: leaky-10.gcdump: ", NULL, "retained sizes are not computed", 1 },
	{ "an object without room for the ways to the roots", "$H --force -o $D/i.heaptop " LEAKY " && for c in inspect dumpobj 'path' 'merged' 'near'; do for m in 700k 800k 850k; do $H --mem $m -b \"$c 7fe019c05b18\" $D/i.heaptop >$D/o 2>&1; code=$?; [ $code -le 6 ] && [ -s $D/o ] || echo $c $m $code; done; done; $H --mem 800k -b 'inspect 7fe019c05b18' $D/i.heaptop | sed -n 2p", 0, "paths to roots were not computed, for lack of memory\n", NULL, "columns are left out", 1 },
	{ "losses without a warning", "$H -b types --csv -n 1 --columns type tests/data/losses-without-words.heaptop", 4, "type\n", NULL, "this heap is incomplete: 8,675,391,334,802,980,864 objects with references lost", 2 },
	{ "multipliers that cannot be", "for f in multiplier memcpy-null; do $H -b types tests/corpus/gcdump/D8-$f.gcdump >/dev/null 2>$D/e; [ $? -le 5 ] && ! grep -q 'runtime error' $D/e || cat $D/e; done", 0, "", NULL, "", 0 },
	{ "no files left to look at processes", "case $H in *-emulated) echo cannot look at the processes: Too many open files >&2; exit 6 ;; esac; (ulimit -n 4; $H -l)", 6, "", NULL, "cannot look at the processes: Too many open files", 0 },
	{ "changes below zero", "b() { $H -b diff --csv --columns size_delta \"$@\" " LEAKY_LATER " " LEAKY " | tail -n +2; }; b >$D/all; b -f 'size_delta < -100' >$D/below; b -f 'size_delta = -24' >$D/is; b -f 'size_delta in -100..+5' >$D/in; awk '$1 < -100' $D/all | cmp - $D/below; awk '$1 == -24' $D/all | cmp - $D/is; awk '$1 >= -100 && $1 <= 5' $D/all | cmp - $D/in; [ -s $D/below ] && [ -s $D/is ] && [ -s $D/in ]", 0, "", NULL, "", 0 },
	{ "columns that only memory has", "for c in kind heap table live; do $H -b objects -s $c " LEAKY "; echo $?; $H -b objects -f \"$c = 1\" " LEAKY "; echo $?; done", 0, "2\n2\n2\n2\n2\n2\n2\n2\n", NULL, "only cores", 8 },
	{ "no column to sort by", "$H -b types -s nope " LEAKY, 2, "", NULL, "it has type, raw, module, count, size, share, retained, retained_share, avg, max", 0 },
	{ "a port that a signal closes", "for s in TERM HUP; do $H --port $D/port -b types & p=$!; n=0; while [ ! -e $D/port ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n + 1)); done; [ -e $D/port ] || echo none; kill -s $s $p; wait $p; [ -e $D/port ] && echo $s left it; done; :", 0, "", NULL, "waiting for a runtime to connect", 0 },
	{ "a folder called like a process", "here=$PWD; mkdir -p $D/nobody-runs-this; cd $D; case $H in /*) ;; *) H=$here/$H ;; esac; $H -b types nobody-runs-this", 5, "", NULL, "no .NET process of that name", 0 },
	{ "growth without a baseline", "$H check --grew 'count > 0' " LEAKY, 2, NULL, NULL, "--grew wants --baseline FILE", 0 },
	{ "no limit", "$H check --max Leaky.Session " LEAKY, 2, NULL, NULL, "--max wants TYPE=NUMBER", 0 },
	{ "a limit that is no number", "$H check --max Leaky.Session=5x " LEAKY, 2, NULL, NULL, "--max wants TYPE=NUMBER", 0 },
	{ "a rule that is no filter", "$H check --where 'sise > 3' " LEAKY, 2, NULL, NULL, "\"sise\" is not a column", 0 },
	{ "no rule", "$H check " LEAKY, 2, NULL, NULL, "check wants a rule", 0 },
	{ "no heap to check", "$H check --max a=1", 2, NULL, NULL, "check wants at least one heap", 0 },
	{ "rules without a check", "$H --max a=1 " LEAKY, 2, NULL, NULL, "rules are for check:", 0 },
	{ "a check of no heap", "$H check --max a=1 /dev/null", 5, NULL, NULL, "/dev/null", -1 },
	{ "a packed file that was cut", "head -c 20000 " LEAKY_LATER " >$D/cut.zst; $H -b types $D/cut.zst", 5, NULL, NULL, "the compressed file was cut short after 20000 bytes", 0 },
	{ "generations that are not known", "$H -b types --columns type,gen0 -n 1 --csv " LEAKY, 0, "type,gen0\nbyte[],\n", NULL, "", 2 },
	{ "sorted by what is not known", "$H -b types -s gen0 " LEAKY, 2, NULL, NULL, "does not record the generations", 0 },
	{ "JSON", "$H -b types --json -n 1 " LEAKY, 0, "{\"schema\":1,\"view\":\"types\",\"title\":\"types\",\"source\":\"leaky-10.gcdump\",", "\"rows\":[\n{\"type\":\"byte[]\",\"raw\":\"System.Byte[]\",\"module\":\"System.Private.CoreLib.dll\",\"count\":1262,\"size\":600177,\"share\":0.259", "", 4 },
	{ "rows of JSON", "$H -b types --jsonl -n 2 --columns count,type " LEAKY, 0, "{\"count\":1262,\"type\":\"byte[]\"}\n{\"count\":5001,\"type\":\"Leaky.Session\"}\n", NULL, "", 2 },
	{ "text in Markdown", "$H -b findings --md -n 0 --columns size,harmless " LEAKY " | tail -n 1; $H -b objects --md -n 0 --columns address,size " LEAKY " | tail -n 1", 0, "| ---: | --- |\n| --- | ---: |\n", NULL, "", 2 },
	{ "Markdown", "$H -b types --md -n 1 --columns type,size " LEAKY, 0, "| Type | Size |\n| --- | ---: |\n| byte\\[\\] | 600,177 B |\n", NULL, "", 3 },
	{ "columns in the order wanted", "$H -b types --csv -n 1 --columns size,raw " LEAKY, 0, "size,raw\n600177,System.Byte[]\n", NULL, "", 2 },
	{ "no such column", "$H -b types --columns size,xyzzy " LEAKY, 2, NULL, NULL, "types has no column \"xyzzy\"; it has type raw", 0 },
	{ "no column", "$H -b types --columns '' " LEAKY, 2, NULL, NULL, "--columns names no column", 0 },
	{ "two formats", "$H --csv --tsv " LEAKY, 2, NULL, NULL, "give one output format, not several", 0 },
	{ "unknown theme", "$H --theme xyzzy -b types " LEAKY, 2, NULL, NULL, "xyzzy", 0 },
	{ "evil name", "$H -b types \"$(printf '/none\\033[31m')\"", 5, NULL, NULL, "/none\xef\xbf\xbd[31m", 0 },
	{ "evil name of a bad file", "f=$(printf \"$D/x\\033[31m\"); echo x >\"$f\"; $H -b types \"$f\"", 5, NULL, NULL, "/x\xef\xbf\xbd[31m: neither", 0 },
	{ "unknown command", "$H -b xyzzy " LEAKY, 2, NULL, NULL, "no command \"xyzzy\"", 0 },
	{ "no argument", "$H -b path " LEAKY, 2, NULL, NULL, "path needs an object", 0 },
	{ "argument too many", "$H -b 'types x' " LEAKY, 2, NULL, NULL, "types takes no argument", 0 },
	{ "for the screen", "$H -b help " LEAKY, 2, NULL, NULL, "help works only on the screen", 0 },
	{ "nearly a column", "$H -b types --columns size,cuont " LEAKY, 2, NULL, NULL, "types has no column \"cuont\"; perhaps: count; it has type raw", 0 },
	{ "sorted by nearly a column", "$H -b types -s cuont " LEAKY, 2, NULL, NULL, "types does not sort by \"cuont\"; perhaps: count; it has type", 0 },
	{ "unknown column", "$H -b types -s xyzzy " LEAKY, 2, NULL, NULL, "does not sort by \"xyzzy\"", 0 },
	{ "bad regex", "$H -b types -f '(' " LEAKY, 2, NULL, NULL, "is not a regular expression", 0 },
	{ "no such file", "$H -b types /nonexistent.gcdump", 5, NULL, NULL, "/nonexistent.gcdump: No such file", 0 },
	{ "not a dump", "$H -b types Makefile", 5, NULL, NULL, ": it does not begin like one; to save the heap of a process: heaptop -o FILE.gcdump PID\n", 0 },
	{ "a minidump of Windows", "printf 'MDMPxxxxxxxxxxxx' | $H -b types -", 5, NULL, NULL, "-: a minidump of Windows, which heaptop does not read; on Windows make a heap dump with: dotnet-gcdump collect -p PID\n", 0 },
	{ "a zip archive", "printf 'PK\\003\\004xxxxxxxxxxxx' | $H -b types -", 5, NULL, NULL, "-: a zip archive: unpack it first: unzip FILE\n", 0 },
	{ "a library", "printf 'MZxxxxxxxxxxxxxxxxxx' | $H -b types -", 5, NULL, NULL, "start it, and find it with: heaptop -l\n", 0 },
	{ "nearly an option", "$H --cvs " LEAKY, 2, NULL, NULL, "unknown option --cvs; perhaps: --csv\n", 0 },
	{ "nearly an option with a value", "$H --colums=type " LEAKY, 2, NULL, NULL, "perhaps: --columns\n", 0 },
	{ "nearly a command", "$H -b domnators " LEAKY, 2, NULL, NULL, "no command \"domnators\"; perhaps: dominators\n", 0 },
	{ "nearly a command of SOS", "$H -b 'dumpheep -stat' " LEAKY, 2, NULL, NULL, "no command \"dumpheep\"; perhaps: dumpheap\n", 0 },
	{ "nearly a setting", "$H -b types -x 'set them=dark' " LEAKY, 2, NULL, NULL, "there is no setting \"them\"; perhaps: theme\n", 0 },
	{ "no sysroot", "$H --sysroot /nowhere -b types " LEAKY, 2, NULL, NULL, "--sysroot wants an existing folder, not \"/nowhere\"", 0 },
	{ "gzip", "gzip -c " LEAKY " >$D/gz; $H -b types $D/gz", 5, NULL, NULL, "/gz: compressed with gzip: unpack it first: gzip -d FILE\n", 0 },
	{ "rows that could be opened", "$H -b 'tree Leaky.Session' " LEAKY, 0, NULL, "\n  + Plugin.Thing ", "", -1 },
	{ "empty file", ": >$D/empty; $H -b types $D/empty", 5, NULL, NULL, "/empty is empty", 0 },
	{ "cut file", "head -c 200 " LEAKY " >$D/cut; $H -b types $D/cut", 5, NULL, NULL, "/cut: ", 0 },
};
/* clang-format on */

static char *
read_output(const char *name)
{
	char path[256];
	char *text = calloc(1, OUTPUT_BYTES);
	FILE *f;
	size_t len;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, "rb");
	if (!f || !text) {
		fail_msg("cannot read %s", path);
		abort();
	}
	len = fread(text, 1, OUTPUT_BYTES - 1, f);
	text[len] = '\0';
	fclose(f);
	return text;
}

static int
count_lines(const char *text)
{
	int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

TEST(test_case)
{
	const struct batch_case *c = *state;
	char command[COMMAND_BYTES];
	char *out, *err;
	int status;

	snprintf(command, sizeof command,
		 "export LC_ALL=C.UTF-8; H='%s'; B=$(realpath $H); D='%s'; "
		 "exec >$D/out 2>$D/err; %s",
		 program, folder, c->command);
	status = system(command);
	out = read_output("out");
	err = read_output("err");
	if (!WIFEXITED(status) || WEXITSTATUS(status) != c->status)
		fail_msg("%s: ended with %d, not %d\n%s", c->command,
			 WIFEXITED(status) ? WEXITSTATUS(status) : -status,
			 c->status, err);
	if (c->begins && strncmp(out, c->begins, strlen(c->begins)) != 0)
		fail_msg("%s printed\n%.300s\nand not\n%s", c->command, out,
			 c->begins);
	if (c->contains && !strstr(out, c->contains))
		fail_msg("%s: no\n%s\nin\n%.2000s", c->command, c->contains,
			 out);
	if (c->error && (*c->error ? !strstr(err, c->error) : *err))
		fail_msg("%s: wanted \"%s\" on standard error, got\n%s",
			 c->command, c->error, err);
	if (c->lines >= 0 && count_lines(out) != c->lines)
		fail_msg("%s: %d lines, not %d", c->command, count_lines(out),
			 c->lines);
	free(out);
	free(err);
}

int
main(void)
{
	char command[COMMAND_BYTES];
	int failed;

	program = getenv("HEAPTOP");
	if (!program)
		program = "build/heaptop";
	if (!mkdtemp(folder))
		return 1;
	failed = run_rows(ROWS(test_case, cases));
	snprintf(command, sizeof command, "rm -r '%s'", folder);
	return system(command) ? 1 : failed;
}
