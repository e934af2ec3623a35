#ifndef TUI_WIDGET_METER_H
#define TUI_WIDGET_METER_H

/*
 * Meters as in htop: the parts of the heap as a bar with a legend and heaptop's own memory; and the
 * share, rate and remaining time of a job. Every part that is not zero is visible: one too small
 * for a cell is a thin line in bar and legend. Parts differ by glyph as well as colour, in ASCII
 * too.
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
 * Splits the heap into live, dead and free bytes if its memory is known; else into generations;
 * else by whether roots reach them. Returns the number of parts, 0 while nothing is known.
 */
unsigned meter_parts(const struct session *s, struct meter_part parts[METER_PARTS_MAX]);
/*
 * Shares out `width` cells among the parts in proportion, at least one for each that is not 0. A
 * part of less than half a cell gets a thin line as its glyph. `width` must exceed `count`.
 */
void meter_cells(struct meter_part *parts, unsigned count, int width, int cells[METER_PARTS_MAX]);

/*
 * Draws where the memory of the process is, as a sum of the rows of `resident`, and returns true.
 * If that is unknown, or heaptop's own memory is near its limit, draws the meter of the heap
 * instead.
 */
bool meter_draw(struct line *l, const struct session *s, uint64_t own_bytes);
/* `own_bytes`: heaptop's own memory; 0: not shown. */
void meter_draw_heap(struct line *l, const struct session *s, uint64_t own_bytes);
/* Returns heaptop's resident bytes as reported by the kernel, 0 if unknown. About 5 us. */
uint64_t meter_own_bytes(void);

/* Draws the job's stage, a bar, share, rate and remaining time, and that Esc stops it. */
void meter_draw_job(struct line *l, const struct job *job);
/* Writes ", 12.3 MiB/s, 4 s left", or "" in the first second. `now_ns` is from clock_ns(). */
const char *meter_rate(const struct progress *p, int64_t now_ns, char *out, size_t out_size);

#endif
