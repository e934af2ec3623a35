#include "model/heap/framework.h"
#include "model/allocations/join.h"
#include "model/base/format.h"
#include "model/base/less.h"
#include "model/base/duration.h"
#include "model/base/sorted.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARROW " \xe2\x86\x90 "

/* ---- stacks ---------------------------------------------------------------
 */

/* Texts of one cell, made when its first sample needs them. */
struct stack_texts {
	const char *type, *site, *by, *stack;
};

enum { BY_FRAMES = 3, STACK_FRAMES = 100, FRAME_BYTES_MAX = 500 };

/* Joins the names of at most `frames` methods, from `node` outwards. */
static const char *
join_names(const struct allocations *a, uint32_t node, uint32_t frames, struct arena *to,
	   struct error *err)
{
	uint32_t n = node;
	size_t len = 1, at = 0;
	char *text;

	for (uint32_t i = 0; n && i < frames; i++, n = a->nodes[n].parent)
		len +=
		    strnlen(a->methods[a->nodes[n].method].name, FRAME_BYTES_MAX) + strlen(ARROW);
	text = arena_array(to, char, len, err);
	if (!text)
		return NULL;
	text[0] = '\0';
	n = node;
	for (uint32_t i = 0; n && i < frames; i++, n = a->nodes[n].parent)
		at += (size_t)snprintf(text + at, len - at, "%s%.*s", i ? ARROW : "",
				       FRAME_BYTES_MAX, a->methods[a->nodes[n].method].name);
	return text;
}

/* The innermost node of the method that is the site. */
static uint32_t
site_node(const struct allocations *a, const bool *mine, uint32_t node)
{
	uint32_t site = allocations_site(a, mine, node);

	while (node && a->nodes[node].method != site)
		node = a->nodes[node].parent;
	return node;
}

static bool
make_texts(const struct allocations *a, const bool *mine, const struct allocation_cell *cell,
	   struct stack_texts *texts, struct arena *to, struct error *err)
{
	const char *type = a->types[cell->type].name;
	uint32_t site;

	if (texts->stack)
		return true;
	texts->type = arena_strndup(to, type, strlen(type), err);
	if (!texts->type)
		return false;
	site = site_node(a, mine, cell->node);
	texts->site = join_names(a, site, 1, to, err);
	texts->by = texts->site ? join_names(a, site, BY_FRAMES, to, err) : NULL;
	texts->stack = texts->by ? join_names(a, cell->node, STACK_FRAMES, to, err) : NULL;
	return texts->stack != NULL;
}

/* ---- the heap -------------------------------------------------------------
 */

/* Heaps from events do not round sizes up to whole words. */
static uint64_t
in_words(uint64_t size)
{
	return (size + 7) & ~UINT64_C(7);
}

/* AllocationTick is 8 bytes too large for some large objects, and 24 too small for some pinned ones
   (measured). */
static bool
has_size(uint64_t size, uint64_t sampled, bool is_random)
{
	enum { TICK_LARGE_EXCESS = 8, TICK_PINNED_LACK = 24 };

	size = in_words(size);
	sampled = in_words(sampled);
	return size == sampled || (!is_random && (size + TICK_LARGE_EXCESS == sampled ||
						  size == sampled + TICK_PINNED_LACK));
}

static bool
ends_with(const char *text, size_t len, const char *end, size_t end_len)
{
	return len >= end_len && !memcmp(text + len - end_len, end, end_len);
}

/*
 * Samples of types that are nested in generic ones lack the outer type: Dictionary<string,
 * int>.Entry[] is "Entry<string, int>[]".
 */
static bool
is_nested_type(const char *name, const char *sampled)
{
	const char *arguments = strchr(sampled, '<');
	const char *end = arguments ? strrchr(arguments, '>') : NULL;
	size_t base_len, suffix_len, len = strlen(name);

	if (!end || memchr(sampled, '.', (size_t)(arguments - sampled)))
		return false;
	base_len = (size_t)(arguments - sampled);
	suffix_len = strlen(end + 1);
	if (!ends_with(name, len, end + 1, suffix_len))
		return false;
	len -= suffix_len;
	return ends_with(name, len, sampled, base_len) && len > base_len &&
	       name[len - base_len - 1] == '.';
}

/* Events do not know the methods of suspended calls. */
static bool
has_type(const struct type *t, const char *sampled)
{
	return !strcmp(t->name, sampled) || is_nested_type(t->name, sampled) ||
	       (type_is_continuation(t) && !strcmp(sampled, "Continuation"));
}

/* Sets *is_undecided if only a type that is unknown could confirm the sample.
 */
static node_id
find_object(const struct allocations *a, const struct heap *h, const struct survived_sample *s,
	    bool *is_undecided)
{
	node_id n = heap_find(h, s->address);
	const char *sampled = a->types[a->cells[s->owner].type].name;

	/* Names in parentheses stand for the types of samples without one. */
	*is_undecided = *sampled == '(';
	if (n == NODE_NONE || !has_size(heap_size(h, n), s->size, a->facts.is_random))
		return NODE_NONE;
	*is_undecided |= heap_type(h, n)->flags & TYPE_UNNAMED;
	return has_type(heap_type(h, n), sampled) ? n : NODE_NONE;
}

static enum sample_state
state_of(const struct survived_sample *s, node_id object)
{
	if (object != NODE_NONE)
		return SAMPLE_IN_HEAP;
	return s->state == SURVIVED_NEW           ? SAMPLE_NEW
	       : s->state == SURVIVED_UNCONFIRMED ? SAMPLE_UNCONFIRMED
	       : s->state == SURVIVED_UNKNOWN     ? SAMPLE_UNKNOWN
						  : SAMPLE_ALIVE;
}

static uint32_t
generation_of(const struct survived_sample *s)
{
	return s->generation < GEN_FROZEN ? s->generation : GEN_UNKNOWN;
}

/* ---- joining --------------------------------------------------------------
 */

static int
compare(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static int
compare_callers(const void *left, const void *right)
{
	const struct sample *const *a = left, *const *b = right;
	int order = strcmp((*a)->by, (*b)->by);

	if (order)
		return order;
	if ((*a)->age_ns != (*b)->age_ns)
		return (*a)->age_ns < (*b)->age_ns ? -1 : 1;
	return (*a > *b) - (*a < *b);
}

static bool
rank(struct samples *s, struct error *err)
{
	struct sample **order = memory_new((size_t)s->count + 1, sizeof(struct sample *), err);

	if (!order)
		return false;
	for (uint32_t i = 0; i < s->count; i++)
		order[i] = &s->items[i];
	qsort(order, s->count, sizeof(struct sample *), compare_callers);
	for (uint32_t i = 0; i < s->count; i++)
		order[i]->rank = i;
	memory_free(order);
	return true;
}

/* Whether there are samples as the collection of the heap left them. */
static bool
is_at_heap(const struct allocations *a, const struct heap *h)
{
	return a->facts.is_at_heap || allocations_at_full(a, h->info.gc_number);
}

/* Allocated after the heap was captured, whose time may be rounded down to a whole second. */
static bool
is_later(const struct allocations *a, const struct heap *h, const struct survived_sample *s)
{
	/* Later dates are damage; their nanoseconds would not fit. */
	const int64_t second = 1000000000, last = UINT32_MAX;
	int64_t began = a->facts.time, captured = h->info.time;
	int64_t time;

	if (is_at_heap(a, h) || began <= 0 || captured <= 0 || began > last || captured > last)
		return false;
	if (s->time > INT64_MAX / 2)
		return true;
	time = (began - captured) * second + a->facts.time_ms * INT64_C(1000000);
	return h->info.time_ns ? time + (int64_t)s->time > h->info.time_ns
			       : time + (int64_t)s->time >= second;
}

static bool
add_samples(struct samples *to, const struct allocations *a, const struct allocation_samples *from,
	    const bool *mine, const struct heap *h, struct stack_texts *texts,
	    struct progress *progress, struct error *err)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct survived_sample *s = &from->items[i];
		const struct allocation_cell *cell = &a->cells[s->owner];
		struct stack_texts *t = &texts[s->owner];
		bool is_undecided;
		node_id n = find_object(a, h, s, &is_undecided);

		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		if (n == NODE_NONE && is_later(a, h, s))
			continue;
		if (!make_texts(a, mine, cell, t, &to->arena, err))
			return false;
		to->in_heap += n != NODE_NONE;
		to->undecided += is_undecided;
		to->items[to->count++] = (struct sample){
			.object = n,
			.state = state_of(s, n),
			.address = s->address,
			.size = s->size,
			.weight = s->weight,
			.time_ns = s->time,
			.age_ns = less(from->ns, s->time),
			.generation = generation_of(s),
			.type = n == NODE_NONE ? t->type : heap_type(h, n)->name,
			.site = t->site,
			.by = t->by,
			.stack = t->stack,
		};
	}
	return true;
}

struct samples *
samples_join(const struct allocations *a, const struct heap *h, const char *my_modules,
	     struct progress *progress, struct error *err)
{
	const struct allocation_samples *full = allocations_at_full(a, h->info.gc_number);
	const struct allocation_samples *from = full ? full : &a->samples;
	struct samples *to = memory_new(1, sizeof(*to), err);
	struct stack_texts *texts;
	bool *mine, ok;

	if (!to)
		return NULL;
	arena_init(&to->arena, 0);
	to->items = memory_new(from->count + 1, sizeof(*to->items), err);
	texts = memory_new(a->cells_count + 1, sizeof(*texts), err);
	mine = allocations_mine(a, my_modules, err);
	ok = to->items && texts && mine && add_samples(to, a, from, mine, h, texts, progress, err);
	memory_free(mine);
	memory_free(texts);
	if (ok)
		qsort(to->items, to->count, sizeof(*to->items), compare);
	if (!ok || !rank(to, err)) {
		samples_free(to);
		return NULL;
	}
	to->time = a->facts.time;
	to->is_at_heap = is_at_heap(a, h);
	to->lost = from->lost;
	to->dead = from->dead;
	snprintf(to->who, sizeof to->who, "%s", a->facts.who);
	return to;
}

/* ---- table ----------------------------------------------------------------
 */

static const struct sample *
sample_of(const struct cells *in, const struct row *row)
{
	return &in->facts->samples->items[row->data];
}

static const void *
samples_of_heap(const struct facts *f)
{
	static const struct samples none;

	return f->samples ? f->samples : &none;
}

static const struct row_source rows = {
	.holder = samples_of_heap,
	ROWS_IN(struct samples, items, count),
	ROW_NODE(struct sample, object),
};

static void
cell_generation(const struct cells *in, const struct row *row, struct value *out)
{
	value_generation(out, (enum generation)sample_of(in, row)->generation);
}

static void
cell_time(const struct cells *in, const struct row *row, struct value *out)
{
	const struct samples *s = in->facts->samples;

	value_time(out,
		   s->time ? s->time + (int64_t)(sample_of(in, row)->time_ns / 1000000000) : 0);
}

static void
cell_age_text(const struct cells *in, const struct row *row, struct value *out)
{
	char text[DURATION_BYTES];

	value_printf(out, STYLE_NUMBER, "%s",
		     duration_text((double)sample_of(in, row)->age_ns / 1e9, text));
}

static const char *const states[] = {
	[SAMPLE_IN_HEAP] = "in heap", [SAMPLE_NEW] = "new",
	[SAMPLE_ALIVE] = "alive",     [SAMPLE_UNCONFIRMED] = "unconfirmed",
	[SAMPLE_UNKNOWN] = "unknown",
};
static const char *const reasons[] = {
	[SAMPLE_IN_HEAP] = "",
	[SAMPLE_NEW] = "died or was moved by a collection that the recording does not have: none "
		       "had judged it",
	[SAMPLE_ALIVE] = "died or was moved after the last collection that the recording has",
	[SAMPLE_UNCONFIRMED] = "died or was moved after the last collection that the recording "
			       "has, or the large object in its place was taken for it",
	[SAMPLE_UNKNOWN] = "died: a background collection freed its place, which the program "
			   "reused, or it died since",
};

/* clang-format off */
static const struct column columns[] = {
	/* id           title        width sorts     cell                                                     help                                                  rank flags needs */
	{ "object",      "Object",     14,  UP,       NODE_AT(struct sample, object),                          "its address in the heap; blank: it is not there",    1, 0, 0 },
	{ "address",     "Address",    14,  UP,       ADDRESS_AT(struct sample, address),                      "where it lay last, as the recording says",           9, COLUMN_MACHINE, 0 },
	{ "type",        "Type",       -24, UP,       TEXT_AT(STYLE_TYPE, struct sample, type),                "its type",                                           0, 0, 0 },
	{ "size",        "Size",       9,   DOWN,     EXACT_BYTES_AT(struct sample, size),                     "bytes of the object",                                3, 0, 0 },
	{ "weight",      "Weight",     11,  DOWN,     BYTES_AT(struct sample, weight),                         "bytes allocated that it stands for, estimated",      4, 0, 0 },
	{ "generation",  "Gen",        -6,  UP,       CELL(VALUE_TEXT, cell_generation),                       "the generation in which it lay",                     5, 0, 0 },
	{ "old",         "Age",        8,   UNSORTED, CELL(VALUE_TEXT, cell_age_text),                         "its age when the heap was captured, or at the end of the recording", 2, COLUMN_SCREEN, 0 },
	{ "age",         "Age",        12,  DOWN,     { .kind = VALUE_DURATION, FIELD_OF(struct sample, age_ns) }, "its age when the heap was captured, or at the end of the recording", 9, COLUMN_MACHINE, 0 },
	{ "time",        "Time",       -19, UP,       CELL(VALUE_TEXT, cell_time),                             "when it was allocated, UTC",                         9, COLUMN_MACHINE, 0 },
	{ "state",       "State",      -11, UP,       WORD_AT(STYLE_NORMAL, states, struct sample, state),     "in heap, or the state in the recording: new, alive, unconfirmed, unknown", 1, 0, 0 },
	{ "by",          "Allocated by", FILL, UP,    TEXT_AT(STYLE_NORMAL, struct sample, by),                "the site that allocated it, and two callers",        0, 0, 0 },
	{ "site",        "Site",       -30, UP,       TEXT_AT(STYLE_NORMAL, struct sample, site),              "the innermost method of the application on its stack", 9, COLUMN_MACHINE, 0 },
	{ "stack",       "Stack",      -40, UP,       TEXT_AT(STYLE_NORMAL, struct sample, stack),             "all methods on its stack, the innermost first",      9, COLUMN_MACHINE, 0 },
	{ "why",         "Why",        -40, UP,       WORD_AT(STYLE_DIM, reasons, struct sample, state),       "why it is not in the heap",                          9, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

enum { PART_BYTES = FORMAT_BYTES + 48 };

/* Writes the count between two texts, or "" for 0. */
static const char *
count_part(const char *before, uint64_t count, const char *after, char part[PART_BYTES])
{
	char number[FORMAT_BYTES];

	snprintf(part, PART_BYTES, "%s%s%s", before, format_count(count, number), after);
	return count ? part : "";
}

static void
write_counts(const struct samples *s, char text[SAMPLES_TEXT_BYTES])
{
	char in_heap[FORMAT_BYTES], count[FORMAT_BYTES], dead[FORMAT_BYTES];
	char undecided[PART_BYTES], lost[PART_BYTES];
	bool is_doubtful = s->count && !s->in_heap && !s->undecided;

	snprintf(
	    text, SAMPLES_TEXT_BYTES,
	    "%s of %s samples that were %s are in the heap%s; %s had died before%s%s",
	    format_count(s->in_heap, in_heap), format_count(s->count, count),
	    s->is_at_heap ? "alive at the capture" : "last seen alive",
	    count_part("; ", s->undecided, " cannot be confirmed, as a type is unknown", undecided),
	    format_count(s->dead, dead), count_part(", ", s->lost, " could not be followed", lost),
	    is_doubtful ? ": is the recording of another process?" : "");
}

void
samples_text(const struct samples *s, char text[SAMPLES_TEXT_BYTES])
{
	if (!s->count && !s->dead && !s->lost)
		snprintf(text, SAMPLES_TEXT_BYTES,
			 "%.80s has no sample from before the heap was captured", s->who);
	else
		write_counts(s, text);
}

const struct table samples_table = {
	.name = "samples",
	.columns = columns,
	.needs = NEED_OBJECTS,
	.rows = &rows,
};
