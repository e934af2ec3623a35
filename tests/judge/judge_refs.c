#include "tests/judge/judge_refs.h"
#include "io/clr/frame_refs.h"
#include "io/runtime/heaps.h"
#include "io/runtime/threads.h"
#include "model/heap/memory.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <string.h>

struct judged {
	const char *what;
	const struct oracle *oracle;
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
	struct gc_info *info;
	uint64_t os_id;
	struct clr_frame_refs refs;
	unsigned threads, known, scanned, elsewhere, frames, unknown_frames;
};

static bool
is_in_heap(const struct judged *j, uint64_t address)
{
	for (size_t i = 0; i < j->heaps->ranges_count; i++)
		if (address >= j->heaps->ranges[i].start && address < j->heaps->ranges[i].end)
			return true;
	return false;
}

static bool
next_root(const struct judged *j, const char **at, struct oracle_line *line)
{
	while (oracle_next(j->oracle, "stackroot", at, line))
		if (oracle_number(line, 0) == j->os_id)
			return true;
	return false;
}

/* The place of a word, or a register, whose value is then the object. An interior reference may be
 * anywhere in the object. */
static bool
is_same(const struct oracle_line *line, const struct clr_frame_slot *slot)
{
	uint64_t address = oracle_hex(line, 1);

	if (address)
		return slot->place == address;
	return oracle_number(line, 3) ? slot->value > oracle_hex(line, 2)
				      : slot->value == oracle_hex(line, 2);
}

static bool
is_known(const struct judged *j, const struct oracle_line *line)
{
	for (size_t i = 0; i < j->refs.slots_count; i++)
		if (j->refs.slots[i].is_known && is_same(line, &j->refs.slots[i]))
			return true;
	return false;
}

/* Words outside the known stretches are scanned, and so are registers of frames that are unknown,
 * and the thread's own. */
static bool
is_scanned(const struct judged *j, const struct oracle_line *line, const struct memory_thread *os)
{
	uint64_t address = oracle_hex(line, 1);
	bool is_stretch = false;

	/* All words are, and the registers of frames are among them. */
	if (*j->refs.why)
		return true;
	for (size_t i = 0; i < j->refs.slots_count; i++)
		if (is_same(line, &j->refs.slots[i]))
			return true;
	for (size_t i = 0; i < j->refs.stretches_count; i++)
		is_stretch |=
		    address >= j->refs.stretches[i].start && address < j->refs.stretches[i].end;
	if (address)
		return !is_stretch;
	for (uint32_t i = 0; i < os->registers_count; i++)
		if (os->registers[i] == oracle_hex(line, 2))
			return !j->refs.has_known_registers;
	return false;
}

/* ClrMD follows an interior reference into a stack, and names the object that it finds there. */
static bool
is_off_heap(const struct judged *j, const struct oracle_line *line)
{
	uint64_t word;

	return oracle_number(line, 3) && oracle_hex(line, 1) &&
	       memory_u64(j->runtime->reader, oracle_hex(line, 1), &word) && !is_in_heap(j, word);
}

static void
compare_roots(struct judged *j, const struct memory_thread *os)
{
	struct oracle_line line;
	const char *at = NULL;

	while (next_root(j, &at, &line)) {
		if (is_known(j, &line))
			j->known++;
		else if (is_off_heap(j, &line))
			j->elsewhere++;
		else if (is_scanned(j, &line, os))
			j->scanned++;
		else
			fail_msg("%s: we lack the root %.*s", j->what, (int)line.rest_len,
				 line.rest);
	}
}

/* A thread in cooperative mode has frames that ClrMD lacks. */
static void
compare_slots(const struct judged *j, const struct clr_thread *t)
{
	for (size_t i = 0; i < j->refs.slots_count; i++) {
		const struct clr_frame_slot *slot = &j->refs.slots[i];
		struct oracle_line line;
		const char *at = NULL;
		bool is_found = false;

		if (!slot->is_known || !is_in_heap(j, slot->value))
			continue;
		while (!is_found && next_root(j, &at, &line))
			is_found = is_same(&line, slot) || oracle_hex(&line, 2) == slot->value;
		if (!is_found && t->mode != THREAD_COOPERATIVE)
			fail_msg("%s: thread %" PRIu64 ": ClrMD lacks the root at 0x%" PRIx64
				 " (frame %" PRIu32 "), 0x%" PRIx64,
				 j->what, j->os_id, slot->place, slot->frame, slot->value);
	}
}

static void
compare_thread(struct judged *j, const struct memory_thread *os)
{
	const struct clr_thread *t =
	    clr_thread_find(j->runtime, CLR_THREAD_BY_OS_ID, (uint64_t)os->tid);
	struct error err = { 0 };

	if (!t)
		return;
	j->os_id = (uint64_t)os->tid;
	assert_ok(clr_frame_refs_read(&j->refs, j->runtime, t, os, j->info, &err), &err);
	j->threads++;
	j->frames += j->refs.frames;
	j->unknown_frames += j->refs.unknown_frames;
	compare_roots(j, os);
	compare_slots(j, t);
	clr_frame_refs_clear(&j->refs);
}

void
judge_refs(const char *what, const struct oracle *o, const struct memory *m)
{
	struct judged j = { .what = what, .oracle = o };
	struct error err = { 0 };

	j.runtime = clr_runtime_open(m, &err);
	assert_ok(j.runtime, &err);
	j.heaps = clr_heaps_open(j.runtime, &err);
	assert_ok(j.heaps, &err);
	j.info = gc_info_new(&err);
	assert_ok(j.info, &err);
	for (size_t i = 0; i < m->threads_count; i++)
		compare_thread(&j, &m->threads[i]);
	printf("%s: of %u roots of %u threads %u are the same, %u are scanned, %u lead off the "
	       "heap; %u of %u frames are unknown\n",
	       what, j.known + j.scanned + j.elsewhere, j.threads, j.known, j.scanned, j.elsewhere,
	       j.unknown_frames, j.frames);
	gc_info_free(j.info);
	clr_heaps_close(j.heaps);
	clr_runtime_close(j.runtime);
}
