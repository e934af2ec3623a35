#include "tui/term/terminfo.h"
#include <stddef.h>
#include <stdint.h>
#include <term.h>
#include <unistd.h>

void *
terminfo_current(void)
{
	return cur_term;
}

void
terminfo_use(void *terminal)
{
	if (terminal)
		set_curterm(terminal);
}

bool
terminfo_has(const char *type)
{
	TERMINAL *before = cur_term;
	char *name = (char *)(uintptr_t)type;
	int status;

	if (setupterm(name, STDOUT_FILENO, &status) != 0)
		return false;
	del_curterm(cur_term);
	if (before)
		set_curterm(before);
	return true;
}
