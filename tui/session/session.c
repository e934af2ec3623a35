#include "tui/session/earlier.h"
#include "tui/session/session.h"
#include "tui/session/analyses.h"
#include "tui/session/snapshots.h"
#include "model/graph/derived.h"
#include "model/allocations/join.h"
#include "model/analysis/resident.h"
#include "model/base/arena.h"
#include "model/heap/bits.h"
#include "model/heap/build.h"
#include "model/heap/contents.h"
#include "model/heap/memory.h"
#include "model/heap/my_code.h"
#include "model/table/samples.h"
#include "tui/session/gcs.h"
#include "tui/session/recording.h"
#include "tui/session/shown_names.h"
#include "tui/session/suspects.h"
#include <stdio.h>
#include <string.h>

static const char *
file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void
session_set_waker(struct session *s, struct waker waker)
{
	s->waker = waker;
	s->preview.wake = waker.wake;
	s->preview.wake_context = waker.context;
}

struct session *
session_new(const struct loader *loader, struct waker waker, struct error *err)
{
	struct session *s = memory_new(1, sizeof *s, err);

	if (!s)
		return NULL;
	s->loader = *loader;
	s->prefers_statics = true;
	arena_init(&s->kept_arena, 0);
	snprintf(s->name, sizeof s->name, "%s",
		 strcmp(loader->path, "-") ? file_name(loader->path) : "stdin");
	preview_init(&s->preview);
	session_set_waker(s, waker);
	return s;
}

/* If memory for new patterns runs out, the old ones stay. */
static void
apply_mine(struct session *s, bool shows_mine, const char *modules)
{
	struct error ignored = { 0 };
	const char *copy;

	if (strcmp(s->my_modules ? s->my_modules : "", modules) != 0) {
		copy = arena_strndup(&s->kept_arena, modules, strlen(modules), &ignored);
		if (copy)
			s->my_modules = copy;
		s->code_owners = NULL;
		s->modules_version++;
	} else if (s->shows_mine == shows_mine) {
		return;
	}
	s->shows_mine = shows_mine;
	s->results_version++;
	s->version++;
}

/* Without memory for them, equal short names look alike. */
static void
make_shown_names(struct session *s)
{
	struct error ignored = { 0 };

	if (s->heap && s->shows_short_names && !s->shown_names)
		s->shown_names =
		    shown_names_make(s->types, s->types_count, &s->kept_arena, &ignored);
}

void
session_apply_options(struct session *s, const struct session_options *options)
{
	s->shows_short_names = options->shows_short_names;
	make_shown_names(s);
	s->folds_names = options->folds_names;
	s->bytes_shown = options->bytes_shown;
	s->guards_formulas = options->guards_formulas;
	apply_mine(s, options->shows_mine, options->my_modules ? options->my_modules : "");
	session_join_again(s);
}

bool
session_set_fates(struct session *s, const uint64_t *bits, bool are_gone, bool is_estimate,
		  struct error *err)
{
	const uint64_t **to = are_gone ? &s->is_gone : &s->is_new;
	size_t words = bits_words(s->heap->nodes_count);
	uint64_t *copy;

	if (s->are_fates_estimates != is_estimate)
		s->version++;
	s->are_fates_estimates = is_estimate;
	/* Workers may still read the old ones, which stay. */
	if (*to && !memcmp(*to, bits, words * sizeof *bits))
		return true;
	copy = arena_array(&s->kept_arena, uint64_t, words, err);
	if (!copy)
		return false;
	memcpy(copy, bits, words * sizeof *bits);
	*to = copy;
	/* Open lists may be filtered by them. */
	s->version++;
	return true;
}

const uint8_t *
session_code_owners(struct session *s, struct error *err)
{
	uint8_t *owners;

	if (s->code_owners)
		return s->code_owners;
	owners = arena_array(&s->kept_arena, uint8_t, s->types_count + 1, err);
	if (owners)
		my_code_find(s->types, s->types_count, s->my_modules, owners);
	s->code_owners = owners;
	return owners;
}

/* Returns true if the file says what types retain, under these circumstances.
 */
static bool
file_has_type_retained(const struct session *s)
{
	const struct heap_derived *d = s->heap ? s->heap->derived : NULL;

	return d && d->retained_by_type && !s->what_if.ignored &&
	       d->prefers_statics == s->prefers_statics;
}

static void
set_retention(struct session *s, const struct retention *retention)
{
	const unsigned all = NEED_RETAINED | NEED_TYPE_RETAINED;

	retention_free(s->retention);
	s->retention = retention;
	s->has &= ~all;
	if (retention)
		s->has |= s->reach ? all : NEED_TYPE_RETAINED;
	else if (file_has_type_retained(s))
		s->has |= NEED_TYPE_RETAINED;
}

static void
take_heap(struct session *s, const struct heap *h)
{
	s->heap = h;
	s->types = h->types;
	s->types_count = h->types_count;
	if (heap_lacks_objects(h))
		s->has |= contents_exist(h) ? NEED_PROCESS : 0;
	else
		s->has |= NEED_TYPES | (h->has_objects ? NEED_OBJECTS | NEED_PROCESS : 0U);
	if (h->info.resident.detail != RESIDENT_UNKNOWN)
		earlier_note(s);
	for (size_t i = 0; h->generation_bytes && i < h->types_count; i++)
		for (int gen = 0; gen < GEN_COUNT; gen++)
			s->generation_bytes[gen] +=
			    h->generation_bytes[i * GEN_COUNT + (size_t)gen];
	s->shown_names = NULL;
	make_shown_names(s);
	set_retention(s, NULL);
	s->version++;
}

struct session *
session_new_of_heap(const struct heap *h, struct waker waker, struct error *err)
{
	struct loader loader = { .path = h->info.source ? h->info.source : "" };
	struct session *s = session_new(&loader, waker, err);

	if (s)
		take_heap(s, h);
	return s;
}

struct session *
session_new_empty(struct waker waker, struct error *err)
{
	static const struct loader none = { .path = "heaptop" };
	struct session *s = session_new(&none, waker, err);

	if (s)
		s->is_empty = true;
	return s;
}

/* Without the samples that were asked for, the heap is not shown either. */
static bool
load_samples(struct session *s, struct progress *progress, struct error *err)
{
	const struct snapshots *all = s->snapshots;

	if (!all || !all->load_samples)
		return true;
	s->loaded_recorded = all->load_samples(all->samples_path, s->loaded_heap, progress, err);
	if (s->loaded_recorded)
		s->loaded_samples = samples_join(s->loaded_recorded, s->loaded_heap,
						 s->join_modules, progress, err);
	if (s->loaded_samples)
		return true;
	allocations_free(s->loaded_recorded);
	s->loaded_recorded = NULL;
	preview_withdraw(&s->preview);
	heap_free(s->loaded_heap);
	s->loaded_heap = NULL;
	return false;
}

static bool
run_load(void *context, struct progress *progress, struct error *err)
{
	struct memory_refused before = memory_refused();
	struct session *s = context;
	bool is_all = s->load_what == LOAD_ALL;

	s->loaded_heap =
	    s->loader.load(&s->loader, s->load_what, progress, is_all ? &s->preview : NULL, err);
	if (s->loaded_heap && !memory_was_enough(before, err)) {
		/* The preview borrows names of the heap. */
		preview_withdraw(&s->preview);
		heap_free(s->loaded_heap);
		s->loaded_heap = NULL;
	}
	return s->loaded_heap && (!is_all || load_samples(s, progress, err));
}

static bool
start_load(struct session *s, enum load_what what, struct waker waker, struct error *err)
{
	s->load_what = what;
	s->join_modules = s->my_modules;
	return session_start_job(s, JOB_LOAD, "reading", run_load, waker, err);
}

static void
drop_results(struct session *s)
{
	suspects_forget(s);
	set_retention(s, NULL);
	what_if_clear(&s->what_if);
	root_index_free(s->roots);
	reach_free(s->reach);
	reverse_free(s->reverse);
	if (s->heap)
		heap_free(s->heap);
	samples_free(s->samples);
	allocations_free(s->recorded);
	s->samples = NULL;
	s->recorded = NULL;
	s->is_joined = false;
	s->roots = NULL;
	s->reach = NULL;
	s->reverse = NULL;
	s->heap = NULL;
	s->types = NULL;
	s->types_count = 0;
	s->code_owners = NULL;
	s->shown_names = NULL;
	s->is_new = s->is_gone = NULL;
	s->has &= NEED_SNAPSHOTS; /* of the other heaps */
}

/* Keeps the types that were counted before loading was cancelled. */
static void
take_stopped_heap(struct session *s)
{
	take_heap(s, s->stopped_heap);
	s->stopped_heap = NULL;
	s->is_stopped = true;
	error_clear(&s->job_errors[JOB_LOAD]);
}

/* Waits for a job and takes its result, or leaves its error in the session. */
static bool
finish_job(struct session *s, enum session_job kind)
{
	struct error *err = &s->job_errors[kind];
	bool ok = job_finish(s->jobs[kind], err);

	s->jobs[kind] = NULL;
	s->version++;
	if (!ok) {
		if (kind == JOB_REACH)
			analyses_revert_reach(s);
		if (kind == JOB_JOIN) /* the samples stay as they were */
			s->join_modules = NULL;
		if (kind == JOB_LOAD && err->kind == ERROR_CANCELLED && s->stopped_heap &&
		    s->stopped_seen)
			take_stopped_heap(s);
		if (kind == JOB_RETENTION ? err->kind != ERROR_CANCELLED
					  : err->is_limit || err->is_memory)
			memcpy(s->refused[kind], err->message, sizeof s->refused[kind]);
		return false;
	}
	switch (kind) {
	case JOB_LOAD:
		drop_results(s);
		take_heap(s, s->loaded_heap);
		s->samples = s->loaded_samples;
		s->recorded = s->loaded_recorded;
		s->loaded_samples = NULL;
		s->loaded_recorded = NULL;
		s->has_only_types = (s->load_what == LOAD_ALL && !s->heap->has_objects) ||
				    heap_lacks_objects(s->heap) || *s->refused[JOB_LOAD];
		s->loaded_heap = NULL;
		preview_withdraw(&s->preview);
		break;
	case JOB_REVERSE:
		s->reverse = s->computed_reverse;
		s->has |= NEED_REVERSE;
		break;
	case JOB_REACH:
		suspects_forget(s);
		root_index_free(s->roots);
		reach_free(s->reach);
		s->reach = s->computed_reach;
		s->roots = s->computed_roots;
		s->reach_prefers_statics = s->prefers_statics;
		s->reach_version++;
		s->results_version++;
		what_if_take(&s->what_if);
		set_retention(s, NULL);
		s->has |= NEED_REACH;
		break;
	case JOB_RETENTION:
		suspects_forget(s);
		set_retention(s, s->computed_retention);
		s->results_version++;
		break;
	case JOB_SAVE:
		s->is_in_file |= !s->save_needs;
		break;
	case JOB_JOIN:
		samples_free(s->samples);
		s->samples = s->loaded_samples;
		s->loaded_samples = NULL;
		break;
	case JOB_KINDS:
		break;
	}
	return true;
}

void
session_stop(struct session *s)
{
	for (int kind = 0; kind < JOB_KINDS; kind++)
		if (s->jobs[kind])
			job_cancel(s->jobs[kind]);
	for (int kind = 0; kind < JOB_KINDS; kind++)
		if (s->jobs[kind])
			finish_job(s, (enum session_job)kind);
	suspects_forget(s);
	if (s->gcs)
		gcs_stop(s->gcs);
	if (s->recording)
		recording_stop(s->recording);
}

void
session_drop(struct session *s)
{
	session_stop(s);
	drop_results(s);
}

void
session_free(struct session *s)
{
	if (!s)
		return;
	session_stop(s);
	gcs_free(s->gcs);
	recording_free(s->recording);
	drop_results(s);
	if (s->stopped_heap)
		heap_free(s->stopped_heap);
	preview_clear(&s->preview);
	marks_clear(&s->marks);
	arena_clear(&s->kept_arena);
	memory_free(s);
}

bool
session_start(struct session *s, struct error *err)
{
	if (s->has & NEED_OBJECTS)
		return analyses_start(s, NEED_REVERSE | NEED_REACH, s->waker, err);
	return start_load(s, LOAD_ALL, s->waker, err);
}

static void
wake_nobody(void *context)
{
	(void)context;
}

static bool
require_heap(struct session *s, unsigned needs, struct error *err)
{
	/* Samples are joined with objects, and refused if they cannot be. */
	bool has_samples = s->snapshots && s->snapshots->load_samples;
	enum load_what what = needs & ~(unsigned)NEED_TYPES || has_samples ? LOAD_ALL : LOAD_TYPES;

	if (!s->jobs[JOB_LOAD] && !(needs & ~s->has & (NEED_TYPES | NEED_OBJECTS | NEED_PROCESS)))
		return true;
	if (!s->jobs[JOB_LOAD] && !start_load(s, what, (struct waker){ 0 }, err))
		return false;
	if (finish_job(s, JOB_LOAD))
		return true;
	*err = s->job_errors[JOB_LOAD];
	return false;
}

static bool
wait_for(struct session *s, enum session_job kind, struct error *err)
{
	if (!s->jobs[kind] || finish_job(s, kind))
		return true;
	*err = s->job_errors[kind];
	return false;
}

/* False sets `err`: memory does not allow these. */
static bool
is_allowed(const struct session *s, unsigned needs, struct error *err)
{
	const char *why = analyses_refusal(s, needs);

	return !why || error_set(err, ERROR_SYSTEM, "%s", why);
}

bool
session_require(struct session *s, unsigned needs, struct error *err)
{
	const struct waker threads = { wake_nobody, NULL };

	if (needs & ~(unsigned)(NEED_TYPES | NEED_SNAPSHOTS | NEED_PROCESS))
		needs |= NEED_OBJECTS;
	if (!require_heap(s, needs, err))
		return false;
	needs = analyses_needs_once(s, needs); /* beyond what the file has */
	if (s->has_only_types && needs & ~s->has)
		return error_set(err, ERROR_INPUT, "%s", session_only_types(s));
	do {
		if (!analyses_start(s, needs & ~(unsigned)NEED_RETAINED, threads, err) ||
		    !wait_for(s, JOB_REVERSE, err) || !wait_for(s, JOB_REACH, err))
			return false;
	} while (s->waiting & needs);
	if (!is_allowed(s, needs & (NEED_REVERSE | NEED_REACH), err))
		return false;
	if (!(needs & ~s->has & NEED_RETAINED))
		return true;
	return analyses_start_retention(s, threads, err) && is_allowed(s, needs, err) &&
	       wait_for(s, JOB_RETENTION, err);
}

bool
session_want(struct session *s, unsigned needs, struct error *err)
{
	if (!session_can_have(s, needs, err))
		return false;
	if (!(s->has & NEED_OBJECTS))
		return true;
	session_join_again(s);
	needs = analyses_needs(s, needs);
	return analyses_start(s, needs & ~s->has, s->waker, err) && is_allowed(s, needs, err);
}

unsigned
session_ended(const struct session *s)
{
	bool is_read = s->jobs[JOB_SAVE] && s->save_needs && !job_is_done(s->jobs[JOB_SAVE]);
	unsigned ended = 0;

	/* A job that writes results ends before they are replaced. */
	for (int kind = 0; kind < JOB_KINDS && !is_read; kind++)
		if (s->jobs[kind] && job_is_done(s->jobs[kind]))
			ended |= 1U << kind;
	return ended;
}

bool
session_is_replacing(const struct session *s, unsigned ended)
{
	return (s->reach && ended & 1U << JOB_REACH) || (s->samples && ended & 1U << JOB_JOIN);
}

static void
start_all_waiting(struct session *s)
{
	const struct snapshots *all = s->snapshots;

	if (!all)
		analyses_start_waiting(s);
	for (size_t i = 0; all && i < all->count; i++)
		analyses_start_waiting(all->sessions[i]);
}

/* Loads only types if memory allows no more; pipes cannot be read again. */
static void
load_types_instead(struct session *s)
{
	const struct error *err = &s->job_errors[JOB_LOAD];

	if (!err->is_limit || s->load_what == LOAD_TYPES || s->loader.capture ||
	    !strcmp(s->loader.path, "-"))
		return;
	memcpy(s->refused[JOB_LOAD], err->message, sizeof s->refused[JOB_LOAD]);
	s->objects_need_bytes = err->needed_bytes;
	if (!start_load(s, LOAD_TYPES, s->waker, &s->job_errors[JOB_LOAD]))
		s->version++;
}

bool
session_poll(struct session *s, unsigned ended)
{
	bool ok, had_retention;

	for (int kind = 0; kind < JOB_KINDS; kind++) {
		if (!(ended & 1U << kind))
			continue;
		had_retention = s->retention != NULL;
		ok = finish_job(s, (enum session_job)kind);
		if (kind == JOB_LOAD && !ok)
			load_types_instead(s);
		/* My code may have changed meanwhile. */
		if (ok && (kind == JOB_LOAD || kind == JOB_JOIN))
			session_join_again(s);
		if (kind == JOB_REVERSE || kind == JOB_REACH)
			analyses_continue(s, had_retention);
		if (!ok || kind != JOB_LOAD)
			continue;
		/* A new heap: every view needs these next. */
		if (!analyses_start(s, NEED_REVERSE | NEED_REACH, s->waker,
				    &s->job_errors[JOB_REVERSE]))
			s->version++;
	}
	if (ended)
		start_all_waiting(s);
	return ended != 0;
}

bool
session_take_at_once(struct session *s, struct error *err)
{
	while (session_poll(s, session_ended(s)))
		;
	/* session_require() reports why a heap cannot be read. Columns that batch mode left out are
	   reported elsewhere, too. */
	for (int kind = JOB_LOAD + 1; kind < JOB_KINDS; kind++) {
		const struct error *why = &s->job_errors[kind];
		bool is_omitted = s->has_omissions && kind != JOB_SAVE && kind != JOB_JOIN;

		if (why->kind != ERROR_NONE && !is_omitted) {
			*err = *why;
			return false;
		}
	}
	return true;
}

bool
session_prefer_statics(struct session *s, bool prefer, struct error *err)
{
	bool before = s->prefers_statics;
	bool is_wanted_anew = s->reach || s->jobs[JOB_REACH];

	if (before == prefer)
		return true;
	if (is_wanted_anew && !analyses_stop_reach(s, err))
		return false;
	s->prefers_statics = prefer;
	if (!is_wanted_anew || analyses_restart_reach(s, err))
		return true;
	if (!s->reach)
		s->prefers_statics = before;
	return false;
}

/* Adds a type of the preview to one of the heap; unnamed types become one. */
static void
add_type(struct tally_type *total, const struct type *t)
{
	bool is_first = total->count == 0;

	total->count += t->count;
	total->bytes += t->bytes;
	if (is_first || t->min_bytes < total->min_bytes)
		total->min_bytes = t->min_bytes;
	if (is_first || t->max_bytes > total->max_bytes)
		total->max_bytes = t->max_bytes;
}

/* Returns a heap of types alone, made from the preview, or NULL. */
static const struct heap *
heap_of_preview(const struct preview *p)
{
	struct error ignored = { 0 };
	struct heap_builder *b = heap_builder_new(&ignored);
	struct tally *tally;
	bool ok = b != NULL;

	for (uint32_t i = 0; ok && i < p->types_count; i++)
		ok = heap_builder_type(b, p->types[i].raw, p->types[i].module, &ignored) !=
		     TYPE_NONE;
	tally = ok ? heap_builder_tally(b, &ignored) : NULL;
	for (uint32_t i = 0; tally && i < p->types_count; i++) {
		const struct type *t = &p->types[i];
		type_id type = heap_builder_type(b, t->raw, t->module, &ignored);

		heap_builder_type_multiplier(b, type, t->multiplier);
		add_type(&tally->types[type], t);
	}
	if (tally && heap_builder_totals(b, &ignored))
		return heap_builder_finish(b, &ignored);
	heap_builder_free(b);
	return NULL;
}

static void
keep_preview(struct session *s)
{
	if (s->stopped_heap)
		return;
	s->stopped_heap = heap_of_preview(&s->preview);
	s->stopped_seen = s->preview.objects_seen;
	s->stopped_total = s->preview.objects_total;
}

bool
session_cancel(struct session *s)
{
	for (int kind = 0; kind < JOB_KINDS; kind++)
		if (s->jobs[kind]) {
			if (kind == JOB_LOAD)
				keep_preview(s);
			job_cancel(s->jobs[kind]);
			return true;
		}
	return false;
}

void
session_enter(struct session *s)
{
	struct preview *p = &s->preview;
	const struct type *before = s->types;

	if (s->heap)
		return;
	pthread_mutex_lock(&p->lock);
	if (p->version != s->preview_version)
		s->version++;
	s->preview_version = p->version;
	s->types = p->types;
	s->types_count = p->types_count;
	/* A cancelled source withdraws its preview before the job ends. */
	if (s->stopped_heap) {
		s->types = s->stopped_heap->types;
		s->types_count = s->stopped_heap->types_count;
		/* Indexes and counts may have changed. */
		if (s->types != before)
			s->version++;
	}
}

void
session_leave(struct session *s)
{
	if (!s->heap)
		pthread_mutex_unlock(&s->preview.lock);
}

bool
session_unavailable(const struct session *s, unsigned needs)
{
	return needs & ~s->has &&
	       (analyses_refusal(s, needs) ||
		(needs & (NEED_RETAINED | NEED_TYPE_RETAINED) && session_only_types(s)));
}
