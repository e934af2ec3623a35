#include "tests/judge/judge_locks.h"
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

struct judged {
	const char *what;
	const struct heap *heap;
	struct heap_locks locks;
};

static const struct heap_lock *
lock_of(const struct judged *j, uint64_t object)
{
	for (size_t i = 0; i < j->locks.count; i++)
		if (!j->locks.items[i].is_object &&
		    heap_address(j->heap, j->locks.items[i].object) == object)
			return &j->locks.items[i];
	return NULL;
}

/* The runtime's record of the thread that holds it; 0: nobody, or unknown. */
static uint64_t
holder_of(const struct judged *j, const struct heap_lock *lock)
{
	const struct heap_memory *m = j->heap->memory;

	for (uint32_t i = 0; lock->entered && i < m->threads_count; i++)
		if (m->threads[i].id == lock->thread)
			return m->threads[i].address;
	return 0;
}

static void
differ(const struct judged *j, const struct oracle_line *line, const struct heap_lock *lock)
{
	if (!lock)
		fail_msg("%s: no lock: %.*s", j->what, (int)line->rest_len, line->rest);
	else
		fail_msg("%s: lock %.*s is of index %" PRIu32 ", held by %" PRIu32 " (%" PRIx64
			 "), entered %" PRIu32 ", %" PRIu32 " wait, %" PRIu32 " in Monitor.Wait",
			 j->what, (int)line->rest_len, line->rest, lock->index, lock->thread,
			 holder_of(j, lock), lock->entered, lock->waiters, lock->pulse_waiters);
}

/*
 * Of a lock that nobody holds, ClrMD counts those in Monitor.Wait; it does not follow the list, and
 * says 1000 of one and more.
 */
static bool
has_waits(const struct heap_lock *lock, uint64_t theirs)
{
	bool is_pulsed = !lock->entered && lock->pulse_waiters;

	return lock->pulse_waiters != WAITERS_UNKNOWN &&
	       theirs == (is_pulsed ? 1000 : lock->waiters);
}

static uint32_t
compare_blocks(const struct judged *j, const struct oracle *o)
{
	struct oracle_line line;
	const char *at = NULL;
	uint32_t count = 0;

	while (oracle_next(o, "syncblock", &at, &line)) {
		const struct heap_lock *lock = lock_of(j, oracle_hex(&line, 0));
		bool is_held = oracle_number(&line, 2);

		count++;
		if (!lock || lock->index != oracle_number(&line, 1) ||
		    (lock->entered > 0) != is_held ||
		    (is_held && (lock->entered != oracle_number(&line, 4) ||
				 holder_of(j, lock) != oracle_hex(&line, 3))) ||
		    !has_waits(lock, oracle_number(&line, 5)))
			differ(j, &line, lock);
	}
	return count;
}

static uint32_t
compare_thin(const struct judged *j, const struct oracle *o)
{
	struct oracle_line line;
	const char *at = NULL;
	uint32_t count = 0;

	while (oracle_next(o, "thinlock", &at, &line)) {
		const struct heap_lock *lock = lock_of(j, oracle_hex(&line, 0));

		count++;
		if (!lock || lock->index || lock->thread != oracle_number(&line, 1) ||
		    lock->entered != oracle_number(&line, 2) + 1)
			differ(j, &line, lock);
	}
	return count;
}

/* ClrMD lists no sync blocks of .NET 11, whose Monitor is managed. */
static bool
has_blocks_of(const struct heap *h)
{
	return !strstr(h->info.format, ".NET 11");
}

void
judge_locks(const char *what, const struct oracle *o, const struct heap *h)
{
	struct judged j = { what, h, { 0 } };
	uint32_t blocks, thin, ours = 0;
	struct error err = { 0 };

	if (!h->memory->contents->locks(h->memory->source, &j.locks, NULL, &err))
		fail_msg("%s: %s", what, err.message);
	assert_int_equal(j.locks.unknown_count, 0);
	assert_int_equal(j.locks.unknown_objects_count, 0);
	blocks = compare_blocks(&j, o);
	thin = compare_thin(&j, o);
	for (size_t i = 0; i < j.locks.count; i++)
		ours +=
		    !j.locks.items[i].is_object && (!j.locks.items[i].index || has_blocks_of(h));
	assert_int_equal(ours, blocks + thin);
	printf("%s: %" PRIu32 " sync blocks, %" PRIu32 " thin locks: no difference\n", what, blocks,
	       thin);
	memory_free(j.locks.items);
}
