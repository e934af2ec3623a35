/*
 * Any bytes as the lines of a client, on a small heap: each request has one
 * answer, which is one line of JSON with its id, and nothing is written. After
 * a byte 0 the bytes choose tools and arguments, so most calls reach a heap.
 */
#include "tests/drive/fuzz.h"
#include "tests/drive/small_session.h"
#include "tui/app/tables.h"
#include "tui/app/settings.h"
#include "tui/cli/mcp_protocol.h"
#include <stdlib.h>
#include <string.h>

enum { INPUT_BYTES = 1 << 16 };

static const struct heap *
load_nothing(const struct loader *from, enum load_what what,
	     struct progress *progress, struct preview *preview,
	     struct error *err)
{
	(void)from, (void)what, (void)progress, (void)preview;
	error_set(err, ERROR_INPUT, "nothing can be loaded here");
	return NULL;
}

/* No process is looked at, as others would change the answer. */
static struct live_process *
list_nothing(size_t *count, struct progress *progress, struct error *err)
{
	(void)progress, (void)err;
	*count = 0;
	return NULL;
}

static struct mcp_tools *
tools(void)
{
	static struct live_ops live = { .list = list_nothing };
	static struct snapshots all;
	static struct settings settings;
	static struct options options = { .rows_max = UINT64_MAX,
					  .settings = &settings };
	static struct mcp_tools made;
	struct error err = { 0 };

	if (made.all)
		return &made;
	tables_hand_in();
	settings_init(&settings);
	snapshots_init(&all, (struct waker){ 0 });
	all.live = &live;
	all.secure.by = "--mcp";
	all.file_loader.load = load_nothing;
	if (!snapshots_adopt(&all, small_session(), &err) ||
	    !mcp_tools_init(&made, &all, &options, &err))
		fuzz_fail("no tools", &err);
	return &made;
}

static void
check_answer(const json_t *message, const char *line)
{
	size_t len = strlen(line);
	json_t *answer = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	const json_t *result = json_object_get(answer, "result");
	const json_t *error = json_object_get(answer, "error");

	if (!len || strchr(line, '\n') != line + len - 1)
		fuzz_fail("an answer is one line", NULL);
	if (!answer || !result == !error)
		fuzz_fail("an answer has a result or an error", NULL);
	if (mcp_id(message) &&
	    !json_equal(mcp_id(message), json_object_get(answer, "id")))
		fuzz_fail("an answer with another id", NULL);
	json_decref(answer);
}

static void
take_message(const json_t *message)
{
	enum mcp_does does = mcp_does(message);
	char *line = NULL;

	if (does == MCP_ANSWERS)
		line = mcp_answer(message, "0");
	else if (does == MCP_CALLS)
		line = mcp_call_answer(message, tools(), "0");
	if (line)
		check_answer(message, line);
	else if (does == MCP_ANSWERS || does == MCP_CALLS)
		fuzz_fail("no answer", NULL);
	if (mcp_cancelled_id(message) && mcp_progress_token(message))
		free(mcp_progress(mcp_progress_token(message), 1, "x"));
	free(line);
}

static void
take_line(const char *text, size_t len)
{
	char why[256];
	json_t *message = mcp_parse(text, len, why, sizeof why);

	if (message)
		take_message(message);
	else
		free(mcp_error(NULL, MCP_BAD_JSON, why));
	json_decref(message);
}

static void
take_lines(const char *at, size_t left)
{
	while (left) {
		const char *feed = memchr(at, '\n', left);
		size_t len = feed ? (size_t)(feed - at) : left;

		take_line(at, len);
		len += feed != NULL;
		at += len;
		left -= len;
	}
}

/* --- calls made of the bytes ---------------------------------------------- */

static const char *const tool_names[] = {
	"open",        "processes", "summary", "types", "findings", "why_alive",
	"who_retains", "contents",  "diff",    "sql",   "schema",   "nonsense"
};
static const char *const argument_names[] = {
	"object", "filter", "sort",   "columns", "rows", "cursor", "query",
	"table",  "by",     "before", "after",   "path", "pid",    "nonsense"
};
/* A text that is a number is given as a number, too. */
static const char *const values[] = {
	"heap-1",
	"heap-2",
	"1",
	"0",
	"3",
	"1001",
	"-1",
	"type",
	"-size",
	"count",
	"objects",
	"size > 1M",
	"type ~ /A/ and in > 1",
	"A",
	"B",
	"#1",
	"100000",
	"A;w x",
	"\"A\"",
	"SELECT * FROM objects",
	"SELECT type, count(*), sum(size) FROM objects GROUP BY type",
	"SELECT a.type FROM objects a JOIN objects b ON a.type = b.type",
	"VALUES(1, 'x', x'00')",
	"SELECT (",
	"-",
	"x.sql",
	"\xc3\xa9\n\xe2\x86\x92",
	"type,count",
	"tests/data/tiny.gcdump",
	"/dev/stdin"
};

#define PICK(of, byte) (of)[(byte) % (sizeof(of) / sizeof *(of))]
enum { CALL_BYTES = 8 };

static void
take_made(const uint8_t bytes[CALL_BYTES])
{
	json_t *arguments = json_object(), *message;

	if (bytes[7] & 1)
		json_object_set_new(arguments, "heap", json_string("heap-1"));
	for (int i = 1; i < 7; i += 2) {
		const char *value = PICK(values, bytes[i + 1]);

		json_object_set_new(arguments, PICK(argument_names, bytes[i]),
				    bytes[7] & 1 << i
					? json_integer(atoi(value))
					: json_string(value));
	}
	message = json_pack("{ss si ss s{ss so s{ss}}}", "jsonrpc", "2.0", "id",
			    bytes[7], "method", "tools/call", "params", "name",
			    PICK(tool_names, bytes[0]), "arguments", arguments,
			    "_meta", "io.modelcontextprotocol/protocolVersion",
			    bytes[7] & 4 ? "2026-07-28" : "2025-11-25");
	if (!message)
		fuzz_fail("no message", NULL);
	take_message(message);
	json_decref(message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size = size < INPUT_BYTES ? size : INPUT_BYTES;
	if (!size || *data)
		take_lines((const char *)data, size);
	else
		for (size_t at = 1; at + CALL_BYTES <= size; at += CALL_BYTES)
			take_made(data + at);
	return 0;
}
