#include "tui/cli/mcp_arguments.h"
#include "model/analysis/diff.h"
#include "model/heap/heap.h"
#include "model/base/text.h"
#include "tui/base/quoting.h"
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A quoted name, and a command before it. */
enum { TARGET_BYTES = SCRIPT_COMMAND_BYTES - 32 };

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz_0123456789"
#define FIELD(name)  offsetof(struct mcp_call, name), sizeof(((struct mcp_call *)0)->name)

/* The fields of arguments that are copied as text. */
static const struct {
	size_t at, size;
} fields[] = {
	[MCP_TABLE] = { FIELD(table) },   [MCP_PATH] = { FIELD(path) },
	[MCP_TARGET] = { FIELD(target) }, [MCP_GROUPING] = { FIELD(grouping) },
	[MCP_QUERY] = { FIELD(query) },   [MCP_FILTER] = { FIELD(filter) },
	[MCP_SORT] = { FIELD(sort) },     [MCP_COLUMNS] = { FIELD(columns) },
	[MCP_CURSOR] = { 0, 0 }, /* a number in a text */
};

static const struct mcp_argument of_rows[] = {
	{ "rows", MCP_ROWS, false, "at most this many rows; the default is 20" },
	{ "cursor", MCP_CURSOR, false, "next_cursor of an earlier answer, for the rows after it" },
	{ NULL, MCP_ROWS, false, NULL },
};

/* --- schema --------------------------------------------------------------- */

static json_t *
argument_schema(const struct mcp_argument *a)
{
	bool is_number = a->kind == MCP_PID || a->kind == MCP_ROWS;
	json_t *schema =
	    json_pack("{ss ss}", "type", is_number ? "integer" : "string", "description", a->help);

	if (is_number) {
		json_object_set_new(schema, "minimum", json_integer(1));
		json_object_set_new(schema, "maximum",
				    json_integer(a->kind == MCP_ROWS ? MCP_ROWS_MAX : INT32_MAX));
	} else if (fields[a->kind].size) {
		json_object_set_new(schema, "maxLength",
				    json_integer((json_int_t)fields[a->kind].size - 1));
	}
	if (a->kind == MCP_GROUPING) {
		json_t *words = json_array();

		for (size_t i = 0; diff_by_ids[i]; i++)
			json_array_append_new(words, json_string(diff_by_ids[i]));
		json_object_set_new(schema, "enum", words);
	}
	return schema;
}

static void
add_schemas(const struct mcp_argument *all, json_t *members, json_t *required)
{
	for (const struct mcp_argument *a = all; a->name; a++) {
		json_object_set_new(members, a->name, argument_schema(a));
		if (a->is_required)
			json_array_append_new(required, json_string(a->name));
	}
}

json_t *
mcp_arguments_schema(const struct mcp_tool *t)
{
	json_t *members = json_object(), *required = json_array();

	add_schemas(t->arguments, members, required);
	if (*t->command)
		add_schemas(of_rows, members, required);
	return json_pack("{ss so so sb}", "type", "object", "properties", members, "required",
			 required, "additionalProperties", false);
}

/* --- reading -------------------------------------------------------------- */

static const struct mcp_argument *
argument_named(const struct mcp_tool *t, const char *name, struct error *err)
{
	const struct mcp_argument *all[] = { t->arguments, *t->command ? of_rows : NULL };
	char names[128];
	struct text text = text_in(names, sizeof names);

	for (size_t i = 0; i < 2; i++)
		for (const struct mcp_argument *a = all[i]; a && a->name; a++) {
			if (!strcmp(a->name, name))
				return a;
			text_addf(&text, " %s", a->name);
		}
	error_set(err, ERROR_USAGE, "%s has no argument \"%.40s\"; it has%s", t->name, name, names);
	return NULL;
}

/* Reads the number behind `prefix`, without sign or blanks. */
static bool
parse_number(const char *text, const char *prefix, uint64_t max, uint64_t *out)
{
	size_t skip = strlen(prefix);

	if (strncmp(text, prefix, skip) != 0)
		return false;
	text += skip;
	if (!*text || strlen(text) > 18 || text[strspn(text, "0123456789")])
		return false;
	*out = strtoull(text, NULL, 10);
	return *out <= max;
}

static bool
read_number(struct mcp_call *call, const struct mcp_argument *a, const json_t *value,
	    struct error *err)
{
	json_int_t max = a->kind == MCP_ROWS ? MCP_ROWS_MAX : INT32_MAX;
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 1 || n > max)
		return error_set(err, ERROR_USAGE, "%s wants a whole number from 1 to %" PRId64,
				 a->name, (int64_t)max);
	if (a->kind == MCP_ROWS)
		call->rows = (uint64_t)n;
	else
		call->pid = (int32_t)n;
	return true;
}

static bool
is_grouping(const char *word, struct error *err)
{
	char words[128];
	struct text text = text_in(words, sizeof words);

	for (size_t i = 0; diff_by_ids[i]; i++) {
		if (!strcmp(diff_by_ids[i], word))
			return true;
		text_addf(&text, " %s", diff_by_ids[i]);
	}
	return error_set(err, ERROR_USAGE, "by wants one of%s", words);
}

/* Copies a text into its field, without control characters but line feeds. */
static bool
read_text(struct mcp_call *call, const struct mcp_argument *a, const char *text, struct error *err)
{
	char *field = (char *)call + fields[a->kind].at;
	size_t size = fields[a->kind].size, len = strlen(text);

	if (!len || len >= size)
		return error_set(err, ERROR_USAGE, "%s wants a text of 1 to %zu bytes", a->name,
				 size - 1);
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' && !strchr("\n\t", *c))
			return error_set(err, ERROR_USAGE, "%s contains a control character",
					 a->name);
	if (a->kind == MCP_TABLE && text[strspn(text, NAME_LETTERS)])
		return error_set(err, ERROR_USAGE,
				 "there is no such table; call schema without table to list all");
	memcpy(field, text, len + 1);
	return a->kind != MCP_GROUPING || is_grouping(text, err);
}

static bool
read_handle(struct mcp_call *call, const struct mcp_argument *a, const char *text,
	    struct error *err)
{
	uint64_t number;

	if (!parse_number(text, "heap-", UINT16_MAX, &number) || !number)
		return error_set(err, ERROR_USAGE,
				 "%s wants a handle that open has returned, such as heap-1",
				 a->name);
	if (a->kind == MCP_HEAP_AFTER)
		call->after = (unsigned)number;
	else
		call->heap = (unsigned)number;
	return true;
}

static bool
read_argument(struct mcp_call *call, const struct mcp_argument *a, const json_t *value,
	      struct error *err)
{
	const char *text = json_string_value(value);

	if (a->kind == MCP_PID || a->kind == MCP_ROWS)
		return read_number(call, a, value, err);
	if (!text)
		return error_set(err, ERROR_USAGE, "%s wants a text: %s", a->name, a->help);
	if (a->kind == MCP_HEAP || a->kind == MCP_HEAP_AFTER)
		return read_handle(call, a, text, err);
	if (a->kind == MCP_CURSOR)
		return parse_number(text, "", INT64_MAX, &call->first) ||
		       error_set(err, ERROR_USAGE, "cursor wants next_cursor of an earlier answer");
	return read_text(call, a, text, err);
}

/* --- command -------------------------------------------------------------- */

/* Refuses a query that would be read from a file or the standard input. */
static bool
is_query(const char *query, struct error *err)
{
	const char *rest = query + strspn(query, " \n\t");

	/* One word names a query or its file. */
	rest += strcspn(rest, " \n\t(;");
	return rest[strspn(rest, " \n\t;")] ||
	       error_set(err, ERROR_USAGE,
			 "query wants a statement, such as SELECT type, count(*) FROM objects "
			 "GROUP BY type");
}

/* Returns whether the text is an address; without a digit it is the name of a type, such as
   Feed. */
static bool
is_address(const char *text, uint64_t *address)
{
	return strpbrk(text, "0123456789") && address_parse(text, address);
}

/* Writes the argument of the command that names an object or a type. */
static bool
target_of(const struct mcp_call *call, char *out, size_t out_size, bool *is_name, struct error *err)
{
	uint64_t address;

	*is_name = !is_address(call->target, &address);
	if (!*is_name)
		snprintf(out, out_size, "%" PRIx64, address);
	else if (!quoting_encode(call->target, out, out_size))
		return error_set(err, ERROR_USAGE, "the name is too long");
	return true;
}

static bool
build_command(struct mcp_call *call, const struct mcp_tool *t, struct error *err)
{
	char text[TARGET_BYTES] = "";
	bool has_name = *call->table;

	if (*call->query) {
		snprintf(text, sizeof text, "%s", call->query);
		if (!is_query(call->query, err))
			return false;
	} else if (call->after) {
		snprintf(text, sizeof text, "%s 1 2", *call->grouping ? call->grouping : "type");
	} else if (*call->table) {
		snprintf(text, sizeof text, "%s", call->table);
	} else if (*call->target) {
		if (!target_of(call, text, sizeof text, &has_name, err))
			return false;
	}
	snprintf(call->command, sizeof call->command, "%s%s%s",
		 has_name && t->with_name ? t->with_name : t->command, *text ? " " : "", text);
	return true;
}

bool
mcp_arguments_read(struct mcp_call *call, const struct mcp_tool *t, const json_t *given,
		   struct error *err)
{
	const struct mcp_argument *a;
	const char *name;
	json_t *value;

	*call = (struct mcp_call){ .rows = MCP_ROWS_DEFAULT };
	json_object_foreach((json_t *)(uintptr_t)given, name, value)
	{
		a = argument_named(t, name, err);
		if (!a || !read_argument(call, a, value, err))
			return false;
	}
	for (a = t->arguments; a->name; a++)
		if (a->is_required && !json_object_get(given, a->name))
			return error_set(err, ERROR_USAGE, "%s wants %s: %s", t->name, a->name,
					 a->help);
	return build_command(call, t, err);
}
