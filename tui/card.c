#include "tui/card.h"
#include "tui/format.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct card_writer {
	struct card_line *lines;
	int count;
};

static void PRINTF_LIKE(3, 4)
    add_line(struct card_writer *w, const char *label, const char *format, ...)
{
	struct card_line *line = &w->lines[w->count++];
	va_list args;

	line->label = label;
	va_start(args, format);
	vsnprintf(line->text, sizeof line->text, format, args);
	va_end(args);
}

static bool
is_of_memory(const struct live_card *c)
{
	return c->plan == PLAN_COPY || c->plan == PLAN_IN_PLACE;
}

static void
add_room(struct card_writer *w, const char *label, const struct live_room *room)
{
	char free_room[FORMAT_BYTES], limit[FORMAT_BYTES];

	format_size(room->headroom_bytes, free_room);
	if (room->limit_bytes)
		add_line(w, label, "%s free until the limit of %s", free_room,
			 format_size(room->limit_bytes, limit));
	else if (room->headroom_bytes)
		add_line(w, label, "%s free", free_room);
}

static void
add_others(struct card_writer *w, const struct live_card *c)
{
	if (c->sessions || c->has_tracing)
		add_line(w, "also",
			 "%" PRIu32 " other event session%s open%s: types may "
			 "have no names",
			 c->sessions, c->sessions == 1 ? "" : "s",
			 c->has_tracing
			     ? ", and events are recorded since its start"
			     : "");
}

/* What the estimate says is an upper limit: it may do all the same. */
static void
add_need(struct card_writer *w, const struct live_card *c,
	 const struct live_options *options)
{
	uint64_t allowed = options ? options->memory_bytes : 0;
	char need[FORMAT_BYTES], may[FORMAT_BYTES];
	bool is_limited = allowed > 0;
	const char *way_out = is_of_memory(c)
				  ? is_limited ? "; --mem allows more" : ""
			      : options && options->keep_path
				  ? ", but its events are kept"
				  : "; -o FILE.nettrace keeps its events";

	if (!is_limited)
		allowed = c->ours.headroom_bytes;
	format_size(c->our_bytes, need);
	if (!allowed || c->our_bytes <= allowed)
		add_line(w, "we need", "about %s", need);
	else
		add_line(w, "we need", "up to %s, and %s %s: it may not fit%s",
			 need, format_size(allowed, may),
			 is_limited ? "may be used" : "is free", way_out);
}

/* An estimate has two digits. */
static uint64_t
rounded(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 100)
		unit *= 10;
	return (n + unit / 2) / unit * unit;
}

int
card_lines(const struct live_card *c, const struct live_options *options,
	   struct card_line lines[CARD_LINES_MAX])
{
	static const char *const plans[] = {
		[PLAN_TWO_SESSIONS] = "two event sessions",
		[PLAN_ONE_SESSION] = "one event session",
		[PLAN_BLOCKING] = "one event session that waits for us",
		[PLAN_COPY] = "stop it, copy its heap, let it go on",
		[PLAN_IN_PLACE] =
		    "stop it while its heap is read: no room to copy",
	};
	struct card_writer w = { lines, 0 };
	char a[FORMAT_BYTES], b[FORMAT_BYTES];

	add_line(&w, "runtime", ".NET %s %s%s, %s GC, %" PRIu32 " heap%s",
		 *c->runtime ? c->runtime : "of unknown version", c->machine,
		 c->is_single_file ? ", a single file" : "",
		 c->is_server_gc ? "server" : "workstation", c->heaps_count,
		 c->heaps_count == 1 ? "" : "s");
	add_line(
	    &w, "objects",
	    c->is_counted ? "%s in %s at the capture before"
	    : c->is_seen  ? "about %s in %s"
			  : "about %s, in at most %s",
	    format_count(c->is_counted ? c->objects : rounded(c->objects), a),
	    format_size(c->heap_bytes, b));
	add_line(&w, "pause", "about %s, %u collection%s forced",
		 format_seconds((double)c->pause_ms / 1e3, a), c->collections,
		 c->collections == 1 ? "" : "s");
	if (is_of_memory(c))
		add_line(&w, "plan", "%s", plans[c->plan]);
	else
		add_line(&w, "plan", "%s, at most %s buffered in it",
			 plans[c->plan],
			 format_size((uint64_t)c->buffer_mb << 20, a));
	add_room(&w, "its room", &c->target);
	add_room(&w, "our room", &c->ours);
	add_need(&w, c, options);
	add_others(&w, c);
	if (options && options->keep_path)
		add_line(&w, "keeps", "the raw events in %s",
			 options->keep_path);
	return w.count;
}

bool
card_is_within(const struct live_card *card, const struct live_options *options,
	       struct error *err)
{
	char about[FORMAT_BYTES];

	if (card->pause_ms <= options->budget_ms)
		return true;
	return error_set(err, ERROR_ATTACH,
			 "the pause may be %s, more than the budget of %g s: "
			 "nothing was done to the process",
			 format_seconds((double)card->pause_ms / 1e3, about),
			 (double)options->budget_ms / 1e3);
}
