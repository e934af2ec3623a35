/* What users of SOS type: every name with the arguments that SOS has for it. */
#include "tests/run_tests.h"
#include "tui/sos.h"
#include "tui/views.h"
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
	{ "dumpheap -live -gen loh",   "objects; where live and gen = loh", NULL },
	{ "dumpheap -stat -type A",    "types; where type ~ /A/", NULL },
	{ "dumpheap -type A -stat -min 9", "objects; where type ~ /A/ and size >= 9; sort type", NULL },
	{ "dumpheap -ignoreGCState -startAtLowerBound 7f00", "objects; where address >= 0x7f00", NULL },
	{ "dumpheap -short",           NULL, "--columns address" },
	{ "dumpheap -segment 7f00",    NULL, "see segments" },
	{ "dumpheap -gcheap 1",        NULL, "see segments" },
	{ "dumpheap -min -5",          NULL, "a number of bytes" },
	{ "dumpheap -min 0100",        "objects; where size >= 100", NULL },
	{ "dumpheap -min 18446744073709551616", NULL, "a number of bytes" },
	{ "dumpheap -min 5x",          NULL, "a number of bytes" },
	{ "dumpheap -type",            NULL, "part of a name" },
	{ "dumpheap -type a/b",        NULL, "part of a name" },
	{ "dumpheap -gen 9",           NULL, "gen0, gen1" },
	{ "dumpheap 1 2 3",            NULL, "what is 3 to be?" },
	{ "dumpheap xyz",              NULL, "an address such as" },
	{ "dumpheap -xyz",             NULL, "knows no -xyz here; it takes -stat" },
	{ "dumpheap a;b",              NULL, "a ';'" },
	{ "dumpgen gen2",              "objects; where gen = 2", NULL },
	{ "!dumpgen FOH -type A.b",    "objects; where type ~ /A\\.b/ and gen = frozen", NULL },
	{ "dumpgen",                   NULL, "gen0, gen1" },
	{ "dumpobj 7fe0",              "inspect 7fe0", NULL },
	{ "do 0x7FE0",                 "inspect 0x7FE0", NULL },
	{ "!do -nofields 7fe0",        "inspect 7fe0", NULL },
	{ "do /d 00007fe0`19c05b18",   "inspect 00007fe0`19c05b18", NULL },
	{ "dumpobj -refs 7fe0",        "references 7fe0", NULL },
	{ "dumpobj 1 2",               NULL, "one object" },
	{ "dumparray 7fe0",            "fields 7fe0", NULL },
	{ "da -details -length 5 7fe0", "fields 7fe0", NULL },
	{ "da -start 5 7fe0",          NULL, "goes to the row" },
	{ "gcroot 7fe0",               "paths 7fe0", NULL },
	{ "gcroot -nostacks -all 7fe0", "paths 7fe0", NULL },
	{ "gcroot -gcgen 0 7fe0",      NULL, "all generations" },
	{ "objsize 7fe0",              "objsize 7fe0", NULL },
	{ "objsize -stat 7fe0",        "objsize 7fe0", NULL },
	{ "!objsize",                  "objsize", NULL },
	{ "gchandles",                 "roots; filter handles?$", NULL },
	{ "gchandles -type pinned",    "handles; where kind = pinned", NULL },
	{ "!gchandles -type WeakShort -stat", "handles; where kind = 'weak short'; sort type", NULL },
	{ "gchandles -type x",         NULL, "Strong, Pinned" },
	{ "finalizequeue",             "roots; filter finalizer", NULL },
	{ "fq -detail",                "roots; filter finalizer", NULL },
	{ "finalizequeue -allReady",   NULL, "state = ready" },
	{ "finalizequeue -mt 7f00",    NULL, "see finalizers" },
	{ "eeheap",                    "segments", NULL },
	{ "eeheap -gc",                "segments", NULL },
	{ "eeheap -loader",            NULL, "not read here" },
	{ "gcheapstat -inclUnrooted",  "heaps", NULL },
	{ "gcheapstat -iu",            "heaps", NULL },
	{ "gcwhere 7fe0",              "segments; where start <= 0x7fe0 and end > 0x7fe0", NULL },
	{ "gcwhere",                   NULL, "an address" },
	{ "!threads",                  "threads", NULL },
	{ "threads -live",             "threads; where os_id > 0", NULL },
	{ "clrthreads -special",       NULL, "only managed threads" },
	{ "!modules -v",               "modules", NULL },
	{ "clrmodules -name Core",     "modules; where module ~ /Core/", NULL },
	{ "!verifyheap -ignoreGCState", "verify", NULL },
	{ "verifyheap 7f00 7f10",      NULL, "what is 7f00 to be?" },
	{ "verifyobj 7fe0",            "verify 7fe0", NULL },
	{ "verifyobj",                 NULL, "an address" },
	{ "dumpmt 7F00`00001234",      "method-table 7F00`00001234", NULL },
	{ "dumpmt -MD 7f00",           NULL, "how many there are" },
	{ "dumpmt",                    NULL, "an address" },
	{ "dumpvc 7F00`00001234 7fe0", "value 7F00`00001234 7fe0", NULL },
	{ "dumpvc 7f00",               NULL, "method table and the address" },
	{ "dumpheap -mt 0x7F00 -min 5", "objects; where table = 0x7f00 and size >= 5", NULL },
	{ "dumpheap -mt",              NULL, "an address" },
	{ "dumpheap -thinlock",        "locks; where kind = 'thin lock'", NULL },
	{ "syncblk",                   "locks; where not kind = 'thin lock' and entered > 0", NULL },
	{ "!SyncBlk -all",             "locks; where kind = 'sync block'", NULL },
	{ "syncblk 3",                 "locks; where index = 3", NULL },
	{ "syncblk x",                 NULL, "number of a sync block" },
	{ "lno 7fe0",                  "near 7fe0", NULL },
	{ "db 7fe0",                   "bytes 7fe0", NULL },
	{ "!listnearobj 7fe0",         "near 7fe0", NULL },
	{ "lno",                       NULL, "an address" },
	{ "gcroots",                   "gcroots", NULL },
	{ "types",                     "types", NULL },
	{ "!ls -l",                    "shell ls -l", NULL },
};
/* clang-format on */

static void
lines_are_told_in_our_words(void **state)
{
	char out[512];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		struct error err = { 0 };
		const char *ours = command_expand_alias(lines[i].typed, false,
							out, sizeof out, &err);

		if (!ours &&
		    (lines[i].ours || !strstr(err.message, lines[i].answer)))
			fail_msg("%s: %s", lines[i].typed, err.message);
		if (ours && (!lines[i].ours || strcmp(ours, lines[i].ours)))
			fail_msg("%s: %s", lines[i].typed, ours);
	}
}

/* What only memory tells is shown of such a heap. */
static void
memory_has_more(void **state)
{
	static const struct {
		const char *typed, *ours;
	} rows[] = {
		{ "gchandles", "handles" },
		{ "gchandles -stat", "handles; sort type" },
		{ "finalizequeue", "finalizers" },
		{ "fq -stat", "finalizers; sort type" },
		{ "dumpheap -strings", "strings" },
		{ "dumpheap -strings -stat", "strings" },
		{ "dumpheap -strings -live",
		  "objects; where type = 'string' and live" },
	};
	char out[512];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct error err = { 0 };
		const char *ours = command_expand_alias(rows[i].typed, true,
							out, sizeof out, &err);

		assert_non_null(ours);
		assert_string_equal(ours, rows[i].ours);
	}
}

static void
expect_view(const char *name, const char *line)
{
	struct error err = { 0 };

	if (*line &&
	    !command_by_name(NULL, line, strcspn(line, " ;"), &err).command)
		fail_msg("%s: %s", name, err.message);
}

/* Each leads somewhere, and any capitals will do. */
static void
names_lead_to_views(void **state)
{
	(void)state;
	for (const struct sos_command *c = sos_commands; c->name; c++) {
		expect_view(c->name, c->ours);
		if (c->ours_of_memory)
			expect_view(c->name, c->ours_of_memory);
		assert_true(sos_has(c->name, strlen(c->name)));
	}
	assert_true(sos_has("VerifyHeap", 10));
	assert_false(sos_has("types", 5));
}

/* An argument without end is refused, and nothing is written past the line. */
static void
lines_have_an_end(void **state)
{
	char line[2000] = "dumpheap", out[64];
	struct error err = { 0 };

	(void)state;
	for (int i = 0; i < 40; i++)
		strcat(line, " -type Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_null(command_expand_alias(line, false, out, sizeof out, &err));
	error_clear(&err);
	assert_null(command_expand_alias(
	    "dumpheap -type Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	    false, out, sizeof out, &err));
	assert_non_null(strstr(err.message, "too long"));
	/* Words of 159 characters fit, one more does not. */
	error_clear(&err);
	memset(line, 'a', sizeof line);
	memcpy(line, "dumpheap ", 9);
	line[9 + 160] = '\0';
	assert_null(command_expand_alias(line, false, out, sizeof out, &err));
	assert_non_null(strstr(err.message, "cannot have so much"));
	error_clear(&err);
	line[9 + 159] = '\0';
	assert_null(command_expand_alias(line, false, out, sizeof out, &err));
	assert_null(strstr(err.message, "cannot have so much"));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_told_in_our_words),
		cmocka_unit_test(memory_has_more),
		cmocka_unit_test(names_lead_to_views),
		cmocka_unit_test(lines_have_an_end),
	};

	return run_tests(tests);
}
