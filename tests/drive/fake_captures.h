#ifndef TESTS_DRIVE_FAKE_CAPTURES_H
#define TESTS_DRIVE_FAKE_CAPTURES_H

/*
 * Captures from fake runtimes (tests/made/fake_server.h) that send walks of a heap of objects that
 * refer to the next one each.
 */
#include "capture/events/live.h"
#include "tests/made/fake_server.h"
#include "tests/made/traces.h"

#define FAKE_TYPE UINT64_C(0x7f0000001000)
enum { FAKE_OBJECTS = 3000, FAKE_LOST = 200 };

static inline uint64_t
fake_address(uint64_t i)
{
	return 0x7f0000400000 + 32 * i;
}

struct fake_walks {
	struct trace whole;
	struct trace lossy, worse; /* FAKE_LOST references are lost, or more */
	struct trace fewer;        /* FAKE_LOST objects are lost */
	struct trace small;        /* of few objects */
};
/* There between these: set-up and teardown of cmocka. */
extern struct fake_walks walks;
int fake_walks_make(void **state);
int fake_walks_free(void **state);

/* One of .NET 10 that sends this, and that when it is asked again. */
struct fake_script fake_script_of(const struct trace *first, const struct trace *second);
const struct heap *fake_capture(struct fake_server *f, struct capture_cost *cost,
				struct error *err);
/* A runtime, a capture from it, and what came of that. */
struct fake_run {
	struct fake_server *f;
	struct capture_cost cost;
	const struct heap *h; /* NULL: `err` says why */
	struct error err;
};
/* Keeps the raw events in a file, unless that is NULL. */
struct fake_run fake_run(const struct fake_script *script, const char *keep_path);
void fake_run_end(struct fake_run *r);
/* Fails the test unless it is the heap of a whole walk. */
void check_fake_heap(const struct heap *h, struct error *err);
/* The same, if a session is left behind or two collected at once. */
void check_fake_sessions(struct fake_server *f);

#endif
