/*
 * The views that only a heap from memory has, of a real process, as text: each shows what the
 * reference program is known to have.
 */
#include "tests/drive/captures.h"
#include "tests/drive/started.h"
#include <stdlib.h>
#include <string.h>

static struct target *target;

static const struct row {
	const char *command;
	const char *wanted[4];
} rows[] = {
	{ "segments", { "allocated: ", " committed by ", "gen2", "loh" } },
	{ "heaps", { "committed by the collector", "gen1", "poh", "all" } },
	{ "gcheapstat", { " native; ", "all" } },
	{ "'free 64'", { "free blocks of 64 B or more" } },
	{ "heapmap", { " stretches of ", "gen2", "frozen" } },
	{ "summary", { "native_bytes ", "dead_bytes ", "unused_bytes " } },
	{ "objects -f live", { " live  " } },
	{ "types --columns type,dead,live -s dead", { "Dead", "Live" } },
	{ "handles -f 'kind = pinned'", { "Leaky.Pinned", "pinned" } },
	{ "handles -f 'kind = strong'", { "Leaky.HandleHeld" } },
	{ "handles -f 'kind = dependent'", { "Leaky.Publisher" } },
	{ "handles -f 'kind ~ /weak/'", { "Leaky.WeakOnly" } },
	{ "handles -f 'size > abc'", { "\"abc\" is not a number" } },
	{ "finalizers -f 'state = ready'", { "Leaky.", "ready" } },
	{ "threads", { "leaky-0", "leaky-1", "sleeps", "Leaky.Program.StartThread" } },
	{ "stacks",
	  { " calls of methods on ", "Thread.Sleep(int)", "Leaky.Program.Main(string[])",
	    "libc" } },
	{ "stacks -f 'own = yes'", { "Leaky.Finalizable.Finalize", "Leaky.Program.StartThread" } },
	{ "threads -x enter", { " calls of methods on 1 stack" } },
	{ "'clrstack -all'", { "transition", "managed" } },
	{ "'clrstack 1'", { "on 1 stack\n", "Leaky.Program.Main" } },
	{ "'clrstack 4294967295'", { "no thread has the id 4294967295" } },
	{ "pstacks", { " threads in managed code, ", "3    Leaky.Program.StartThread lambda 0" } },
	{ "pstacks -x fold", { "  + Thread." } },
	{ "pstacks -x 'fold; unfold'", { "3    Leaky.Program.StartThread lambda 0" } },
	{ "pstacks -f 'method ~ /Sleep/'", { " Thread.Sleep(int)" } },
	{ "'ip2md 1000'", { "0x1000: no managed code is there" } },
	{ "modules", { "System.Private.CoreLib.dll", "leaky.dll" } },
	{ "'inspect ADDRESS'",
	  { "has 11 values", "  User = \"user", "Where: Leaky.Point", "held by" } },
	{ "'fields ADDRESS'", { "method table", "Dictionary<string, List<int>>", "Kind", "Guid" } },
	{ "'hex ADDRESS'", { "80 B after its header, ", "Offset  Bytes", "\n", "      64  " } },
	{ "'db ADDRESS'", { "the method table comes first" } },
	{ "'hex 1000'", { "no memory is known at 000000001000; " } },
	{ "'dumpobj ADDRESS'", { "has 11 values" } },
	{ "'dumpheap -type Session -min 50'", { "Leaky.Session" } },
	{ "'dumpheap -live -gen poh'", { "poh" } },
	{ "'gchandles -type Pinned'", { "Leaky.Pinned" } },
	{ "'gcwhere ADDRESS'", { "gen" } },
	{ "strings -f 'count > 9'", { "different text", "Wasted" } },
	{ "'dumpheap -strings'", { "different texts in ", "\"user1\"" } },
	{ "'find \"three hundred\"'", { " strings", "\"the same string, three hundred times\"" } },
	{ "'find 42'", { "Leaky.Session", "Id", "Leaky.Node", "Number          42  " } },
	{ "findings",
	  { "copies of \"the same string, three hundred times\"  ", " repeat one of ",
	    " are empty or nearly empty: ", " contain only zeros: " } },
	{ "findings --csv --columns id",
	  { "\ncollection:Leaky.Session:List<Leaky.Session>:static Sessions\n" } },
	{ "gchandles", { "Leaky.Pinned", "Leaky.HandleHeld", "dependent" } },
	{ "finalizequeue", { "Leaky.", "registered" } },
	{ "'gchandles -stat'", { "handles: ", " handles to objects of ", "Leaky.WeakOnly" } },
	{ "'finalizequeue -stat'", { "finalizers: ", "Leaky." } },
	{ "'dumpheap -type Session -live -stat'",
	  { "objects: 5,", " types, ", "where type ~ /Session/ and live" } },
	{ "'dumpheap -segment ADDRESS -stat'", { "objects: ", " types, ", "where address >= 0x" } },
	{ "'dumpheap -type List`1'", { "List<Leaky.Session>" } },
	{ "'name2ee leaky.dll Leaky.Holder`1'",
	  { "Leaky.Holder<List<Leaky.Session>>.Inner<int[]>" } },
	{ "dumpexceptions", { "OutOfMemoryException", "handle" } },
	{ "'pe ADDRESS'", { "held by" } },
	{ "dso", { "stack", "thread " } },
	{ "eeversion", { "format memory of .NET " } },
	{ "'name2ee leaky.dll Leaky.Session'", { "name Leaky.Session" } },
	{ "'verifyheap -heap 0'", { "nothing is wrong: " } },
	{ "syncblk", { "no object is locked, or only by thin locks" } },
	{ "locks", { "1 object is locked", "thin lock", "SyncTextReader" } },
	{ "'dumpheap -thinlock'", { "thin lock", "SyncTextReader" } },
	{ "'dumpmt Leaky.Session'",
	  { "name Leaky.Session", "category class", "parent_name System.Object", "objects " } },
	{ "'statics Leaky.Cache'",
	  { " static variables of 1 type", "Sessions  ", "leaky-0", "Pairs" } },
	{ "statics -f 'state = unknown'", { "of unknown value", "image" } },
	{ "'statics Thread' -f 'field ~ /currentThread/'",
	  { "t_currentThread", "1 leaky", ".NET Timer" } },
	{ "'statics /^Leaky.Cache/'", { " static variables of 1 type", "Sessions  " } },
	{ "'statics /^Cache$/'", { " static variables of 1 type", "Sessions  " } },
	{ "'statics 1000'", { "none of these types has static variables" } },
	{ "'statics 0x1000'", { "no method table or class is at 1000" } },
	{ "'inspect LIST'", { "its type has 1 static value" } },
	{ "'dumpmt -MD Leaky.Session'", { "1 method", ".ctor", "0x06000" } },
	{ "'lno ADDRESS'", { "an object starts at", "nothing is wrong: ", "before", "after" } },
	{ "verifyheap",
	  { "nothing is wrong: ", " references checked; ", " more belong to dependent handles" } },
	{ "'verifyobj ADDRESS'", { "nothing is wrong: 1 object and " } },
	{ "roots -f 'name ~ /Leaky/'", { "Leaky.Cache.Sessions" } },
};

static void
run(const char *command, char *text, size_t size)
{
	shell_prints(text, size, "exec %s --no-rc -m --yes -n 10000 -b %s %d 2>&1", program_path(),
		     command, (int)target_pid(target));
}

/* The first object of a type, and not the one that a plugin keeps; nothing moves while nobody
   collects. */
static void
put_address(const char *command, char *out, size_t size)
{
	static const struct {
		const char *mark, *list;
	} marks[] = {
		{ "ADDRESS", "'objects Leaky.Session' -f 'not root ~ /plugin/' --csv --columns "
			     "address -n 1" },
		{ "LIST", "'objects \"List<Leaky.Session>\"' --csv --columns address -n 1" },
	};
	char text[4096], address[32] = "";
	const char *line, *at = NULL;
	size_t i = 0;

	while (i < 2 && !(at = strstr(command, marks[i].mark)))
		i++;
	if (!at) {
		snprintf(out, size, "%s", command);
		return;
	}
	run(marks[i].list, text, sizeof text);
	line = strstr(text, "address\n");
	assert_non_null(line);
	assert_int_equal(sscanf(line, "address\n%31[0-9a-fx]", address), 1);
	snprintf(out, size, "%.*s%s%s", (int)(at - command), command, address,
		 at + strlen(marks[i].mark));
}

TEST_ROWS(shows, rows)
{
	const struct row *r = *state;
	static char text[1 << 20];
	char command[256];

	if (!target)
		return;
	put_address(r->command, command, sizeof command);
	run(command, text, sizeof text);
	for (size_t i = 0; i < 4 && r->wanted[i]; i++)
		if (!strstr(text, r->wanted[i]))
			fail_msg("%s without \"%s\":\n%.3000s", command, r->wanted[i], text);
}

/* It opens before anybody knows what lives. */
TEST(waits_for_what_lives)
{
	static const char *const variables[] = { "LC_ALL=C.UTF-8", NULL };
	char pid[16];
	const char *arguments[] = { "--no-rc", "-m", "--yes", "-x", "segments", pid, NULL };
	struct pty *p;

	if (!target)
		return;
	snprintf(pid, sizeof pid, "%d", (int)target_pid(target));
	p = started(arguments, variables, 24, 80);
	assert_true(pty_wait_text(p, " committed"));
	pty_send(p, "QQ");
	pty_exits(p, 0);
}

/* What could not be kept is not taken. */
TEST(asks_before_it_stops)
{
	static const char *const lines[] = {
		"types -o /nowhere/x.heaptop",
		"types -o /tmp",
	};
	static char text[1 << 16];

	for (size_t i = 0; target && i < 2; i++) {
		run(lines[i], text, sizeof text);
		assert_null(strstr(text, "no collection forced"));
		assert_null(strstr(text, "plan"));
	}
}

static void
expect_status(const char *arguments, int wanted)
{
	char text[1 << 12];
	int status = shell_prints(text, sizeof text, "exec %s --no-rc %s %d", program_path(),
				  arguments, (int)target_pid(target));

	if (status != wanted)
		fail_msg("%s: exit code %d, not %d", arguments, status, wanted);
}

/* Of a heap that was looked at it is known before. */
TEST(refuses_before_it_asks)
{
	char path[4096], *text;

	if (!target)
		skip();
	snprintf(path, sizeof path, "%s/refused", getenv("HOME"));
	expect_status("--yes --mem 64M -b types 2>$HOME/refused", 6);
	text = file_read(path, NULL);
	remove(path);
	assert_non_null(strstr(text, "nothing was done to the process"));
	free(text);
	expect_status(">/dev/full 2>/dev/null --probe", 6);
}

static int
target_begin(void **state)
{
	(void)state;
	if (!is_skipped("10.0"))
		target = target_start("10.0", TARGET_HERE, NULL, NULL);
	return 0;
}

static int
target_end(void **state)
{
	(void)state;
	target_free(target);
	return 0;
}
TESTS_BETWEEN(target_begin, target_end);
