#include "tui/cli/mcp_protocol.h"
#include "model/base/arena.h"
#include "model/base/text.h"
#include <stdlib.h>
#include <string.h>

enum {
	NO_METHOD = -32601,
	BAD_PARAMS = -32602,
	NO_VERSION = -32022,
	TTL_MS = 3600000,  /* the list of tools never changes */
	TEXT_BYTES = 1400, /* a sentence, escaped */
};

#define META "io.modelcontextprotocol/"

static const char newest[] = "2026-07-28";
/* The first one is offered to clients that ask for an unknown one. */
static const char *const with_handshake[] = { "2025-11-25", "2025-06-18", NULL };
static const char instructions[] =
    "Heaps of .NET programs, read-only. Call open with the path of a dump, then findings, then "
    "why_alive with the address of a finding. Sizes are exact bytes unless is_sampled is true. "
    "Heaps named on the command line are open already: heap-1, heap-2. At most 16 are open; close "
    "makes room.";

/* --- lines ---------------------------------------------------------------- */

/* Returns the line unless memory was refused since `before`: jansson leaves out members that it has
   no memory for. */
static char *
if_whole(char *line, struct memory_refused before)
{
	if (memory_refused().count == before.count)
		return line;
	free(line);
	return NULL;
}

/* Returns {"jsonrpc":…, then the members, as a line; takes the reference. */
static char *
line_of(json_t *message)
{
	char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
	size_t len = text ? strlen(text) : 0;
	char *line = text ? realloc(text, len + 2) : NULL;

	json_decref(message);
	if (!line) {
		free(text);
		return NULL;
	}
	memcpy(line + len, "\n", 2);
	return line;
}

static json_t *
message_with(const json_t *id, const char *member, json_t *value)
{
	json_t *m = json_pack("{ss so}", "jsonrpc", "2.0", member, value);

	if (id)
		json_object_set(m, "id", (json_t *)(uintptr_t)id);
	return m;
}

static char *
error_with(const json_t *id, int code, const char *text, json_t *data)
{
	json_t *e = json_pack("{si ss}", "code", code, "message", text);

	if (data)
		json_object_set_new(e, "data", data);
	return line_of(message_with(id, "error", e));
}

char *
mcp_error(const json_t *id, int code, const char *text)
{
	return error_with(id, code, text, NULL);
}

char *
mcp_progress(const json_t *token, uint64_t step, const char *text)
{
	json_t *params = json_pack("{sO sI ss}", "progressToken", token, "progress",
				   (json_int_t)step, "message", text);
	json_t *m = message_with(NULL, "params", params);

	json_object_set_new(m, "method", json_string("notifications/progress"));
	return line_of(m);
}

/* --- reading -------------------------------------------------------------- */

json_t *
mcp_parse(const char *line, size_t len, char *text, size_t text_size)
{
	struct memory_refused before = memory_refused();
	json_t *m = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);

	if (!m)
		snprintf(text, text_size,
			 memory_refused().count == before.count
			     ? "the line is not JSON"
			     : "there is no memory for the message");
	return m;
}

static const char *
method_of(const json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));

	return method ? method : "";
}

const json_t *
mcp_id(const json_t *message)
{
	const json_t *id = json_object_get(message, "id");

	return json_is_string(id) || json_is_integer(id) ? id : NULL;
}

const json_t *
mcp_cancelled_id(const json_t *message)
{
	return json_object_get(json_object_get(message, "params"), "requestId");
}

static const json_t *
meta_of(const json_t *message)
{
	return json_object_get(json_object_get(message, "params"), "_meta");
}

const json_t *
mcp_progress_token(const json_t *message)
{
	const json_t *t = json_object_get(meta_of(message), "progressToken");

	return json_is_string(t) || json_is_integer(t) ? t : NULL;
}

/* Returns the revision that the request names, or NULL. */
static const char *
version_of(const json_t *message)
{
	return json_string_value(json_object_get(meta_of(message), META "protocolVersion"));
}

static bool
is_modern(const json_t *message)
{
	const char *version = version_of(message);

	return version && !strcmp(version, newest);
}

static bool
has_handshake(const char *version)
{
	for (size_t i = 0; version && with_handshake[i]; i++)
		if (!strcmp(with_handshake[i], version))
			return true;
	return false;
}

enum mcp_does
mcp_does(const json_t *message)
{
	const char *method = method_of(message);

	if (!json_object_get(message, "id") && *method)
		return !strcmp(method, "notifications/cancelled") ? MCP_CANCELS : MCP_IGNORES;
	return mcp_id(message) && !strcmp(method, "tools/call") ? MCP_CALLS : MCP_ANSWERS;
}

/* --- results -------------------------------------------------------------- */

static json_t *
server_info(const char *version)
{
	return json_pack("{ss ss ss}", "name", "heaptop", "title",
			 "heaptop, a heap browser for .NET", "version", version);
}

/* Adds what every result of the newest revision has. */
static void
add_modern(json_t *result, const char *version)
{
	json_object_set_new(result, "resultType", json_string("complete"));
	json_object_set_new(result, "_meta",
			    json_pack("{so}", META "serverInfo", server_info(version)));
}

static json_t *
can_be_cached(json_t *result)
{
	json_object_set_new(result, "ttlMs", json_integer(TTL_MS));
	json_object_set_new(result, "cacheScope", json_string("public"));
	return result;
}

static json_t *
versions(void)
{
	json_t *all = json_pack("[s]", newest);

	for (size_t i = 0; with_handshake[i]; i++)
		json_array_append_new(all, json_string(with_handshake[i]));
	return all;
}

static json_t *
discover(const json_t *message, const char *version)
{
	json_t *result;

	(void)message;
	result = can_be_cached(json_pack("{so s{s{}} ss}", "supportedVersions", versions(),
					 "capabilities", "tools", "instructions", instructions));
	add_modern(result, version);
	return result;
}

static json_t *
initialize(const json_t *message, const char *version)
{
	const char *asked = json_string_value(
	    json_object_get(json_object_get(message, "params"), "protocolVersion"));

	return json_pack("{ss s{s{}} so ss}", "protocolVersion",
			 has_handshake(asked) ? asked : with_handshake[0], "capabilities", "tools",
			 "serverInfo", server_info(version), "instructions", instructions);
}

static json_t *
ping(const json_t *message, const char *version)
{
	(void)message, (void)version;
	return json_object();
}

static json_t *
list_tools(const json_t *message, const char *version)
{
	json_t *result = json_pack("{so}", "tools", mcp_tools_list());

	if (is_modern(message)) {
		can_be_cached(result);
		add_modern(result, version);
	}
	return result;
}

static const struct {
	const char *name;
	json_t *(*result)(const json_t *message, const char *version);
} methods[] = {
	{ "initialize", initialize },
	{ "server/discover", discover },
	{ "ping", ping },
	{ "tools/list", list_tools },
};

/* Returns the refusal of a revision that is not supported, or NULL. */
static char *
refuse_version(const json_t *message)
{
	const char *version = version_of(message);

	if (!version || is_modern(message) || has_handshake(version))
		return NULL;
	return error_with(mcp_id(message), NO_VERSION, "Unsupported protocol version",
			  json_pack("{so ss}", "supported", versions(), "requested", version));
}

/* Returns the refusal of a message that is no request, or NULL. */
static char *
refuse_request(const json_t *message)
{
	const json_t *version = json_object_get(message, "jsonrpc");
	const json_t *params = json_object_get(message, "params");

	if (json_is_string(version) && !strcmp(json_string_value(version), "2.0") &&
	    mcp_id(message) && *method_of(message) && (!params || json_is_object(params)))
		return refuse_version(message);
	return mcp_error(mcp_id(message), MCP_BAD_REQUEST,
			 "a request is one object with jsonrpc \"2.0\", an id that is a string or "
			 "a whole number, a method, and params that are an object");
}

static char *
answer(const json_t *message, const char *version)
{
	char *refusal = refuse_request(message);
	char text[TEXT_BYTES], clean[TEXT_BYTES];

	if (refusal)
		return refusal;
	for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
		if (!strcmp(methods[i].name, method_of(message)))
			return line_of(message_with(mcp_id(message), "result",
						    methods[i].result(message, version)));
	snprintf(text, sizeof text, "there is no method %.100s", method_of(message));
	return mcp_error(mcp_id(message), NO_METHOD, text_clean(text, clean, sizeof clean));
}

char *
mcp_answer(const json_t *message, const char *version)
{
	struct memory_refused before = memory_refused();

	return if_whole(answer(message, version), before);
}

/* --- calls ---------------------------------------------------------------- */

/* Returns the result of a call with `text` for people, without its data. */
static json_t *
result_of_call(const json_t *message, const char *text, bool is_error, const char *version)
{
	json_t *result = json_pack("{s[{ss ss}] sb}", "content", "type", "text", "text", text,
				   "isError", is_error);

	if (result && is_modern(message))
		add_modern(result, version);
	return result;
}

/*
 * Puts the data of an answer in front of the other members of the result, as text: parsing it would
 * lose digits of large numbers.
 */
static char *
with_data(char *line, const char *data)
{
	static const char before[] = "\"result\":{";
	char *at = line ? strstr(line, before) : NULL, *out = NULL;
	size_t len = 0;
	FILE *to = at ? open_memstream(&out, &len) : NULL;

	if (to) {
		at += sizeof before - 1;
		fwrite(line, 1, (size_t)(at - line), to);
		fprintf(to, "\"structuredContent\":%s,%s", data, at);
		if (fclose(to)) {
			free(out);
			out = NULL;
		}
	}
	free(line);
	return out;
}

char *
mcp_call_answer(const json_t *message, struct mcp_tools *tools, const char *version)
{
	const json_t *params = json_object_get(message, "params");
	const json_t *arguments = json_object_get(params, "arguments");
	const char *name = json_string_value(json_object_get(params, "name"));
	char *refusal = refuse_request(message), *data, *line;
	struct memory_refused before;
	char text[TEXT_BYTES];

	if (refusal)
		return refusal;
	if (!name || !mcp_tools_has(name) || (arguments && !json_is_object(arguments)))
		return mcp_error(mcp_id(message), BAD_PARAMS,
				 "there is no such tool, or its arguments are no object; "
				 "tools/list lists the tools");
	data = mcp_tools_call(tools, name, arguments, text, sizeof text);
	if (!data && !*text)
		return NULL;
	before = memory_refused();
	line = line_of(message_with(mcp_id(message), "result",
				    result_of_call(message, data ? data : text, !data, version)));
	if (data)
		line = with_data(line, data);
	free(data);
	return if_whole(line, before);
}
