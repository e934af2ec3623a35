#include "tui/term/signals.h"
#include "model/base/clock.h"
#include "tui/term/leave.h"
#include "tui/term/rescue.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

enum { UNANSWERED_MAX = 3 };
static const int64_t hung_ns = 2000000000; /* less could be a busy machine */

/* clang-format off */
static const struct {
	int number;
	enum event event;
} watched[] = {
	{ SIGHUP,   EVENT_QUIT },
	{ SIGTERM,  EVENT_QUIT },
	{ SIGINT,   EVENT_INTERRUPT },
	{ SIGTSTP,  EVENT_SUSPEND },
	{ SIGCONT,  EVENT_CONTINUED },
	{ SIGWINCH, EVENT_RESIZE },
};
/* clang-format on */
enum { WATCHED_COUNT = sizeof(watched) / sizeof(watched[0]) };

/* While another program has the terminal, as in system(). */
static const struct {
	int number;
	void (*handler)(int number);
} lent[] = {
	{ SIGINT, SIG_IGN },
	{ SIGQUIT, SIG_IGN },
	{ SIGTSTP, SIG_DFL },
};
enum { LENT_COUNT = sizeof(lent) / sizeof(lent[0]) };

/* Sent to background programs that use the terminal. */
static const int stops[] = { SIGTTIN, SIGTTOU };
enum {
	STOP_COUNT = sizeof(stops) / sizeof(stops[0]),
	STOP_FLAGS = SA_RESTART | SA_NODEFER, /* may stop in the handler */
};

/* Global because signal handlers have no context. */
static int wake_pipe[2] = { -1, -1 };
static volatile sig_atomic_t unanswered;
static volatile int64_t unanswered_since;
static volatile sig_atomic_t must_quit;
static struct sigaction watched_before[WATCHED_COUNT];
static struct sigaction lent_before[LENT_COUNT];
static struct sigaction stop_before[STOP_COUNT];

static void
handler_set(int number, void (*handler)(int number), int flags, struct sigaction *before)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, before);
}

static void
wake_write(unsigned char event)
{
	int saved = errno;
	ssize_t written = write(wake_pipe[1], &event, 1);

	(void)written; /* if the pipe is full, a wake-up is pending anyway */
	errno = saved;
}

/* Whether the program hangs: it ignored repeated signals for some time. */
static bool
is_hung(void)
{
	if (unanswered++ == 0)
		unanswered_since = clock_ns();
	return unanswered > UNANSWERED_MAX && clock_ns() - unanswered_since >= hung_ns;
}

static void
handle_watched(int number)
{
	for (int i = 0; i < WATCHED_COUNT; i++) {
		if (watched[i].number != number)
			continue;
		wake_write((unsigned char)watched[i].event);
		if (watched[i].event == EVENT_QUIT) {
			must_quit = true;
			leave_within(LEAVE_SECONDS);
		}
		if (watched[i].event > EVENT_INTERRUPT)
			return;
	}
	if (is_hung()) {
		rescue_now();
		signal(number, SIG_DFL);
		raise(number);
	}
}

/*
 * Stops the program, as by default. Not after a request to quit: it would be stopped again and
 * again on its way out.
 */
static void
handle_stop(int number)
{
	if (!must_quit) {
		handler_set(number, SIG_DFL, 0, NULL);
		raise(number);
	}
	handler_set(number, must_quit ? SIG_IGN : handle_stop, STOP_FLAGS, NULL);
}

/* Ignored signals stay ignored, as for nohup and shells without job control. */
static void
watch(int number, void (*handler)(int number), int flags, struct sigaction *before)
{
	handler_set(number, handler, flags, before);
	if (before->sa_handler == SIG_IGN)
		sigaction(number, before, NULL);
}

static void
signals_watch(void)
{
	unanswered = 0;
	must_quit = false;
	for (int i = 0; i < WATCHED_COUNT; i++)
		watch(watched[i].number, handle_watched, SA_RESTART, &watched_before[i]);
	for (int i = 0; i < STOP_COUNT; i++)
		watch(stops[i], handle_stop, STOP_FLAGS, &stop_before[i]);
}

static void
signals_unwatch(void)
{
	for (int i = 0; i < WATCHED_COUNT; i++)
		sigaction(watched[i].number, &watched_before[i], NULL);
	for (int i = 0; i < STOP_COUNT; i++)
		sigaction(stops[i], &stop_before[i], NULL);
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
signals_lend(void)
{
	for (int i = 0; i < LENT_COUNT; i++)
		handler_set(lent[i].number, lent[i].handler, 0, &lent_before[i]);
}

void
signals_take_back(void)
{
	for (int i = 0; i < LENT_COUNT; i++)
		sigaction(lent[i].number, &lent_before[i], NULL);
}

void
signals_ignore(int number, struct sigaction *before)
{
	handler_set(number, SIG_IGN, 0, before);
}

void
signals_stop_here(void)
{
	struct sigaction ours;

	handler_set(SIGTSTP, SIG_DFL, 0, &ours);
	kill(0, SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}
