#include "capture/memory/snapshot.h"
#include "model/base/clock.h"
#include "model/base/duration.h"
#include "model/base/low_priority.h"
#include "capture/memory/glance.h"
#include "capture/events/preflight.h"
#include "capture/memory/process_memory.h"
#include "capture/memory/wanted.h"
#include "capture/process/cgroup.h"
#include "capture/process/origin.h"
#include "capture/process/smaps.h"
#include "io/clr/graph.h"
#include "io/runtime/heaps.h"
#include "io/runtime/threads.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__aarch64__)
#define MACHINE "arm64"
#else
#define MACHINE "x64"
#endif

/* Estimates before anything is known, for a slow machine. */
enum {
	STOP_MS = 30,
	COPY_MS_A_GB = 800,
	READ_NS_AN_OBJECT = 250,
	GRAPH_BYTES_AN_OBJECT = 10, /* with three references */
	/* Referrers, distances, retained sizes of every heap: the peak was
	   37 bytes an object and 24 MiB besides the copy. */
	ANALYSES_BYTES_AN_OBJECT = 30,
	OUR_BYTES_MIN = 14 << 20,
};
enum {
	RETRY_LIMIT_MS = 2000,  /* while objects are being moved, */
	RETRY_STOPS = 10,       /* and at least so many stops */
	AT_WORK_STOPS = 20,     /* while objects are being allocated, */
	AT_WORK_LIMIT_MS = 300, /* or this time, then it is accepted */
	CAPTURES_MAX = 3,       /* with inconsistent objects */
	LOST_MAX = 10,          /* captures lost because we were stopped */
};
#define OTHERS_BYTES_ABOUT (UINT64_C(16) << 20)

/* ---- stopping ------------------------------------------------------------ */

/* A stopped process and the state of its collector. */
struct stop {
	struct freeze freeze;
	struct memory *memory;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
};

static void
stop_clear(struct stop *s)
{
	clr_heaps_close(s->heaps);
	clr_runtime_close(s->runtime);
	memory_close(s->memory);
	freeze_clear(&s->freeze);
	*s = (struct stop){ 0 };
}

/* Works on running processes, too. If it fails, call stop_clear(). */
static bool
stop_open(struct stop *s, const char *proc, uint32_t runtime, struct error *err)
{
	s->memory = process_memory_open(proc, &s->freeze, err);
	if (s->memory)
		s->memory->runtime_wanted = runtime;
	s->runtime = s->memory ? clr_runtime_open(s->memory, err) : NULL;
	s->heaps = s->runtime ? clr_heaps_open(s->runtime, err) : NULL;
	return s->heaps != NULL;
}

static bool
stop_once(struct stop *s, int32_t pid, uint32_t runtime, bool *is_lost, struct progress *progress,
	  struct error *err)
{
	*s = (struct stop){ 0 };
	*is_lost = false;
	if (!freeze_start(&s->freeze, PROC_FOLDER, pid, progress, err))
		return false;
	if (stop_open(s, PROC_FOLDER, runtime, err))
		return true;
	if (err->kind == ERROR_INPUT)
		err->kind = ERROR_ATTACH;
	freeze_end(&s->freeze);
	*is_lost = s->freeze.is_lost;
	stop_clear(s);
	return false;
}

/* Retries if heaptop was stopped while the process was opened: an error is then not the process's
   fault. */
static bool
stop_now(struct stop *s, int32_t pid, uint32_t runtime, struct progress *progress,
	 struct error *err)
{
	bool is_good, is_lost;

	for (int i = 0; i < LOST_MAX; i++) {
		error_clear(err);
		is_good = stop_once(s, pid, runtime, &is_lost, progress, err);
		if (is_good || !is_lost)
			return is_good;
	}
	return false;
}

static bool
wait_ms(int64_t ms, struct progress *progress)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
	return !progress_is_cancelled(progress);
}

/* As far as is known, no thread is in the middle of an allocation. */
static bool
is_at_rest(const struct stop *s)
{
	return !s->heaps->doubts.count && !s->runtime->doubts.count &&
	       !clr_threads_allocating(s->runtime);
}

/* Stops it while no objects are moved, and preferably none allocated. */
static bool
stop_at_rest(struct stop *s, int32_t pid, uint32_t runtime, unsigned *stops,
	     struct progress *progress, struct error *err)
{
	int64_t began_ns = clock_ns(), now_ms = 0, ms = 1;
	unsigned at_work = 0;
	struct proc_stat stat;

	for (unsigned tries = 1;; tries++) {
		bool is_moving;

		++*stops;
		if (!stop_now(s, pid, runtime, progress, err))
			return false;
		is_moving = s->heaps->invalid_count;
		if (!is_moving &&
		    (is_at_rest(s) || ++at_work == AT_WORK_STOPS || now_ms > AT_WORK_LIMIT_MS))
			return true;
		stop_clear(s);
		if (is_moving && ms < 50)
			ms *= 2;
		if (!wait_ms(is_moving ? ms : 1, progress))
			return error_cancelled(err);
		now_ms = (clock_ns() - began_ns) / 1000000;
		if (now_ms > RETRY_LIMIT_MS && tries >= RETRY_STOPS)
			break;
	}
	if (proc_stat(PROC_FOLDER, pid, &stat) && stat.state == 'T')
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32 " is stopped in the middle of a collection, "
				 "while its objects are being moved: resume it first: kill -CONT "
				 "%" PRId32,
				 pid, pid);
	return error_set(err, ERROR_ATTACH,
			 "process %" PRId32 " was stopped %u times in %" PRId64
			 " s, but its collector kept moving objects: try again, or capture events "
			 "(without -m)",
			 pid, *stops, now_ms / 1000);
}

/* ---- preflight ----------------------------------------------------------- */

static uint64_t
room_of_ours(const struct live_card *card, const struct live_options *options)
{
	uint64_t room = card->ours.headroom_bytes;

	if (options->memory_bytes && (!room || options->memory_bytes < room))
		room = options->memory_bytes;
	return room ? room : UINT64_MAX;
}

static uint64_t
graph_bytes(const struct live_card *card)
{
	return card->objects * GRAPH_BYTES_AN_OBJECT + OUR_BYTES_MIN;
}

static void
choose_plan(struct live_card *card, const struct live_options *options)
{
	uint64_t graph = graph_bytes(card);
	uint64_t copy = card->heap_bytes + OTHERS_BYTES_ABOUT;

	card->plan = graph + copy <= room_of_ours(card, options) ? PLAN_COPY : PLAN_IN_PLACE;
	card->our_bytes =
	    graph + card->objects * ANALYSES_BYTES_AN_OBJECT + (card->plan == PLAN_COPY ? copy : 0);
	card->pause_ms =
	    STOP_MS + (card->plan == PLAN_COPY ? (copy * COPY_MS_A_GB) >> 30
					       : card->objects * READ_NS_AN_OBJECT / 1000000);
}

bool
still_look(struct live_card *card, uint32_t runtime, const char *proc)
{
	struct stop s = { .freeze = { .pid = card->pid } };
	struct error ignored;
	bool is_at_rest;

	error_clear(&ignored);
	if (stop_open(&s, proc, runtime, &ignored))
		glance_fill(card, s.heaps);
	is_at_rest = s.heaps && !s.heaps->invalid_count;
	stop_clear(&s);
	return card->is_seen && is_at_rest;
}

bool
still_preflight(struct live_card *card, const struct live_target *target,
		const struct live_options *options, const char *proc, struct error *err)
{
	struct process p;

	if (!process_look(&p, proc, target->pid, err))
		return false;
	if (p.waits || (p.dotnet == DOTNET_UNKNOWN && p.trouble.kind != ERROR_NONE)) {
		*err = p.trouble;
		return false;
	}
	if (p.dotnet != DOTNET_YES)
		return error_set(err, ERROR_ATTACH,
				 "process %" PRId32
				 " (%s) is not a .NET process; heaptop -l lists them",
				 p.pid, p.name);
	preflight_look(card, &p, proc);
	card->load = preflight_load(proc, getpid());
	snprintf(card->machine, sizeof(card->machine), "%s", MACHINE);
	/* If its heap cannot be read, the capture itself reports why. */
	(void)still_look(card, options->runtime, proc);
	choose_plan(card, options);
	return true;
}

/* ---- capturing ----------------------------------------------------------- */

/*
 * False: copying failed. True with 0 kept bytes: there is no memory for a copy, whose size is known
 * exactly only now.
 */
static bool
copy_heap(const struct stop *s, const struct live_card *card, const struct live_options *options,
	  struct progress *progress, struct error *err)
{
	const struct wanted_from from = { s->memory, s->runtime, s->heaps };
	struct wanted w = { 0 };
	bool is_good = wanted_add_all(&w, &from, err);

	if (is_good && w.bytes + graph_bytes(card) <= room_of_ours(card, options)) {
		progress_begin_bytes(progress, "copying its memory", w.bytes);
		is_good = process_memory_keep(s->memory, w.stretches, w.count, progress, err);
	}
	memory_free(w.stretches);
	return is_good;
}

static uint64_t
resident_bytes_of(int32_t pid)
{
	struct proc_status status;

	return proc_status(PROC_FOLDER, pid, &status) ? status.resident_bytes : 0;
}

struct building {
	struct memory *memory;
	const char *who;
	const struct clr_graph_options *how;
	const struct heap *heap;
	struct error *err;
};

static void
build(void *context)
{
	struct building *b = context;

	b->heap = clr_graph_load(b->memory, b->who, b->how, b->err);
}

/* In a hurry while the process is stopped, at low priority after that. */
static const struct heap *
build_graph(struct memory *m, const struct live_card *card, const struct clr_graph_options *how,
	    struct error *err)
{
	struct building b = { m, card->who, how, NULL, err };

	if (how->kept)
		low_priority_run(build, &b);
	else
		build(&b);
	return b.heap;
}

/* Reads the resident memory right after the process resumed, not before: that may take longer than
   the pause. */
static const struct heap *
build_with_mappings(const struct stop *s, const struct live_card *card,
		    struct clr_graph_options *how, struct error *err)
{
	const struct heap *h = NULL;
	struct smaps smaps;

	if (smaps_read(&smaps, PROC_FOLDER, CGROUP_FOLDER, card->pid, err)) {
		how->mappings = &smaps.list;
		h = build_graph(s->memory, card, how, err);
	}
	smaps_clear(&smaps);
	how->mappings = NULL;
	return h;
}

/* Drops a heap, and errors, that may mix states of several moments. */
static const struct heap *
lose(const struct heap *h, struct still_cost *cost, const struct live_card *card, struct error *err)
{
	heap_free(h);
	cost->lost++;
	error_clear(err);
	error_set(err, ERROR_ATTACH,
		  "process %" PRId32
		  " was resumed before its heap was read, as heaptop itself was stopped, %u times: "
		  "try again",
		  card->pid, cost->lost);
	return NULL;
}

/* Looks before the process is stopped, so that this does not lengthen the pause. */
static void
look_at_origin(struct heap_origin *origin, int32_t pid)
{
	struct error ignored;
	struct process p;

	error_clear(&ignored);
	*origin = (struct heap_origin){ 0 };
	if (process_look(&p, PROC_FOLDER, pid, &ignored))
		process_origin(origin, &p, PROC_FOLDER);
}

enum { SYMBOLS_PATH_BYTES = 4096 };

/* Finds the symbols of a Native AOT program before it is stopped, since a large file takes long.
   NULL: it has none, for the reason in `why`; or `err`. */
static struct native_types *
find_symbols(int32_t pid, const char *folder, char why[NATIVE_WHY_BYTES], struct error *err)
{
	char name[64], root[64], link[SYMBOLS_PATH_BYTES];
	struct native_types *types = NULL;
	struct native_search search = { .path = link, .root = root, .folder = folder };
	struct error ignored;
	struct file program;
	ssize_t len;

	why[0] = '\0';
	error_clear(&ignored);
	snprintf(name, sizeof(name), PROC_FOLDER "/%" PRId32 "/exe", pid);
	snprintf(root, sizeof(root), PROC_FOLDER "/%" PRId32 "/root", pid);
	len = readlink(name, link, sizeof(link) - 1);
	if (len <= 0 || !file_open(&program, name, FILE_ALL, NULL, &ignored))
		return NULL;
	link[len] = '\0';
	search.program = &program;
	if (native_types_is_program(program.data, program.len))
		types = native_types_search(&search, why, err);
	file_close(&program);
	return types;
}

/* Takes the heap of one moment. NULL and one more in cost->lost: the process resumed too early. */
static const struct heap *
load_once(const struct live_card *card, const struct live_options *options,
	  struct progress *progress, struct still_cost *cost, struct error *err)
{
	char why[NATIVE_WHY_BYTES];
	struct native_types *native = find_symbols(card->pid, options->symbols, why, err);
	struct clr_graph_options how = { .native = native,
					 .native_why = why,
					 .what = LOAD_ALL,
					 .has_conservative_stacks =
					     options->has_conservative_stacks,
					 .memory_bytes = options->memory_bytes,
					 .progress = progress };
	const struct heap *h = NULL;
	struct heap_origin origin;
	int64_t pause_ns;
	struct stop s;

	look_at_origin(&origin, card->pid);
	progress_begin(progress, "stopping the process", "processes", 0);
	if (!stop_at_rest(&s, card->pid, options->runtime, &cost->stops, progress, err)) {
		native_types_free(native);
		return NULL;
	}
	process_origin_now(&origin); /* the heap is as at the stop */
	how.pid = card->pid;
	how.origin = &origin;
	how.resident_bytes = resident_bytes_of(card->pid);
	if (copy_heap(&s, card, options, progress, err)) {
		how.kept_bytes = process_memory_kept_bytes(s.memory);
		if (how.kept_bytes) {
			freeze_end(&s.freeze);
			how.kept = s.memory;
		}
		if (!s.freeze.is_lost)
			h = build_with_mappings(&s, card, &how, err);
	}
	freeze_end(&s.freeze);
	cost->bytes = how.kept_bytes;
	if (s.freeze.is_lost)
		h = lose(h, cost, card, err);
	/* Uncopied memory has changed; offer no field values. */
	if (h && how.kept)
		s.memory = NULL; /* owned by the heap now */
	pause_ns = s.freeze.ended_ns - s.freeze.began_ns;
	if (pause_ns > cost->pause_ns)
		cost->pause_ns = pause_ns;
	stop_clear(&s);
	native_types_free(native);
	return h;
}

/* Retries as long as we were stopped ourselves, up to a limit. */
static const struct heap *
load_one_moment(const struct live_card *card, const struct live_options *options,
		struct progress *progress, struct still_cost *cost, struct error *err)
{
	const struct heap *h;
	unsigned lost;

	do {
		if (progress_is_cancelled(progress)) {
			error_clear(err);
			error_cancelled(err);
			return NULL;
		}
		lost = cost->lost;
		error_clear(err);
		h = load_once(card, options, progress, cost, err);
	} while (!h && cost->lost > lost && cost->lost < LOST_MAX);
	return h;
}

static bool
makes_sense(const struct heap *h)
{
	return !h->info.losses.damaged_nodes && !h->info.losses.damaged_refs;
}

const struct heap *
still_load(const struct live_card *card, const struct live_options *options,
	   struct capture_watch *watch, struct progress *progress, struct still_cost *cost,
	   struct error *err)
{
	int64_t began_ns = clock_ns();
	const struct heap *h = NULL;

	*cost = (struct still_cost){ 0 };
	for (int i = 0; i < CAPTURES_MAX && (!h || !makes_sense(h)); i++) {
		heap_free(h);
		h = load_one_moment(card, options, progress, cost, err);
		if (!h)
			return NULL;
	}
	cost->total_ns = clock_ns() - began_ns;
	cost->is_complete = !losses_are_incomplete(&h->info.losses);
	if (watch)
		atomic_store(&watch->objects, h->nodes_count);
	return h;
}

const char *
still_cost_text(const struct still_cost *cost, char *text, size_t text_size)
{
	char pause[DURATION_BYTES], total[DURATION_BYTES];
	struct text out = text_in(text, text_size);

	text_addf(&out, "%s stopped, no collection forced, read in %s",
		  duration_text((double)cost->pause_ns / 1e9, pause),
		  duration_text((double)cost->total_ns / 1e9, total));
	if (cost->bytes)
		text_addf(&out, ", %.1f MiB copied", (double)cost->bytes / (1 << 20));
	if (cost->stops > cost->lost + 1)
		text_addf(&out, "; objects were being made or moved before that: %u stops",
			  cost->stops - cost->lost);
	if (cost->lost)
		text_add(&out,
			 "; it was resumed and stopped again, because heaptop itself was stopped");
	return text;
}
