/*
 * Facts about the whole heap, and about heaptop's own memory: names, values, meanings. This is the
 * file to copy for a small flat view.
 */
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "model/analysis/resident.h"
#include "model/analysis/segments.h"
#include "tui/widget/view.h"
#include "tui/session/analyses.h"

struct fact {
	const char *name, *help;
	const char *text; /* NULL: a number */
	uint64_t number;
	bool is_bytes;
	float per_object; /* bytes per object; 0: not applicable */
};

/* Warnings leave room for the facts that follow them. */
enum { FACTS_MAX = 128, DOMAINS_SHOWN = 16, FACTS_BEHIND_WARNINGS = 32 };
struct summary_facts {
	struct fact items[FACTS_MAX];
	size_t count;
	char gaps[ROOT_GAPS_TEXT_BYTES];
	char resident[RESIDENT_TEXT_BYTES];
};

static struct fact *
fact_add(struct summary_facts *f, const char *name, uint64_t number, const char *help)
{
	struct fact *fact;

	if (f->count < FACTS_MAX)
		f->count++;
	fact = &f->items[f->count - 1];

	*fact = (struct fact){ .name = name, .number = number, .help = help };
	return fact;
}

static void
fact_add_bytes(struct summary_facts *f, const char *name, uint64_t number, const char *help)
{
	fact_add(f, name, number, help)->is_bytes = true;
}

/* Adds a number unless it is 0. */
static void
fact_add_some(struct summary_facts *f, const char *name, uint64_t number, const char *help)
{
	if (number)
		fact_add(f, name, number, help);
}

static void
fact_add_text(struct summary_facts *f, const char *name, const char *text, const char *help)
{
	if (text && *text)
		fact_add(f, name, 0, help)->text = text;
}

/* --- the heap ------------------------------------------------------------ */

static uint64_t
types_used(const struct heap *h)
{
	uint64_t used = 0;

	for (type_id t = 0; t < h->types_count; t++)
		used += h->types[t].count > 0;
	return used;
}

static uint64_t
count_weak_handles(const struct heap *h)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->weak_count; i++)
		count += h->weak[i].count;
	return count;
}

static uint64_t
count_roots(const struct heap *h, enum root_kind kind)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < h->roots_count; i++)
		count += h->roots[i].kind == kind;
	return count;
}

/* How many roots on stacks are certain, and why others are not. */
static void
add_stacks(struct summary_facts *f, const struct heap *h)
{
	const struct heap_stacks *stacks;

	if (!h->memory)
		return;
	stacks = &h->memory->stacks;
	fact_add_some(f, "stack_references", count_roots(h, ROOT_STACK),
		      "in frames of managed code; roots");
	fact_add_some(f, "stack_words", count_roots(h, ROOT_STACK_WORD),
		      "other words on stacks, like references; roots too");
	fact_add_some(f, "stack_frames", stacks->frames, "of managed code");
	fact_add_some(f, "unknown_frames", stacks->unknown_frames,
		      "whose references are unknown; their words count");
	if (stacks->unknown_frames && stacks->unknown_why)
		fact_add_text(f, "unknown_because", stacks->unknown_why, "the first of them");
	fact_add_some(f, "unread_stacks", stacks->unread_threads,
		      "threads without known frames; their words count");
	if (stacks->unread_threads)
		fact_add_text(f, "unread_because", stacks->why, "the first of them");
}

static void
add_counts(struct summary_facts *f, const struct heap *h, const struct reach *reach)
{
	fact_add(f, "objects", h->nodes_count, "objects in the heap");
	fact_add_bytes(f, "bytes", h->bytes_count, "their sizes");
	fact_add(f, "references", h->refs_count, "from object to object");
	fact_add(f, "types", types_used(h), "types that have objects");
	fact_add(f, "roots", h->roots_count, "references from outside that keep objects alive");
	fact_add_some(f, "weak_handles", count_weak_handles(h),
		      "handles that do not keep their object alive");
	fact_add(f, "reachable", reach->reachable_count,
		 "objects that a root keeps alive, directly or not");
	fact_add_bytes(f, "reachable_bytes", reach->reachable_bytes, "their sizes");
	fact_add(f, "undefined", h->info.losses.undefined_nodes,
		 "referred to, but not described in the dump");
}

/* Adds what a capture or a trace has lost. */
static void
add_lost_events(struct summary_facts *f, const struct losses *l)
{
	fact_add_some(f, "lost_events", l->lost_events,
		      "of the heap walk: each describes many objects or references");
	fact_add_some(f, "lost_objects", l->lost_nodes, "at least this many were in those events");
	fact_add_some(f, "lost_references", l->lost_refs,
		      "that objects announce but that are missing");
	fact_add_some(f, "partial_objects", l->partial_nodes,
		      "objects whose references are not all known");
	fact_add_some(f, "damaged_events", l->damaged_events, "shorter than they announce");
	fact_add_some(f, "unnamed_types", l->unnamed_types,
		      "types that the runtime did not describe");
	fact_add_some(f, "unnamed_objects", l->unnamed_nodes, "objects of such types");
	if (l->is_unfinished)
		fact_add_text(f, "unfinished", "yes",
			      "the end of the heap walk is missing; what else "
			      "is missing is unknown");
}

static void
add_losses(struct summary_facts *f, const struct heap *h)
{
	const struct losses *l = &h->info.losses;

	fact_add_some(f, "undefined_references", l->undefined_refs,
		      "references to undescribed objects; left out");
	fact_add_some(f, "undefined_roots", l->undefined_roots,
		      "roots of undescribed objects; left out");
	fact_add_some(f, "damaged", l->damaged_nodes, "records that could not be read");
	fact_add_some(f, "damaged_references", l->damaged_refs,
		      "references to no object; left out");
	fact_add_some(f, "made_up_addresses", l->made_up_addresses,
		      "objects without an address of their own");
	fact_add_text(f, "missing_roots", root_gaps_text(l, f->gaps),
		      "objects that only they keep alive appear unreachable");
	fact_add_some(f, "missing_bytes", l->missing_bytes,
		      "the file was cut short; at least this much is missing");
	add_lost_events(f, l);
}

static void
add_static_tables(struct summary_facts *f, const struct reach *reach)
{
	fact_add_some(f, "static_tables", reach->static_tables_count,
		      "arrays that hold static variables");
	fact_add_some(f, "static_references", reach->static_refs_count,
		      "references from them that only repeat a static");
}

static void
add_origin(struct summary_facts *f, const struct heap *h)
{
	const struct heap_info *info = &h->info;

	if (info->is_sampled)
		fact_add_text(f, "sampled", "yes",
			      "each object stands for several; numbers are estimates");
	fact_add_text(f, "format", info->saved_as ? info->saved_as : info->format,
		      "format of the file");
	if (info->saved_as) {
		fact_add_text(f, "origin", info->source, "what the heap was saved from");
		fact_add_text(f, "origin_format", info->format, "its format, or how captured");
	}
	fact_add_text(f, "tool", info->tool, "that wrote the file");
	fact_add_text(f, "process", info->process, "that was dumped");
	fact_add_some(f, "pid", info->pid > 0 ? (uint64_t)info->pid : 0, "its process id");
	fact_add_text(f, "machine", info->machine, "where it ran");
	if (info->commit_bytes)
		fact_add_bytes(f, "commit_bytes", info->commit_bytes, "memory committed to it");
	if (info->working_set_bytes)
		fact_add_bytes(f, "working_set_bytes", info->working_set_bytes,
			       "memory it was using");
	for (uint32_t i = 0; i < info->domains_count && i < DOMAINS_SHOWN; i++)
		fact_add_text(f, "domain", info->domains[i].facts, "an application domain");
	for (uint32_t i = 0;
	     i < info->warnings_count && f->count + FACTS_BEHIND_WARNINGS < FACTS_MAX; i++)
		fact_add_text(f, "warning", info->warnings[i], info->warnings[i]);
}

/* Account for the memory of the process, if the heap was read from memory. Each line is part of one
   above it. */
static void
add_account(struct summary_facts *f, const struct session *s)
{
	struct memory_account a;

	fact_add_text(f, "process_memory", resident_text(s->heap, f->resident),
		      "resident memory of the process; :resident");
	if (!s->heap->memory)
		return;
	a = memory_account(s->reach);
	if (a.resident)
		fact_add_bytes(f, "resident_bytes", a.resident,
			       "RSS of the process; :resident shows its parts");
	if (a.managed)
		fact_add_bytes(f, "managed_bytes", a.managed,
			       "resident: objects, and what the GC keeps");
	if (a.native)
		fact_add_bytes(f, "native_bytes", a.native,
			       "resident, and neither managed nor of a file");
	fact_add_bytes(f, "committed_bytes", a.committed,
		       "by the collector for segments: allocated and unused");
	fact_add_bytes(f, "unused_bytes", a.unused, "committed, but no objects there yet");
	fact_add_bytes(f, "allocated_bytes", a.allocated,
		       "allocated for objects: live, dead, free and rest");
	fact_add_bytes(f, "live_bytes", a.live, "objects that a root reaches");
	if (heap_knows_roots(s->heap))
		fact_add_bytes(f, "dead_bytes", a.dead,
			       "objects that the next collection may free");
	fact_add_bytes(f, "free_bytes", a.free, "between objects");
	fact_add_bytes(f, "rest_bytes", a.rest, "padding, or reserved for new objects");
}

/* Names the results that were read from the file and not computed here. */
static void
add_kept(struct summary_facts *f, const struct session *s)
{
	if (s->retention && s->retention->dominators->is_kept)
		fact_add_text(f, "from_the_file", "distances, retained sizes",
			      "read from the file, not computed here");
	else if (s->reach->is_kept)
		fact_add_text(f, "from_the_file", "distances",
			      "read from the file, not computed here");
}

/* Adds the counts of a heap that has types but no objects. */
static void
add_type_counts(struct summary_facts *f, const struct heap *h)
{
	fact_add(f, "objects", heap_types_objects(h),
		 "counted by type; nothing else is known of them");
	fact_add_bytes(f, "bytes", h->bytes_count, "their sizes");
	fact_add(f, "types", types_used(h), "types that have objects");
}

/* Adds all that is known of a dump without a heap. */
static void
add_threads(struct summary_facts *f, const struct heap *h)
{
	uint32_t managed = 0, thrown = 0;

	for (uint32_t i = 0; i < h->memory->threads_count; i++) {
		managed += h->memory->threads[i].address != 0;
		thrown += h->memory->threads[i].thrown_type != NULL;
	}
	fact_add_text(f, "objects", "none in this dump", "only threads and modules: :threads");
	fact_add(f, "threads", h->memory->threads_count, "all of them; :threads, :pstacks");
	fact_add(f, "managed_threads", managed, "known to the runtime");
	fact_add_some(f, "exceptions", thrown, "threads on which one was thrown; :threads");
	fact_add(f, "modules", h->memory->modules_count, "assemblies; :modules");
}

static void
summary_facts(struct summary_facts *f, const struct session *s)
{
	if (heap_lacks_objects(s->heap)) {
		add_threads(f, s->heap);
		add_origin(f, s->heap);
		return;
	}
	if (s->has_only_types) {
		add_type_counts(f, s->heap);
		add_losses(f, s->heap);
		add_origin(f, s->heap);
		return;
	}
	add_counts(f, s->heap, s->reach);
	add_stacks(f, s->heap);
	add_account(f, s);
	fact_add_some(f, "unreachable", s->heap->nodes_count - s->reach->reachable_count,
		      heap_knows_roots(s->heap) ? "no root in the file reaches them"
						: "no known root reaches them");
	add_losses(f, s->heap);
	add_static_tables(f, s->reach);
	add_kept(f, s);
	add_origin(f, s->heap);
}

/* --- our memory ---------------------------------------------------------- */

static void
add_memory(struct summary_facts *f, const struct heap *h, const char *name, uint64_t bytes,
	   const char *help)
{
	struct fact *fact = fact_add(f, name, bytes, help);

	fact->is_bytes = true;
	if (h->nodes_count)
		fact->per_object = (float)bytes / (float)h->nodes_count;
}

static void
memory_facts(struct summary_facts *f, const struct session *s)
{
	const struct heap *h = s->heap;
	uint64_t reverse = s->reverse ? s->reverse->bytes : 0;
	uint64_t reach = s->reach ? s->reach->bytes + s->roots->bytes : 0;
	uint64_t kept = h->memory ? h->memory->kept_bytes : 0;
	uint64_t known = heap_bytes(h) + reverse + reach + (s->retention ? s->retention->bytes : 0);
	uint64_t held = memory_held();

	add_memory(f, h, "heap", heap_bytes(h) - kept, "objects, types, references, roots");
	if (kept)
		add_memory(f, h, "copy", kept, "copy of the memory that was read");
	add_memory(f, h, "heap_bound", ((uint64_t)h->nodes_count * 11 + h->refs_count * 5) / 2,
		   "at most 5.5 an object and 2.5 a reference, without names");
	add_memory(f, h, "referrers", reverse, "who refers to whom");
	add_memory(f, h, "distances", reach, "paths to the roots");
	if (s->retention)
		add_memory(f, h, "holdings", s->retention->bytes, "dominators and retained sizes");
	else
		add_memory(f, h, "dominators_need", dominators_bytes(h),
			   analyses_refusal(s, NEED_RETAINED)
			       ? analyses_refusal(s, NEED_RETAINED)
			       : "dominators and retained sizes, while computing");
	if (s->memory_limit)
		fact_add_bytes(f, "limit", s->memory_limit,
			       "limit for all of it: --mem, or what is available");
	add_memory(f, h, "besides", held > known ? held - known : 0,
		   "modules, open views, other heaps");
	add_memory(f, h, "all", held > known ? held : known,
		   "all memory that heaptop has allocated");
}

/* --- the views ----------------------------------------------------------- */

static const struct fact *
row_fact(const struct summary_facts *f, const struct row *row)
{
	return &f->items[row->data];
}

static void
cell_value(const struct cells *in, const struct row *row, struct value *out)
{
	const struct fact *fact = row_fact(in->rows, row);

	if (fact->text)
		value_text(out, STYLE_NORMAL, fact->text);
	else if (fact->is_bytes)
		value_exact_bytes(out, fact->number);
	else
		value_count(out, fact->number);
}

static void
cell_per_object(const struct cells *in, const struct row *row, struct value *out)
{
	float per_object = row_fact(in->rows, row)->per_object;

	if (per_object > 0)
		value_hundredths(out, (uint64_t)(per_object * 100 + 0.5F));
	else
		value_blank(out);
}

static bool
facts_open(struct view *v, struct error *err)
{
	v->state = arena_new(&v->arena, struct summary_facts, err);
	return v->state != NULL;
}

static bool
show_facts(struct view *v, struct error *err)
{
	struct summary_facts *f = v->state;

	return view_show_all(v, f->count, err);
}

static bool
summary_rows(struct view *v, struct error *err)
{
	struct summary_facts *f = v->state;

	f->count = 0;
	summary_facts(f, v->session);
	return show_facts(v, err);
}

static bool
memory_rows(struct view *v, struct error *err)
{
	struct summary_facts *f = v->state;

	f->count = 0;
	memory_facts(f, v->session);
	return show_facts(v, err);
}

static const struct row_source rows = {
	ROWS_INSIDE(struct summary_facts, items, count),
};

/* clang-format off */
static const struct column summary_columns[] = {
	/* id        title      width sorts     cell          help                  rank flags          needs */
	{ "name",    "Name",    -22,  UNSORTED, TEXT_AT(STYLE_HEADER, struct fact, name),    "name of the fact",       0, 0,              0 },
	{ "value",   "Value",   -24,  UNSORTED, CELL(VALUE_BYTES, cell_value),   "its value",      0, COLUMN_MIXED,              0 },
	{ "meaning", "Meaning", FILL, UNSORTED, TEXT_AT(STYLE_DIM, struct fact, help), "its meaning", 1, COLUMN_SCREEN,  0 },
	{ 0 },
};
static const struct table summary_table = { .name = "summary", .columns = summary_columns, .rows = &rows };
static const struct column memory_columns[] = {
	/* id           title         width sorts     cell             help                    rank flags needs */
	{ "part",       "Part",       -12,  UNSORTED, TEXT_AT(STYLE_HEADER, struct fact, name),       "what uses the memory", 0, 0, 0 },
	{ "bytes",      "Bytes",      12,   DOWN,     CELL(VALUE_BYTES, cell_value),      "resident bytes",        0, 0, 0 },
	{ "per_object", "Per object", 10,   UNSORTED, CELL(VALUE_HUNDREDTHS, cell_per_object), "bytes for each object", 1, 0, 0 },
	{ "meaning",    "Meaning",    FILL, UNSORTED, TEXT_AT(STYLE_DIM, struct fact, help),    "its meaning",    1, 0, 0 },
	{ 0 },
};
static const struct table memory_table = { .name = "memory", .columns = memory_columns, .rows = &rows };
/* clang-format on */

static const struct view_code summary_code = {
	.open = facts_open,
	.rows = summary_rows,
};

const struct view_ops view_summary = {
	.command = { .name = "summary", .help = "facts about the heap, and what is missing" },
	.table = &summary_table,
	.words = { .no_rows = "no facts are known about this heap; :types lists what was counted" },
	.list = { .needs = NEED_OBJECTS | NEED_REACH, .flags = VIEW_PLAIN | VIEW_OF_TYPES },
	.code = &summary_code,
};

static const struct view_code memory_code = {
	.open = facts_open,
	.rows = memory_rows,
};

const struct view_ops view_memory = {
	.command = { .name = "memory", .help = "the memory that heaptop itself uses" },
	.table = &memory_table,
	.words = { .no_rows = "nothing is known about heaptop's own memory; :summary is about the "
			      "heap" },
	.list = { .needs = NEED_OBJECTS | NEED_REVERSE | NEED_REACH },
	.code = &memory_code,
};
