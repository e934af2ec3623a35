#include "model/tables/contents_list.h"
#include "model/base/format.h"
#include "model/heap/thread_title.h"
#include <stdio.h>

enum { STATICS_SHOWN_MAX = 200 }; /* read on the UI thread */

static void
begin(struct contents_list *l, const struct heap *h, node_id node, struct arena *texts)
{
	contents_list_clear(l);
	l->heap = h;
	l->node = node;
	l->texts = texts;
}

bool
contents_list_start(struct contents_list *l, const struct heap *h, node_id node,
		    struct arena *texts, bool are_raw, struct error *err)
{
	begin(l, h, node, texts);
	if (!are_raw)
		l->collection = collection_open(h, node, err);
	return err->kind == ERROR_NONE;
}

void
contents_list_start_value(struct contents_list *l, const struct heap *h, struct arena *texts,
			  uint64_t table, uint64_t address)
{
	begin(l, h, NODE_NONE, texts);
	l->table = table;
	l->address = address;
}

/* Thread statics are distinguished by their thread's name. */
static bool
take_static(struct contents_list *l, const struct heap_static *s, struct error *err)
{
	struct content *to = &l->items[l->total++];
	const struct heap_thread *t;
	char title[THREAD_TITLE_BYTES];

	*to = s->content;
	if (s->thread == UINT32_MAX)
		return true;
	t = &l->heap->memory->threads[s->thread];
	to->name = arena_printf(l->texts, err, "%s of %s%s%s", to->name,
				thread_title(t->id, t->os_id, title), *t->name ? " " : "", t->name);
	return to->name != NULL;
}

bool
contents_list_start_statics(struct contents_list *l, const struct heap *h, node_id node,
			    struct arena *texts, struct error *err)
{
	const struct heap_memory *m = h->memory;
	struct heap_statics statics = { .max = STATICS_SHOWN_MAX };
	struct content_header header;
	bool ok;

	begin(l, h, node, texts);
	ok = m->contents->header(m->source, node, &header, err) &&
	     m->contents->statics(m->source, header.table, &statics, NULL, texts, err);
	if (ok) {
		l->items = memory_new(statics.count + 1, sizeof(*l->items), err);
		ok = l->items != NULL;
	}
	l->is_whole = ok;
	l->is_cut = statics.missing_count > 0;
	for (size_t i = 0; ok && i < statics.count; i++)
		ok = take_static(l, &statics.items[i], err);
	memory_free(statics.items);
	return ok;
}

static bool
read_rows(struct contents_list *l, size_t page, struct content *to, size_t *got, struct error *err)
{
	const struct heap_memory *m = l->heap->memory;

	if (l->collection)
		return collection_rows(l->collection, l->count, page, to, got, &l->total, l->texts,
				       err);
	if (l->table)
		return m->contents->value(m->source, l->table, l->address, l->count, page, to, got,
					  &l->total, l->texts, err);
	return m->contents->rows(m->source, l->node, l->count, page, to, got, &l->total, l->texts,
				 err);
}

bool
contents_list_read(struct contents_list *l, size_t page, struct error *err)
{
	struct content *more;
	bool is_read;
	size_t got;

	if (l->is_whole) {
		got = (size_t)l->total - l->count;
		l->count += got < page ? got : page;
		return true;
	}
	if (!MAKE_ROOM(l->items, l->count + page, l->room, err))
		return false;
	more = l->items + l->count;
	is_read = read_rows(l, page, more, &got, err);
	if (!is_read && l->collection && !l->count && err->kind == ERROR_INPUT) {
		error_clear(err);
		collection_close(l->collection);
		l->collection = NULL;
		is_read = read_rows(l, page, more, &got, err);
	}
	if (is_read)
		l->count += got;
	return is_read;
}

bool
contents_list_fail(struct contents_list *l, struct arena *texts, struct error *err)
{
	struct error why = *err;

	error_clear(err);
	contents_list_clear(l);
	l->items = memory_new(1, sizeof(*l->items), err);
	if (!l->items)
		return false;
	l->has_failed = true;
	l->count = l->room = 1;
	l->total = 1;
	*l->items = (struct content){
		.name = "",
		.type = "",
		.text = arena_printf(texts, err, "(%s)", why.message),
		.target = NODE_NONE,
		.kind = CONTENT_VALUE,
	};
	return l->items->text != NULL;
}

void
contents_list_clear(struct contents_list *l)
{
	collection_close(l->collection);
	memory_free(l->items);
	*l = (struct contents_list){ 0 };
}

void
contents_list_describe(const struct contents_list *l, char *out, size_t size)
{
	char count[FORMAT_BYTES], places[FORMAT_BYTES] = "";
	const struct collection *c = l->collection;
	uint64_t elements = c ? collection_count(c) : 0;

	*out = '\0';
	if (!c)
		return;
	if (collection_capacity(c))
		format_count(collection_capacity(c), places);
	snprintf(out, size, "%s %s%s%s%s%s", format_count(elements, count), collection_noun(c),
		 elements == 1 ? "" : "s", *places ? ", room for " : "", places,
		 collection_is_short(c) ? ", and it claims to have more: press f for its fields"
					: "");
}
