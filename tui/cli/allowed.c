#include "tui/cli/allowed.h"

bool
allowed_check(const struct options *o, struct error *err)
{
	const struct {
		bool is_asked;
		enum secure_kind kind;
		const char *what;
	} rows[] = {
		{ o->action == ACTION_CONVERT, SECURE_WRITE, "convert" },
		{ o->output || o->trace, SECURE_WRITE, "-o" },
		{ o->check.junit != NULL, SECURE_WRITE, "--junit" },
		{ o->stacks != NULL, SECURE_WRITE, "--stacks" },
		{ o->port != NULL, SECURE_CAPTURE, "--port" },
		{ o->has_pid, SECURE_CAPTURE, "PID" },
		{ o->via != NULL, SECURE_CAPTURE, "--via" },
		{ *o->host != '\0', SECURE_CAPTURE, "HOST:PID" },
		{ o->action == ACTION_AGENT, SECURE_CAPTURE, "--agent" },
		{ o->allows_capture, SECURE_CAPTURE, "--allow-capture" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].is_asked && !secure_allows(&o->secure, rows[i].kind, rows[i].what, err))
			return false;
	return true;
}

static struct live_capture *
refuse_capture(const struct live_target *target, const struct live_options *options,
	       const struct live_capture *before, struct progress *progress, struct error *err)
{
	(void)target, (void)options, (void)before, (void)progress;
	error_set(err, ERROR_USAGE, "capturing is forbidden");
	return NULL;
}

static bool
refuse_recording(const struct live_target *target, struct live_allocations *plan,
		 struct progress *progress, struct error *err)
{
	(void)target, (void)plan, (void)progress;
	return error_set(err, ERROR_USAGE, "recording is forbidden");
}

void
allowed_restrict(struct snapshots *all, struct live_ops *restricted)
{
	*restricted = *all->live;
	restricted->open = refuse_capture;
	restricted->plan_allocations = refuse_recording;
	all->live = restricted;
	all->save = NULL;
	all->write = NULL;
}
