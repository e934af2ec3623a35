#include "tui/term/rescue.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int fatal[] = { SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGABRT,
			     SIGQUIT, SIGTRAP, SIGXCPU, SIGSYS };
enum {
	FATAL_COUNT = sizeof(fatal) / sizeof(fatal[0]),
	WAIT_MS = 1000,
	TRIES_MAX = 64,
};

/* Global because signal handlers have no context. */
static struct {
	atomic_bool is_armed;
	int terminal;
	struct termios modes;
	char bytes[RESCUE_BYTES];
	atomic_size_t len;
	struct sigaction before[FATAL_COUNT];
} rescue;

/* Signal handlers need their own stack in case of a stack overflow. */
static char handler_stack[65536];

/* Handles partial writes and interruptions by other signals. */
static void
bytes_send(void)
{
	struct pollfd out = { .fd = rescue.terminal, .events = POLLOUT };
	size_t len = rescue.len, at = 0;

	for (int i = 0; i < TRIES_MAX && at < len; i++) {
		ssize_t done = poll(&out, 1, WAIT_MS);

		if (done > 0)
			done = write(out.fd, rescue.bytes + at, len - at);
		if (done > 0)
			at += (size_t)done;
		else if (done == 0 || errno != EINTR)
			return; /* the terminal is gone or stuck */
	}
}

/*
 * Stays armed until it is done: if another fatal signal interrupts it, that handler must start
 * over, as this one is never resumed. Running twice does no harm. Modes come first, as the terminal
 * may be stopped and accept no bytes.
 */
void
rescue_now(void)
{
	int saved = errno;

	if (!atomic_load(&rescue.is_armed))
		return;
	signal(SIGTTOU, SIG_IGN); /* works in the background, too */
	tcsetattr(rescue.terminal, TCSANOW, &rescue.modes);
	bytes_send();
	atomic_store(&rescue.is_armed, false);
	errno = saved;
}

static void
handle_fatal(int number, siginfo_t *info, void *context)
{
	bool is_fault =
	    number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;

	(void)context;
	rescue_now();
	for (int i = 0; i < FATAL_COUNT; i++)
		if (fatal[i] == number)
			sigaction(number, &rescue.before[i], NULL);
	/* A fault recurs on return, so that the core shows its place. */
	if (info->si_code <= 0 || !is_fault)
		raise(number);
}

static void
watch_fatal(void)
{
	struct sigaction action = { .sa_sigaction = handle_fatal,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };

	sigemptyset(&action.sa_mask);
	sigaltstack(&stack, NULL);
	for (int i = 0; i < FATAL_COUNT; i++) {
		sigaction(fatal[i], &action, &rescue.before[i]);
		if (rescue.before[i].sa_handler == SIG_IGN)
			sigaction(fatal[i], &rescue.before[i], NULL);
	}
}

void
rescue_arm(int terminal, const struct termios *modes)
{
	static bool is_at_exit;

	rescue.terminal = terminal;
	rescue.modes = *modes;
	rescue.len = 0;
	atomic_store(&rescue.is_armed, true);
	watch_fatal();
	if (!is_at_exit)
		is_at_exit = atexit(rescue_now) == 0;
}

void
rescue_set_bytes(const char *bytes, size_t len)
{
	len = len < RESCUE_BYTES ? len : RESCUE_BYTES;
	rescue.len = 0; /* a signal may come now */
	memcpy(rescue.bytes, bytes, len);
	rescue.len = len;
}

void
rescue_disarm(void)
{
	atomic_store(&rescue.is_armed, false);
	for (int i = 0; i < FATAL_COUNT; i++)
		sigaction(fatal[i], &rescue.before[i], NULL);
}
