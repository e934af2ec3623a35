#define _GNU_SOURCE /* sched_getaffinity() */
#include "model/base/worker.h"
#include "model/base/arena.h"
#include "model/base/thread.h"
#include <sched.h>
#include <stdatomic.h>

struct team {
	worker_run *run;
	void *context;
	uint64_t parts_count;
	_Atomic uint64_t next_part;
	atomic_bool is_stopped;
	pthread_mutex_t lock; /* guards err and refused */
	struct error *err;
	struct memory_refused refused; /* of all threads but the caller */
};

struct member {
	struct team *team;
	unsigned thread;
};

unsigned
worker_threads(void)
{
	cpu_set_t cpus;
	int count = 1;

	/* CPUs of the process, not of the machine: containers have fewer. */
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		count = CPU_COUNT(&cpus);
	return count < 1 ? 1 : count > WORKER_MAX ? WORKER_MAX : (unsigned)count;
}

static void *
member_main(void *argument)
{
	struct member *member = argument;
	struct team *team = member->team;
	struct error err;

	error_clear(&err);
	while (!atomic_load_explicit(&team->is_stopped, memory_order_relaxed)) {
		uint64_t part = atomic_fetch_add(&team->next_part, 1);

		if (part >= team->parts_count)
			break;
		if (!team->run(team->context, part, member->thread, &err))
			atomic_store(&team->is_stopped, true);
	}
	pthread_mutex_lock(&team->lock);
	if (team->err->kind == ERROR_NONE)
		*team->err = err;
	if (member->thread) {
		struct memory_refused own = memory_refused();

		team->refused.count += own.count;
		team->refused.by_system += own.by_system;
		if (team->refused.needed_bytes < own.needed_bytes)
			team->refused.needed_bytes = own.needed_bytes;
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

bool
worker_run_all(unsigned threads_count, uint64_t parts_count, worker_run *run, void *context,
	       struct error *err)
{
	struct team team = {
		.run = run, .context = context, .parts_count = parts_count, .err = err
	};
	struct member members[WORKER_MAX];
	pthread_t threads[WORKER_MAX];
	unsigned started = 1; /* member 0 is the caller */

	if (threads_count > WORKER_MAX)
		threads_count = WORKER_MAX;
	if (threads_count > parts_count)
		threads_count = parts_count ? (unsigned)parts_count : 1;
	pthread_mutex_init(&team.lock, NULL);
	for (; started < threads_count; started++) {
		members[started] = (struct member){ &team, started };
		/* Fewer threads only make it slower. */
		if (thread_start(&threads[started], member_main, &members[started]))
			break;
	}
	members[0] = (struct member){ &team, 0 };
	member_main(&members[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&team.lock);
	memory_refused_add(team.refused);
	return !team.is_stopped;
}

void
worker_turns_init(struct worker_turns *t)
{
	*t = (struct worker_turns){ .next = 0 };
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->passed, NULL);
}

void
worker_turns_clear(struct worker_turns *t)
{
	pthread_cond_destroy(&t->passed);
	pthread_mutex_destroy(&t->lock);
}

bool
worker_turn_wait(struct worker_turns *t, uint64_t part)
{
	bool has_turn;

	pthread_mutex_lock(&t->lock);
	while (t->next != part && !t->is_stopped)
		pthread_cond_wait(&t->passed, &t->lock);
	has_turn = !t->is_stopped;
	pthread_mutex_unlock(&t->lock);
	return has_turn;
}

void
worker_turn_pass(struct worker_turns *t, bool ok)
{
	pthread_mutex_lock(&t->lock);
	t->next++;
	t->is_stopped = t->is_stopped || !ok;
	pthread_cond_broadcast(&t->passed);
	pthread_mutex_unlock(&t->lock);
}
