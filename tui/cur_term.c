#include "tui/cur_term.h"
#include <stdbool.h>
#include <stddef.h>
#include <term.h>

void *
cur_term_get(void)
{
	return cur_term;
}

void
cur_term_set(void *terminal)
{
	if (terminal)
		set_curterm(terminal);
}
