/*
 * Faults that a real program has, and findings about them by every way to its heap: from its
 * memory, as a core, by the events of its runtime, and as the .gcdump of either. The same program
 * without the fault has no such finding.
 */
#include "model/analysis/finding_text.h"
#include "tests/drive/captures.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	EVERY_WAY = (1 << WAYS) - 1,
	WITHOUT_VALUES = 1 << BY_MEMORY_GCDUMP | 1 << BY_EVENTS | 1 << BY_GCDUMP,
	/* Events follow a collection, which leaves no garbage. */
	BEFORE_EVENTS = 1 << BY_MEMORY | 1 << BY_MEMORY_GCDUMP | 1 << BY_CORE,
	/* Only memory has locks. */
	WITH_LOCKS = 1 << BY_MEMORY | 1 << BY_CORE
};

/* Rows of the same program stand together: it is started and read once for them. */
/* clang-format off */
static const struct planted {
	const char *name, *version, *faults, *options[2];
	const struct finding_kind *kind;
	const char *type;  /* of the finding */
	unsigned ways;     /* that show it, as bits; 0: none may */
	/* The type that is waited for, and the type of the program that refers to it. NULL: not
	   compared. */
	const char *awaited, *owner;
} rows[] = {
	/* name                   version faults           options                          kind                   type             ways */
	{ "holes, 8.0",           "8.0",  "fragmentation", { NULL, NULL },                  &finding_fragmentation, "byte[]",        EVERY_WAY, NULL, NULL },
	{ "holes, 9.0",           "9.0",  "fragmentation", { NULL, NULL },                  &finding_fragmentation, "byte[]",        EVERY_WAY, NULL, NULL },
	{ "holes, 10.0",          "10.0", "fragmentation", { NULL, NULL },                  &finding_fragmentation, "byte[]",        EVERY_WAY, NULL, NULL },
	{ "holes, renamed",       "10.0", "fragmentation", { "--renamed", "--look-alikes" }, &finding_fragmentation, "long[]",        EVERY_WAY, NULL, NULL },
	{ "holes by pins",        "10.0", "pins",          { NULL, NULL },                  &finding_fragmentation, "byte[]",        EVERY_WAY, NULL, NULL },
	{ "no holes",             "10.0", "rootless",      { "--look-alikes", NULL },       &finding_fragmentation, NULL,            0, NULL, NULL },
	{ "no callbacks",         "10.0", "rootless",      { "--look-alikes", NULL },       &finding_registration,  NULL,            0, NULL, NULL },
	{ "all are disposed",     "10.0", "rootless",      { "--look-alikes", NULL },       &finding_disposable,    NULL,            0, NULL, NULL },
	{ "no root, 8.0",         "8.0",  "rootless",      { NULL, NULL },                  &finding_unrooted,      "Ingest.Record", BEFORE_EVENTS, NULL, NULL },
	{ "no root, 9.0",         "9.0",  "rootless",      { NULL, NULL },                  &finding_unrooted,      "Ingest.Record", BEFORE_EVENTS, NULL, NULL },
	{ "no root, 10.0",        "10.0", "rootless",      { NULL, NULL },                  &finding_unrooted,      "Ingest.Record", BEFORE_EVENTS, NULL, NULL },
	{ "no root, renamed",     "10.0", "rootless",      { "--renamed", NULL },           &finding_unrooted,      "Zz.A8",         BEFORE_EVENTS, NULL, NULL },
	{ "all have roots",       "10.0", "fragmentation", { "--look-alikes", NULL },       &finding_unrooted,      NULL,            0, NULL, NULL },
	{ "finalizer, 8.0",       "8.0",  "finalizer",     { NULL, NULL },                  &finding_finalizer,     "Ingest.NativeDoc", EVERY_WAY, NULL, NULL },
	{ "finalizer, 9.0",       "9.0",  "finalizer",     { NULL, NULL },                  &finding_finalizer,     "Ingest.NativeDoc", EVERY_WAY, NULL, NULL },
	{ "finalizer, 10.0",      "10.0", "finalizer",     { NULL, NULL },                  &finding_finalizer,     "Ingest.NativeDoc", EVERY_WAY, NULL, NULL },
	{ "finalizer, 11.0",      "11.0", "finalizer",     { NULL, NULL },                  &finding_finalizer,     "Ingest.NativeDoc", EVERY_WAY, NULL, NULL },
	{ "finalizer, renamed",   "10.0", "finalizer",     { "--renamed", "--look-alikes" }, &finding_finalizer,    "Zz.A3",         EVERY_WAY, NULL, NULL },
	{ "no finalizer",         "10.0", "locks",         { "--look-alikes", NULL },       &finding_finalizer,     NULL,            0, NULL, NULL },
	{ "no semaphore",         "10.0", "locks",         { "--look-alikes", NULL },       &finding_async,         NULL,            0, NULL, NULL },
	{ "lock, 8.0",            "8.0",  "locks",         { NULL, NULL },                  &finding_lock,          "object",        WITH_LOCKS, NULL, "Ingest.Ledger" },
	{ "lock, 9.0",            "9.0",  "locks",         { NULL, NULL },                  &finding_lock,          "object",        WITH_LOCKS, NULL, "Ingest.Ledger" },
	{ "lock, 10.0",           "10.0", "locks",         { NULL, NULL },                  &finding_lock,          "object",        WITH_LOCKS, NULL, "Ingest.Ledger" },
	{ "lock, 11.0",           "11.0", "locks",         { NULL, NULL },                  &finding_lock,          "object",        WITH_LOCKS, NULL, "Ingest.Ledger" },
	{ "Lock, 10.0",           "10.0", "locks",         { "--new-lock", NULL },          &finding_lock,          "Lock", WITH_LOCKS, NULL, "Ingest.NewLedger" },
	{ "Lock, 11.0",           "11.0", "locks",         { "--new-lock", NULL },          &finding_lock,          "Lock", WITH_LOCKS, NULL, "Ingest.NewLedger" },
	{ "lock, renamed",        "10.0", "locks",         { "--renamed", "--look-alikes" }, &finding_lock,         "object",        WITH_LOCKS, NULL, "Zz.A9" },
	{ "blocked, 8.0",         "8.0",  "blocked",       { NULL, NULL },                  &finding_blocked,       "Thread",        WITH_LOCKS, NULL, NULL },
	{ "blocked, 9.0",         "9.0",  "blocked",       { NULL, NULL },                  &finding_blocked,       "Thread",        WITH_LOCKS, NULL, NULL },
	{ "blocked, 10.0",        "10.0", "blocked",       { NULL, NULL },                  &finding_blocked,       "Thread",        WITH_LOCKS, NULL, NULL },
	{ "blocked, renamed",     "11.0", "blocked",       { "--renamed", "--look-alikes" }, &finding_blocked,      "Thread",        WITH_LOCKS, NULL, NULL },
	{ "none blocked",         "10.0", "locks",         { "--look-alikes", NULL },       &finding_blocked,       NULL,            0, NULL, NULL },
	{ "no lock",              "10.0", "finalizer",     { "--look-alikes", NULL },       &finding_lock,          NULL,            0, NULL, NULL },
	{ "semaphore, 8.0",       "8.0",  "async",         { NULL, NULL },                  &finding_async,         "async Ingest.TenantGate.EnterAsync()", EVERY_WAY, "SemaphoreSlim", "Ingest.TenantGate" },
	{ "semaphore, 10.0",      "10.0", "async",         { NULL, NULL },                  &finding_async,         "async Ingest.TenantGate.EnterAsync()", EVERY_WAY, "SemaphoreSlim", "Ingest.TenantGate" },
	{ "semaphore, 11.0",      "11.0", "async",         { NULL, NULL },                  &finding_async,         "async Ingest.TenantGate.EnterAsync()", EVERY_WAY, "SemaphoreSlim", "Ingest.TenantGate" },
	{ "semaphore, renamed",   "10.0", "async",         { "--renamed", "--look-alikes" }, &finding_async,        "async Zz.A2.EnterAsync()", EVERY_WAY, "SemaphoreSlim", "Zz.A2" },
	{ "channel, 8.0",         "8.0",  "awaits",        { NULL, NULL },                  &finding_async,         "async Ingest.Feed.ReadAsync()", EVERY_WAY, "System.Threading.Channels.UnboundedChannel<int>", "Ingest.Feed" },
	{ "promise, folded",      "8.0",  "awaits",        { NULL, NULL },                  &finding_async,         "async Ingest.Feed.LoadAllAsync()", EVERY_WAY, "TaskCompletionSource<int>", "Ingest.Feed" },
	{ "socket, 8.0",          "8.0",  "awaits",        { NULL, NULL },                  &finding_async,         "async Ingest.Feed.ReceiveAsync()", EVERY_WAY, "System.Net.Sockets.Socket", NULL },
	{ "channel, 9.0",         "9.0",  "awaits",        { NULL, NULL },                  &finding_async,         "async Ingest.Feed.ReadAsync()", EVERY_WAY, "System.Threading.Channels.UnboundedChannel<int>", "Ingest.Feed" },
	{ "channel, renamed",     "10.0", "awaits",        { "--renamed", "--look-alikes" },        &finding_async,         "async Zz.B1.ReadAsync()",       EVERY_WAY, "System.Threading.Channels.UnboundedChannel<int>", "Zz.B1" },
	{ "channel, 11.0",        "11.0", "awaits",        { "--renamed", "--look-alikes" },        &finding_async,         "async Zz.B1.ReadAsync()",       EVERY_WAY, "System.Threading.Channels.UnboundedChannel<int>", "Zz.B1" },
	{ "promise, folded",      "10.0", "awaits",        { "--renamed", NULL },           &finding_async,         "async Zz.B1.LoadAllAsync()",    EVERY_WAY, "TaskCompletionSource<int>", "Zz.B1" },
	{ "delay",                "10.0", "awaits",        { NULL, NULL },                  &finding_async,         "async Ingest.Feed.RestAsync()", EVERY_WAY, "Task.DelayPromise", NULL },
	{ "socket, 10.0",         "10.0", "awaits",        { NULL, NULL },                  &finding_async,         "async Ingest.Feed.ReceiveAsync()", EVERY_WAY, "System.Net.Sockets.Socket", NULL },
	{ "callbacks, 8.0",       "8.0",  "cancellation",  { NULL, NULL },                  &finding_registration,  "Ingest.Job",    EVERY_WAY, NULL, NULL },
	{ "callbacks, 9.0",       "9.0",  "cancellation",  { NULL, NULL },                  &finding_registration,  "Ingest.Job",    EVERY_WAY, NULL, NULL },
	{ "callbacks, 10.0",      "10.0", "cancellation",  { NULL, NULL },                  &finding_registration,  "Ingest.Job",    EVERY_WAY, NULL, NULL },
	{ "callbacks, 11.0",      "11.0", "cancellation",  { NULL, NULL },                  &finding_registration,  "Ingest.Job",    EVERY_WAY, NULL, NULL },
	{ "callbacks, renamed",   "10.0", "cancellation",  { "--renamed", "--look-alikes" }, &finding_registration, "Zz.A1",         EVERY_WAY, NULL, NULL },
	{ "no callbacks, renamed", "10.0", "rootless",     { "--renamed", "--look-alikes" }, &finding_registration, NULL,            0, NULL, NULL },
	{ "streams, 8.0",         "8.0",  "disposables",   { NULL, NULL },                  &finding_disposable,    "FileStream",    EVERY_WAY, NULL, NULL },
	{ "streams, 9.0",         "9.0",  "disposables",   { NULL, NULL },                  &finding_disposable,    "FileStream",    EVERY_WAY, NULL, NULL },
	{ "streams, 10.0",        "10.0", "disposables",   { NULL, NULL },                  &finding_disposable,    "FileStream",    EVERY_WAY, NULL, NULL },
	{ "clients",              "10.0", "disposables",   { NULL, NULL },                  &finding_disposable,    "HttpClient", EVERY_WAY, NULL, NULL },
	{ "sockets",              "10.0", "disposables",   { NULL, NULL },                  &finding_disposable,    "System.Net.Sockets.Socket", EVERY_WAY, NULL, NULL },
	{ "streams, renamed",     "10.0", "disposables",   { "--renamed", "--look-alikes" }, &finding_disposable,   "Zz.A5",         EVERY_WAY, NULL, NULL },
	{ "clients, renamed",     "9.0",  "disposables",   { "--renamed", NULL },           &finding_disposable,    "Zz.A6",         EVERY_WAY, NULL, NULL },
	{ "sockets, renamed",     "8.0",  "disposables",   { "--renamed", NULL },           &finding_disposable,    "Zz.A7",         EVERY_WAY, NULL, NULL },
	{ "disposed streams",     "10.0", "rootless",      { "--disposed", NULL },          &finding_disposable,    "FileStream",    WITHOUT_VALUES, NULL, NULL },
	{ "timers",               "10.0", "timers",        { NULL, NULL },                  &finding_timer,         "Shop.Reservation", EVERY_WAY, NULL, NULL },
	{ "timers, 11.0",         "11.0", "timers",        { NULL, NULL },                  &finding_timer,         "Shop.Reservation", EVERY_WAY, NULL, NULL },
	{ "timers, renamed",      "10.0", "timers",        { "--renamed", "--look-alikes" }, &finding_timer,        "Zz.B4",         EVERY_WAY, NULL, NULL },
	{ "no timers",            "10.0", "cache",         { "--look-alikes", NULL },       &finding_timer,         NULL,            0, NULL, NULL },
};
/* clang-format on */

/* --- the programs -------------------------------------------------------- */

/* The program that has the fault. */
static const char *
program_of(const struct planted *p)
{
	static const char *const of_shop[] = { "handlers", "cache", "semaphore", "timers" };

	for (size_t i = 0; i < COUNT_OF(of_shop); i++)
		if (!strcmp(p->faults, of_shop[i]))
			return "shop";
	return "ingester";
}

/* --- what is found ---------------------------------------------------------
 */

static bool
has_locks(enum way way)
{
	return WITH_LOCKS >> way & 1;
}

/*
 * The names of the threads are those in the program. A core may lack the code of methods; the
 * object on the stack then names its finalizer.
 */
static void
check_blocker(const struct finding *f, enum way way)
{
	bool is_finalizer = f->kind == &finding_finalizer;
	const char *holder = is_finalizer ? "\"stuck-worker\"" : "\"hoarder\"";
	const char *method = is_finalizer ? "Ingest.NativeDoc.Close" : "Program.ManyWait lambda";

	if (!has_locks(way))
		return;
	assert_true(f->is_stall);
	if (!strstr(f->thread, holder) || strncmp(f->thread, "thread ", 7) != 0)
		fail_msg("%s: held by %s", way_names[way], f->thread);
	if (strncmp(f->name, method, strlen(method)) != 0 &&
	    !(way == BY_CORE && strstr(f->name, ".Finalize")))
		fail_msg("%s: in %s", way_names[way], f->name);
}

static const char *
name_of(const struct heap *h, type_id type)
{
	return type == TYPE_NONE ? "" : h->types[type].name;
}

/* Fails unless the sentence about the finding has these words. */
static void
expect_words(const struct heap *h, const struct finding *f, const char *words)
{
	const struct facts facts = { .heap = h, .types = h->types, .types_count = h->types_count };
	char bytes[FINDING_TEXT_BYTES];
	struct text text = text_in(bytes, sizeof bytes);

	finding_text(&facts, f, &text);
	if (!strstr(bytes, words))
		fail_msg("\"%s\" lacks \"%s\"", bytes, words);
}

static void
check_awaited(const struct heap *h, const struct planted *p, const struct finding *f)
{
	assert_string_equal(name_of(h, f->holder_type), p->awaited);
	assert_int_equal(f->holders_count, p->owner ? 1 : f->count);
	expect_words(h, f, ": all wait for ");
}

static void
check_finding(const struct heap *h, const struct planted *p, const struct finding *f, enum way way)
{
	bool has_values = way == BY_MEMORY || way == BY_CORE;

	assert_string_equal(name_of(h, f->type), p->type);
	if (p->owner)
		assert_string_equal(name_of(h, f->owner_type), p->owner);
	if (p->kind == &finding_async)
		check_awaited(h, p, f);
	if (p->kind == &finding_finalizer || p->kind == &finding_lock)
		check_blocker(f, way);
	if (p->kind == &finding_unrooted)
		expect_words(h, f,
			     way == BY_MEMORY_GCDUMP
				 ? "; garbage, or kept by roots that the file does not name"
				 : "; garbage that survived, which a full collection frees");
	if (p->kind == &finding_fragmentation && strcmp(p->faults, "pins") != 0)
		expect_words(h, f, " of the large object heap is free");
	else if (p->kind == &finding_fragmentation)
		expect_words(h, f, " of generation ");
	if (p->kind == &finding_disposable)
		assert_int_equal(f->is_guess, !has_values);
	if (p->kind == &finding_timer)
		assert_string_equal(f->name, has_values ? "Shop.Reservation.Expire" : "");
}

/* Several methods may wait for something; each has a finding. */
static bool
is_it(const struct heap *h, const struct planted *p, const struct finding *f)
{
	return f->kind == p->kind && (!p->type || !strcmp(name_of(h, f->type), p->type));
}

static void
check_findings(const struct heap *h, const struct planted *p, enum way way)
{
	struct error err = { 0 };
	struct findings_input in = { .heap = h };
	struct findings *found;
	uint32_t count = 0;

	in.reverse = reverse_compute(h, NULL, &err);
	in.reach = reach_compute(h, true, NULL, &err);
	assert_true(in.reverse && in.reach);
	found = findings_find(&in, NULL, &err);
	if (!found)
		fail_msg("%s", err.message);
	for (uint32_t i = 0; i < found->count; i++)
		if (is_it(h, p, &found->items[i])) {
			count++;
			if (p->ways)
				check_finding(h, p, &found->items[i], way);
			/* A stall is the first of all findings. */
			assert_true(i == 0 || !found->items[i].is_stall);
		}
	if (count != (p->ways >> way & 1))
		fail_msg("%s: %u findings of kind %s", way_names[way], count, p->kind->id);
	findings_free(found);
	reach_free(in.reach);
	reverse_free(in.reverse);
}

TEST_ROWS(test_planted, rows)
{
	const struct planted *p = *state;
	const char *const arguments[] = { "--faults", p->faults, p->options[0], p->options[1],
					  NULL };
	const struct heap *const *heaps;

	if (!target_program_exists(program_of(p), p->version)) {
		printf("skipped: no %s for .NET %s\n", program_of(p), p->version);
		return;
	}
	heaps = heaps_of(program_of(p), p->version, arguments);
	for (int way = 0; way < WAYS; way++)
		check_findings(heaps[way], p, (enum way)way);
}

TESTS_BETWEEN(NULL, heaps_forget);
