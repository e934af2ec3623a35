#include "tests/judge/judge_tables.h"
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

/*
 * Two things ClrMD says otherwise: arrays have the token of no type, and the size of a string is
 * without the null at its end.
 */
enum { NO_TOKEN = 0x02000000, STRING_END_BYTES = 2 };

static uint64_t
token_of(const struct oracle_line *line)
{
	uint64_t token = oracle_number(line, 7);

	return token == NO_TOKEN ? 0 : token;
}

static uint64_t
base_bytes_of(const struct oracle_line *line, const struct content_table *t)
{
	bool is_string = !strcmp(t->name, "System.String");

	return oracle_number(line, 1) + (is_string ? STRING_END_BYTES : 0);
}

static void
compare_table(const char *what, const struct oracle_line *line, const struct content_table *t)
{
	const struct {
		const char *name;
		uint64_t ours, theirs;
	} facts[] = {
		{ "base size", t->base_bytes, base_bytes_of(line, t) },
		{ "component size", t->component_bytes, oracle_number(line, 2) },
		{ "parent", t->parent, oracle_hex(line, 3) },
		{ "references", t->has_references, oracle_number(line, 4) },
		{ "finalizer", t->has_finalizer, oracle_number(line, 5) },
		{ "collectible", t->is_collectible, oracle_number(line, 6) },
		{ "token", t->token, token_of(line) },
		{ "fields", t->fields_count, oracle_number(line, 8) },
		{ "statics", t->statics_count, oracle_number(line, 9) },
	};

	for (size_t i = 0; i < COUNT_OF(facts); i++)
		if (facts[i].ours != facts[i].theirs)
			fail_msg("%s: %s at %" PRIx64 ": %s is %" PRIu64 ", should be %" PRIu64,
				 what, t->name, t->address, facts[i].name, facts[i].ours,
				 facts[i].theirs);
}

void
judge_tables(const char *what, const struct oracle *o, const struct heap *h)
{
	const struct heap_memory *m = h->memory;
	struct error err = { 0 };
	struct oracle_line line;
	const char *at = NULL;
	uint32_t count = 0;
	struct arena a;

	arena_init(&a, 0);
	while (oracle_next(o, "table", &at, &line)) {
		struct content_table t;

		if (!m->contents->table(m->source, oracle_hex(&line, 0), &t, &a, &err))
			fail_msg("%s: %s", what, err.message);
		compare_table(what, &line, &t);
		count++;
	}
	arena_clear(&a);
	assert_true(count >= m->tables_count);
	printf("%s: %" PRIu32 " method tables: no difference\n", what, count);
}
