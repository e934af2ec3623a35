#include "tui/meter.h"
#include "model/clock.h"
#include "model/heap_memory.h"
#include "tui/describe.h"
#include "tui/format.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	BAR_WIDTH = 20, /* of the progress bar */
	BAR_LEAST = 3,
	HEAP_BAR_LEAST = 10,
	HEAP_BAR_MOST = 40,
	NS_PER_S = 1000000000
};

/* --- the heap ------------------------------------------------------------- */

static unsigned
memory_parts(const struct session *s, struct meter_part *parts)
{
	const struct heap *h = s->heap;
	uint64_t live = s->reach->reachable_bytes, free_bytes = 0;

	for (uint32_t i = 0; i < h->memory->segments_count; i++)
		free_bytes += h->memory->segments[i].free_bytes;
	parts[0] = (struct meter_part){ "live", "█", live };
	parts[1] =
	    (struct meter_part){ describe_knows_roots(h) ? "dead"
							 : "roots unknown",
				 "▒", h->bytes_count - live };
	parts[2] = (struct meter_part){ "free", "░", free_bytes };
	return 3;
}

static unsigned
generation_parts(const struct session *s, struct meter_part *parts)
{
	static const char *const glyphs[GEN_COUNT] = {
		[GEN_0] = "░",       [GEN_1] = "▒",   [GEN_2] = "▓",
		[GEN_LOH] = "█",     [GEN_POH] = "▌", [GEN_FROZEN] = "■",
		[GEN_UNKNOWN] = "·",
	};
	unsigned count = 0;

	for (int i = 0; i < GEN_COUNT; i++)
		if (s->generation_bytes[i])
			parts[count++] = (struct meter_part){
				generation_name((enum generation)i), glyphs[i],
				s->generation_bytes[i]
			};
	return count;
}

static unsigned
reach_parts(const struct session *s, struct meter_part *parts)
{
	uint64_t reached = s->reach->reachable_bytes;
	struct meter_part *rest = parts;

	if (s->heap->roots_count)
		*rest++ = (struct meter_part){ "with a root", "█", reached };
	*rest++ = (struct meter_part){ describe_knows_roots(s->heap)
					   ? "without"
					   : "roots unknown",
				       "░", s->heap->bytes_count - reached };
	return (unsigned)(rest - parts);
}

unsigned
meter_parts(const struct session *s, struct meter_part parts[METER_PARTS_MAX])
{
	if (!s->heap)
		return 0;
	if (s->heap->memory)
		return s->reach ? memory_parts(s, parts) : 0;
	if (s->heap->generation_bytes)
		return generation_parts(s, parts);
	return s->reach ? reach_parts(s, parts) : 0;
}

void
meter_cells(const struct meter_part *parts, unsigned count, int width,
	    int cells[METER_PARTS_MAX])
{
	uint64_t whole = 0;
	unsigned largest = 0;
	int shared = width, left = width;

	for (unsigned i = 0; i < count; i++) {
		whole += parts[i].bytes;
		shared -= parts[i].bytes > 0;
		if (parts[i].bytes > parts[largest].bytes)
			largest = i;
	}
	for (unsigned i = 0; i < count; i++) {
		double share =
		    whole ? (double)parts[i].bytes / (double)whole : 0;

		cells[i] = (parts[i].bytes > 0) + (int)(share * shared);
		left -= cells[i];
	}
	/* What rounding left is hardly seen on the largest. */
	if (whole)
		cells[largest] += left;
}

static void
draw_bar(struct line *l, const struct meter_part *parts, unsigned count)
{
	int width = l->screen->columns / 4, cells[METER_PARTS_MAX];

	if (width < HEAP_BAR_LEAST)
		width = HEAP_BAR_LEAST;
	if (width > HEAP_BAR_MOST)
		width = HEAP_BAR_MOST;
	if (!count) {
		line_fill(l, STYLE_DIM, "·", width);
		return;
	}
	meter_cells(parts, count, width, cells);
	for (unsigned i = 0; i < count; i++)
		line_fill(l, STYLE_BAR, parts[i].glyph, cells[i]);
}

/* " 1.21 MiB" is left out where those behind it could not even be named. */
static bool
has_room_for_size(const struct meter_part *parts, unsigned count, int room)
{
	char size[FORMAT_BYTES];

	room -= text_width(format_size(parts[0].bytes, size)) + 1;
	for (unsigned i = 0; i < count; i++)
		room -= text_width(parts[i].label) + 3;
	return room > 0;
}

/* What does not fit behind the bar is left out. */
static void
draw_legend(struct line *l, const struct meter_part *parts, unsigned count,
	    int room)
{
	char size[FORMAT_BYTES];

	for (unsigned i = 0; i < count; i++) {
		int left = room - l->column;

		if (left <= text_width(parts[i].label) + 3)
			return;
		line_add(l, STYLE_NORMAL, " ");
		line_add(l, STYLE_BAR, "%s", parts[i].glyph);
		line_add(l, STYLE_NORMAL, " %s", parts[i].label);
		if (has_room_for_size(&parts[i], count - i, left))
			line_add(l, STYLE_NORMAL, " %s",
				 format_size(parts[i].bytes, size));
	}
}

void
meter_draw_heap(struct line *l, const struct session *s, uint64_t own_bytes)
{
	struct meter_part parts[METER_PARTS_MAX];
	unsigned count = meter_parts(s, parts);
	char size[FORMAT_BYTES], own[64] = "";
	int room = l->screen->columns;

	if (own_bytes) {
		snprintf(own, sizeof own, "heaptop %s",
			 format_size(own_bytes, size));
		room -= text_width(own) + 1;
	}
	draw_bar(l, parts, count);
	draw_legend(l, parts, count, room);
	screen_put_right(l->screen, l->row, room, l->screen->columns - room,
			 STYLE_DIM, own);
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

const char *
meter_rate(const struct progress *p, int64_t now_ns, char *out, size_t out_size)
{
	uint64_t total = atomic_load(&p->total), done = atomic_load(&p->done);
	int64_t begun = atomic_load(&p->begun_ns);
	double seconds = (double)(now_ns - begun) / NS_PER_S, rate;
	char number[FORMAT_BYTES], left[FORMAT_BYTES];
	int len;

	out[0] = '\0';
	if (!begun || seconds < 1 || !done)
		return out;
	rate = (double)done / seconds;
	if (atomic_load(&p->is_of_bytes))
		format_size((uint64_t)rate, number);
	else
		format_count((uint64_t)rate, number);
	len = snprintf(out, out_size, ", %s/s", number);
	if (total > done && len > 0 && (size_t)len < out_size)
		snprintf(out + len, out_size - (size_t)len, ", %s left",
			 format_seconds((double)(total - done) / rate, left));
	return out;
}

static void
draw_job_bar(struct line *l, uint64_t done, uint64_t total, int width)
{
	int filled = (int)((double)done / (double)total * width);

	line_fill(l, STYLE_BAR, "█", filled);
	line_fill(l, STYLE_BAR, "░", width - filled);
}

/* Where room is short, the bar gives way first, and never how to stop it. */
void
meter_draw_job(struct line *l, const struct job *job)
{
	static const char stops[] = "  Esc stops";
	const struct progress *p = job_progress(job);
	uint64_t total = atomic_load(&p->total), done = atomic_load(&p->done);
	const char *stage = atomic_load(&p->stage);
	char number[FORMAT_BYTES], share[FORMAT_BYTES + 2] = "", rate[96];
	char cut[128];
	int room = l->screen->columns - l->column - text_width(stops), bar;

	done = done < total ? done : total;
	if (total)
		snprintf(share, sizeof share, " %s",
			 format_share(done, total, number));
	stage = text_fit(stage ? stage : job_what(job),
			 room - text_width(share), cut, sizeof cut);
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
