#include "tui/cli/outcome.h"
#include "tui/session/analyses.h"
#include "model/base/format.h"
#include "tui/cli/say.h"
#include "model/heap/memory.h"
#include "model/heap/root_gaps.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE_BYTES = 512 };

struct taker {
	void (*take)(void *context, const char *sentence);
	void *context;
};

static PRINTF_LIKE(2, 3) void warn(const struct taker *t, const char *format, ...)
{
	char sentence[SENTENCE_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof sentence, format, args);
	va_end(args);
	t->take(t->context, sentence);
}

/* Reports losses in numbers, for sources that give no warning. */
static void
warn_of_losses(const struct taker *t, const struct losses *l)
{
	const struct {
		uint64_t count;
		const char *what;
	} parts[] = {
		{ l->missing_bytes, "bytes of the file lost" },
		{ l->lost_events, "events lost" },
		{ l->lost_nodes, "objects lost" },
		{ l->lost_refs, "references lost" },
		{ l->partial_nodes, "objects with references lost" },
		{ l->damaged_events, "damaged events" },
	};
	char bytes[320], count[FORMAT_BYTES];
	struct text text = text_in(bytes, sizeof bytes);

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i].count)
			text_addf(&text, "%s%s %s", text.len ? ", " : "",
				  format_count(parts[i].count, count), parts[i].what);
	warn(t, "this heap is incomplete: %s",
	     text.len ? bytes : "an unknown part at its end is lost");
}

/* Reports everything that makes the numbers of a heap estimates or incomplete.
 */
static void
warn_of_heap(const struct taker *t, const struct heap *h)
{
	const struct losses *l = &h->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (h->info.is_sampled)
		warn(t, "sampled: counts and sizes of types are estimates");
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		t->take(t->context, h->info.warnings[i]);
	/* For heaps read from memory a warning names the missing roots. */
	if (*root_gaps_text_of(l, GAP_NOT_SENT, gaps))
		warn(t,
		     "some roots are unknown: %s; objects that only these keep alive appear "
		     "unreachable",
		     gaps);
	if (l->damaged_nodes || l->damaged_refs)
		warn(t,
		     "damaged: %" PRIu64 " records of objects could not be read, "
		     "and %" PRIu64 " references name no object; counts and sizes are too low",
		     l->damaged_nodes, l->damaged_refs);
	else if (losses_are_incomplete(l) && !h->info.warnings_count)
		warn_of_losses(t, l);
}

/* Reports columns that were left out for lack of memory. */
static void
warn_of_omissions(const struct taker *t, const struct session *s)
{
	const char *why = analyses_refusal(s, NEED_REVERSE | NEED_REACH);

	if (why)
		warn(t, "columns are left out: %s", why);
	else
		warn(t, "retained sizes of objects are left out: %s",
		     analyses_refusal(s, NEED_RETAINED));
}

void
outcome_warn(const struct session *s, void (*take)(void *context, const char *sentence),
	     void *context)
{
	const struct taker t = { take, context };

	if (s->heap)
		warn_of_heap(&t, s->heap);
	if (s->heap && s->has_omissions)
		warn_of_omissions(&t, s);
}

static void
say_of_file(void *context, const char *sentence)
{
	const char *const *file = context;

	say_warning(*file, sentence);
}

int
outcome_of_load(const struct session *s, int code, const struct error *err)
{
	if (!s || !s->loader.capture || code != EXIT_BAD_FILE)
		return code;
	return err->kind == ERROR_SYSTEM ? EXIT_FAILED : EXIT_ATTACH;
}

int
outcome_report_trace(const struct snapshots *all, int code)
{
	struct error err;

	for (size_t i = 0; i < all->count; i++) {
		const struct live_capture *c = all->sessions[i]->loader.capture;
		int errnum = c ? all->live->keep_errnum(c) : 0;

		if (!errnum)
			continue;
		error_clear(&err);
		error_sys(&err, errnum, "cannot save the events to %s", all->options.keep_path);
		return say_error(NULL, &err, code ? code : EXIT_FAILED);
	}
	return code;
}

static int
report_cost(const struct snapshots *all, const struct session *s, int code)
{
	char text[256];
	bool is_complete;

	is_complete = all->live->tell_cost(s->loader.capture, text, sizeof text);
	say(s->loader.path, "%s", text);
	return code || is_complete ? code : EXIT_INCOMPLETE;
}

int
outcome_report_heap(const struct snapshots *all, const struct session *s, const struct options *o,
		    int code)
{
	const char *path = s->loader.path;

	if (!s->heap)
		return code;
	/* A dump without a heap has one warning, which is the error if objects were wanted. */
	if (code == EXIT_OK || !heap_lacks_objects(s->heap))
		outcome_warn(s, say_of_file, &path);
	if (s->loader.capture)
		code = report_cost(all, s, code);
	if (o->is_strict && s->heap->info.warnings_count &&
	    (code == EXIT_OK || code == EXIT_INCOMPLETE))
		code = EXIT_BAD_FILE;
	return code;
}

int
outcome_report_heaps(const struct snapshots *all, const struct options *o, int code)
{
	for (size_t i = 0; i < all->count; i++)
		code = outcome_report_heap(all, all->sessions[i], o, code);
	return code;
}

const char *
outcome_failed_path(const struct snapshots *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (session_has_failed(all->sessions[i]))
			return all->sessions[i]->loader.path;
	return all->sessions[0]->loader.path;
}
