/*
 * Any bytes as a query: rows, or an error that says what is wrong. What can run for long is
 * cancelled at SQLite's first look.
 */
#include "model/sql/sql.h"
#include "tests/drive/fuzz.h"
#include "tests/drive/small_session.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns whether the query ends soon on a small heap: it reads one table, and nothing in it
   repeats or makes long texts. */
static bool
is_short(const char *text)
{
	static const char *const long_words[] = { "recursive", "blob(", "printf", "format" };
	unsigned tables = 0;

	for (const char *at = text; *at; at++) {
		for (size_t i = 0; i < 4; i++)
			if (!strncasecmp(at, long_words[i], strlen(long_words[i])))
				return false;
		if (strchr("\"`[", *at))
			return false;
		tables += !strncasecmp(at, "from", 4) || !strncasecmp(at, "join", 4) ||
			  (tables && *at == ',');
	}
	return tables < 2;
}

static void
check_result(const struct sql_result *r)
{
	struct facts facts = { 0 };
	const struct cells in = { &facts, r };

	for (uint32_t i = 0; i < r->columns_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(r->columns[i].id, r->columns[k].id))
				fuzz_fail("two columns have one id", NULL);
	for (size_t row = 0; row < r->rows_count; row++)
		for (uint32_t i = 0; i < r->columns_count; i++) {
			struct row at = row_of(ROW_PLAIN);
			char out[VALUE_TEXT_BYTES];
			struct value value;

			at.data = row;
			r->columns[i].from.cell_at(&in, &at, i, &value);
			if (!value_for_people(&value, out) || !value_for_machines(&value, out))
				fuzz_fail("a cell without a text", NULL);
		}
}

static void
run_text(const char *text, const struct sql_heap *heap)
{
	struct progress progress = { .is_cancelled = !is_short(text) };
	struct sql_result result;
	struct error err = { 0 };
	unsigned needs;

	if (!sql_parse(text, &needs, &err)) {
		if (err.kind != ERROR_USAGE || !*err.message)
			fuzz_fail("no sentence about a query", &err);
		return;
	}
	if (sql_run(text, heap, 1, &progress, &result, &err)) {
		check_result(&result);
		sql_result_clear(&result);
	} else if (err.kind == ERROR_NONE || !*err.message) {
		fuzz_fail("neither rows nor an error", NULL);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct session *session;
	struct sql_heap heap = { .name = "small" };
	char *text = malloc(size + 1);

	if (!session)
		session = small_session();
	heap.facts = session_facts(session);
	memcpy(text, data, size);
	text[size] = '\0';
	run_text(text, &heap);
	free(text);
	return 0;
}
