#include "tests/made/text_heap.h"
#include "model/heap/stream.h"
#include "tests/drive/run_tests.h"
#include <string.h>

enum { BASE = 0x1000, STEP = 0x20 };

static uint64_t
address_of(const struct text_heap *m, const char *name, size_t len)
{
	for (uint32_t i = 0; i < m->count; i++)
		if (strlen(m->names[i]) == len && !strncmp(m->names[i], name, len))
			return BASE + i * STEP;
	fail_msg("no object %.*s", (int)len, name);
	return 0;
}

static enum root_kind
kind_of(const char *id, size_t len)
{
	for (int kind = 0; kind < ROOT_KIND_COUNT; kind++)
		if (strlen(root_kinds[kind].id) == len && !strncmp(root_kinds[kind].id, id, len))
			return (enum root_kind)kind;
	fail_msg("no kind of root %.*s", (int)len, id);
	return ROOT_OTHER;
}

static void
name_objects(struct text_heap *m, const char *text)
{
	size_t len;

	for (; *text; text += len, text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (*text == '!')
			continue;
		assert_true(m->count < TEXT_NAMES_MAX);
		snprintf(m->names[m->count++], TEXT_NAME_BYTES, "%.*s", (int)strcspn(text, ": "),
			 text);
	}
}

static void
add_object(struct heap_stream *s, const struct text_heap *m, const char *text, size_t len)
{
	struct error err = { 0 };
	char type[2] = { text[0], '\0' };
	const char *end = text + len, *ref;
	size_t name_len = strcspn(text, ": ");
	uint64_t refs = 0;

	for (ref = text + name_len; ref < end; ref++)
		refs += *ref == ':' || *ref == ',';
	assert_true(heap_stream_object(s, address_of(m, text, name_len),
				       heap_builder_type(heap_stream_builder(s), type, "", &err),
				       24, refs, &err));
	for (ref = text + name_len; ref < end; ref += name_len) {
		ref++;
		name_len = strcspn(ref, ", ");
		assert_true(heap_stream_ref(s, address_of(m, ref, name_len), &err));
	}
}

static void
add_root(struct heap_stream *s, const struct text_heap *m, const char *text)
{
	struct error err = { 0 };
	size_t kind_len = strcspn(text, ":="), name_len;
	const char *name = text + kind_len + (text[kind_len] == ':');
	uint64_t object;
	char copy[32];

	name_len = strcspn(name, "=");
	snprintf(copy, sizeof copy, "%.*s", (int)name_len, name);
	name += name_len + 1;
	object = address_of(m, name, strcspn(name, " "));
	if (!strncmp(text, "weak=", 5))
		assert_true(heap_stream_weak(s, object, &err));
	else
		assert_true(
		    heap_stream_root(s, object, kind_of(text, kind_len), false, copy, "", &err));
}

const struct heap *
text_heap(struct text_heap *m, const char *text)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;
	size_t len;

	assert_non_null(s);
	*m = (struct text_heap){ .count = 0 };
	name_objects(m, text);
	for (; *text; text += len, text += strspn(text, " ")) {
		len = strcspn(text, " ");
		if (*text == '!')
			add_root(s, m, text + 1);
		else
			add_object(s, m, text, len);
	}
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	return h;
}
