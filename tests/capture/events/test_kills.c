/*
 * A capture that is killed at the worst of moments: once before each thing
 * that it says to the runtime. Whatever the runtime has heard by then, the event sessions that it
 * opened end by themselves, without anybody else's collection. Up to .NET 9, and since .NET 11,
 * there is one exception: the one that collects may not end before the walk does, and is ended by
 * the last word. If all of its events were sent when that word is missing, it ends with the next
 * collection.
 */
#define _GNU_SOURCE
#include "tests/drive/captures.h"
#include "tests/drive/run_tests.h"
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Captured with one plan, and with the other. */
static const char *const small[] = { "--list", "3000", NULL };
static const char *const large[] = { "--list", "1500000", NULL };

/* On its way into a call by which something is said. */
static bool
is_step(pid_t child)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	return info.entry.nr == SYS_connect || info.entry.nr == SYS_sendto ||
	       info.entry.nr == SYS_sendmsg || info.entry.nr == SYS_write;
}

static void
be_watched(int32_t pid)
{
	struct capture_cost cost;
	struct error err;

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(127);
	raise(SIGSTOP);
	heap_free(capture_pid(pid, &cost, &err));
	_exit(0);
}

/*
 * Captures, and dies before its step `last`. False: it ended before, with
 * *is_allowed false where nobody may be watched.
 */
static bool
die_before(int32_t pid, unsigned last, bool *is_allowed)
{
	const int stop = SIGTRAP | 0x80;
	unsigned steps = 0;
	int status, number = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child)
		be_watched(pid);
	assert_int_equal(waitpid(child, &status, 0), child);
	*is_allowed = WIFSTOPPED(status);
	if (!*is_allowed)
		return false;
	assert_int_equal(
	    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL), 0);
	for (;;) {
		assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, number), 0);
		assert_int_equal(waitpid(child, &status, 0), child);
		if (!WIFSTOPPED(status))
			return false;
		number = WSTOPSIG(status) == stop ? 0 : WSTOPSIG(status);
		if (!number && is_step(child) && ++steps == last)
			break;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return true;
}

static void
check_each_step(const char *const arguments[])
{
	enum { STEPS_LEAST = 4, LAST_WORD = 2 /* connect, write */ };

	for (int i = 0; i < VERSIONS; i++) {
		struct target *t;
		bool is_allowed = true;
		unsigned last = 1, first_left = 0;

		if (is_skipped(versions[i]))
			continue;
		t = target_start(versions[i], TARGET_HERE, arguments, NULL);
		while (die_before(target_pid(t), last, &is_allowed)) {
			if (!has_last_word(versions[i])) {
				check_no_thread_left(t);
			} else if (is_thread_left(t)) {
				first_left = first_left ? first_left : last;
				check_next_collection_ends_it(t);
			}
			last++;
		}
		if (is_allowed)
			assert_true(last > STEPS_LEAST);
		if (first_left)
			assert_true(first_left + LAST_WORD >= last);
		target_free(t);
	}
}

TEST(small_heaps)
{
	check_each_step(small);
}

TEST(large_heaps)
{
	check_each_step(large);
}
