#include "tui/session/snapshots.h"
#include "tui/session/gcs.h"
#include "tui/session/recording.h"
#include "model/gc/log.h"
#include "model/base/arena.h"
#include "model/base/format.h"
#include <stdio.h>
#include <string.h>

void
snapshots_init(struct snapshots *all, struct waker waker)
{
	*all = (struct snapshots){ .waker = waker };
	all->options.budget_ms = UINT64_MAX;
	all->new_sessions.prefers_statics = true;
}

void
snapshots_stop(struct snapshots *all)
{
	for (size_t i = 0; i < all->count; i++)
		session_stop(all->sessions[i]);
}

void
snapshots_remove(struct snapshots *all, struct session *s)
{
	struct live_capture *capture = s->loader.capture;
	size_t i = all->count--;

	while (all->sessions[--i] != s)
		continue;
	memmove(all->sessions + i, all->sessions + i + 1,
		(all->count - i) * sizeof(struct session *));
	session_free(s);
	if (capture)
		all->live->free(capture);
}

void
snapshots_clear(struct snapshots *all)
{
	while (all->count)
		snapshots_remove(all, all->sessions[all->count - 1]);
	memory_free(all->sessions);
	snapshots_init(all, all->waker);
}

void
snapshots_limit_memory(struct snapshots *all, uint64_t bytes)
{
	bool is_set = bytes != UINT64_MAX;

	all->memory_limit = is_set ? bytes : all->default_memory_limit;
	all->options.memory_bytes = all->memory_limit;
	memory_limit(all->memory_limit);
	for (size_t i = 0; i < all->count; i++)
		all->sessions[i]->memory_limit = all->memory_limit;
}

static bool
is_taken(const struct snapshots *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (!all->sessions[i]->is_empty && !strcmp(all->sessions[i]->name, name))
			return true;
	return false;
}

/* Appends a number to the name if another heap has it, so that names tell heaps apart. */
static void
number_name(const struct snapshots *all, struct session *s)
{
	enum { NUMBER_BYTES = 12 };
	char name[sizeof s->name];
	size_t len = strlen(s->name);
	unsigned number = 2;

	memcpy(name, s->name, sizeof name);
	for (size_t i = 0; i < all->count; i++)
		number += !strncmp(all->sessions[i]->name, name, len) &&
			  all->sessions[i]->name[len] == '#';
	if (len > sizeof name - NUMBER_BYTES)
		len = sizeof name - NUMBER_BYTES;
	while (is_taken(all, s->name))
		snprintf(s->name, sizeof s->name, "%.*s#%u", (int)len, name, number++);
}

struct session *
snapshots_adopt(struct snapshots *all, struct session *s, struct error *err)
{
	if (!s)
		return NULL;
	if (!MAKE_ROOM(all->sessions, all->count + 1, all->room, err)) {
		session_free(s);
		return NULL;
	}
	number_name(all, s);
	s->snapshots = all;
	s->memory_limit = all->memory_limit;
	session_apply_options(s, &all->new_sessions);
	s->prefers_statics = all->new_sessions.prefers_statics;
	all->sessions[all->count++] = s;
	return s;
}

struct session *
snapshots_add(struct snapshots *all, const struct loader *loader, struct error *err)
{
	return snapshots_adopt(all, session_new(loader, all->waker, err), err);
}

struct session *
snapshots_add_empty(struct snapshots *all, struct error *err)
{
	return snapshots_adopt(all, session_new_empty(all->waker, err), err);
}

static void
describe_beside(const struct loader *from, bool has_ended, char *text, size_t text_size)
{
	const char *slash = strrchr(from->path, '/');

	*text = '\0';
	if (has_ended)
		snprintf(text, text_size, "= compares them: %s is open beside this heap",
			 slash ? slash + 1 : from->path);
}

/* The session keeps the path, which the caller may forget. */
struct session *
snapshots_add_file(struct snapshots *all, const char *path, struct error *err)
{
	struct loader loader = all->file_loader;
	struct session *s;
	const char *kept;

	loader.path = path;
	loader.describe = snapshots_heaps(all) ? describe_beside : NULL;
	s = snapshots_add(all, &loader, err);
	if (!s)
		return NULL;
	kept = arena_strndup(&s->kept_arena, path, strlen(path), err);
	if (!kept) {
		snapshots_remove(all, s);
		return NULL;
	}
	s->loader.path = kept;
	return s;
}

bool
snapshots_is_beside(const struct session *s)
{
	return s->loader.describe == describe_beside;
}

/* Loads all of the heap: types alone would cost the process as much. */
static const struct heap *
load_capture(const struct loader *from, enum load_what what, struct progress *progress,
	     struct preview *preview, struct error *err)
{
	const struct live_ops *live = from->context;

	(void)what;
	return live->load(from->capture, progress, preview, err);
}

static void
describe_capture(const struct loader *from, bool has_ended, char *text, size_t text_size)
{
	const struct live_ops *live = from->context;
	char read[FORMAT_BYTES], resident[FORMAT_BYTES];
	struct live_watch w;

	if (has_ended) {
		live->tell_cost(from->capture, text, text_size);
		return;
	}
	live->watch(from->capture, &w);
	*text = '\0';
	if (!w.bytes)
		return;
	snprintf(text, text_size, "%s read, the process has %s", format_size(w.bytes, read),
		 format_size(w.resident, resident));
}

static bool
collections_of_capture(const struct loader *from, struct gc_sink sink,
		       struct gc_source_facts *facts, struct progress *progress, struct error *err)
{
	const struct live_ops *live = from->context;
	const struct live_target target = { .pid = live->card(from->capture)->pid };

	return live->collections(&target, false, sink, facts, progress, err);
}

struct session *
snapshots_add_capture(struct snapshots *all, struct live_capture *capture, struct error *err)
{
	const struct loader loader = {
		.path = all->live->card(capture)->who,
		.load = load_capture,
		.context = (void *)all->live,
		.describe = describe_capture,
		.capture = capture,
		.is_live = true,
		.collections = collections_of_capture,
	};
	struct session *s = snapshots_add(all, &loader, err);

	if (!s)
		all->live->free(capture);
	return s;
}

/* In the session's arena. */
struct recorded_process {
	const struct live_ops *live;
	struct live_target target;
	struct live_allocations plan;
};

static bool
allocations_of_process(const struct loader *from, struct allocation_sink sink,
		       struct progress *progress, struct error *err)
{
	const struct recorded_process *p = from->context;

	return p->live->allocations(&p->target, &p->plan, sink, progress, err);
}

struct session *
snapshots_add_recording(struct snapshots *all, int32_t pid, const struct live_allocations *plan,
			struct error *err)
{
	const struct loader loader = {
		.path = plan->who,
		.is_live = true,
		.pid = pid,
		.allocations = allocations_of_process,
	};
	struct session *s = snapshots_add(all, &loader, err);
	struct recorded_process *p;

	if (!s)
		return NULL;
	s->is_empty = true;
	p = arena_new(&s->kept_arena, struct recorded_process, err);
	if (!p) {
		snapshots_remove(all, s);
		return NULL;
	}
	p->live = all->live;
	p->target.pid = pid;
	p->plan = *plan;
	s->loader.context = p;
	s->loader.path = p->plan.who;
	return s;
}

struct session *
snapshots_recording_of(const struct snapshots *all, int32_t pid)
{
	for (size_t i = all->count; pid && i-- > 0;) {
		struct session *s = all->sessions[i];

		if (s->loader.pid == pid && s->recording)
			return s;
	}
	return NULL;
}

uint32_t
snapshots_event_sessions(const struct snapshots *all, int32_t pid)
{
	uint32_t count = 0;

	for (size_t i = 0; pid && i < all->count; i++) {
		const struct session *s = all->sessions[i];

		if (s->loader.pid != pid)
			continue;
		count += s->recording && recording_is_on(s->recording);
		count += s->gcs && !s->gcs->has_ended;
	}
	return count;
}

/* Whether it has the collection that the heap shows, or else is later: copies arrive late, and
   times are whole seconds. */
static bool
has_gone_past(const struct recording *r, const struct heap *h)
{
	enum { LATE_SECONDS = 2 };
	const struct allocation_facts *f = &r->newest->facts;

	return !recording_is_on(r) || allocations_at_full(r->newest, h->info.gc_number) ||
	       f->time + (int64_t)(f->survival.now_ns / 1000000000) > h->info.time + LATE_SECONDS;
}

/* The recording that the heap is still to be joined with, or NULL. */
static const struct recording *
recording_to_join(const struct snapshots *all, const struct session *s)
{
	const struct session *recorded;

	if (!s->heap || !s->loader.capture || s->recorded || s->is_joined)
		return NULL;
	recorded = snapshots_recording_of(all, snapshots_pid(s));
	return recorded ? recorded->recording : NULL;
}

bool
snapshots_will_join(const struct snapshots *all, const struct session *s)
{
	return recording_to_join(all, s) || s->jobs[JOB_JOIN];
}

void
snapshots_join_recording(const struct snapshots *all, struct session *s)
{
	const struct recording *r = recording_to_join(all, s);

	if (!r || !r->newest || !has_gone_past(r, s->heap))
		return;
	s->is_joined = true; /* or it has failed, once */
	session_join(s, allocations_hold(r->newest));
}

static bool
is_waiting(const struct session *s)
{
	return !s->is_empty && !s->heap && !session_is_loading(s) && !session_has_failed(s);
}

bool
snapshots_start_next(struct snapshots *all, struct error *err)
{
	for (size_t i = 0; i < all->count; i++)
		if (session_is_loading(all->sessions[i]))
			return true;
	for (size_t i = 0; i < all->count; i++)
		if (is_waiting(all->sessions[i]))
			return session_start(all->sessions[i], err);
	return true;
}

size_t
snapshots_heaps(const struct snapshots *all)
{
	size_t count = 0;

	for (size_t i = 0; i < all->count; i++)
		count += !all->sessions[i]->is_empty && !session_has_failed(all->sessions[i]);
	return count;
}

/* Returns whether no heap is loading or waiting to be loaded. */
static bool
snapshots_are_loaded(const struct snapshots *all)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_waiting(all->sessions[i]) || session_is_loading(all->sessions[i]))
			return false;
	return true;
}

void
snapshots_note_arrival(struct snapshots *all)
{
	bool are_loaded = snapshots_are_loaded(all);

	for (size_t i = 0; i < all->count; i++) {
		if (are_loaded)
			all->sessions[i]->has |= NEED_SNAPSHOTS;
		all->sessions[i]->version++;
	}
}

struct live_capture *
snapshots_capture_of(const struct snapshots *all, int32_t pid)
{
	for (size_t i = all->count; i-- > 0;) {
		struct live_capture *c = all->sessions[i]->loader.capture;

		if (c && all->live->card(c)->pid == pid)
			return c;
	}
	return NULL;
}

int32_t
snapshots_pid(const struct session *s)
{
	const struct live_capture *capture = s->loader.capture;

	return capture ? s->snapshots->live->card(capture)->pid : s->loader.pid;
}

bool
snapshots_is_elsewhere(const struct session *s)
{
	return s->loader.capture && s->snapshots->live->place != NULL;
}

unsigned
snapshots_number(const struct session *s)
{
	const struct snapshots *all = s->snapshots;
	unsigned number = 0;

	for (size_t i = 0; all && i < all->count; i++) {
		number += !all->sessions[i]->is_empty;
		if (all->sessions[i] == s)
			return s->is_empty ? 0 : number;
	}
	return 0;
}

bool
snapshots_is_unsaved(const struct session *s)
{
	return s->heap && s->loader.capture && !s->is_in_file;
}

size_t
snapshots_unsaved(const struct snapshots *all)
{
	size_t count = 0;

	/* With -o FILE.nettrace the events are saved anyway. */
	for (size_t i = 0; all && !all->options.keep_path && i < all->count; i++)
		count += snapshots_is_unsaved(all->sessions[i]);
	return count;
}
