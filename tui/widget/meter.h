#ifndef TUI_WIDGET_METER_H
#define TUI_WIDGET_METER_H

/*
 * Meters as in htop: what the heap is made of as a bar with its legend, and
 * what heaptop itself takes; how far a job is, how fast, and when it will end.
 * A part that is there is seen, and one too small for a cell is a thin line in
 * bar and legend; the others have glyphs of their own besides their colour, in
 * ASCII, too.
 */
#include "tui/session/job.h"
#include "tui/session/session.h"
#include "tui/term/line.h"

enum { METER_PARTS_MAX = GEN_COUNT };
struct meter_part {
	const char *label, *glyph;
	uint64_t bytes;
};
/*
 * Live, dead and free where the memory is known; else generations; else what
 * roots reach. How many parts; 0: there is nothing to tell yet.
 */
unsigned meter_parts(const struct session *s,
		     struct meter_part parts[METER_PARTS_MAX]);
/*
 * How many of `width` cells each part gets, all of them together: in
 * proportion, one at least for what is not 0. What has less than half a cell
 * gets the glyph of slivers. `width` > `count`.
 */
void meter_cells(struct meter_part *parts, unsigned count, int width,
		 int cells[METER_PARTS_MAX]);

/* `own_bytes`: what heaptop takes; 0: not told. */
void meter_draw_heap(struct line *l, const struct session *s,
		     uint64_t own_bytes);
/* Resident, from the kernel; 0: it does not say. About 5 us. */
uint64_t meter_own_bytes(void);

/* The stage, a bar, share, rate and the time that is left; that Esc stops. */
void meter_draw_job(struct line *l, const struct job *job);
/*
 * ", 12.3 MiB/s, 4 s left", "" in the first second. `now_ns` by clock_ns().
 */
const char *meter_rate(const struct progress *p, int64_t now_ns, char *out,
		       size_t out_size);

#endif
