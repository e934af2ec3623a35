#include "tests/judge/judge_statics.h"
#include "tests/judge/judge_values.h"
#include "model/heap/memory.h"
#include "model/heap/names.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

struct judged {
	const char *what;
	const struct heap *heap;
	struct heap_statics statics;
	struct arena arena;
	unsigned both, only_ours, only_theirs, of_threads;
};

/* One of theirs; `thread` 0: of all. */
struct theirs {
	uint64_t table, slot, raw, content, thread;
	const char *element, *name;
	size_t element_len;
};

static const struct heap_static *
find(const struct judged *j, const struct theirs *t)
{
	const struct heap_thread *threads = j->heap->memory->threads;

	for (size_t i = 0; i < j->statics.count; i++) {
		const struct heap_static *s = &j->statics.items[i];

		if (s->table == t->table && s->is_thread_static == !!t->thread &&
		    !strcmp(s->content.name, t->name) &&
		    (!t->thread ||
		     (s->thread != UINT32_MAX && threads[s->thread].os_id == t->thread)))
			return s;
	}
	return NULL;
}

static void
differ(const struct judged *j, const struct oracle_line *line, const struct heap_static *s,
       const char *why)
{
	fail_msg("%s: %s: %.*s; ours %s.%s at %" PRIx64 " = %s (%" PRIx64 " at %" PRIx64 ")",
		 j->what, why, (int)line->rest_len, line->rest, s ? s->owner : "none",
		 s ? s->content.name : "", s ? s->slot : 0, s ? s->content.text : "",
		 s ? s->content.pointer : 0, s ? s->content.address : 0);
}

static bool
is_kind(const struct theirs *t, const char *kind)
{
	return strlen(kind) == t->element_len && !strncmp(t->element, kind, t->element_len);
}

static bool
is_reference(const struct theirs *t)
{
	static const char *const kinds[] = { "Class", "Object", "String", "Array", "SZArray" };

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (is_kind(t, kinds[i]))
			return true;
	return false;
}

static void
compare_value(const struct judged *j, const struct theirs *t, const struct heap_static *s,
	      const struct oracle_line *line)
{
	const struct content *c = &s->content;

	if (s->slot != t->slot)
		differ(j, line, s, "elsewhere");
	if (is_kind(t, "Struct")) {
		if (c->pointer != t->raw || (t->content && c->address != t->content))
			differ(j, line, s, "another box");
	} else if (is_reference(t)) {
		if (c->kind != CONTENT_REFERENCE || c->pointer != t->raw ||
		    c->target != heap_find(j->heap, t->raw))
			differ(j, line, s, "leads elsewhere");
	} else if (!judge_is_same(j->heap, c, t->element, t->element_len, t->raw)) {
		differ(j, line, s, "another value");
	}
}

static void
compare_one(struct judged *j, const struct theirs *t, const struct oracle_line *line)
{
	const struct heap_static *s = find(j, t);

	/* What is shared by instances of a generic type is of none of them. */
	if (!s && !t->slot)
		return;
	if (!s) {
		printf("%s: only theirs: %.*s\n", j->what, (int)line->rest_len, line->rest);
		j->only_theirs++;
	} else if (!t->slot) {
		j->only_ours += s->slot != 0;
	} else if (!s->slot && is_kind(t, "Struct") && !t->raw) {
		j->both++; /* it has no box yet */
	} else if (!s->slot) {
		printf("%s: only theirs: %.*s: %s\n", j->what, (int)line->rest_len, line->rest,
		       s->content.text);
		j->only_theirs++;
	} else {
		j->both++;
		j->of_threads += t->thread != 0;
		compare_value(j, t, s, line);
	}
}

static const char *
name_of(struct judged *j, const struct oracle_line *line, unsigned field)
{
	struct error err = { 0 };
	const char *raw = arena_strndup(&j->arena, line->fields[field], line->lens[field], &err);
	const char *name = raw ? name_field(raw, &j->arena, &err) : NULL;

	assert_non_null(name);
	return name;
}

static void
compare_all(struct judged *j, const struct oracle *o, const char *word)
{
	bool of_threads = !strcmp(word, "threadstatic");
	struct oracle_line line;
	const char *at = NULL;

	while (oracle_next(o, word, &at, &line)) {
		unsigned first = of_threads;
		struct theirs t = {
			.slot = oracle_hex(&line, first),
			.element = line.fields[first + 1],
			.element_len = line.lens[first + 1],
			.name = name_of(j, &line, first + 3),
			.raw = oracle_hex(&line, first + 4),
		};

		if (of_threads) {
			t.thread = oracle_number(&line, 0);
			t.table = oracle_hex(&line, 6);
		} else {
			t.content = oracle_hex(&line, 5);
			t.table = oracle_hex(&line, 6);
		}
		compare_one(j, &t, &line);
	}
}

void
judge_statics(const char *what, const struct oracle *o, const struct heap *h)
{
	struct judged j = { .what = what, .heap = h };
	struct error err = { 0 };

	arena_init(&j.arena, 0);
	if (!h->memory->contents->statics(h->memory->source, 0, &j.statics, NULL, &j.arena, &err))
		fail_msg("%s: %s", what, err.message);
	compare_all(&j, o, "static");
	compare_all(&j, o, "threadstatic");
	printf("%s: %u static variables, %u of them of threads: no difference; %u that only we "
	       "know, %u that only ClrMD knows\n",
	       what, j.both, j.of_threads, j.only_ours, j.only_theirs);
	assert_int_equal(j.statics.missing_count, 0);
	assert_int_equal(j.only_theirs, 0);
	assert_true(j.both > 300);
	assert_true(j.of_threads > 4);
	memory_free(j.statics.items);
	arena_clear(&j.arena);
}
