/*
 * Any bytes as a filter of two views: a filter or an error that says where. Going through the heap
 * in batches finds what testing row after row finds.
 */
#include "tests/drive/fuzz.h"
#include "tests/drive/small_session.h"
#include "tui/app/views.h"
#include "model/filter/filter_code.h"
#include <string.h>

static struct view *
open_view(struct session *s, const struct view_ops *ops)
{
	struct error err = { 0 };
	struct view *v;

	v = view_open(ops, s, &target_none, &err);
	if (!v || !view_update(v, &err))
		fuzz_fail(err.message, NULL);
	return v;
}

/* One row after the other, against all at once. */
static void
compare(struct view *v, struct filter *f)
{
	const struct listing l = view_listing(v);
	struct id_list list = { 0 };
	struct error err = { 0 };
	uint32_t at = 0;
	uint64_t unknown;

	if (!filter_bind(f, &l, &err)) {
		if (err.kind != ERROR_USAGE)
			fuzz_fail("no sentence about a type", NULL);
		return;
	}
	if (!filter_list(f, &l, NULL, NULL, &list, &err))
		fuzz_fail(err.message, NULL);
	unknown = filter_unknown_count(f);
	for (node_id n = 0; n < v->session->heap->nodes_count; n++) {
		struct row row = row_of_node(v->session->heap, n);

		if (!filter_passes(f, &l, &row))
			continue;
		if (at == list.count || list.ids[at++] != n)
			fuzz_fail("an object is not listed", NULL);
	}
	if (at != list.count)
		fuzz_fail("an object too many is listed", NULL);
	if (filter_unknown_count(f) != 2 * unknown)
		fuzz_fail("unknown objects were not counted alike", NULL);
	id_list_free(&list);
}

static void
count_word(void *to, const char *word)
{
	*(size_t *)to += strlen(word);
}

static void
try_text(struct view *v, const char *text, enum filter_language language)
{
	const struct listing l = view_listing(v);
	struct error err = { 0 };
	struct filter *f;
	size_t words = 0;

	f = filter_new(&l, (struct filter_value){ text, language }, &err);
	if ((f == NULL) != (err.kind != ERROR_NONE))
		fuzz_fail("neither a filter nor an error, or both", NULL);
	filter_complete(&l, text, count_word, &words);
	if (!f) {
		if (err.kind != ERROR_USAGE ||
		    (language == FILTER_EXPRESSION && strlen(text) <= FILTER_TEXT_MAX &&
		     strncmp(err.message, "at character ", 13) != 0))
			fuzz_fail(err.message, NULL);
		return;
	}
	if (strcmp(filter_text(f), text) != 0)
		fuzz_fail("not what was typed", NULL);
	if (v->ops == &view_objects)
		compare(v, f);
	filter_free(f);
	(void)view_filter(v, text, &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct session *session;
	static struct view *types, *objects;
	char text[FILTER_TEXT_MAX + 50];

	if (!session) {
		session = small_session();
		types = open_view(session, &view_types);
		objects = open_view(session, &view_objects);
	}
	size = size < sizeof text ? size : sizeof text - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	try_text(objects, text, FILTER_ANY);
	try_text(objects, text, FILTER_EXPRESSION);
	try_text(types, text, FILTER_ANY);
	return 0;
}
