/*
 * Any bytes as the lines of a client, on a small heap: each request has one
 * answer, which is one line of JSON with its id, and nothing is written.
 */
#include "tests/drive/fuzz.h"
#include "tests/drive/small_session.h"
#include "tui/app/tables.h"
#include "tui/app/settings.h"
#include "tui/cli/mcp_protocol.h"
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1 << 16 };

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
take(const char *text, size_t len)
{
	char why[256];
	json_t *message = mcp_parse(text, len, why, sizeof why);
	enum mcp_does does = mcp_does(message);
	char *line = NULL;

	if (!message)
		line = mcp_error(NULL, MCP_BAD_JSON, why);
	else if (does == MCP_ANSWERS)
		line = mcp_answer(message, "0");
	else if (does == MCP_CALLS)
		line = mcp_call_answer(message, tools(), "0");
	if (line)
		check_answer(message, line);
	else if (!message || does == MCP_ANSWERS || does == MCP_CALLS)
		fuzz_fail("no answer", NULL);
	if (mcp_cancelled_id(message) && mcp_progress_token(message))
		free(mcp_progress(mcp_progress_token(message), 1, "x"));
	free(line);
	json_decref(message);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data;
	size_t left = size < LINE_BYTES ? size : LINE_BYTES;

	while (left) {
		const char *feed = memchr(at, '\n', left);
		size_t len = feed ? (size_t)(feed - at) : left;

		take(at, len);
		len += feed != NULL;
		at += len;
		left -= len;
	}
	return 0;
}
