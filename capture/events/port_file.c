#include "capture/events/port_file.h"
#include <signal.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static const int ending[] = { SIGTERM, SIGINT, SIGHUP };
enum { ENDING_COUNT = sizeof ending / sizeof ending[0] };

/* All that the signal handler needs; "": no file. */
static char guarded[sizeof((struct sockaddr_un *)NULL)->sun_path];

/* SA_RESETHAND: the signal ends the program when this returns. */
static void
remove_and_end(int number)
{
	unlink(guarded);
	raise(number);
}

void
port_file_guard(const char *path)
{
	struct sigaction action = { .sa_handler = remove_and_end, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;

	snprintf(guarded, sizeof guarded, "%s", path);
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < ENDING_COUNT; i++)
		if (!sigaction(ending[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(ending[i], &action, NULL);
}

void
port_file_remove(void)
{
	struct sigaction now;

	if (!*guarded)
		return;
	unlink(guarded);
	for (int i = 0; i < ENDING_COUNT; i++)
		if (!sigaction(ending[i], NULL, &now) && now.sa_handler == remove_and_end)
			signal(ending[i], SIG_DFL);
	guarded[0] = '\0';
}
