#include "tui/cli/allocation_screen.h"
#include "io/base/output.h"
#include "tui/cli/allocation_batch.h"
#include "tui/cli/live_target.h"
#include "tui/cli/run_screen.h"
#include "tui/cli/say.h"
#include "tui/session/recording.h"

static int
show(struct snapshots *all, const struct options *o)
{
	int code = run_screen(all, o);
	const struct session *s = all->sessions[0];
	const struct recording *r = s->recording;

	if (r && r->newest)
		allocation_report(r->newest, s->my_modules);
	return code;
}

static int
show_file(struct snapshots *all, const struct options *o, const struct loader *file)
{
	struct error err;
	struct session *s;

	error_clear(&err);
	s = snapshots_add(all, file, &err);
	if (!s)
		return say_error(NULL, &err, EXIT_FAILED);
	s->is_empty = true;
	return show(all, o);
}

/* The file gets its name when the screen has closed. */
static int
show_process(struct snapshots *all, const struct options *o, const struct live_target *target)
{
	struct output *keep = NULL;
	struct error err;
	int code;

	error_clear(&err);
	if (o->trace) {
		keep = output_open(o->trace, o->may_replace, &err);
		if (!keep)
			return say_error(NULL, &err, EXIT_FAILED);
	}
	code = live_target_add_recording(all, o, target, keep, &err);
	if (code)
		say_error(NULL, &err, code);
	else
		code = show(all, o);
	if (keep && code)
		output_abandon(keep);
	else if (keep && !output_close(keep, &err))
		code = say_error(NULL, &err, EXIT_FAILED);
	return code;
}

int
allocation_screen_run(struct snapshots *all, const struct options *o,
		      const struct live_target *target, const struct loader *file)
{
	return target->pid ? show_process(all, o, target) : show_file(all, o, file);
}
