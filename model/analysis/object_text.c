#include "model/analysis/object_text.h"
#include "model/base/text.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"

enum {
	UNITS_SHOWN = 150, /* UTF-16 units of the beginning */
	UNITS_SEARCHED = 1 << 20,
	COLUMNS_SHOWN = 300,
};

static bool
is_text(const struct heap *h, node_id n)
{
	return n != NODE_NONE && contents_exist(h) && heap_type(h, n)->flags & TYPE_STRING;
}

/* Returns the text as a C# literal, or NULL. */
static const char *
literal_of(const struct heap *h, node_id n, uint32_t units_max, struct arena *a)
{
	const struct heap_memory *m = h->memory;
	struct error ignored = { 0 };
	const char *text;
	uint32_t units;

	return m->contents->text(m->source, n, units_max, &text, &units, a, &ignored) ? text : NULL;
}

void
object_text_cell(const struct cells *in, const struct row *row, struct value *out)
{
	char shown[VALUE_TEXT_BYTES];
	struct arena a;
	const char *text;

	if (!is_text(in->facts->heap, row->node)) {
		value_blank(out);
		return;
	}
	arena_init(&a, 0);
	text = literal_of(in->facts->heap, row->node, UNITS_SHOWN, &a);
	if (text)
		value_printf(out, STYLE_NORMAL, "%s",
			     text_fit(text, COLUMNS_SHOWN, shown, sizeof shown));
	else
		value_text(out, STYLE_WARNING, "(not in memory)");
	arena_clear(&a);
}

const char *
object_whole_text(const struct cells *in, const struct row *row, struct arena *a)
{
	const struct heap *h = in->facts->heap;

	return is_text(h, row->node) ? literal_of(h, row->node, UNITS_SEARCHED, a) : NULL;
}

void
object_content_value(const struct facts *f, const struct content *c, struct value *out)
{
	char address[24];

	if (c->kind != CONTENT_REFERENCE)
		value_text(out, c->kind == CONTENT_RAW ? STYLE_DIM : STYLE_NORMAL, c->text);
	else if (c->target == NODE_NONE && c->pointer)
		value_printf(out, STYLE_WARNING, "%s, where no object is",
			     address_format(c->pointer, address));
	else if (c->target == NODE_NONE || *c->text)
		value_text(out, c->pointer ? STYLE_NORMAL : STYLE_DIM, c->text);
	else
		facts_type_cell(f, heap_type_of(f->heap, c->target), out);
}
