#include "tui/term/leave.h"
#include "tui/term/rescue.h"
#include <signal.h>
#include <unistd.h>

void
leave_now(void)
{
	static const char text[] = "heaptop: something that was being computed does not stop; left "
				   "without waiting for it\n";
	ssize_t written;

	rescue_now();
	written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	_exit(LEAVE_CODE);
}

static void
handle_alarm(int number)
{
	(void)number;
	leave_now();
}

void
leave_within(unsigned seconds)
{
	static volatile sig_atomic_t is_set;
	struct sigaction action = { .sa_handler = handle_alarm };

	if (is_set && seconds)
		return;
	is_set = seconds != 0;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	alarm(seconds);
}
