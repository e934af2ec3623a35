/*
 * A stream that is read faster than it is decoded waits in memory, but only so much of it: then its
 * sender waits, and nothing is lost.
 */
#include "capture/events/drain.h"
#include "tests/drive/run_tests.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MIB = 1 << 20, LIMIT_MIB = 4, SENT_MIB = 32 };

static uint8_t
byte_at(uint64_t place)
{
	return (uint8_t)(place ^ place >> 8 ^ place >> 16);
}

/* What the other end takes at once, at most `len` more; the end behind all. */
static void
send_some(int fd, uint64_t *sent)
{
	uint8_t some[4096];

	while (*sent < (uint64_t)SENT_MIB * MIB) {
		ssize_t n;

		for (size_t i = 0; i < sizeof some; i++)
			some[i] = byte_at(*sent + i);
		n = send(fd, some, sizeof some, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0) {
			assert_true(errno == EAGAIN || errno == EINTR);
			return;
		}
		*sent += (uint64_t)n;
		if (*sent == (uint64_t)SENT_MIB * MIB)
			assert_int_equal(shutdown(fd, SHUT_WR), 0);
	}
}

TEST(test_decoder_that_lags_behind)
{
	struct error err = { 0 };
	struct drain *d = drain_new((uint64_t)LIMIT_MIB * MIB, &err);
	struct nettrace_input in = drain_input(d);
	struct drain_facts facts = { 0 };
	uint64_t sent = 0, taken = 0;
	const uint8_t *data;
	size_t len = 1;
	int ends[2];

	assert_non_null(d);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	assert_true(drain_start(d, ends[0], -1, &err));
	while (!facts.waits_count && !facts.has_ended) {
		send_some(ends[1], &sent);
		sched_yield();
		drain_facts(d, &facts);
	}
	/* Nothing was decoded yet, and not all has been read. */
	assert_int_equal(facts.waits_count, 1);
	assert_int_equal(facts.backlog_peak, facts.bytes);
	assert_in_range(facts.bytes, LIMIT_MIB * MIB, (LIMIT_MIB + 1) * MIB);
	while (len) {
		send_some(ends[1], &sent);
		assert_true(in.next(in.context, &data, &len, &err));
		for (size_t i = 0; i < len; i++)
			if (data[i] != byte_at(taken + i))
				fail_msg("byte %d", (int)(taken + i));
		taken += len;
	}
	assert_int_equal(taken, (uint64_t)SENT_MIB * MIB);
	drain_facts(d, &facts);
	assert_true(facts.has_ended);
	assert_in_range(facts.backlog_peak, LIMIT_MIB * MIB, (LIMIT_MIB + 1) * MIB);
	drain_free(d);
	close(ends[0]);
	close(ends[1]);
}
