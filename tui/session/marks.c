#include "tui/session/marks.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include <string.h>

void
marks_clear(struct marks *m)
{
	memory_free(m->items);
	*m = (struct marks){ .version = m->version + 1 };
}

/* NODE_NONE sorts after all objects. */
static uint64_t
order_of(node_id node, type_id type)
{
	return (uint64_t)node << 32 | (node == NODE_NONE ? type : 0);
}

/* Returns the index of the mark, or where it would be inserted. */
static size_t
place_of(const struct marks *m, node_id node, type_id type)
{
	uint64_t wanted = order_of(node, type);
	size_t at;

	LOWER_BOUND(at, 0, m->count, order_of(m->items[at].node, m->items[at].type) < wanted);
	return at;
}

static bool
is_at(const struct marks *m, size_t at, node_id node, type_id type)
{
	return at < m->count &&
	       order_of(m->items[at].node, m->items[at].type) == order_of(node, type);
}

const struct mark *
marks_find(const struct marks *m, node_id node, type_id type)
{
	size_t at;

	if (!m->count || (node == NODE_NONE && type == TYPE_NONE))
		return NULL;
	at = place_of(m, node, type);
	return is_at(m, at, node, type) ? &m->items[at] : NULL;
}

static void
take_note(struct mark *mark, const char *note)
{
	size_t len = strlen(note);

	if (len >= sizeof mark->note) {
		len = sizeof mark->note - 1;
		while (len && ((unsigned char)note[len] & 0xc0) == 0x80)
			len--;
	}
	memcpy(mark->note, note, len);
	mark->note[len] = '\0';
}

bool
marks_put(struct marks *m, node_id node, type_id type, const char *note, struct error *err)
{
	size_t at = place_of(m, node, type);

	if (!is_at(m, at, node, type)) {
		if (m->count == MARKS_MAX)
			return error_set(err, ERROR_USAGE,
					 "there are %d marks already; x in marks removes one",
					 MARKS_MAX);
		if (!MAKE_ROOM(m->items, m->count + 1, m->room, err))
			return false;
		memmove(&m->items[at + 1], &m->items[at], (m->count - at) * sizeof *m->items);
		m->items[at] = (struct mark){ .node = node, .type = type };
		m->count++;
	}
	if (note)
		take_note(&m->items[at], note);
	m->version++;
	return true;
}

bool
marks_remove(struct marks *m, node_id node, type_id type)
{
	size_t at = place_of(m, node, type);

	if (!is_at(m, at, node, type))
		return false;
	m->count--;
	memmove(&m->items[at], &m->items[at + 1], (m->count - at) * sizeof *m->items);
	m->version++;
	return true;
}

static size_t
objects_count(const struct mark *items, size_t count)
{
	size_t objects = 0;

	while (objects < count && items[objects].node != NODE_NONE)
		objects++;
	return objects;
}

static bool
list_types(const struct mark *items, size_t count, const struct heap *h, struct id_list *out,
	   struct progress *progress, struct error *err)
{
	uint8_t *types = memory_new((size_t)h->types_count + 1, 1, err);
	bool ok = types != NULL;

	for (size_t i = 0; ok && i < count; i++)
		types[items[i].type] = 1;
	ok = ok && id_list_of_types(out, h, types, progress, err);
	memory_free(types);
	return ok;
}

bool
marks_objects(const struct mark *items, size_t count, const struct heap *h, struct id_list *out,
	      struct progress *progress, struct error *err)
{
	size_t objects = objects_count(items, count);
	node_id *ids;

	*out = (struct id_list){ 0 };
	if (objects < count && !list_types(items + objects, count - objects, h, out, progress, err))
		return false;
	ids = memory_resize(out->ids, out->count + objects + 1, sizeof *ids, err);
	if (!ids) {
		id_list_free(out);
		return false;
	}
	out->ids = ids;
	for (size_t i = 0; i < objects; i++) {
		out->ids[out->count++] = items[i].node;
		out->bytes_count += heap_size(h, items[i].node);
	}
	return true;
}
