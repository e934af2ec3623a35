#include "tui/signals.h"
#include "model/clock.h"
#include "tui/rescue.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

enum { UNANSWERED_MAX = 3 };
static const int64_t deaf_ns = 2000000000; /* less may be a busy machine */

/* clang-format off */
static const struct {
	int number;
	enum event event;
} gentle[] = {
	{ SIGHUP,   EVENT_QUIT },
	{ SIGTERM,  EVENT_QUIT },
	{ SIGINT,   EVENT_INTERRUPT },
	{ SIGTSTP,  EVENT_SUSPEND },
	{ SIGCONT,  EVENT_CONTINUED },
	{ SIGWINCH, EVENT_RESIZE },
};
/* clang-format on */
enum { GENTLE_COUNT = sizeof(gentle) / sizeof(gentle[0]) };

/* While another program has the terminal, as in system(). */
static const struct {
	int number;
	void (*handler)(int number);
} aside[] = {
	{ SIGINT, SIG_IGN },
	{ SIGQUIT, SIG_IGN },
	{ SIGTSTP, SIG_DFL },
};
enum { ASIDE_COUNT = sizeof(aside) / sizeof(aside[0]) };

/* Signals have no context, so what they need is global. */
static int wake_pipe[2] = { -1, -1 };
static volatile sig_atomic_t unanswered;
static volatile int64_t unanswered_since;
static struct sigaction gentle_before[GENTLE_COUNT];
static struct sigaction aside_before[ASIDE_COUNT];

static void
wake_write(unsigned char event)
{
	int saved = errno;
	ssize_t written = write(wake_pipe[1], &event, 1);

	(void)written; /* full: there is enough to wake up for */
	errno = saved;
}

/* Nobody listens: the program hangs, and is told again and again. */
static bool
is_deaf(void)
{
	if (unanswered++ == 0)
		unanswered_since = clock_ns();
	return unanswered > UNANSWERED_MAX &&
	       clock_ns() - unanswered_since >= deaf_ns;
}

static void
handle_gentle(int number)
{
	for (int i = 0; i < GENTLE_COUNT; i++) {
		if (gentle[i].number != number)
			continue;
		wake_write((unsigned char)gentle[i].event);
		if (gentle[i].event > EVENT_INTERRUPT)
			return;
	}
	if (is_deaf()) {
		rescue_now();
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void
signals_watch(void)
{
	struct sigaction action = { .sa_handler = handle_gentle,
				    .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	unanswered = 0;
	for (int i = 0; i < GENTLE_COUNT; i++) {
		sigaction(gentle[i].number, &action, &gentle_before[i]);
		/* nohup, and shells without job control */
		if (gentle_before[i].sa_handler == SIG_IGN)
			sigaction(gentle[i].number, &gentle_before[i], NULL);
	}
}

static void
signals_unwatch(void)
{
	for (int i = 0; i < GENTLE_COUNT; i++)
		sigaction(gentle[i].number, &gentle_before[i], NULL);
}

static bool
wake_pipe_open(struct error *err)
{
	if (pipe(wake_pipe) < 0)
		return error_sys(err, errno, "cannot make a pipe");
	for (int i = 0; i < 2; i++) {
		fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK);
		fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
	}
	return true;
}

static void
wake_pipe_close(void)
{
	for (int i = 0; i < 2; i++) {
		if (wake_pipe[i] >= 0)
			close(wake_pipe[i]);
		wake_pipe[i] = -1;
	}
}

bool
signals_open(struct error *err)
{
	if (!wake_pipe_open(err))
		return false;
	signals_watch();
	return true;
}

void
signals_close(void)
{
	signals_unwatch();
	wake_pipe_close();
}

int
signals_fd(void)
{
	return wake_pipe[0];
}

void
signals_wake(void)
{
	wake_write(EVENT_WAKE);
}

unsigned
signals_take(void)
{
	unsigned char events[64];
	unsigned taken = 0;
	ssize_t count;

	while ((count = read(wake_pipe[0], events, sizeof(events))) > 0)
		for (ssize_t i = 0; i < count; i++)
			taken |= events[i];
	unanswered = 0;
	return taken;
}

void
signals_stand_aside(void)
{
	for (int i = 0; i < ASIDE_COUNT; i++) {
		struct sigaction action = { .sa_handler = aside[i].handler };

		sigemptyset(&action.sa_mask);
		sigaction(aside[i].number, &action, &aside_before[i]);
	}
}

void
signals_stand_again(void)
{
	for (int i = 0; i < ASIDE_COUNT; i++)
		sigaction(aside[i].number, &aside_before[i], NULL);
}

void
signals_ignore(int number, struct sigaction *before)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigemptyset(&ignore.sa_mask);
	sigaction(number, &ignore, before);
}

void
signals_stop_here(void)
{
	struct sigaction standard = { .sa_handler = SIG_DFL }, ours;

	sigemptyset(&standard.sa_mask);
	sigaction(SIGTSTP, &standard, &ours);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}
