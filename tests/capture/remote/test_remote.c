/*
 * The other side of a connection may send anything: a script in place of a shell says that the
 * agent runs, then sends messages that the test has written down.
 */
#include "capture/remote/frame.h"
#include "capture/remote/link.h"
#include "capture/remote/remote.h"
#include "capture/remote/wire.h"
#include "io/base/input.h"
#include "io/heaptop/heaptop.h"
#include "model/allocations/allocations.h"
#include "model/base/clock.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/made/text_heap.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char version[] = "heaptop of this test";
static char shown[4096];

static void
show(const char *line)
{
	size_t len = strlen(shown);

	snprintf(shown + len, sizeof(shown) - len, "%s\n", line);
}

static bool
find_program(const char *machine, char *path, size_t path_size)
{
	(void)machine;
	snprintf(path, path_size, "%s", in_folder("program"));
	return true;
}

/* A command for --via that answers the script as `says` does, in shell. */
static struct carrier_options
command_that(const char *says)
{
	static char command[400];
	char script[1000];

	snprintf(script, sizeof(script), "read -r line\neval \"$line\"\n%s\n", says);
	file_write(in_folder("shell"), script, strlen(script));
	snprintf(command, sizeof(command), "sh '%s'", in_folder("shell"));
	return (struct carrier_options){
		.command = command, .version = "", .find_program = find_program, .show = show
	};
}

/* --- messages --------------------------------------------------------------
 */

/* The file that is sent after the question of this number; 0: at once. */
static int messages = -1;
static unsigned questions;

static const char *
messages_file(unsigned question)
{
	char name[32];

	snprintf(name, sizeof(name), "messages%u", question);
	return in_folder(name);
}

static void
open_messages(void)
{
	messages = open(messages_file(questions), O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(messages >= 0);
}

/* Further messages are sent after one more question. */
static void
after_question(void)
{
	close(messages);
	questions++;
	open_messages();
}

static void
send_bytes(uint32_t channel, enum frame_kind kind, const void *bytes, size_t len)
{
	assert_int_equal(frame_write(messages, channel, kind, bytes, len), 0);
}

static void
send_struct(uint32_t channel, enum frame_kind kind, enum wire_kind wire, const void *what)
{
	uint8_t bytes[WIRE_BYTES];

	send_bytes(channel, kind, bytes, wire_put(wire, what, bytes));
}

static void
send_end(uint32_t channel, enum error_kind kind, const char *message)
{
	struct wire_end end = { .err = { .kind = kind }, .capture = 7 };

	snprintf(end.err.message, sizeof(end.err.message), "%s", message);
	send_struct(channel, SAY_END, WIRE_END, &end);
}

/* Without a hello of this version nothing else is read. */
static void
begin(void)
{
	signal(SIGPIPE, SIG_IGN);
	questions = 0;
	open_messages();
	send_bytes(0, SAY_HELLO, version, strlen(version));
}

static bool
connect_after(struct error *err)
{
	static struct carrier_options options;
	const struct wire_ask ask = { 0 };
	uint8_t bytes[WIRE_BYTES];
	size_t question_len = FRAME_HEAD_BYTES + wire_put(WIRE_ASK, &ask, bytes);
	char says[800];
	int len;

	close(messages);
	/* The rest of the script, which ends with "box", is no question. */
	len = snprintf(says, sizeof(says),
		       "while read -r line && [ \"$line\" != box ]; do :; done\necho \"$nonce "
		       "run\"; cat '%s'",
		       messages_file(0));
	for (unsigned i = 1; i <= questions; i++)
		len +=
		    snprintf(says + len, sizeof(says) - (size_t)len,
			     "\nhead -c %zu >/dev/null; cat '%s'", question_len, messages_file(i));
	options = command_that(says);
	error_clear(err);
	return remote_open(&options, version, err);
}

static int
end(void **state)
{
	remote_close();
	unlink(in_folder("shell"));
	unlink(in_folder("program"));
	for (unsigned i = 0; i <= questions; i++)
		unlink(messages_file(i));
	return folder_remove(state);
}
#define TEST_OF_MESSAGES(name) TEST_BETWEEN(name, folder_make, end)

TEST_OF_MESSAGES(lists_processes)
{
	const struct live_process api = { .pid = 4711,
					  .name = "o'd \"api\"",
					  .private_bytes = UINT64_C(5) << 40 };
	struct live_process *all;
	struct error err;
	size_t count;

	begin();
	after_question();
	send_bytes(9, SAY_PROCESS, "other channel", 13);
	send_struct(1, SAY_PROCESS, WIRE_PROCESS, &api);
	send_end(1, ERROR_NONE, "");
	assert_ok(connect_after(&err), &err);
	all = remote_live_ops.list(&count, NULL, &err);
	assert_ok(all, &err);
	assert_int_equal(count, 1);
	assert_memory_equal(&all[0], &api, sizeof(api));
	memory_free(all);
}

/* Returns the heap as a file, to be freed. */
static char *
saved_file(const struct heap *h, size_t *len)
{
	struct error err = { 0 };
	struct output *to = output_open(in_folder("program"), true, &err);

	assert_ok(to && saved_write(to, h, NULL, NULL, &err) && output_close(to, &err), &err);
	return file_read(in_folder("program"), len);
}

TEST_OF_MESSAGES(captures_a_heap)
{
	const struct live_target target = { .pid = 4711 };
	const struct live_options options = { .budget_ms = UINT64_MAX };
	const struct live_card card = { .pid = 4711, .who = "process 4711 (api)" };
	struct wire_progress now = { .done = 5, .total = 9, .stage = "reading" };
	struct wire_end cost = { .text = "paused 1 ms", .is_complete = true };
	struct progress progress = { 0 };
	struct live_watch watch;
	struct live_capture *c;
	struct text_heap made;
	const struct heap *h = text_heap(&made, "a1:b1 b1:a1 !static:S=a1");
	struct error err;
	char text[256], *file;
	size_t len;

	begin();
	after_question();
	send_struct(1, SAY_CARD, WIRE_CARD, &card);
	send_end(1, ERROR_NONE, "");
	after_question();
	now.watch.bytes = 100;
	send_struct(2, SAY_PROGRESS, WIRE_PROGRESS, &now);
	file = saved_file(h, &len);
	heap_free(h);
	send_bytes(2, SAY_BYTES, file, len / 2);
	send_bytes(2, SAY_BYTES, file + len / 2, len - len / 2);
	free(file);
	send_struct(2, SAY_END, WIRE_END, &cost);
	assert_ok(connect_after(&err), &err);
	c = remote_live_ops.open(&target, &options, NULL, NULL, &err);
	assert_ok(c, &err);
	assert_non_null(strstr(remote_live_ops.card(c)->who, ": process 4711 (api)"));
	h = remote_live_ops.load(c, &progress, NULL, &err);
	assert_ok(h, &err);
	assert_int_equal(h->nodes_count, 2);
	assert_true(remote_live_ops.tell_cost(c, text, sizeof(text)));
	assert_string_equal(text, "paused 1 ms");
	remote_live_ops.watch(c, &watch);
	assert_int_equal(watch.bytes, 100);
	heap_free(h);
	remote_live_ops.free(c);
}

struct shown_types {
	struct preview preview;
	uint32_t most;
};

static void
count_types(void *context)
{
	struct shown_types *shown_types = context;

	if (shown_types->preview.types_count > shown_types->most)
		shown_types->most = shown_types->preview.types_count;
}

TEST_OF_MESSAGES(shows_types_and_bytes_before_the_end)
{
	const struct live_target target = { .pid = 4711 };
	const struct live_options options = { .budget_ms = UINT64_MAX };
	const struct live_card card = { .pid = 4711 };
	const struct wire_progress now = {
		.done = 1, .total = 4, .stage = "writing", .counted = "objects"
	};
	struct shown_types types = { .most = 0 };
	struct progress progress = { 0 };
	struct live_capture *c;
	struct text_heap made;
	const struct heap *h = text_heap(&made, "a1:b1 b1:a1 !static:S=a1");
	struct error err;
	size_t len;
	char *file;

	preview_init(&types.preview);
	types.preview.wake = count_types;
	types.preview.wake_context = &types;
	begin();
	after_question();
	send_struct(1, SAY_CARD, WIRE_CARD, &card);
	send_end(1, ERROR_NONE, "");
	after_question();
	file = saved_file(h, &len);
	send_bytes(2, SAY_BYTES, file, 20);
	send_bytes(2, SAY_BYTES, file + 20, len - 20 - 50);
	send_struct(2, SAY_PROGRESS, WIRE_PROGRESS, &now);
	send_end(2, ERROR_ATTACH, "killed");
	free(file);
	assert_ok(connect_after(&err), &err);
	c = remote_live_ops.open(&target, &options, NULL, NULL, &err);
	assert_ok(c, &err);
	assert_null(remote_live_ops.load(c, &progress, &types.preview, &err));
	assert_int_equal(types.most, h->types_count);
	assert_null(types.preview.types);
	assert_string_equal(atomic_load(&progress.stage), "receiving");
	assert_int_equal(progress.done, len - 50);
	assert_int_equal(progress.total, 4 * (len - 50));
	heap_free(h);
	remote_live_ops.free(c);
	preview_clear(&types.preview);
}

TEST_OF_MESSAGES(says_whose_heap_cannot_be_read)
{
	const struct live_target target = { .pid = 4711 };
	const struct live_options options = { .budget_ms = UINT64_MAX };
	const struct live_card card = { .pid = 4711 };
	struct live_capture *c;
	struct error err;

	begin();
	after_question();
	send_struct(1, SAY_CARD, WIRE_CARD, &card);
	send_end(1, ERROR_NONE, "");
	after_question();
	send_bytes(2, SAY_BYTES, "no heap", 7);
	send_end(2, ERROR_NONE, "");
	assert_ok(connect_after(&err), &err);
	c = remote_live_ops.open(&target, &options, NULL, NULL, &err);
	assert_ok(c, &err);
	assert_null(remote_live_ops.load(c, NULL, NULL, &err));
	assert_non_null(strstr(err.message, ": the heap that it has sent cannot be read: "));
	remote_live_ops.free(c);
}

TEST_OF_MESSAGES(plans_a_recording)
{
	const struct live_target target = { .pid = 4711 };
	const struct wire_end sent = { .who = "process 4711 (api)",
				       .buffer_mb = 64,
				       .survival_stop_ns = 9000000,
				       .sessions = 1,
				       .target = { .limit_bytes = 5, .limit = "memory.max" } };
	struct live_allocations plan = { .time_ns = 1 };
	struct error err;

	begin();
	after_question();
	send_struct(1, SAY_END, WIRE_END, &sent);
	assert_ok(connect_after(&err), &err);
	assert_ok(remote_live_ops.plan_allocations(&target, &plan, NULL, &err), &err);
	assert_non_null(strstr(plan.who, ": process 4711 (api)"));
	assert_int_equal(plan.buffer_mb, 64);
	assert_int_equal(plan.survival_stop_ns, 9000000);
	assert_int_equal(plan.sessions, 1);
	assert_string_equal(plan.target.limit, "memory.max");
}

static void
send_half(void)
{
	assert_int_equal(write(messages, "\1\0\0\0\12\0\0\0\377", 9), 9);
}

/* --- recordings ------------------------------------------------------------
 */

/* The first part of a real recording, as the agent would send it. */
static void
send_recording(uint32_t channel, double part)
{
	struct input in;
	struct error err;
	size_t len;

	error_clear(&err);
	assert_ok(input_open(&in, "tests/data/allocations-10.nettrace.zst", NULL, &err), &err);
	len = (size_t)((double)in.len * part);
	for (size_t at = 0; at < len; at += 5000)
		send_bytes(channel, SAY_BYTES, in.data + at, len - at < 5000 ? len - at : 5000);
	input_close(&in);
}

static void
send_list(uint32_t channel)
{
	const struct wire_code code = { .start = 0x1000, .end = 0x2000, .path = "/app/Shop.dll" };

	send_recording(channel, 1); /* with events of methods at its end */
	send_struct(channel, SAY_CODE, WIRE_CODE, &code);
	send_end(channel, ERROR_NONE, "");
}

static void
publish(void *context, struct allocations *a)
{
	struct allocations **newest = context;

	allocations_free(*newest);
	*newest = a;
}

static struct allocations *
recorded(uint64_t interval_ns, struct error *err)
{
	const struct live_target target = { .pid = 4711 };
	const struct live_allocations plan = { .who = "web: process 4711", .is_random = true };
	struct allocations *a = NULL;
	const struct allocation_sink sink = { .publish = publish,
					      .context = &a,
					      .interval_ns = interval_ns };

	assert_ok(connect_after(err), err);
	if (!remote_live_ops.allocations(&target, &plan, sink, NULL, err)) {
		allocations_free(a);
		return NULL;
	}
	return a;
}

TEST_OF_MESSAGES(records_with_names)
{
	struct wire_end ended = { .text = "process 4711 has ended" };
	struct allocations *a;
	struct error err;

	begin();
	after_question();
	send_list(1);
	after_question();
	send_recording(2, 1);
	send_struct(2, SAY_END, WIRE_END, &ended);
	a = recorded(1, &err);
	assert_ok(a, &err);
	assert_true(a->facts.total.samples > 100);
	assert_string_equal(a->facts.end, "process 4711 has ended");
	assert_string_equal(a->facts.who, "web: process 4711");
	assert_int_equal(a->unknown_count, 0);
	allocations_free(a);
}

/* A screen keeps what has arrived; a table that is only printed fails. */
static const uint64_t intervals[] = { 1, 0 };

TEST_OF_MESSAGES(keeps_a_recording_whose_connection_is_lost)
{
	for (int i = 0; i < 2; i++) {
		struct allocations *a;
		struct error err;

		begin();
		after_question();
		send_list(1);
		after_question();
		send_recording(2, 0.5); /* before its methods */
		send_half();
		a = recorded(intervals[i], &err);
		if (intervals[i]) {
			assert_ok(a, &err);
			assert_true(a->facts.total.samples > 100);
			assert_true(a->facts.is_cut);
			assert_int_equal(a->unknown_count, 0);
			assert_non_null(strstr(a->facts.end, "the connection to sh has "));
		} else {
			assert_null(a);
			assert_int_equal(err.kind, ERROR_ATTACH);
		}
		allocations_free(a);
		remote_close();
	}
}

/* New code has names as soon as a further list has come, which is asked for while the recording
   goes on. */
TEST_OF_MESSAGES(lists_methods_again)
{
	struct allocations *a;
	struct error err;

	begin();
	after_question();
	send_recording(1, 0.01); /* no methods */
	send_end(1, ERROR_NONE, "");
	after_question();
	send_recording(2, 0.5);
	after_question();
	send_list(3);
	send_end(2, ERROR_NONE, "");
	a = recorded(1, &err);
	assert_ok(a, &err);
	assert_true(a->facts.total.samples > 100);
	assert_int_equal(a->unknown_count, 0);
	allocations_free(a);
}

/* A list that is no list of events fails what it would name. */
TEST_OF_MESSAGES(refuses_a_list_that_is_none)
{
	struct error err;

	begin();
	after_question();
	send_bytes(1, SAY_BYTES, "methods", 7);
	send_end(1, ERROR_NONE, "");
	assert_null(recorded(1, &err));
	assert_int_equal(err.kind, ERROR_INPUT);
	assert_non_null(strstr(err.message, "sh: the list of methods "));
}

/* --- what must be refused --------------------------------------------------
 */

static void
send_other_version(void)
{
	assert_int_equal(ftruncate(messages, 0), 0);
	lseek(messages, 0, SEEK_SET);
	send_bytes(0, SAY_HELLO, "heaptop of another", 18);
}

static void
send_text(void)
{
	assert_int_equal(write(messages, "Permission denied, please", 25), 25);
}

static void
send_bad_card(void)
{
	const struct live_card card = { .plan = (enum live_plan)99 };

	after_question();
	send_struct(1, SAY_CARD, WIRE_CARD, &card);
	send_end(1, ERROR_NONE, "");
}

static void
send_long_card(void)
{
	uint8_t bytes[WIRE_BYTES] = { 0 };

	after_question();
	send_bytes(1, SAY_CARD, bytes, sizeof(bytes));
	send_end(1, ERROR_NONE, "");
}

static void
send_error(void)
{
	after_question();
	send_end(1, ERROR_ATTACH, "process 4711 has ended");
}

static void
send_cancelled(void)
{
	after_question();
	send_end(1, ERROR_CANCELLED, "");
}

static void
send_limit(void)
{
	struct wire_end end = { .err.kind = ERROR_NONE };

	after_question();
	error_limit(&end.err, UINT64_C(3) << 30, 1 << 30);
	send_struct(1, SAY_END, WIRE_END, &end);
}

static const struct refused {
	const char *name;
	void (*send)(void);
	enum error_kind kind;
	const char *message;
} refused[] = {
	{ "other_version", send_other_version, ERROR_ATTACH, "is of another version" },
	{ "text", send_text, ERROR_INPUT, "are not heaptop's messages" },
	{ "half", send_half, ERROR_ATTACH, "the connection to sh has ended" },
	{ "bad_card", send_bad_card, ERROR_INPUT, "a number is too large" },
	{ "long_card", send_long_card, ERROR_INPUT, "cannot be read" },
	{ "error", send_error, ERROR_ATTACH, ": process 4711 has ended" },
	{ "limit", send_limit, ERROR_SYSTEM, "sh: this needs at least 3073 MiB there" },
	{ "cancelled", send_cancelled, ERROR_ATTACH, ": it was cancelled there" },
};

BEGIN_TEST(refuses, ROWS_OF(refused), .before = folder_make, .after = end)
{
	const struct live_target target = { .pid = 4711 };
	const struct live_options options = { .budget_ms = UINT64_MAX };
	const struct refused *row = *state;
	struct error err;

	begin();
	row->send();
	if (connect_after(&err))
		assert_null(remote_live_ops.open(&target, &options, NULL, NULL, &err));
	assert_int_equal(err.kind, row->kind);
	if (!strstr(err.message, row->message))
		fail_msg("\"%s\" without \"%s\"", err.message, row->message);
}

/* --- labels ----------------------------------------------------------------
 */

/* No label has a part of a command that may be a secret. */
TEST(labels_have_no_secrets)
{
	static const char *const rows[][3] = {
		{ "web-1", NULL, "web-1" },
		{ NULL, "docker exec -i web", "docker web" },
		{ NULL, "/usr/bin/docker exec -e TOKEN=s -i web", "docker web" },
		{ NULL, "kubectl exec -i web-6f57 -c side --", "kubectl web-6f57" },
		{ NULL, "kubectl exec -it pod/web --", "kubectl pod/web" },
		{ NULL, "ssh -J jump root@box", "ssh root@box" },
		{ NULL, "PASSWORD=s ssh -T box", "ssh box" },
		{ NULL, "sshpass -p s3cret ssh box", "sshpass box" },
		{ NULL, "tool --token s3cret", "tool" },
		{ NULL, "tool -H 'Key: a s3cret'", "tool" },
		{ NULL, "tool -H \"Key: \\\" a s3cret\"", "tool" },
		{ NULL, "tool -H Key\\ s3cret", "tool" },
		{ NULL, "tool https://user:s3cret@box", "tool" },
		{ NULL, "'a b' web", "command web" },
		{ NULL, "echo hello; tool --key=s3cret", "echo tool" },
		{ NULL, "", "command" },
		{ NULL, "  \t", "command" },
		{ NULL, "'", "command" },
		{ NULL, "\\", "command" },
		{ NULL, "A=1", "command" },
		{ NULL, "\033[31m", "command" },
		{ NULL, "a-very-long-name-of-a-program and-a-longer-name-of-a-container-0123456789",
		  "a-very-long-nam…f-a-container-0123456789" },
	};
	char label[CARRIER_LABEL_BYTES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		carrier_label(rows[i][0], rows[i][1], label);
		assert_string_equal(label, rows[i][2]);
	}
}

/* --- the shell -------------------------------------------------------------
 */

static const struct shell {
	const char *name, *says, *message;
} shells[] = {
	{ "terminal", "printf '# %s fail terminal\\r\\n' \"$nonce\"", "leave out -t" },
	{ "machine", "echo \"$nonce want s390x\"", "of the kind s390x" },
	{ "unknown", "echo \"$nonce fail like %s%n never before\"", "like %s%n never before" },
	{ "place", "echo \"$nonce fail place /tmp (no), /x (no)\"",
	  "nowhere there: /tmp (no), /x (no); set TMPDIR" },
	{ "silent", ":", "before a shell answered" },
	{ "noise", "yes", "text without end" },
	{ "line", "cat /dev/zero", "text without end" },
	{ "answers", "while echo \"$nonce shell\"; do :; done", "text without end" },
	{ "error", "echo why >&2; exit 5", "has ended with status 5" },
	{ "late", "echo \"$nonce run\"; echo killed >&2; exit 9", "has ended with status 9" },
};

BEGIN_TEST(fails_in_words, ROWS_OF(shells), .before = folder_make, .after = end)
{
	const struct shell *row = *state;
	struct carrier_options options;
	struct error err;

	signal(SIGPIPE, SIG_IGN);
	options = command_that(row->says);
	error_clear(&err);
	assert_false(remote_open(&options, version, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	if (!strstr(err.message, row->message))
		fail_msg("\"%s\" without \"%s\"", err.message, row->message);
}

TEST_OF_MESSAGES(says_why_no_shell_has_answered)
{
	static const char *const rows[][2] = {
		{ "env A=1 sh", "before a shell answered; heaptop appends sh to the command: leave "
				"out its last word" },
		{ "/bin/sh", "leave out its last word" },
		{ "true", "docker and kubectl need -i" },
		{ "true push", "docker and kubectl need -i" },
	};

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct carrier_options options = { .command = rows[i][0],
							 .version = version };
		struct error err = { 0 };

		assert_false(remote_open(&options, version, &err));
		if (!strstr(err.message, rows[i][1]))
			fail_msg("\"%s\" without \"%s\"", err.message, rows[i][1]);
	}
}

/* The announced sum is that of cksum(1), and the bytes arrive. */
TEST_OF_MESSAGES(sends_the_program)
{
	struct carrier_options options;
	uint8_t bytes[3000];
	struct error err;

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i >> 3);
	file_write(in_folder("program"), bytes, sizeof(bytes));
	shown[0] = '\0';
	options = command_that("while read -r line && [ \"$line\" != box ]; do :; done\n"
			       "echo \"$nonce want aarch64\"\n"
			       "read -r size sum\n"
			       "[ \"$(head -c \"$size\" | cksum)\" = \"$sum $size\" ] && echo "
			       "\"$nonce fail it has arrived\"");
	error_clear(&err);
	assert_false(remote_open(&options, version, &err));
	assert_non_null(strstr(err.message, "it has arrived"));
	assert_non_null(strstr(shown, "sending heaptop to sh, "));
}

/* A box that never has enough is not sent the program for ever. */
TEST_OF_MESSAGES(sends_the_program_twice_at_most)
{
	static const uint8_t bytes[3000];
	struct carrier_options options;
	struct error err;
	char *said;

	signal(SIGPIPE, SIG_IGN);
	file_write(in_folder("program"), bytes, sizeof(bytes));
	file_write(in_folder("said"), "", 0);
	options = command_that("while read -r line && [ \"$line\" != box ]; do :; done\n"
			       "for i in 1 2 3 4 5 6; do\n"
			       "echo \"$nonce want aarch64\"; read -r size sum || exit 1\n"
			       "head -c \"$size\" | wc -c >>\"${0%/*}/said\"\ndone");
	error_clear(&err);
	assert_false(remote_open(&options, version, &err));
	assert_string_equal(err.message,
			    "sh asks for heaptop again and again, after it was sent 2 times");
	said = file_read(in_folder("said"), NULL);
	assert_string_equal(said, "3000\n3000\n");
	free(said);
	unlink(in_folder("said"));
}

/* A signal that ends heaptop while it connects ends the command, too. */
TEST_OF_MESSAGES(ends_with_its_command)
{
	struct carrier_options options;
	struct pollfd p = { .events = POLLIN };
	char command[400], byte;
	int ends[2], status;
	struct error err;
	pid_t child;

	options = command_that("echo >&9; exec sleep 99");
	snprintf(command, sizeof(command), "exec %s", options.command);
	options.command = command;
	assert_int_equal(pipe(ends), 0);
	p.fd = ends[0];
	error_clear(&err);
	child = fork();
	if (!child) {
		dup2(ends[1], 9);
		close(ends[1]);
		_exit(remote_open(&options, version, &err));
	}
	close(ends[1]);
	assert_int_equal(read(p.fd, &byte, 1), 1);
	assert_int_equal(kill(child, SIGTERM), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	/* The pipe ends when the command, too, has closed it. */
	assert_int_equal(poll(&p, 1, 20000), 1);
	assert_int_equal(read(p.fd, &byte, 1), 0);
	close(p.fd);
}

/* A command that reads no more is given up. */
TEST_OF_MESSAGES(gives_up_a_command_that_does_not_read)
{
	static uint8_t bytes[300000]; /* more than a pipe has room for */
	struct carrier_options options;
	struct error err;

	signal(SIGPIPE, SIG_IGN);
	file_write(in_folder("program"), bytes, sizeof(bytes));
	options = command_that("echo \"$nonce want aarch64\"\n"
			       "exec sleep 9");
	options.silent_max_ms = 300;
	error_clear(&err);
	assert_false(remote_open(&options, version, &err));
	assert_int_equal(err.kind, ERROR_ATTACH);
	assert_string_equal(err.message, "sh has read nothing of what was sent for 0 s");
}

/* The screen's thread frees captures, and waits for threads that stop. */
TEST_OF_MESSAGES(frees_a_capture_though_nothing_is_read)
{
	const struct wire_ask question = { .capture = 7 };
	struct carrier_options options;
	struct answer *a;
	struct link *l;
	struct error err;
	int64_t begun;

	begin();
	close(messages);
	options = command_that("echo \"$nonce run\"\n"
			       "cat \"${0%/*}/messages0\"\n"
			       "exec sleep 9");
	options.silent_max_ms = 2000;
	error_clear(&err);
	l = link_open(&options, version, &err);
	assert_ok(l, &err);
	do { /* until the pipe is full */
		a = link_ask(l, ASK_PLAN, &question, &err);
		answer_free(a);
	} while (a);
	assert_non_null(strstr(err.message, "cannot send to sh"));
	error_clear(&err);
	begun = clock_ns();
	assert_null(link_ask(l, ASK_FREE, &question, &err));
	assert_in_range(clock_ns() - begun, 0, INT64_C(1500000000));
	link_close(l);
}

/* A command that neither ends nor sends the rest of a message is ended. */
TEST_OF_MESSAGES(leaves_a_command_that_hangs)
{
	struct carrier_options options;
	struct error err;
	int64_t begun;

	begin();
	assert_int_equal(write(messages, "\1\0\0\0\12\0\0\0\377", 9), 9);
	close(messages);
	options = command_that("echo \"$nonce run\"\n"
			       "cat \"${0%/*}/messages0\"\n"
			       "exec sleep 9 <&-");
	error_clear(&err);
	assert_ok(remote_open(&options, version, &err), &err);
	begun = clock_ns();
	remote_close();
	assert_in_range(clock_ns() - begun, 0, INT64_C(5500000000));
}
