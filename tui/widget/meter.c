#include "tui/widget/meter.h"
#include "model/analysis/resident.h"
#include "model/base/clock.h"
#include "model/base/duration.h"
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "model/base/arena.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	BAR_WIDTH = 20, /* width of the progress bar */
	BAR_LEAST = 3,
	LABEL_APART = 3, /* " █ " */
	OWN_APART = 3,   /* blanks before what heaptop itself takes */
	HEAP_BAR_LEAST = 10,
	HEAP_BAR_MOST = 40,
	COLUMNS_FOR_INNER = 100, /* for the parts of the managed memory */
	TOLD_PART = 1000,        /* smaller parts of the managed memory are left out */
	NEAR_PERCENT = 80,       /* of the memory limit: heaptop's own memory is shown */
	NS_PER_S = 1000000000
};

/* The glyph of a part smaller than half a cell; it looks like no other glyph, in ASCII either. */
#define SLIVER "│"

/* --- the heap ------------------------------------------------------------- */

static unsigned
memory_parts(const struct session *s, struct meter_part *parts)
{
	const struct heap *h = s->heap;
	uint64_t live = s->reach->reachable_bytes, free_bytes = 0;

	for (uint32_t i = 0; i < h->memory->segments_count; i++)
		free_bytes += h->memory->segments[i].free_bytes;
	parts[0] = (struct meter_part){ "live", "█", live };
	parts[1] = (struct meter_part){ heap_knows_roots(h) ? "dead" : "roots unknown", "▒",
					h->bytes_count - live };
	parts[2] = (struct meter_part){ "free", "░", free_bytes };
	return 3;
}

static unsigned
generation_parts(const struct session *s, struct meter_part *parts)
{
	static const char *const glyphs[GEN_COUNT] = {
		[GEN_0] = "░",   [GEN_1] = "▒",      [GEN_2] = "▓",       [GEN_LOH] = "█",
		[GEN_POH] = "▌", [GEN_FROZEN] = "□", [GEN_UNKNOWN] = "?",
	};
	unsigned count = 0;

	for (int i = 0; i < GEN_COUNT; i++)
		if (s->generation_bytes[i])
			parts[count++] = (struct meter_part){ generation_name((enum generation)i),
							      glyphs[i], s->generation_bytes[i] };
	return count;
}

static unsigned
reach_parts(const struct session *s, struct meter_part *parts)
{
	uint64_t reached = s->reach->reachable_bytes;
	struct meter_part *rest = parts;

	if (s->heap->roots_count)
		*rest++ = (struct meter_part){ "with a root", "█", reached };
	*rest++ = (struct meter_part){ heap_knows_roots(s->heap) ? "without" : "roots unknown", "░",
				       s->heap->bytes_count - reached };
	return (unsigned)(rest - parts);
}

unsigned
meter_parts(const struct session *s, struct meter_part parts[METER_PARTS_MAX])
{
	if (!s->heap)
		return 0;
	if (*s->refused[JOB_LOAD]) {
		parts[0] = (struct meter_part){ "not read", "░", s->heap->bytes_count };
		return 1;
	}
	if (s->heap->memory)
		return s->reach ? memory_parts(s, parts) : 0;
	if (s->heap->generation_bytes)
		return generation_parts(s, parts);
	return s->reach ? reach_parts(s, parts) : 0;
}

/* Gives one cell and the sliver glyph to parts of less than half a cell. Returns how many cells are
   left. */
static int
mark_slivers(struct meter_part *parts, unsigned count, int width, int *cells)
{
	double whole = 0;
	int left = width;

	for (unsigned i = 0; i < count; i++)
		whole += (double)parts[i].bytes;
	for (unsigned i = 0; i < count; i++) {
		double bytes = (double)parts[i].bytes;

		cells[i] = bytes > 0 && bytes * width * 2 < whole;
		if (cells[i])
			parts[i].glyph = SLIVER;
		left -= cells[i];
	}
	return left;
}

static unsigned
most_cells(const int *cells, unsigned count)
{
	unsigned most = 0;

	for (unsigned i = 1; i < count; i++)
		if (cells[i] > cells[most])
			most = i;
	return most;
}

void
meter_cells(struct meter_part *parts, unsigned count, int width, int cells[METER_PARTS_MAX])
{
	int left = mark_slivers(parts, count, width, cells), used = 0;
	double whole = 0, end = 0;

	for (unsigned i = 0; i < count; i++)
		whole += cells[i] ? 0 : (double)parts[i].bytes;
	for (unsigned i = 0; i < count; i++) {
		if (cells[i] || !parts[i].bytes)
			continue;
		end += (double)parts[i].bytes;
		cells[i] = (int)(end / whole * left + 0.5) - used;
		used += cells[i];
	}
	for (unsigned i = 0; i < count; i++) {
		if (cells[i] || !parts[i].bytes)
			continue;
		cells[most_cells(cells, count)]--;
		cells[i] = 1;
	}
}

static void
draw_bar(struct line *l, struct meter_part *parts, unsigned count, int width)
{
	int cells[METER_PARTS_MAX];

	if (!count) {
		line_fill(l, STYLE_DIM, "·", width);
		return;
	}
	meter_cells(parts, count, width, cells);
	for (unsigned i = 0; i < count; i++)
		line_fill(l, STYLE_BAR, parts[i].glyph, cells[i]);
}

/* " 1.21 MiB" */
static int
size_width(const struct meter_part *part)
{
	char size[FORMAT_BYTES];

	return text_width(format_size(part->bytes, size)) + 1;
}

static int
labels_width(const struct meter_part *parts, unsigned count)
{
	int width = 0;

	for (unsigned i = 0; i < count; i++)
		width += text_width(parts[i].label) + LABEL_APART;
	return width;
}

/* Chooses which parts show their sizes in `room` columns, the largest first; all names come before
   any size. Returns the width used. */
static int
choose_sizes(const struct meter_part *parts, unsigned count, int room,
	     bool has_size[METER_PARTS_MAX])
{
	int width = labels_width(parts, count);

	memset(has_size, 0, METER_PARTS_MAX * sizeof has_size[0]);
	for (unsigned turn = 0; turn < count; turn++) {
		unsigned next = count;

		for (unsigned i = 0; i < count; i++)
			if (!has_size[i] && (next == count || parts[i].bytes > parts[next].bytes))
				next = i;
		if (width + size_width(&parts[next]) > room)
			break;
		width += size_width(&parts[next]);
		has_size[next] = true;
	}
	return width;
}

/* Draws the names and sizes that fit after the bar. */
static void
draw_legend(struct line *l, const struct meter_part *parts, unsigned count, int room)
{
	bool has_size[METER_PARTS_MAX];
	char size[FORMAT_BYTES];

	choose_sizes(parts, count, room - l->column, has_size);
	for (unsigned i = 0; i < count; i++) {
		if (room - l->column < text_width(parts[i].label) + LABEL_APART)
			return;
		line_add(l, STYLE_NORMAL, " ");
		line_add(l, STYLE_BAR, "%s", parts[i].glyph);
		line_add(l, STYLE_NORMAL, " %s", parts[i].label);
		if (has_size[i])
			line_add(l, STYLE_NORMAL, " %s", format_size(parts[i].bytes, size));
	}
}

/* Shortens the bar if that makes room for sizes. */
static int
bar_width(const struct meter_part *parts, unsigned count, int columns, int room)
{
	bool has_size[METER_PARTS_MAX];
	int most = columns / 4 < HEAP_BAR_MOST ? columns / 4 : HEAP_BAR_MOST;
	int width = room - choose_sizes(parts, count, room - HEAP_BAR_LEAST, has_size);

	width = width < most ? width : most;
	return width > HEAP_BAR_LEAST ? width : HEAP_BAR_LEAST;
}

void
meter_draw_heap(struct line *l, const struct session *s, uint64_t own_bytes)
{
	struct meter_part parts[METER_PARTS_MAX];
	unsigned count = meter_parts(s, parts);
	char size[FORMAT_BYTES], own[64] = "";
	int columns = l->screen->columns, room = columns;

	if (own_bytes) {
		snprintf(own, sizeof own, "heaptop itself %s", format_size(own_bytes, size));
		room -= text_width(own) + OWN_APART;
	}
	if (labels_width(parts, count) > room - HEAP_BAR_LEAST) {
		own[0] = '\0';
		room = columns;
	}
	draw_bar(l, parts, count, bar_width(parts, count, columns, room));
	draw_legend(l, parts, count, room);
	screen_put_right(l->screen, l->row, room, columns - room, STYLE_DIM, own);
}

/* --- the process ---------------------------------------------------------- */

enum { SUM_BYTES = 512, REST_COLUMNS = 14 /* " + rest 12.34" */ };

/* Writes a number in the unit of the whole, which stands only behind that. */
static const char *
in_unit_of(uint64_t bytes, uint64_t whole, char out[FORMAT_BYTES])
{
	format_size_among(bytes, whole, out);
	out[strcspn(out, " ")] = '\0';
	return out;
}

static const struct resident_row *
row_by_id(const struct resident_rows *rows, const char *id)
{
	for (uint32_t i = 0; i < rows->count; i++)
		if (!strcmp(rows->items[i].id, id))
			return &rows->items[i];
	return NULL;
}

/* Returns the part after `than`: the managed memory first, as that is the question, then the
   others, the largest first. NULL: there is none. Parts of the managed memory are in that. */
static const struct resident_row *
next_part(const struct resident_rows *rows, const struct resident_row *than)
{
	static const char *const inner[] = { "managed", "live", "dead", "kept" };
	const struct resident_row *managed = row_by_id(rows, "managed"), *best = NULL;

	if (!than && managed && managed->bytes)
		return managed;
	if (than == managed)
		than = NULL;
	for (uint32_t i = 0; i < rows->count; i++) {
		const struct resident_row *row = &rows->items[i];
		bool is_inner = false;

		for (size_t n = 0; n < sizeof inner / sizeof inner[0]; n++)
			is_inner = is_inner || !strcmp(row->id, inner[n]);
		if (is_inner || !row->bytes || row == than ||
		    (than &&
		     (row->bytes > than->bytes || (row->bytes == than->bytes && row < than))))
			continue;
		if (!best || row->bytes > best->bytes)
			best = row;
	}
	return best;
}

/* Adds " (live 45.08, kept 3.56)" of the managed memory. */
static void
add_managed(const struct resident_rows *rows, uint64_t whole, struct text *out)
{
	static const char *const ids[] = { "live", "dead", "kept" };
	const char *before = " (";
	char number[FORMAT_BYTES];

	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		const struct resident_row *row = row_by_id(rows, ids[i]);

		if (!row || row->bytes < whole / TOLD_PART)
			continue;
		text_addf(out, "%s%s %s", before, ids[i], in_unit_of(row->bytes, whole, number));
		before = ", ";
	}
	text_add(out, *before == ',' ? ")" : "");
}

/* Writes the memory of the process as a sum: as many parts as fit, the largest first, and the
   rest, so that it adds up. Returns false if no part fits. */
static bool
write_sum(const struct resident_rows *rows, const struct resident *r, bool has_inner, int columns,
	  struct text *out)
{
	const struct resident_row *part = NULL;
	const char *sign = " = ";
	char number[FORMAT_BYTES];
	uint64_t rest = r->bytes;

	text_addf(out, "%s %s", format_size(r->bytes, number),
		  r->detail == RESIDENT_PRESENT ? "in the core" : "resident");
	while ((part = next_part(rows, part))) {
		size_t before = out->len;

		text_addf(out, "%s%s %s", sign, part->id,
			  in_unit_of(part->bytes, r->bytes, number));
		if (has_inner && !strcmp(part->id, "managed"))
			add_managed(rows, r->bytes, out);
		if (text_width(out->bytes) + REST_COLUMNS > columns) {
			text_shorten(out, before);
			break;
		}
		rest -= part->bytes;
		sign = " + ";
	}
	if (rest && rest < r->bytes)
		text_addf(out, "%srest %s", sign, in_unit_of(rest, r->bytes, number));
	return rest < r->bytes;
}

/* Draws the memory of the process; false: it is unknown, or there is no room. */
static bool
draw_process(struct line *l, const struct session *s)
{
	const struct facts facts = session_facts(s);
	struct resident_rows rows = { 0 };
	struct error ignored = { 0 };
	struct resident r;
	char out[SUM_BYTES];
	struct text text = text_in(out, sizeof out);
	bool ok;

	if (!s->heap || !s->reach)
		return false;
	r = resident_of(s->heap);
	if (r.detail == RESIDENT_UNKNOWN || !resident_rows_make(&rows, &facts, &ignored))
		return false;
	ok = write_sum(&rows, &r, l->screen->columns >= COLUMNS_FOR_INNER, l->screen->columns,
		       &text);
	if (ok)
		line_add(l, STYLE_NORMAL, "%s", out);
	memory_free(rows.items);
	return ok;
}

bool
meter_draw(struct line *l, const struct session *s, uint64_t own_bytes)
{
	bool is_near = s->memory_limit && own_bytes / NEAR_PERCENT >= s->memory_limit / 100;

	if (!is_near && draw_process(l, s))
		return true;
	meter_draw_heap(l, s, is_near ? own_bytes : 0);
	return false;
}

uint64_t
meter_own_bytes(void)
{
	FILE *from = fopen("/proc/self/statm", "re");
	uint64_t size, resident = 0;

	if (!from)
		return 0;
	if (fscanf(from, "%" SCNu64 " %" SCNu64, &size, &resident) != 2)
		resident = 0;
	fclose(from);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* --- jobs ----------------------------------------------------------------- */

/* Writes the amount per second, such as "3.9 M objects" or "104 MiB". */
static void
rate_text(double rate, const char *counted, char *out, size_t out_size)
{
	enum { MILLION = 1000000 };
	char number[FORMAT_BYTES];

	if (!counted)
		snprintf(out, out_size, "%s", format_size((uint64_t)rate, number));
	else if (rate >= MILLION)
		snprintf(out, out_size, "%.1f M %s", rate / MILLION, counted);
	else
		snprintf(out, out_size, "%s %s", format_count((uint64_t)rate, number), counted);
}

const char *
meter_rate(const struct progress *p, int64_t now_ns, char *out, size_t out_size)
{
	uint64_t total = atomic_load(&p->total), done = atomic_load(&p->done);
	int64_t begun = atomic_load(&p->begun_ns);
	double seconds = (double)(now_ns - begun) / NS_PER_S, rate;
	char each[64], left[DURATION_BYTES];
	bool is_about = atomic_load(&p->is_about);
	int len;

	out[0] = '\0';
	if (!begun || seconds < 1 || !done)
		return out;
	rate = (double)done / seconds;
	rate_text(rate, atomic_load(&p->counted), each, sizeof each);
	len = snprintf(out, out_size, ", %s/s", each);
	if (total > done && len > 0 && (size_t)len < out_size)
		snprintf(out + len, out_size - (size_t)len, ", %s%s left", is_about ? "~" : "",
			 duration_text((double)(total - done) / rate, left));
	return out;
}

static void
draw_job_bar(struct line *l, uint64_t done, uint64_t total, int width)
{
	int filled = (int)((double)done / (double)total * width);

	line_fill(l, STYLE_BAR, "█", filled);
	line_fill(l, STYLE_BAR, "░", width - filled);
}

/* If room is short, the bar is dropped first; the key that stops the job always stays. */
void
meter_draw_job(struct line *l, const struct job *job)
{
	static const char stops[] = "  Esc stops";
	const struct progress *p = job_progress(job);
	uint64_t total = atomic_load(&p->total), done = atomic_load(&p->done);
	const char *stage = atomic_load(&p->stage);
	char number[FORMAT_BYTES], share[FORMAT_BYTES + 3] = "", rate[96];
	char cut[128];
	int room = l->screen->columns - l->column - text_width(stops), bar;

	done = done < total ? done : total;
	if (total)
		snprintf(share, sizeof share, " %s%s", atomic_load(&p->is_about) ? "~" : "",
			 format_share(done, total, number));
	stage = text_fit(stage ? stage : job_what(job), room - text_width(share), cut, sizeof cut);
	room -= text_width(stage) + text_width(share);
	if (text_width(meter_rate(p, clock_ns(), rate, sizeof rate)) > room)
		rate[0] = '\0';
	bar = room - text_width(rate) - 1;
	bar = bar < BAR_WIDTH ? bar : BAR_WIDTH;
	line_add(l, STYLE_STATUS, "%s", stage);
	if (total && bar >= BAR_LEAST) {
		line_add(l, STYLE_STATUS, " ");
		draw_job_bar(l, done, total, bar);
	}
	line_add(l, STYLE_STATUS, "%s%s%s", share, rate, stops);
}
