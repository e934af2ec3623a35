#include "tui/cli/outcome.h"
#include "tui/session/analyses.h"
#include "model/base/format.h"
#include "tui/cli/say.h"
#include "model/heap/root_gaps.h"
#include <inttypes.h>

/* Report losses in numbers, for sources that give no warning. */
static void
report_losses(const char *file, const struct losses *l)
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
	char text[320] = "", count[FORMAT_BYTES];
	size_t len = 0;

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		if (parts[i].count)
			len += (size_t)snprintf(
			    text + len, sizeof text - len, "%s%s %s",
			    len ? ", " : "",
			    format_count(parts[i].count, count), parts[i].what);
	say(file, "this heap is incomplete: %s",
	    len ? text : "an unknown part at its end is lost");
}

/* Report everything that makes the printed numbers estimates or incomplete. */
static void
report_warnings(const char *file, const struct heap *h)
{
	const struct losses *l = &h->info.losses;
	char gaps[ROOT_GAPS_TEXT_BYTES];

	if (h->info.is_sampled)
		say(file, "sampled: counts and sizes of types are estimates");
	for (uint32_t i = 0; i < h->info.warnings_count; i++)
		say_warning(file, h->info.warnings[i]);
	/* For heaps read from memory a warning names the missing roots. */
	if (*root_gaps_text_of(l, GAP_NOT_SENT, gaps))
		say(file,
		    "some roots are unknown: %s; objects that only these keep "
		    "alive appear unreachable",
		    gaps);
	if (l->damaged_nodes || l->damaged_refs)
		say(file,
		    "damaged: %" PRIu64
		    " records of objects could not be read, "
		    "and %" PRIu64 " references name no object; counts and "
		    "sizes are too low",
		    l->damaged_nodes, l->damaged_refs);
	else if (losses_are_incomplete(l) && !h->info.warnings_count)
		report_losses(file, l);
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
		error_sys(&err, errnum, "cannot save the events to %s",
			  all->options.keep_path);
		return say_error(NULL, &err, code ? code : EXIT_FAILED);
	}
	return code;
}

static int
report_cost(const struct snapshots *all, const struct session *s, int code)
{
	char text[256];
	bool is_complete;

	is_complete =
	    all->live->tell_cost(s->loader.capture, text, sizeof text);
	say(s->loader.path, "%s", text);
	return code || is_complete ? code : EXIT_INCOMPLETE;
}

/* Report columns that were left out for lack of memory. */
static void
report_omissions(const struct session *s)
{
	const char *why = analyses_refusal(s, NEED_REVERSE | NEED_REACH);

	if (why)
		say(s->loader.path, "columns are left out: %s", why);
	else
		say(s->loader.path,
		    "retained sizes of objects are left out: %s",
		    analyses_refusal(s, NEED_RETAINED));
}

int
outcome_report_heap(const struct snapshots *all, const struct session *s,
		    const struct options *o, int code)
{
	if (!s->heap)
		return code;
	report_warnings(s->loader.path, s->heap);
	if (s->has_omissions)
		report_omissions(s);
	if (s->loader.capture)
		code = report_cost(all, s, code);
	if (o->is_strict && s->heap->info.warnings_count &&
	    (code == EXIT_OK || code == EXIT_INCOMPLETE))
		code = EXIT_BAD_FILE;
	return code;
}

int
outcome_report_heaps(const struct snapshots *all, const struct options *o,
		     int code)
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
