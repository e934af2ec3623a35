#include "capture/events/live.h"
#include "capture/events/preflight.h"
#include "capture/events/modules.h"
#include "capture/process/room.h"
#include "capture/process/target_need.h"
#include "io/events/walk.h"
#include "io/runtime/layout.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Estimates before anything is known: the size of ordinary objects, and the time of a walk on an
 * idle machine.
 */
enum {
	BYTES_AN_OBJECT = 40, /* or of its references: five of 8 bytes */
	NS_AN_OBJECT = 250,
	PAUSE_MIN_MS = 10,
	EVENT_BYTES_AN_OBJECT = 48, /* including its references */
};
/*
 * Includes what is computed of every heap: referrers, distances, retained sizes. The measured peak
 * was 34 to 37 bytes an object and 12 MiB, with 25,000 to 7,600,000 objects.
 */
enum { OUR_BYTES_AN_OBJECT = 40, OUR_BYTES_MIN = 14 << 20 };
/* In the target; filled only as far as its writer is ahead of our reader. */
enum { BUFFER_MB = 2048, ONE_SESSION_MB = 256 };
enum { ASK_MS = 200 };
/* Fewer bytes of events are read with one session if that saves a collection.
 */
enum { ONE_SESSION_MAX_BYTES = 64 << 20 };

static bool
has_setting(const struct process *p, const char *proc, const char *name)
{
	struct proc_environment e;
	const char *value;
	bool is_on;

	proc_environment_read(&e, proc, p->pid);
	value = proc_environment_setting(&e, name);
	is_on = value && *value && strcmp(value, "0") != 0;
	proc_environment_clear(&e);
	return is_on;
}

/* Server GC has a thread for each heap, and thread names are public. */
static uint32_t
server_heaps(const struct process *p, const char *proc)
{
	return proc_threads_named(proc, p->pid, ".NET Server GC", 4096);
}

static void
look_at_gc(struct live_card *card, const struct process *p, const char *proc)
{
	card->heaps_count = server_heaps(p, proc);
	card->is_server_gc = card->heaps_count > 0;
	if (!card->heaps_count)
		card->heaps_count = 1;
	card->sessions = process_sessions(p, proc);
	card->has_tracing = has_setting(p, proc, "EnableEventPipe");
}

void
preflight_estimate(struct live_card *card)
{
	bool is_known = card->is_counted || card->is_seen;
	uint64_t most = (is_known ? card->ref_bytes : card->heap_bytes) / BYTES_AN_OBJECT;

	if (most < card->objects)
		most = card->objects;
	card->need.event_bytes = is_known ? most * EVENTS_SHARE * BYTES_AN_OBJECT : 0;
	card->pause_ms = most * NS_AN_OBJECT / 1000000 + PAUSE_MIN_MS;
	card->our_bytes = most * OUR_BYTES_AN_OBJECT + OUR_BYTES_MIN;
	/* No walk begins with less than it needs at one reference an object. */
	if (card->our_bytes < walk_memory(most, most))
		card->our_bytes = walk_memory(most, most);
}

static uint32_t
wanted_buffer(const struct live_card *card)
{
	/* With an unknown limit, ask for no more than a walk needs. */
	if (card->target.is_hidden)
		return TARGET_BUFFER_MIN_MB;
	return card->plan == PLAN_ONE_SESSION ? ONE_SESSION_MB : BUFFER_MB;
}

static void
choose_buffer(struct live_card *card, const struct capture_options *options)
{
	uint64_t allowed = options->memory_bytes, ours = card->our_bytes;

	if (card->target.is_shared)
		card->need.shared_bytes = allowed && allowed < ours ? allowed : ours;
	card->buffer_mb = options->buffer_mb ? options->buffer_mb
					     : target_need_buffer_mb(card, wanted_buffer(card));
	target_need_judge(card);
}

bool
preflight_is_small(const struct live_card *card)
{
	return card->need.private_bytes / BYTES_AN_OBJECT * EVENT_BYTES_AN_OBJECT <
	       ONE_SESSION_MAX_BYTES;
}

static void
choose_plan(struct live_card *card, const struct capture_options *options)
{
	const struct clr_facts *facts = clr_facts(card->major);

	if (facts->walks_blocking)
		card->plan = PLAN_BLOCKING;
	else if (facts->collects_at_end && preflight_is_small(card))
		card->plan = PLAN_ONE_SESSION;
	else
		card->plan = PLAN_TWO_SESSIONS;
	card->collections = preflight_collections(card->plan, card->major);
	choose_buffer(card, options);
}

unsigned
preflight_collections(enum live_plan plan, unsigned major)
{
	if (!clr_facts(major)->collects_at_end)
		return 1;
	return plan == PLAN_TWO_SESSIONS ? 3 : 2;
}

/*
 * Waits until a runtime that was resumed can walk its heap: half a second after its collector is
 * there, when the program itself has begun. Without its files in /proc only that time passes.
 */
static bool
wait_for_start(int32_t pid, const char *proc, struct progress *progress, struct error *err)
{
	enum { STEP_MS = 20, MOST_MS = 10000, SETTLE_MS = 500 };
	int left_ms = SETTLE_MS;

	for (int ms = 0; ms < MOST_MS && left_ms > 0; ms += STEP_MS) {
		if (progress_is_cancelled(progress))
			return error_cancelled(err);
		poll(NULL, 0, STEP_MS);
		left_ms = process_is_starting(pid, proc) ? SETTLE_MS : left_ms - STEP_MS;
	}
	return true;
}

/* Resumes a process that waits at its start, if that is wanted. */
static bool
start_waiting(const struct process *p, const struct live_target *target, const char *proc,
	      struct progress *progress, struct error *err)
{
	struct ipc ipc;
	bool ok;

	if (!p->waits)
		return true;
	if (!target->starts || p->waits != WAITS_FOR_ANY) {
		*err = p->trouble;
		return false;
	}
	if (!ipc_open(&ipc, p, proc, progress, err))
		return false;
	ok = ipc_resume(&ipc, err);
	ipc_close(&ipc);
	return ok && wait_for_start(p->pid, proc, progress, err);
}

/* The program at a port may have been started with "suspend", the default. A runtime connects
   before it can walk its heap. */
static bool
start_at_port(struct preflight *f, const char *proc, struct progress *progress, struct error *err)
{
	return ipc_resume(&f->ipc, err) && wait_for_start(f->ipc.peer_pid, proc, progress, err);
}

bool
preflight_open(struct preflight *f, const struct live_target *target, const char *proc,
	       struct progress *progress, struct error *err)
{
	int32_t pid = target->pid;

	*f = (struct preflight){ 0 };
	progress_begin(progress, "asking the runtime", "processes", 0);
	if (target->port) {
		if (!ipc_listen(&f->ipc, target->port, progress, err))
			return false;
		pid = f->ipc.peer_pid;
	}
	if (!process_look(&f->process, proc, pid, err) ||
	    (!target->port && (!start_waiting(&f->process, target, proc, progress, err) ||
			       !ipc_open(&f->ipc, &f->process, proc, progress, err))))
		goto failed;
	if ((!target->port || start_at_port(f, proc, progress, err)) &&
	    ipc_process_info(&f->ipc, &f->info, err))
		return true;
	ipc_close(&f->ipc);
	return false;
failed:
	if (target->port)
		ipc_close(&f->ipc);
	return false;
}

void
preflight_close(struct preflight *f)
{
	ipc_close(&f->ipc);
}

struct live_load
preflight_load(const char *proc, int32_t pid)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return (struct live_load){
		.threads = proc_load(proc),
		.cpus = cpus > 0 ? (uint32_t)cpus : 0,
		.throttled_percent = cgroup_throttled(proc, CGROUP_FOLDER, pid),
	};
}

void
preflight_look(struct live_card *card, const struct process *p, const char *proc)
{
	*card = (struct live_card){ .pid = p->pid,
				    .start_ticks = p->start_ticks,
				    .heap_bytes = p->private_bytes };
	struct proc_status status;

	snprintf(card->who, sizeof(card->who), "process %d%s%s%s", (int)p->pid,
		 *p->name ? " (" : "", p->name, *p->name ? ")" : "");
	snprintf(card->user, sizeof(card->user), "%s", p->user);
	card->is_ours = p->uid == geteuid();
	snprintf(card->runtime, sizeof(card->runtime), "%s", p->runtime);
	card->objects = card->heap_bytes / BYTES_AN_OBJECT;
	look_at_gc(card, p, proc);
	card->need.private_bytes = p->private_bytes;
	if (proc_status(proc, p->pid, &status))
		card->need.swapped_bytes = status.swapped_bytes;
	room_of_target(&card->target, proc, CGROUP_FOLDER, p->pid);
	room_of_us(&card->ours, proc, CGROUP_FOLDER);
	card->load = preflight_load(proc, p->pid);
}

void
preflight_fill(struct live_card *card, const struct preflight *f, const char *proc,
	       const struct capture_options *options)
{
	preflight_look(card, &f->process, proc);
	snprintf(card->who, sizeof(card->who), "%s", f->ipc.who);
	if (f->info.version[0])
		snprintf(card->runtime, sizeof(card->runtime), "%s", f->info.version);
	snprintf(card->machine, sizeof(card->machine), "%s", f->info.machine);
	card->major = runtime_info_major(&f->info);
	preflight_estimate(card);
	choose_plan(card, options);
	if (options->known)
		preflight_learn(card, options->known, options);
}

void
preflight_learn(struct live_card *card, const struct live_card *known,
		const struct capture_options *options)
{
	if (known->is_counted || known->is_seen) {
		card->is_counted = known->is_counted;
		card->is_seen = known->is_seen;
		card->objects = known->objects;
		card->heap_bytes = known->heap_bytes;
		card->ref_bytes = known->ref_bytes;
	}
	card->need.range_bytes = known->need.range_bytes;
	preflight_estimate(card);
	choose_buffer(card, options);
}

bool
preflight_is_jitted(const struct preflight *f, struct modules *modules, const char *otherwise,
		    struct error *err)
{
	struct modules *own = modules ? NULL : modules_new(&f->process, PROC_FOLDER, NULL, err);
	struct modules *m = modules ? modules : own;
	bool is_native = m && modules_are_native(m);

	modules_free(own);
	if (is_native)
		error_set(err, ERROR_ATTACH, "%s is compiled by Native AOT, which %s", f->ipc.who,
			  otherwise);
	return m && !is_native;
}

bool
preflight_sends_walks(const struct preflight *f, struct modules *modules, struct error *err)
{
	const struct clr_facts *facts = clr_facts(runtime_info_major(&f->info));
	bool is_server = server_heaps(&f->process, PROC_FOLDER) > 0;

	if (is_server ? facts->native_server_walks : facts->native_walks)
		return true;
	return preflight_is_jitted(
	    f, modules,
	    is_server ? "crashes when its heap is walked with server GC: nothing was done to the "
			"process; its memory can be read with -m"
		      : "sends no heap before .NET 10: nothing was done to the process; its memory "
			"can be read with -m",
	    err);
}

bool
capture_preflight(struct live_card *card, const struct live_target *target,
		  const struct capture_options *options, struct progress *progress,
		  struct error *err)
{
	struct preflight f;
	bool ok;

	if (!preflight_open(&f, target, PROC_FOLDER, progress, err))
		return false;
	ok = preflight_sends_walks(&f, NULL, err);
	if (ok)
		preflight_fill(card, &f, PROC_FOLDER, options);
	preflight_close(&f);
	return ok;
}

static void
ask_version(struct process *p, const char *proc, struct progress *progress)
{
	struct runtime_info info;
	struct error ignored;
	struct ipc ipc;

	error_clear(&ignored);
	if (!ipc_open(&ipc, p, proc, progress, &ignored))
		return;
	ipc.timeout_ms = ASK_MS;
	if (ipc_process_info(&ipc, &info, &ignored) && info.version[0])
		snprintf(p->runtime, sizeof(p->runtime), "%.*s", (int)sizeof(p->runtime) - 1,
			 info.version);
	ipc_close(&ipc);
}

void
capture_ask_versions(struct process_list *list, const char *proc, struct progress *progress)
{
	for (size_t i = 0; i < list->count; i++) {
		struct process *p = &list->processes[i];

		if (progress_is_cancelled(progress))
			return;
		if (p->trouble.kind == ERROR_NONE && !p->runtime[0])
			ask_version(p, proc, progress);
	}
}
