/* Commands as users of SOS type them: every name with the arguments of SOS. */
#include "tests/made/made_contents.h"
#include "tests/drive/screens.h"
#include "model/heap/memory.h"
#include "tui/app/command.h"
#include "tui/app/sos_line.h"
#include "tui/app/views.h"
#include <inttypes.h>
#include <string.h>

/* clang-format off */
static const struct {
	const char *typed, *ours; /* ours NULL: the sentence has `answer` */
	const char *answer;
} lines[] = {
	{ "dumpheap",                  "objects", NULL },
	{ "!DumpHeap",                 "objects", NULL },
	{ "dumpheap -stat",            "types", NULL },
	{ "!dumpheap -STAT",           "types", NULL },
	{ "dumpheap -stat -bycount",   "types; sort count", NULL },
	{ "dumpheap -type a.B[]\\",    "objects; where type ~ /a\\.B\\[\\]\\\\/", NULL },
	{ "dumpheap -type Dictionary<string, List<int>> -min 9", "objects; where type ~ /Dictionary<string, List<int>>/ and size >= 9", NULL },
	{ "dumpheap -Type A -Min 100 -max 0x1000", "objects; where type ~ /A/ and size >= 100 and size <= 4096", NULL },
	{ "!dumpheap 7f00 0x7fff",     "objects; where address >= 0x7f00 and address < 0x7fff", NULL },
	{ "dumpheap 00007FE0`19C05B18", "objects; where address >= 0x7fe019c05b18", NULL },
	{ "dumpheap -dead -strings",   "objects; where dead and type = 'string'", NULL },
	{ "dumpheap -dead -strings -stat", "objects; where dead and type = 'string'; totals", NULL },
	{ "dumpheap -live -gen loh",   "objects; where live and gen = loh", NULL },
	{ "dumpheap -stat -type A",    "types; where type ~ /A/", NULL },
	{ "dumpheap -type A -stat -min 9", "objects; where type ~ /A/ and size >= 9; totals", NULL },
	{ "dumpheap -stat -live -bycount", "objects; where live; totals; sort count", NULL },
	{ "dumpheap -stat -mt 7f00",   "objects; where table = 0x7f00; totals", NULL },
	{ "dumpheap 7f00 7fff -stat",  "objects; where address >= 0x7f00 and address < 0x7fff; totals", NULL },
	{ "dumpheap 7f00 L100",        "objects; where address >= 0x7f00 and address < 0x8000", NULL },
	{ "dumpheap 7f00 L",           NULL, "an address such as" },
	{ "dumpgen gen2 -stat",        "objects; where gen = 2; totals", NULL },
	{ "dumpheap -strings -stat",   "types; where type = 'string'", NULL },
	{ "dumpheap -type A -Type B",  NULL, "has -type twice" },
	{ "dumpheap -ignoreGCState -startAtLowerBound 7f00", "objects; where address >= 0x7f00", NULL },
	{ "dumpheap -short -min 5",    "objects; where size >= 5; short", NULL },
	{ "dumpheap -short -stat -live", "objects; where live; totals", NULL },
	{ "dumpheap -segment 7f00",    NULL, "only memory has segments" },
	{ "dumpheap -segment",         NULL, "an address in a segment" },
	{ "dumpheap -heap 1 -stat",    "objects; where heap = 1; totals", NULL },
	{ "dumpheap -type A`0",        "objects; where type ~ /A`0/", NULL },
	{ "dumpheap -type A`17",       "objects; where type ~ /A`17/", NULL },
	{ "dumparray 7f00 -length 3",  NULL, "all elements are listed" },
	{ "dumpheap -gcheap x",        NULL, "the number of a heap" },
	{ "dumpheap -min -5",          NULL, "a number of bytes" },
	{ "dumpheap -min 0100",        "objects; where size >= 100", NULL },
	{ "dumpheap -min 18446744073709551616", NULL, "a number of bytes" },
	{ "dumpheap -min 5x",          NULL, "a number of bytes" },
	{ "dumpheap -type",            NULL, "part of a name" },
	{ "dumpheap -type a/b",        NULL, "part of a name" },
	{ "dumpheap -gen 9",           NULL, "gen0, gen1" },
	{ "dumpheap 1 2 3",            NULL, "unexpected argument 3" },
	{ "dumpheap xyz",              NULL, "an address such as" },
	{ "dumpheap -xyz",             NULL, "has no option -xyz; it takes -stat" },
	{ "dumpheap a;b",              NULL, "a ';'" },
	{ "dumpgen gen2",              "objects; where gen = 2; totals", NULL },
	{ "dumpgen gen2 -mt 7f00",     "objects; where table = 0x7f00 and gen = 2", NULL },
	{ "dumpgen gen2 -short",       "objects; where gen = 2; short", NULL },
	{ "!dumpgen FOH -type A.b",    "objects; where type ~ /A\\.b/ and gen = frozen; totals", NULL },
	{ "dumpgen",                   NULL, "gen0, gen1" },
	{ "dumpobj 7fe0",              "inspect 7fe0", NULL },
	{ "do 0x7FE0",                 "inspect 0x7FE0", NULL },
	{ "!do -nofields 7fe0",        "objects; where address = 0x7fe0", NULL },
	{ "do -nofields",              NULL, "the address of one object" },
	{ "do /d 00007fe0`19c05b18",   "inspect 00007fe0`19c05b18", NULL },
	{ "dumpobj -refs 7fe0",        "references 7fe0", NULL },
	{ "dumpobj 1 2",               NULL, "one object" },
	{ "dumparray 7fe0",            "fields 7fe0", NULL },
	{ "da -details 7fe0",          NULL, "fields below them" },
	{ "da -nofields 7fe0",         "fields 7fe0; where field ~ /^\\[/", NULL },
	{ "da -start 5 7fe0",          NULL, "goes to row" },
	{ "gcroot 7fe0",               "paths 7fe0", NULL },
	{ "gcroot -nostacks -all 7fe0", "paths 7fe0", NULL },
	{ "gcroot -gcgen 0 7fe0",      NULL, "all generations" },
	{ "objsize 7fe0",              "objsize 7fe0", NULL },
	{ "objsize -stat 7fe0",        "objsize 7fe0", NULL },
	{ "!objsize",                  "objsize", NULL },
	{ "objsize \"List<int> [a.dll]\"", "objsize \"List<int> [a.dll]\"", NULL },
	{ "dumpasync -waiting -type A", "async; where not states ~ /-/ and chain ~ /A/", NULL },
	{ "dumpasync --tasks -mt 7f00", "async tasks 7f00", NULL },
	{ "dumpasync -fields",         NULL, "fields ADDRESS" },
	{ "gchandles",                 "roots; where kind ~ /^(strong|pinned|async-pinned|ref-counted|sized-ref|dependent|weak)$/", NULL },
	{ "gchandles -type pinned",    "roots; where kind = pinned", NULL },
	{ "!gchandles -type WeakShort", "roots; where kind = weak", NULL },
	{ "!gchandles -stat",          NULL, "only memory has all of them" },
	{ "gchandles -type x",         NULL, "Strong, Pinned" },
	{ "finalizequeue",             "roots; where kind = finalizer", NULL },
	{ "fq -detail",                "roots; where kind = finalizer", NULL },
	{ "fq -stat",                  NULL, "only memory has all of them" },
	{ "finalizequeue -allReady",   NULL, "state = ready" },
	{ "finalizequeue -mt 7f00",    NULL, "wants memory" },
	{ "eeheap",                    "segments", NULL },
	{ "eeheap -gc",                "segments", NULL },
	{ "eeheap -loader",            NULL, "not read" },
	{ "gcheapstat -inclUnrooted",  "heaps", NULL },
	{ "gcheapstat -iu",            "heaps", NULL },
	{ "gcwhere 7fe0",              "segments; where start <= 0x7fe0 and end > 0x7fe0", NULL },
	{ "gcwhere",                   NULL, "an address" },
	{ "!threads",                  "threads", NULL },
	{ "threads -live",             "threads; where os_id > 0", NULL },
	{ "clrthreads -special",       NULL, "threads lists these, too" },
	{ "!modules -v",               "modules", NULL },
	{ "lm",                        "modules", NULL },
	{ "clrmodules -name Core",     "modules; where module ~ /Core/", NULL },
	{ "!verifyheap -ignoreGCState", "verify", NULL },
	{ "verifyheap 7f00 7f10",      "verify; where address >= 0x7f00 and address < 0x7f10", NULL },
	{ "verifyheap -heap 2",        "verify; where heap = 2", NULL },
	{ "verifyobj 7fe0",            "verify 7fe0", NULL },
	{ "verifyobj",                 NULL, "an address" },
	{ "dumpmt 7F00`00001234",      "method-table 7F00`00001234", NULL },
	{ "dumpmt -MD 7f00",           "methods 7f00", NULL },
	{ "dumpmt",                    NULL, "an address" },
	{ "dumpclass 7F00`00001234",   "statics 7F00`00001234", NULL },
	{ "dumpclass",                 NULL, "an address" },
	{ "dumpvc 7F00`00001234 7fe0", "value 7F00`00001234 7fe0", NULL },
	{ "dumpvc 7f00",               NULL, "method table and the address" },
	{ "dumpheap -mt 0x7F00 -min 5", "objects; where table = 0x7f00 and size >= 5", NULL },
	{ "dumpheap -mt",              NULL, "an address" },
	{ "dumpheap -thinlock",        "locks; where kind = 'thin lock'", NULL },
	{ "syncblk",                   "locks held", NULL },
	{ "!SyncBlk -all",             "locks; where kind = 'sync block'", NULL },
	{ "syncblk 3",                 "locks; where index = 3", NULL },
	{ "syncblk x",                 NULL, "number of a sync block" },
	{ "lno 7fe0",                  "near 7fe0", NULL },
	{ "db 7fe0",                   "hex 7fe0", NULL },
	{ "!listnearobj 7fe0",         "near 7fe0", NULL },
	{ "lno",                       NULL, "an address" },
	{ "dumpexceptions",            "objects; where type ~ /Exception$/", NULL },
	{ "dumpexceptions -type IO -stat", "objects; where type ~ /IO/ and type ~ /Exception$/; totals", NULL },
	{ "pe 7fe0",                   "inspect 7fe0", NULL },
	{ "printexception",            NULL, "only in memory" },
	{ "dumpdelegate 7fe0",         "inspect 7fe0", NULL },
	{ "dumpobjgcrefs 7fe0",        "references 7fe0", NULL },
	{ "dcd 7fe0",                  "fields 7fe0", NULL },
	{ "dso",                       "roots; where kind ~ /stack/", NULL },
	{ "sizestats",                 "histogram", NULL },
	{ "eeversion",                 "summary; where name = format", NULL },
	{ "dumpmodule 7f00",           "modules; where record = 0x7f00", NULL },
	{ "dumpmodule",                NULL, "modules lists them" },
	{ "assemblies -name Core",     "modules; where module ~ /Core/", NULL },
	{ "name2ee leaky.dll Leaky.Session", "objects leaky.dll!Leaky.Session", NULL },
	{ "name2ee leaky!Leaky.Session", "objects leaky!Leaky.Session", NULL },
	{ "name2ee *!Leaky.Session",   "objects Leaky.Session", NULL },
	{ "name2ee * Leaky.Session",   "objects Leaky.Session", NULL },
	{ "name2ee leaky.dll",         NULL, "a module and the name" },
	{ "name2ee a!b c",             NULL, "a module and the name" },
	{ "traverseheap /tmp/a.gcdump", "save /tmp/a.gcdump", NULL },
	{ "traverseheap heap.log",     "save heap.log", NULL },
	{ "traverseheap heap",         NULL, "a file that ends in" },
	{ "!exit",                     "shell exit", NULL },
	{ "!ClrStack -all",            "stacks", NULL },
	{ "clrstack 4711",             "stacks 4711", NULL },
	{ "clrstack -a",               NULL, "arguments and local variables are not read" },
	{ "ip2md 7f00",                "code 7f00", NULL },
	{ "ip2md",                     NULL, "an address" },
	{ "setthread 3",               "stacks 3", NULL },
	{ "clrstack 3 4",              NULL, "the id of a thread" },
	{ "parallelstacks -a",         "pstacks", NULL },
	{ "pstacks",                   "pstacks", NULL },
	{ "!EEStack",                  NULL, "native frames are not listed" },
	{ "u 7f00",                    NULL, "code is not read" },
	{ "bpmd leaky Leaky.Main",     NULL, "not a debugger" },
	{ "histroot 7f00",             NULL, "stress log" },
	{ "gcroots",                   "gcroots", NULL },
	{ "types",                     "types", NULL },
	{ "!ls -l",                    "shell ls -l", NULL },
};
/* clang-format on */

static const struct heap_memory memory;
static const struct heap capture, from_memory = { .memory = &memory };

TEST(lines_are_told_in_our_words)
{
	char out[512];

	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		struct error err = { 0 };
		const char *ours =
		    command_expand_alias(lines[i].typed, &capture, out, sizeof out, &err);

		if (!ours && (lines[i].ours || !strstr(err.message, lines[i].answer)))
			fail_msg("%s: %s", lines[i].typed, err.message);
		if (ours && (!lines[i].ours || strcmp(ours, lines[i].ours)))
			fail_msg("%s: %s", lines[i].typed, ours);
	}
}

/* A heap with memory shows what other heaps lack. */
TEST(memory_has_more)
{
	static const struct {
		const char *typed, *ours;
	} rows[] = {
		{ "gchandles", "handles" },
		{ "gchandles -stat", "handles; totals" },
		{ "gchandles -type pinned", "handles; where kind = pinned" },
		{ "!gchandles -type WeakShort -stat",
		  "handles; where kind = 'weak short'; totals" },
		{ "finalizequeue", "finalizers" },
		{ "fq -stat", "finalizers; totals" },
		{ "fq -mt 7f00 -short", "finalizers; where table = 0x7f00; short" },
		{ "dumpheap -strings", "strings" },
		{ "dumpheap -strings -stat", "strings" },
		{ "dumpheap -strings -short", "objects; where type = 'string'; short" },
		{ "dumpheap -strings -live", "objects; where live and type = 'string'" },
		{ "dumpexceptions -stat", "objects; where kind = exception; totals" },
		{ "name2ee leaky.dll Leaky.Session", "method-table leaky.dll!Leaky.Session" },
	};
	char out[512];

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };
		const char *ours =
		    command_expand_alias(rows[i].typed, &from_memory, out, sizeof out, &err);

		assert_non_null(ours);
		assert_string_equal(ours, rows[i].ours);
	}
}

/* Which SOS refuses, too. */
TEST(delegates_alone)
{
	struct made_contents *m = made_contents_new(1);
	uint64_t text = made_contents_put(m, MADE_TEXT, u"no", 2, true);
	const struct heap *h = made_contents_heap(m);
	char line[64], out[512], wanted[160];
	struct error err = { 0 };

	snprintf(line, sizeof line, "dumpdelegate %" PRIx64, text);
	assert_null(command_expand_alias(line, h, out, sizeof out, &err));
	snprintf(wanted, sizeof wanted,
		 "%" PRIx64 " is not a delegate but a string: dumpobj shows its fields", text);
	assert_string_equal(err.message, wanted);
	made_contents_free(m);
}

/* Without an address: the one of the only thread that has thrown. */
TEST(exceptions_of_threads)
{
	struct made_contents *m = made_contents_new(1);
	uint64_t text = made_contents_put(m, MADE_TEXT, u"no", 2, true);
	const struct heap *h = made_contents_heap(m);
	struct heap_thread threads[] = { { .thrown = NODE_NONE },
					 { .thrown = heap_find(h, text) } };
	struct heap_memory changed = *h->memory;
	struct heap with_threads = *h;
	char out[512], wanted[64];
	struct error err = { 0 };

	changed.threads = threads;
	changed.threads_count = 1;
	with_threads.memory = &changed;
	assert_null(command_expand_alias("pe", &with_threads, out, sizeof out, &err));
	assert_non_null(strstr(err.message, "no thread has thrown"));
	error_clear(&err);
	changed.threads_count = 2;
	snprintf(wanted, sizeof wanted, "inspect %" PRIx64, text);
	assert_string_equal(command_expand_alias("pe", &with_threads, out, sizeof out, &err),
			    wanted);
	threads[0].thrown = threads[1].thrown;
	assert_string_equal(
	    command_expand_alias("!printexception", &with_threads, out, sizeof out, &err),
	    "threads; where thrown > 0");
	made_contents_free(m);
}

/* Before there is a heap, a line leads to the views that it will lead to. */
TEST(plans_lead_to_the_same)
{
	static const char *const rows[][2] = {
		{ "dumpheap -segment 7f00 -stat", "objects; where address >= " },
		{ "eeheap -segment 7f00", "segments; where start = " },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = { 0 };
		char out[2000];

		assert_true(sos_expand(rows[i][0], NULL, out, sizeof out, &err));
		assert_memory_equal(out, rows[i][1], strlen(rows[i][1]));
		assert_int_equal(strstr(out, "; totals") != NULL,
				 strstr(rows[i][0], "-stat") != NULL);
	}
}

static void
expect_view(const char *name, const char *line)
{
	struct error err = { 0 };

	if (*line && !command_by_name(NULL, line, strcspn(line, " ;"), &err).command)
		fail_msg("%s: %s", name, err.message);
}

/* Each leads somewhere, and any capitals will do. */
TEST(names_lead_to_views)
{
	for (const struct sos_command *c = sos_commands; c->name; c++) {
		expect_view(c->name, c->becomes);
		if (c->becomes_for_capture)
			expect_view(c->name, c->becomes_for_capture);
		assert_true(sos_has(c->name, strlen(c->name)));
	}
	assert_true(sos_has("VerifyHeap", 10));
	assert_true(sos_has("CLRStack", 8));
	assert_false(sos_has("", 0));
	assert_false(sos_has("types", 5));
}

/* Each is told what to type, and none hides a command of ours. */
TEST(answers_hide_nothing)
{
	char name[SOS_WORD_BYTES];

	for (const struct sos_answer *a = sos_answers; a->names; a++) {
		const char *at = a->names;

		for (size_t len; *at; at += len + (at[len] == ' ')) {
			struct error err = { 0 };
			struct binding ours;

			len = strcspn(at, " ");
			snprintf(name, sizeof name, "%.*s", (int)len, at);
			ours = command_by_name(NULL, name, len, &err);
			if (ours.command && !strcmp(ours.command->name, name))
				fail_msg("%s is a command", name);
			for (const struct sos_command *c = sos_commands; c->name; c++)
				assert_string_not_equal(c->name, name);
		}
	}
}

/* An argument without end is refused, and nothing is written past the line. */
TEST(lines_have_an_end)
{
	char line[2000] = "dumpheap", out[64];
	struct error err = { 0 };

	for (int i = 0; i < 40; i++)
		strcat(line, " -type Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_null(command_expand_alias(line, &capture, out, sizeof out, &err));
	error_clear(&err);
	assert_null(
	    command_expand_alias("dumpheap -type Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
				 &capture, out, sizeof out, &err));
	assert_non_null(strstr(err.message, "too long"));
	/* Words of 159 characters fit, one more does not. */
	error_clear(&err);
	memset(line, 'a', sizeof line);
	memcpy(line, "dumpheap ", 9);
	line[9 + 160] = '\0';
	assert_null(command_expand_alias(line, &capture, out, sizeof out, &err));
	assert_non_null(strstr(err.message, "or has a ';'"));
	error_clear(&err);
	line[9 + 159] = '\0';
	assert_null(command_expand_alias(line, &capture, out, sizeof out, &err));
	assert_null(strstr(err.message, "or has a ';'"));
}

TEST(nothing_is_written_past_the_line)
{
	static const char line[] = "dumpheap 1000 2000 -type A -live -short";
	char whole[400], out[400];
	struct error err = { 0 };
	size_t len;

	assert_non_null(command_expand_alias(line, &capture, whole, sizeof whole, &err));
	len = strlen(whole);
	for (size_t size = 1; size <= len; size++) {
		memset(out, '!', sizeof out);
		error_clear(&err);
		assert_null(command_expand_alias(line, &capture, out, size, &err));
		assert_non_null(strstr(err.message, "too long"));
		for (size_t i = size; i < sizeof out; i++)
			assert_int_equal(out[i], '!');
	}
	assert_string_equal(command_expand_alias(line, &capture, out, len + 1, &err), whole);
}

TESTS_BETWEEN(screens_begin, NULL);
