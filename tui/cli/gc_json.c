#include "tui/cli/gc_json.h"
#include "model/gc/words.h"
#include "model/table/table_writer_records.h"
#include <inttypes.h>

/* Incremented by every change that can break a reader. */
enum { JSON_SCHEMA = 1 };

static void
print_number(FILE *to, uint64_t number)
{
	if (number == GC_UNKNOWN)
		fputs("null", to);
	else
		fprintf(to, "%" PRIu64, number);
}

static void
print_value(FILE *to, const struct value *value)
{
	char out[VALUE_TEXT_BYTES];
	const char *text = value_for_machines(value, out);

	if (value->kind == VALUE_BLANK || value->kind == VALUE_PENDING ||
	    (value->kind == VALUE_TEXT && !*text))
		fputs("null", to);
	else if (value_is_number(value))
		fputs(text, to);
	else
		table_print_string(to, text);
}

static void
print_member(FILE *to, const char *name)
{
	putc_unlocked(',', to);
	table_print_string(to, name);
	putc_unlocked(':', to);
}

static void
print_columns(FILE *to, const struct table_writer *t, const struct cells *in, const struct row *row)
{
	struct value value;

	for (int i = 0; i < t->columns_count; i++) {
		print_member(to, t->columns[i]->id);
		table_cell(t->of, in, t->columns[i], row, &value);
		print_value(to, &value);
	}
}

static const char *
phase_name(const void *r, int i)
{
	return gc_phase_text(r, i);
}

static const char *
mark_name(const void *r, int i)
{
	(void)r;
	return gc_mark_text(i);
}

/* Writes an object of the known numbers, by name. */
static void
print_named(FILE *to, const char *name, const uint64_t *numbers, int count, uint64_t unit,
	    const struct gc_record *r, const char *(*name_of)(const void *r, int i))
{
	const char *separator = "";

	print_member(to, name);
	putc_unlocked('{', to);
	for (int i = 0; i < count; i++) {
		const char *text = name_of(r, i);

		if (numbers[i] == GC_UNKNOWN || !text)
			continue;
		fputs(separator, to);
		table_print_string(to, text);
		fprintf(to, ":%" PRIu64, numbers[i] / unit);
		separator = ",";
	}
	putc_unlocked('}', to);
}

static void
print_generation(FILE *to, const struct gc_generation *generations, int g)
{
	static const struct {
		enum gc_size size;
		const char *name;
	} members[] = {
		{ GC_BUDGET, "budget" },
		{ GC_SIZE_BEFORE, "before" },
		{ GC_FREE_LIST_BEFORE, "free_list_before" },
		{ GC_FREE_OBJECTS_BEFORE, "free_objects_before" },
		{ GC_SIZE_AFTER, "after" },
		{ GC_FREE_LIST_AFTER, "free_list" },
		{ GC_FREE_OBJECTS_AFTER, "free_objects" },
		{ GC_IN, "in" },
		{ GC_SURVIVED_PINNED, "survived_pinned" },
		{ GC_SURVIVED, "survived_others" },
	};

	fprintf(to, "{\"generation\":\"%s\"", gc_generation_text(g));
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		print_member(to, members[i].name);
		print_number(to, generations[g].sizes[members[i].size]);
	}
	print_member(to, "out");
	print_number(to, gc_out(generations, g));
	putc_unlocked('}', to);
}

static void
print_generations(FILE *to, const struct gc_generation *generations)
{
	print_member(to, "generations");
	putc_unlocked('[', to);
	for (int g = 0; g < GC_GENERATIONS; g++) {
		if (g)
			putc_unlocked(',', to);
		print_generation(to, generations, g);
	}
	putc_unlocked(']', to);
}

static void
print_heap(FILE *to, const struct gc_record *r, const struct gc_heap *h)
{
	const struct {
		const char *name;
		uint64_t number;
	} members[] = {
		{ "free_list_allocated", h->free_list_allocated },
		{ "free_list_rejected", h->free_list_rejected },
		{ "end_of_segment_allocated", h->end_of_segment_allocated },
		{ "condemned_allocated", h->condemned_allocated },
		{ "pinned_allocated", h->pinned_allocated },
		{ "pinned_allocated_advance", h->pinned_allocated_advance },
		{ "extra_gen0_commit", h->extra_gen0_commit },
		{ "join_wait_us",
		  h->join_wait_ns == GC_UNKNOWN ? GC_UNKNOWN : h->join_wait_ns / 1000 },
	};

	fprintf(to, "{\"heap\":%" PRIu32, h->number);
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		print_member(to, members[i].name);
		print_number(to, members[i].number);
	}
	print_named(to, "marked", h->marked, GC_MARKS, 1, r, mark_name);
	print_generations(to, h->generations);
	putc_unlocked('}', to);
}

static void
print_heaps(FILE *to, const struct gc_record *r)
{
	print_member(to, "heap_details");
	putc_unlocked('[', to);
	for (uint32_t h = 0; h < r->heaps_count; h++) {
		if (h)
			putc_unlocked(',', to);
		print_heap(to, r, &r->heaps[h]);
	}
	putc_unlocked(']', to);
}

void
gc_json_print(FILE *to, const struct table_writer *t, const struct cells *in, const struct row *row,
	      bool has_heaps)
{
	const struct gc_cells *cells = in->rows;
	const struct gc_record *r = gc_log_at(cells->log, row->data);

	fprintf(to, "{\"schema\":%d", JSON_SCHEMA);
	print_columns(to, t, in, row);
	print_named(to, "phases_us", r->phases_ns, GC_PHASES, 1000, r, phase_name);
	print_named(to, "marked", r->marked, GC_MARKS, 1, r, mark_name);
	print_generations(to, r->generations);
	if (has_heaps)
		print_heaps(to, r);
	fputs("}\n", to);
}
