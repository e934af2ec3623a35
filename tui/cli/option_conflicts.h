#ifndef TUI_CLI_OPTION_CONFLICTS_H
#define TUI_CLI_OPTION_CONFLICTS_H

/* Combinations of options and arguments that make no sense. */
#include "model/base/error.h"

/* An option, or another kind of argument; see the table of conflicts. */
struct option_mention {
	const char *name; /* of the long option, without --; NULL ends the list */
	char letter;      /* of the short option, for messages; 0: none */
	bool is_given;
};

/*
 * `all` lists everything that a command line can contain. False sets `err`: two that are given
 * exclude each other, or one needs another.
 */
bool option_conflicts_check(const struct option_mention *all, struct error *err) MUST_USE;

/* Checks the value of an option that takes one of a few words; all values of other options are
   right. */
bool option_choice_check(const char *option, const char *arg, struct error *err) MUST_USE;

#endif
