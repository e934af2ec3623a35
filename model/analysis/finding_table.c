/* The table of findings, the largest first. */
#include "model/analysis/finding_table.h"
#include "model/analysis/finding_id.h"
#include "model/analysis/finding_past.h"
#include "model/analysis/finding_text.h"
#include "model/table/samples.h"
#include "model/graph/mine.h"
#include "model/graph/retention.h"
#include <string.h>

/* --- making rows --------------------------------------------------------- */

static bool
is_my_type(const struct mine *mine, type_id type)
{
	return type != TYPE_NONE && mine->owners[type] != CODE_FRAMEWORK;
}

/* Returns whether a finding is about objects that count as my code, names a type of it, or is about
   the heap or the process as a whole. */
static bool
is_mine(const struct finding *found, const struct mine *mine, const struct heap *h)
{
	if (found->kind->is_of_all || is_my_type(mine, found->type) ||
	    is_my_type(mine, found->holder_type) || is_my_type(mine, found->owner_type))
		return true;
	if (found->subject != NODE_NONE && mine_has(mine, h, found->subject))
		return true;
	for (uint32_t i = 0; i < found->nodes_count; i++)
		if (mine_has(mine, h, found->nodes[i]))
			return true;
	return false;
}

/* Moves the findings that are about my code to the front. Sets *kept to their number. */
static bool
keep_mine(struct finding *items, uint32_t count, const struct facts *f, uint32_t *kept,
	  struct progress *progress, struct error *err)
{
	const struct dominators *d = f->retention ? f->retention->dominators : NULL;
	struct mine mine;

	if (!mine_compute(&mine, f->types, f->types_count, d, f->my_modules, progress, err))
		return false;
	*kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (is_mine(&items[i], &mine, f->heap))
			items[(*kept)++] = items[i];
	mine_clear(&mine);
	return true;
}

static bool
hide_others(struct findings_made *m, const struct facts *f, struct progress *progress,
	    struct error *err)
{
	uint32_t found = m->count;

	if (!f->shows_mine)
		return true;
	if (!keep_mine(m->findings->items, found, f, &m->count, progress, err))
		return false;
	m->hidden_count = found - m->count;
	return true;
}

static bool
has_id(const struct facts *facts, const struct findings *all, const char *id)
{
	char other[FINDING_ID_BYTES];

	for (uint32_t i = 0; i < all->count; i++)
		if (!strcmp(finding_id(facts, &all->items[i], other), id))
			return true;
	return false;
}

/* Returns whether the finding of the earlier heap has no row yet, and makes it one. */
static bool
takes_row(const struct findings_made *m, const struct facts *f, struct finding *earlier)
{
	uint64_t weight = finding_weight(earlier);
	char id[FINDING_ID_BYTES];

	if (earlier->past == PAST_NEW || (earlier->past == PAST_KNOWN && !earlier->before)) {
		earlier->past = PAST_GONE;
	} else if (earlier->past == PAST_KNOWN &&
		   !has_id(f, m->findings, finding_id(f->before, earlier, id))) {
		earlier->past = PAST_SMALL;
		earlier->retained.bytes = earlier->before; /* what this heap retains */
	} else {
		return false;
	}
	earlier->before = weight;
	return true;
}

/* Finds those of the earlier heap that this one does not have: sets m->earlier. */
static bool
find_gone(struct findings_made *m, const struct facts *f, struct progress *progress,
	  struct error *err)
{
	const struct findings_input in = findings_input_of(f->before);
	struct finding *items;
	uint32_t gone = 0;

	m->earlier = findings_find(&in, progress, err);
	if (!m->earlier || !findings_compare(f->before, m->earlier, f, progress, err))
		return false;
	items = m->earlier->items;
	for (uint32_t i = 0; i < m->earlier->count; i++)
		if (takes_row(m, f, &items[i]))
			items[gone++] = items[i];
	m->earlier->count = gone;
	return !f->shows_mine ||
	       keep_mine(items, gone, f->before, &m->earlier->count, progress, err);
}

/* Compares the findings with those of the earlier heap, and appends the ones that are gone. */
static bool
compare(struct findings_made *m, const struct facts *f, struct progress *progress,
	struct error *err)
{
	struct finding *items;

	if (!f->before)
		return true;
	if (!findings_compare(f, m->findings, f->before, progress, err) ||
	    !find_gone(m, f, progress, err))
		return false;
	items = arena_take(&m->findings->arena, (size_t)m->count + m->earlier->count + 1,
			   sizeof *items, err);
	if (!items)
		return false;
	memcpy(items, m->items, m->count * sizeof *items);
	memcpy(items + m->count, m->earlier->items, m->earlier->count * sizeof *items);
	m->items = items;
	m->count += m->earlier->count;
	return true;
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	const struct findings_input in = findings_input_of(f);
	struct findings_made *m = made;

	(void)about;
	m->has_retained = in.retained != NULL;
	m->findings = findings_find(&in, progress, err);
	if (!m->findings)
		return false;
	m->items = m->findings->items;
	m->count = m->findings->count;
	return hide_others(m, f, progress, err) && compare(m, f, progress, err);
}

static void
clear(void *made)
{
	struct findings_made *m = made;

	findings_free(m->findings);
	findings_free(m->earlier);
}

/* Returns a key that tells the row from all others: the same objects may be registered with several
   sources. */
static uint64_t
key_of(const struct finding *f)
{
	node_id first = f->nodes ? f->nodes[0] : 0;

	return ((uint64_t)f->subject << 32 | first) + f->rank * UINT64_C(0x9e3779b97f4a7c15);
}

static bool
is_of_earlier(const struct finding *f)
{
	return f->past == PAST_GONE || f->past == PAST_SMALL;
}

/* Sets the object or type that keys such as `p` and `r` act on. */
static void
set_subject(const struct cells *in, const void *record, struct row *out)
{
	const struct finding *f = record;

	out->key = key_of(f);
	/* The objects of an earlier heap have no ids here. */
	if (is_of_earlier(f))
		return;
	out->node = f->subject;
	out->type = f->subject == NODE_NONE ? f->type : heap_type_of(in->facts->heap, f->subject);
}

/* --- cells --------------------------------------------------------------- */

static const struct finding *
finding_of(const struct cells *in, const struct row *row)
{
	const struct findings_made *m = in->rows;

	return &m->items[row->data];
}

/* Returns the facts of the heap that has the finding. */
static const struct facts *
facts_of(const struct cells *in, const struct row *row)
{
	return is_of_earlier(finding_of(in, row)) ? in->facts->before : in->facts;
}

static void
cell_kind(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM, finding_of(in, row)->kind->id);
}

static void
add_text(const struct cells *in, const struct row *row, struct text *out)
{
	finding_text(facts_of(in, row), finding_of(in, row), out);
}

static void
add_what(const struct cells *in, const struct row *row, struct text *out)
{
	finding_what(facts_of(in, row), finding_of(in, row), out);
}

static void
add_why(const struct cells *in, const struct row *row, struct text *out)
{
	finding_why(facts_of(in, row), finding_of(in, row), out);
}

static void
add_held(const struct cells *in, const struct row *row, struct text *out)
{
	finding_held(facts_of(in, row), finding_of(in, row), out);
}

/* Searches and filters for names find the whole sentence. */
static void
set_searched(const struct cells *in, const struct row *row, struct value *out)
{
	size_t len = strlen(out->buffer) + 1;
	struct text also;

	if (len == sizeof out->buffer)
		return;
	also = text_in(out->buffer + len, sizeof out->buffer - len);
	add_text(in, row, &also);
	out->also = also.bytes;
	out->is_brief = true;
}

static void
cell_allocated(const struct cells *in, const struct row *row, struct value *out)
{
	const struct finding *f = finding_of(in, row);
	type_id type = is_of_earlier(f) ? TYPE_NONE : f->type;
	char text[SAMPLE_TEXT_BYTES];

	if (type < in->facts->types_count &&
	    samples_source_text(in->facts->samples, in->facts->heap, type, text))
		value_printf(out, STYLE_NORMAL, "%s", text);
	else
		value_blank(out);
}

static void
cell_id(const struct cells *in, const struct row *row, struct value *out)
{
	char id[FINDING_ID_BYTES];

	value_printf(out, STYLE_NORMAL, "%s",
		     finding_id(facts_of(in, row), finding_of(in, row), id));
}

static void
cell_harmless(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_DIM, finding_harmless(facts_of(in, row)->heap, finding_of(in, row)));
}

/* Retained sizes may have been computed after the findings. */
static uint64_t
number_retained(const struct cells *in, const struct row *row)
{
	const struct findings_made *m = in->rows;
	const struct finding *f = finding_of(in, row);

	return m->has_retained && f->nodes && !f->kind->frees_nothing ? f->retained.bytes
								      : UINT64_MAX;
}

/* Without objects as evidence, the bytes are no part of the heap. */
static uint64_t
number_share(const struct cells *in, const struct row *row)
{
	const struct finding *f = finding_of(in, row);

	return f->nodes ? f->bytes : UINT64_MAX;
}

uint64_t
finding_frees(const struct facts *facts, const struct finding *f)
{
	if (!f->kind->subject_holds || f->holders_count > 1 || f->subject == NODE_NONE ||
	    !facts->retention)
		return UINT64_MAX;
	return retained_of(facts->retention->retained, f->subject).bytes;
}

static uint64_t
number_frees(const struct cells *in, const struct row *row)
{
	return finding_frees(facts_of(in, row), finding_of(in, row));
}

static void
cell_address(const struct cells *in, const struct row *row, struct value *out)
{
	const struct finding *f = finding_of(in, row);
	node_id n = f->subject;

	if (n == NODE_NONE && f->nodes)
		n = f->nodes[0];
	if (n == NODE_NONE)
		value_blank(out);
	else
		value_address(out, heap_address(facts_of(in, row)->heap, n));
}

static void
cell_change(const struct cells *in, const struct row *row, struct value *out)
{
	static const char *const words[] = {
		[PAST_NOT_COMPARED] = "",
		[PAST_NEW] = "new",
		[PAST_GONE] = "gone",
		[PAST_UNKNOWN] = "not compared",
	};
	const struct finding *f = finding_of(in, row);
	uint64_t weight = finding_weight(f);

	if (f->past != PAST_KNOWN && f->past != PAST_SMALL)
		value_text(out, STYLE_NORMAL, words[f->past]);
	else
		value_text(out, STYLE_NORMAL,
			   weight > f->before   ? "grown"
			   : weight < f->before ? "smaller"
						: "same");
}

static uint64_t
number_before(const struct cells *in, const struct row *row)
{
	const struct finding *f = finding_of(in, row);

	return (f->past == PAST_KNOWN || is_of_earlier(f)) && f->nodes ? f->before : UINT64_MAX;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id          title       width sorts     cell           help                                                     rank flags needs */
	{ "kind",      "Kind",     -13,  UP,       CELL(VALUE_TEXT, cell_kind),     "kind of suspect",                                       2, 0, 0 },
	{ "finding",   "Finding",  -80,  UNSORTED, SENTENCE(STYLE_NORMAL, add_text, NULL),     "the finding in one sentence: what, why and kept_by",    9, COLUMN_MACHINE, 0 },
	{ "what",      "What",     FILL, UNSORTED, SENTENCE(STYLE_NORMAL, add_what, set_searched),     "the objects: their number and type",                    0, 0, 0 },
	{ "why",       "Why",      -24,  UNSORTED, SENTENCE(STYLE_NORMAL, add_why, NULL),      "what looks wrong about them",                           7, COLUMN_BELOW, 0 },
	{ "kept_by",   "Kept by",  -12,  UP,       SENTENCE(STYLE_ROOT, add_held, NULL),     "the root that keeps the holder alive, or the type that holds most", 3, COLUMN_BELOW, 0 },
	{ "allocated_by", "Allocated by", -24, UP, CELL(VALUE_TEXT, cell_allocated), "who allocated most of the sampled objects of the type: --samples", 8, COLUMN_BELOW | COLUMN_SAMPLED, 0 },
	{ "objects",   "Objects",  8,    DOWN,     COUNT_AT(struct finding, nodes_count),  "objects that are evidence; Enter lists them",           5, 0, 0 },
	{ "size",      "Size",     9,    DOWN,     BYTES_AT(struct finding, bytes),     "bytes of these objects",                                4, 0, 0 },
	{ "share",     "Share",    6,    DOWN,     NUMBER(VALUE_BYTES, number_share), "part of all bytes in the heap",                         7, COLUMN_MACHINE | COLUMN_OF_HEAP, 0 },
	{ "retained",  "Retained", 9,    DOWN,     NUMBER(VALUE_BYTES, number_retained), "bytes that would be freed with them",                   1, COLUMN_DEAR, NEED_RETAINED },
	{ "retained_share", "Ret%", 6,   DOWN,     NUMBER(VALUE_BYTES, number_retained), "part of all bytes",                               6, COLUMN_DEAR | COLUMN_OF_HEAP, NEED_RETAINED },
	{ "frees",     "Frees",    9,    DOWN,     NUMBER(VALUE_BYTES, number_frees), "bytes that would be freed if only the one object that holds them were removed", 8, COLUMN_MACHINE | COLUMN_DEAR, NEED_RETAINED },
	{ "change",    "Change",   -8,   UP,       CELL(VALUE_TEXT, cell_change), "new, grown, smaller, same or gone since the earlier heap", 2, COLUMN_PAST, 0 },
	{ "before",    "Before",   9,    DOWN,     NUMBER(VALUE_BYTES, number_before), "bytes that the earlier heap retained for it", 3, COLUMN_PAST, 0 },
	{ "address",   "Address",  14,   UNSORTED, CELL(VALUE_ADDRESS, cell_address),  "the object to look at first",                           8, COLUMN_MACHINE, 0 },
	{ "harmless",  "Harmless", 40,   UNSORTED, CELL(VALUE_TEXT, cell_harmless), "when it is not a leak",                                 8, COLUMN_MACHINE, 0 },
	{ "id",        "Id",       -40,  UP,       CELL(VALUE_TEXT, cell_id),       "name of the finding, without addresses and amounts: other captures of the program give it the same one", 8, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "looking for suspects",
	.made_of = NEED_REACH | NEED_RETAINED,
	ROWS_IN(struct findings_made, items, count),
	.make = make,
	.clear = clear,
	.row = set_subject,
};

const struct table findings_table = {
	.name = "findings",
	.columns = columns,
	.needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH,
	.rows = &rows,
};
