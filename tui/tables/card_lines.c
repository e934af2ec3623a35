#include "tui/tables/card_lines.h"
#include "tui/tables/allocation_cost.h"
#include "model/base/duration.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct card_writer {
	struct card_line *lines;
	int count;
	struct text text; /* of the last line */
};

/* Adds to the last line if it has this label, so that no two have the same. */
static void PRINTF_LIKE(3, 4)
    add_fact(struct card_writer *w, const char *label, const char *format, ...)
{
	bool goes_on = w->count && !strcmp(w->lines[w->count - 1].label, label);
	va_list args;

	if (goes_on) {
		text_add(&w->text, "; ");
	} else {
		w->lines[w->count].label = label;
		w->text = text_in(w->lines[w->count].text, sizeof w->lines->text);
		w->count++;
	}
	va_start(args, format);
	text_vaddf(&w->text, format, args);
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
	const char *hidden =
	    room->is_hidden ? "; a limit of its cgroup cannot be read from here" : "";

	format_size(room->headroom_bytes, free_room);
	if (room->limit_bytes)
		add_fact(w, label, "%s of memory free until the limit of %s%s%s%s%s", free_room,
			 format_size(room->limit_bytes, limit), *room->limit ? " (" : "",
			 room->limit, *room->limit ? ")" : "", hidden);
	else if (room->headroom_bytes)
		add_fact(w, label, "%s of memory free%s", free_room, hidden);
}

/* The memory that the target needs; 0 if its memory is read from outside. */
static void
add_target_need(struct card_writer *w, const struct live_card *c)
{
	const struct live_need *need = &c->need;
	char bytes[FORMAT_BYTES], reserve[FORMAT_BYTES], own[FORMAT_BYTES];

	if (!need->bytes)
		return;
	format_size(need->bytes, bytes);
	format_size(need->shared_bytes, own);
	if (c->target.limit_bytes)
		add_fact(w, "target", "needs about %s%s%s, with %s kept in reserve", bytes,
			 need->shared_bytes ? ", and heaptop shares its limit: " : "",
			 need->shared_bytes ? own : "", format_size(need->reserve_bytes, reserve));
	else
		add_fact(w, "target", "needs about %s", bytes);
}

/* Event sessions in the process: those of heaptop itself, and of other tools. `effect` is what they
   cause; or "". */
static void
add_sessions(struct card_writer *w, uint32_t sessions, uint32_t own, const char *effect)
{
	uint32_t others;

	own = own < sessions ? own : sessions;
	others = sessions - own;
	if (own)
		add_fact(w, "also", "%" PRIu32 " event session%s of heaptop itself open%s", own,
			 plural(own), others ? "" : effect);
	if (others)
		add_fact(w, "also", "%" PRIu32 " other event session%s open%s", others,
			 plural(others), effect);
}

static void
add_others(struct card_writer *w, const struct live_card *c, uint32_t own)
{
	add_sessions(w, c->sessions, own, ": type names may be missing");
	if (c->has_tracing)
		add_fact(w, "also", "events recorded since its start: type names may be missing");
}

/* The estimate is an upper limit: the capture may succeed anyway. */
static void
add_need(struct card_writer *w, const struct live_card *c, const struct live_options *options)
{
	uint64_t allowed = options ? options->memory_bytes : 0;
	char need[FORMAT_BYTES], may[FORMAT_BYTES];
	bool is_limited = allowed > 0;
	const char *way_out = is_of_memory(c) ? is_limited ? "; --mem allows more" : ""
			      : options && options->is_elsewhere ? "; -m needs less"
			      : options && options->keep_path
				  ? ", but its events are kept"
				  : "; -o FILE.nettrace keeps its events";

	if (!is_limited)
		allowed = c->ours.headroom_bytes;
	format_size(c->our_bytes, need);
	if (!allowed || c->our_bytes <= allowed)
		add_fact(w, "heaptop", "needs about %s", need);
	else
		add_fact(w, "heaptop", "needs up to %s%s%s%s: it may not fit%s", need,
			 is_limited ? ", and " : "", is_limited ? format_size(allowed, may) : "",
			 is_limited ? " may be used" : "", way_out);
}

/* Rounds an estimate to two digits. */
static uint64_t
rounded(uint64_t n)
{
	uint64_t unit = 1;

	while (n / unit >= 100)
		unit *= 10;
	return (n + unit / 2) / unit * unit;
}

static const char *
ms_text(uint64_t ms, char out[DURATION_BYTES])
{
	return duration_text((double)ms / 1e3, out);
}

static bool
is_overloaded(const struct live_load *load)
{
	return load->threads > load->cpus && load->cpus;
}

/*
 * Returns the pause if its work has to wait: on an overloaded machine threads take turns, and a
 * process that has used up its CPU limit stops until the next period.
 */
static uint64_t
delayed_ms(const struct live_card *c)
{
	enum { PERIOD_MS = 100, HELD_BACK_MAX = 99 };
	const struct live_load *load = &c->load;
	uint64_t ms = c->pause_ms;
	uint32_t held_back =
	    load->throttled_percent < HELD_BACK_MAX ? load->throttled_percent : HELD_BACK_MAX;

	if (is_overloaded(load))
		ms = ms * ((uint64_t)load->threads + 1) / load->cpus;
	if (held_back)
		ms = ms * 100 / (100 - held_back) + PERIOD_MS;
	return ms;
}

enum { DELAY_BYTES = 96 };

/* Writes why the pause may be longer than its work; "" if nothing is known. */
static const char *
delay_text(const struct live_card *c, char out[DELAY_BYTES])
{
	const struct live_load *load = &c->load;
	struct text text = text_in(out, DELAY_BYTES);

	if (is_overloaded(load))
		text_addf(&text,
			  "this machine is overloaded (load %" PRIu32 " on %" PRIu32 " CPU%s)",
			  load->threads, load->cpus, plural(load->cpus));
	if (load->throttled_percent)
		text_addf(&text, "%sa CPU limit throttles %s %" PRIu32 "%% of the time",
			  text.len ? ", " : "", is_of_memory(c) ? "heaptop" : "the process",
			  load->throttled_percent);
	return out;
}

static void
add_pause(struct card_writer *w, const struct live_card *c)
{
	char about[DURATION_BYTES], most[DURATION_BYTES], why[DELAY_BYTES];

	ms_text(c->pause_ms, about);
	if (!*delay_text(c, why))
		add_fact(w, "pause", "about %s, an estimate; %u collection%s forced", about,
			 c->collections, plural(c->collections));
	else
		add_fact(w, "pause",
			 "about %s, an estimate; %u collection%s forced; %s: may take %s or more",
			 about, c->collections, plural(c->collections), why,
			 ms_text(delayed_ms(c), most));
}

int
card_lines(const struct live_card *c, const struct live_options *options, uint32_t own_sessions,
	   struct card_line lines[CARD_LINES_MAX])
{
	static const char *const plans[] = {
		[PLAN_TWO_SESSIONS] = "two event sessions",
		[PLAN_ONE_SESSION] = "one event session",
		[PLAN_BLOCKING] = "one event session that waits for heaptop",
		[PLAN_COPY] = "stop the process, copy its heap, resume it",
		[PLAN_IN_PLACE] = "read the stopped process: no memory for a copy",
	};
	struct card_writer w = { .lines = lines };
	char a[FORMAT_BYTES], b[FORMAT_BYTES];

	add_fact(&w, "runtime", ".NET %s %s%s, %s GC, %" PRIu32 " heap%s",
		 *c->runtime ? c->runtime : "of unknown version", c->machine,
		 c->is_single_file ? ", a single file" : "",
		 c->is_server_gc ? "server" : "workstation", c->heaps_count,
		 c->heaps_count == 1 ? "" : "s");
	add_fact(&w, "objects",
		 c->is_counted     ? "%s in %s at the previous capture"
		 : !c->is_seen     ? "about %s, estimated from %s of private memory"
		 : is_of_memory(c) ? "about %s in %s"
				   : "about %s in %s now, dead ones included",
		 format_count(c->is_counted ? c->objects : rounded(c->objects), a),
		 format_size(c->heap_bytes, b));
	add_pause(&w, c);
	if (is_of_memory(c))
		add_fact(&w, "plan", "%s", plans[c->plan]);
	else
		add_fact(&w, "plan", "%s, at most %s buffered in the process", plans[c->plan],
			 format_size((uint64_t)c->buffer_mb << 20, a));
	add_room(&w, "target", &c->target);
	add_target_need(&w, c);
	add_room(&w, "heaptop", &c->ours);
	add_need(&w, c, options);
	add_others(&w, c, own_sessions);
	if (options && options->keep_path)
		add_fact(&w, "keeps", "the raw events in %s", options->keep_path);
	return w.count;
}

int
card_lines_of_recording(const struct live_allocations *plan, uint32_t own_sessions,
			struct card_line lines[CARD_LINES_MAX])
{
	struct card_writer w = { .lines = lines };
	char stop[DURATION_BYTES];

	if (plan->survival_stop_ns)
		add_fact(
		    &w, "pause",
		    "about %s at the end of every background collection, 3.6 ns an object, to "
		    "report what survives; --no-survival does without; no collection is forced",
		    duration_text((double)plan->survival_stop_ns / 1e9, stop));
	else
		add_fact(&w, "pause", "none: no collection is forced, nothing stops");
	add_fact(&w, "samples", "%s",
		 plan->is_random
		     ? "about one object in 100 KB allocated, at random, with its stack: rates "
		       "have a 95 % interval"
		     : "about one object in 100 KB allocated, with its stack; not at random before "
		       ".NET 10: rates of types and sites are biased and have no interval");
	add_fact(&w, "stacks", ALLOCATION_COST_OF_STACKS);
	add_fact(&w, "names",
		 "the runtime lists its methods at the start and the end and, while new code has "
		 "no name, again: after 10 s, then at intervals that double");
	add_room(&w, "target", &plan->target);
	add_fact(&w, "target", "needs up to %" PRIu32 " MiB for events", plan->buffer_mb);
	add_sessions(&w, plan->sessions, own_sessions, "");
	return w.count;
}

bool
card_is_within(const struct live_card *card, const struct live_options *options, struct error *err)
{
	char most[DURATION_BYTES], budget[DURATION_BYTES], why[DELAY_BYTES];
	uint64_t ms = delayed_ms(card);

	if (card->refusal.kind != ERROR_NONE) {
		*err = card->refusal;
		return false;
	}
	if (ms <= options->budget_ms)
		return true;
	delay_text(card, why);
	return error_set(err, ERROR_ATTACH,
			 "%s%sthe pause may be %s, more than the budget of %s: nothing was done to "
			 "the process",
			 why, *why ? ": " : "", ms_text(ms, most),
			 ms_text(options->budget_ms, budget));
}

const char *
card_who(const struct live_card *card, char *out, size_t out_size)
{
	snprintf(out, out_size, "%s%s%s%s", card->who, *card->user ? " of " : "", card->user,
		 *card->user && !card->is_ours ? ", not yours" : "");
	return out;
}
