#include "tui/app/heap_facts.h"
#include "model/analysis/resident.h"
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include "model/base/width.h"
#include <stdio.h>
#include <string.h>

enum {
	FACT_BYTES = 64,
	LEAD_BYTES = 128,
	FACTS_MAX = 20,
	SEPARATOR = 2,         /* ", " */
	ENDING = 3,            /* ", …" */
	MANY_UNDEFINED = 1000, /* one in so many objects */
	/* Columns for losses that are counted: "12 losses". */
	LOSSES_LEAST = 10
};

/* A fact's place if space is short; PLACE_NONE ones are dropped. */
enum place { PLACE_COUNT, PLACE_SIZE, PLACE_LAST, PLACE_FIRST, PLACE_NONE };

struct shown {
	char text[FACT_BYTES];
	enum style style; /* STYLE_WARNING: a loss */
	enum place place;
};
struct heap_facts {
	struct shown all[FACTS_MAX];
	unsigned count;
};

static struct shown *
add_fact(struct heap_facts *f, enum style style, enum place place)
{
	struct shown *shown = &f->all[f->count++];

	shown->style = style;
	shown->place = place;
	return shown;
}

/* Adds a count unless it is 0. A '*' in `what` is an "s", except for one. */
static void
add_count(struct heap_facts *f, uint64_t count, const char *what, enum style style,
	  enum place place)
{
	const char *star = what + strcspn(what, "*");
	char number[FORMAT_BYTES];

	if (count)
		snprintf(add_fact(f, style, place)->text, FACT_BYTES, "%s %.*s%s%s",
			 format_count(count, number), (int)(star - what), what,
			 *star && count != 1 ? "s" : "", star + (*star == '*'));
}

static void
add_bytes(struct heap_facts *f, uint64_t bytes, const char *what, enum style style,
	  enum place place)
{
	char size[FORMAT_BYTES];

	if (bytes)
		snprintf(add_fact(f, style, place)->text, FACT_BYTES, "%s%s",
			 format_size(bytes, size), what);
}

/* Adds how much memory the process has, and the managed share of it. */
static void
add_resident(struct heap_facts *f, const struct heap *h)
{
	const struct resident r = resident_of(h);
	char size[FORMAT_BYTES], share[FORMAT_BYTES];

	if (r.detail != RESIDENT_UNKNOWN)
		snprintf(add_fact(f, STYLE_NUMBER, PLACE_NONE)->text, FACT_BYTES,
			 "%s %s (%s managed)", format_size(r.bytes, size),
			 r.detail == RESIDENT_PRESENT ? "in the core" : "resident",
			 format_share(r.parts[RESIDENT_MANAGED].bytes, r.bytes, share));
}

static void
add_loss(struct heap_facts *f, uint64_t count, const char *what)
{
	add_count(f, count, what, STYLE_WARNING, PLACE_LAST);
}

/* Adds the losses, the most important first. */
static void
add_losses(struct heap_facts *f, const struct heap *h)
{
	const struct losses *l = &h->info.losses;

	/* A process tells its size; the end of a truncated file is unknown. */
	add_bytes(f, l->missing_bytes, h->memory ? " missing" : " or more missing", STYLE_WARNING,
		  PLACE_LAST);
	add_loss(f, l->is_unfinished, "unfinished walk");
	add_loss(f, l->lost_nodes, "object* lost");
	add_loss(f, l->damaged_nodes, "damaged");
	add_loss(f, l->lost_refs, "reference* lost");
	add_loss(f, l->damaged_refs, "damaged reference*");
	add_count(f, l->lost_events, "event* lost", STYLE_WARNING, PLACE_NONE);
	/* Most dumps lack some objects that are referred to; :summary counts them. */
	if (l->undefined_nodes >= h->nodes_count / MANY_UNDEFINED)
		add_loss(f, l->undefined_nodes, "undefined");
	add_loss(f, l->unnamed_types, "type* without a name");
	add_loss(f, l->made_up_addresses, "without address");
	/* That a dump has no heap is a warning, but stands in front of the facts. */
	add_loss(f, h->info.warnings_count - heap_lacks_objects(h), "warning* (:summary)");
}

static void
add_all(struct heap_facts *f, const struct session *session, bool is_short)
{
	const struct heap *h = session->heap;
	const struct reach *reach = session->reach;
	const enum style style = STYLE_NUMBER;
	bool knows_dead = reach && heap_knows_roots(h);
	uint64_t live = reach ? reach->reachable_bytes : 0;
	/* In a capture, the root of an unreachable object may be missing. */
	uint64_t dead = h->memory && knows_dead ? h->bytes_count - live : 0;
	uint64_t rootless = !h->memory && knows_dead ? h->nodes_count - reach->reachable_count : 0;

	add_count(f, h->nodes_count ? h->nodes_count : heap_types_objects(h), "object*", style,
		  PLACE_COUNT);
	add_bytes(f, h->bytes_count, "", style, PLACE_SIZE);
	add_count(f, h->refs_count, "reference*", style, PLACE_NONE);
	add_count(f, h->roots_count, "root*", style, PLACE_NONE);
	if (heap_lacks_objects(h)) {
		add_count(f, h->memory->threads_count, "thread*", style, PLACE_COUNT);
		add_count(f, h->memory->modules_count, "module*", style, PLACE_NONE);
	}
	add_bytes(f, dead ? live : 0, " live", style, PLACE_NONE);
	add_bytes(f, dead, " dead", style, PLACE_FIRST);
	add_losses(f, h);
	add_count(f, rootless, is_short ? "rootless" : "without a root", style, PLACE_FIRST);
}

/* Writes why only types are loaded and which commands load the objects. */
static void
types_only_text(const struct session *session, bool is_short, struct text *out)
{
	unsigned long long mib = (session->objects_need_bytes >> 20) + 1;

	if (is_short)
		text_add(out, "TYPES ONLY: ");
	else
		text_addf(out, "TYPES ONLY, objects need :set mem=%lluM, :read-again: ", mib);
}

/* Writes the restrictions on all numbers; they come first and are never cut. */
static void
lead_text(const struct session *session, bool is_short, char out[LEAD_BYTES])
{
	const struct heap *h = session->heap;
	const struct what_if *w = &session->what_if;
	char count[FORMAT_BYTES], size[FORMAT_BYTES];
	struct text text = text_in(out, LEAD_BYTES);

	if (w->shown.items_count)
		text_addf(&text, is_short ? "%s IGNORED: " : "%s IGNORED, %s freed: ",
			  format_count(w->shown.items_count, count),
			  format_size(w->freed.bytes, size));
	else if (heap_lacks_objects(h))
		text_add(&text, is_short ? "NO HEAP: " : "NO HEAP IN THIS DUMP: ");
	else if (*session->refused[JOB_LOAD])
		types_only_text(session, is_short, &text);
	if (h->info.is_sampled)
		text_add(&text, is_short ? "SAMPLED: " : "SAMPLED, estimates: ");
	if (session->reach && !heap_knows_roots(h) &&
	    session->reach->reachable_count != h->nodes_count)
		text_addf(&text, "%sROOTS UNKNOWN: ", h->roots_count ? "SOME " : "");
}

/* Returns the width of the texts with their separators. */
static int
shown_width(const struct shown *shown, unsigned count)
{
	int width = 0;

	for (unsigned i = 0; i < count; i++)
		width += text_width(shown[i].text) + SEPARATOR;
	return width;
}

static bool
is_loss(const struct shown *shown)
{
	return shown->style == STYLE_WARNING;
}

/* Drops PLACE_NONE facts one by one until the rest fits. */
static void
drop_optional(struct heap_facts *f, int room)
{
	int width = shown_width(f->all, f->count);
	unsigned kept = 0;

	for (unsigned i = 0; i < f->count; i++)
		if (f->all[i].place == PLACE_NONE && width > room)
			width -= shown_width(&f->all[i], 1);
		else
			f->all[kept++] = f->all[i];
	f->count = kept;
}

static bool
is_head(const struct shown *shown)
{
	return shown->place == PLACE_COUNT || shown->place == PLACE_SIZE;
}

/* The objects and their bytes come first if `has_head`; the size otherwise follows the losses. */
static int
rank_of(const struct shown *shown, bool has_head)
{
	if (is_head(shown) && has_head)
		return 0;
	if (is_loss(shown))
		return 1;
	return shown->place == PLACE_FIRST || shown->place == PLACE_SIZE ? 2 : 3;
}

static void
order_by_rank(struct heap_facts *f, bool has_head)
{
	struct heap_facts sorted = { .count = 0 };

	for (int rank = 0; rank <= 3; rank++)
		for (unsigned i = 0; i < f->count; i++)
			if (rank_of(&f->all[i], has_head) == rank)
				sorted.all[sorted.count++] = f->all[i];
	*f = sorted;
}

/* Returns the width of the objects and their bytes. */
static int
head_width(const struct heap_facts *f)
{
	int width = 0;

	for (unsigned i = 0; i < f->count; i++)
		if (is_head(&f->all[i]))
			width += shown_width(&f->all[i], 1);
	return width;
}

static unsigned
count_losses(const struct heap_facts *f, unsigned first)
{
	unsigned losses = 0;

	while (first + losses < f->count && is_loss(&f->all[first + losses]))
		losses++;
	return losses;
}

/* Replaces losses that do not fit by their number. They begin at `first`. */
static void
fold_losses(struct heap_facts *f, unsigned first, int room)
{
	static const char *const hints[] = { " (:summary)", "" };
	struct shown more = { "", STYLE_WARNING, PLACE_LAST };
	struct shown *all = &f->all[first];
	unsigned losses = count_losses(f, first), kept = losses;
	const char *what = losses == 1 ? "loss" : "losses";
	int width = shown_width(all, losses);

	while (kept && width > room) {
		kept--;
		for (int i = 0; i < 2 && width > room; i++) {
			snprintf(more.text, sizeof more.text, "%u %s%s", losses - kept,
				 kept ? "more" : what, hints[i]);
			width = shown_width(all, kept) + shown_width(&more, 1);
		}
	}
	if (kept == losses)
		return;
	all[kept++] = more;
	memmove(&all[kept], &all[losses], (f->count - first - losses) * sizeof f->all[0]);
	f->count -= losses - kept;
}

/* Draws only whole facts: a number that is cut would be a wrong number. */
static void
draw_shown(struct line *l, const struct heap_facts *f)
{
	const char *comma = "";

	for (unsigned i = 0; i < f->count; i++) {
		int room = l->screen->columns - l->column - text_width(comma);

		line_add(l, STYLE_DIM, "%s", comma);
		if (text_width(f->all[i].text) + ENDING > room &&
		    (i + 1 < f->count || text_width(f->all[i].text) >= room)) {
			line_add(l, STYLE_WARNING, "…");
			return;
		}
		line_add(l, f->all[i].style, "%s", f->all[i].text);
		comma = ", ";
	}
}

/* Keeps the objects, their bytes and the losses, and drops the rest if there is no room to say that
   there is more. */
static void
keep_head(struct heap_facts *f, int room)
{
	unsigned head = 0, end;
	int width;

	while (head < f->count && is_head(&f->all[head]))
		head++;
	fold_losses(f, head, room - shown_width(f->all, head) + SEPARATOR);
	end = head + count_losses(f, head);
	width = shown_width(f->all, end) - SEPARATOR;
	if (end < f->count && width + ENDING > room)
		f->count = end;
}

/* Keeps the losses, the size, and what else fits. */
static void
keep_losses(struct heap_facts *f, int room)
{
	unsigned losses = count_losses(f, 0);
	int size_width = losses < f->count ? shown_width(&f->all[losses], 1) : 0;

	fold_losses(f, 0, room - size_width - 1);
}

/* Returns the width of the only loss, or of the number of several. */
static int
least_width(const struct heap_facts *f)
{
	unsigned losses = 0;
	int width = 0;

	for (unsigned i = 0; i < f->count; i++)
		if (is_loss(&f->all[i])) {
			losses++;
			width = text_width(f->all[i].text);
		}
	return losses > 1 ? LOSSES_LEAST : width;
}

static void
shorten(const struct session *session, struct heap_facts *f, struct line *l)
{
	int columns = l->screen->columns - l->column, room, least;
	char lead[LEAD_BYTES];
	bool has_head;

	f->count = 0;
	add_all(f, session, true);
	drop_optional(f, 0);
	least = head_width(f) + least_width(f);
	lead_text(session, false, lead);
	if (least > columns - text_width(lead))
		lead_text(session, true, lead);
	room = columns - text_width(lead);
	has_head = least <= room;
	order_by_rank(f, has_head);
	line_add(l, STYLE_WARNING, "%s", lead);
	if (has_head)
		keep_head(f, room);
	else
		keep_losses(f, room);
}

void
heap_facts_draw(const struct session *session, bool says_memory, struct line *l)
{
	struct heap_facts f = { .count = 0 };
	char lead[LEAD_BYTES];
	int room;

	add_all(&f, session, false);
	if (!says_memory)
		add_resident(&f, session->heap); /* dropped first */
	lead_text(session, false, lead);
	room = l->screen->columns - text_width(lead);
	drop_optional(&f, room);
	if (shown_width(f.all, f.count) > room + 1)
		shorten(session, &f, l);
	else
		line_add(l, STYLE_WARNING, "%s", lead);
	draw_shown(l, &f);
}
