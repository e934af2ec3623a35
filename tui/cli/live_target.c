#include "tui/cli/live_target.h"
#include "tui/tables/allocation_cost.h"
#include "tui/tables/card_lines.h"
#include "tui/cli/say.h"
#include "tui/term/term.h"
#include "tui/term/line_term.h"
#include "tui/term/screen.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static bool
has_name(const struct live_process *p, const char *name)
{
	size_t len = strlen(p->name);

	return !strncmp(p->name, name, len) && (!name[len] || !strcmp(name + len, ".dll"));
}

int32_t
live_target_named(const struct live_ops *live, const char *name, struct error *err)
{
	char pids[256];
	struct text text = text_in(pids, sizeof pids);
	size_t count, found = 0;
	struct live_process *all = live->list(&count, NULL, err);
	int32_t pid = 0;

	for (size_t i = 0; i < count; i++) {
		if (!has_name(&all[i], name))
			continue;
		pid = all[i].pid;
		if (found++ < 16)
			text_addf(&text, " %" PRId32, pid);
	}
	memory_free(all);
	if (found == 1)
		return pid;
	if (found)
		error_set(err, ERROR_USAGE,
			  "%zu processes have the name %.60s; give the ID of one:%s%s", found, name,
			  pids, found > 16 ? " …" : "");
	else if (err->kind == ERROR_NONE)
		error_set(err, ERROR_INPUT,
			  "there is no such file and no .NET process of that name; heaptop -l "
			  "lists processes");
	return 0;
}

enum { CARD_INDENT = 2, CARD_LABEL = 9, CARD_TEXT_MIN = 16 };

/* Returns the width of the card's text; lines are not wrapped in a file. */
static int
card_text_width(void)
{
	int columns = say_columns(stderr);
	int width = columns - CARD_INDENT - CARD_LABEL;

	return width > CARD_TEXT_MIN ? width : CARD_TEXT_MIN;
}

static void
print_lines(const char *who, const struct card_line *lines, int count)
{
	int width = card_text_width();
	char clean[1024], piece[1024];

	fprintf(stderr, "%s\n", say_clean(who, clean, sizeof clean));
	for (int i = 0; i < count; i++) {
		say_clean(lines[i].text, clean, sizeof clean);
		for (int n = 0; text_line(clean, width, n, piece, sizeof piece); n++)
			fprintf(stderr, "%*s%-*s%s\n", CARD_INDENT, "", CARD_LABEL,
				n ? "" : lines[i].label, piece);
	}
}

static void
print_card(const struct live_card *card, const struct live_options *options)
{
	struct card_line lines[CARD_LINES_MAX];
	char who[160];

	print_lines(card_who(card, who, sizeof who), lines, card_lines(card, options, 0, lines));
}

enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

/* `usual` is the answer of Enter. */
static enum answer
answer_of(int key, enum answer usual)
{
	switch (key) {
	case TK_ENTER:
		return usual;
	case 'y':
	case 'Y':
		return ANSWER_YES;
	case 'n':
	case 'N':
	case TK_ESCAPE:
	case TK_CTRL('d'):
	case TK_INTERRUPT:
	case TK_QUIT:
		return ANSWER_NO;
	default:
		return ANSWER_NONE;
	}
}

/* Asks on the terminal; one key is the answer, and Enter is yes only for what is harmless. */
static bool
user_agrees(const char *question, bool is_harmless, struct error *err)
{
	struct line_term *t = line_term_open(err);
	enum answer answer = ANSWER_NONE;

	if (!t)
		return false;
	fprintf(stderr, "%s? [%s] ", question, is_harmless ? "Y/n" : "y/N");
	while (answer == ANSWER_NONE)
		answer = answer_of(line_term_key(t, -1), is_harmless ? ANSWER_YES : ANSWER_NO);
	fputs(answer == ANSWER_YES ? "y\n" : "n\n", stderr);
	line_term_close(t);
	return answer == ANSWER_YES;
}

int
live_target_add(struct snapshots *all, const struct options *o, const struct live_target *target,
		struct error *err)
{
	struct live_capture *c;
	const struct live_card *card;

	if (o->port)
		say(NULL, "waiting for a runtime to connect to %s", o->port);
	c = all->live->open(target, &all->options, NULL, NULL, err);
	if (!c)
		return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_ATTACH;
	card = all->live->card(c);
	print_card(card, &all->options);
	if (!card_is_within(card, &all->options, err)) {
		all->live->free(c);
		return EXIT_ATTACH;
	}
	if (!o->batch && !o->output && o->action != ACTION_CHECK && !o->skips_question &&
	    isatty(STDIN_FILENO) &&
	    !user_agrees(card->collections ? "force a collection and capture" : "capture",
			 card->collections == 0, err)) {
		all->live->free(c);
		return err->kind == ERROR_NONE ? EXIT_INTERRUPTED : EXIT_USAGE;
	}
	return snapshots_add_capture(all, c, err) ? EXIT_OK : EXIT_FAILED;
}

int
live_target_add_recording(struct snapshots *all, const struct options *o,
			  const struct live_target *target, struct output *keep, struct error *err)
{
	struct card_line lines[CARD_LINES_MAX];
	struct live_allocations plan = {
		.keep = keep,
		.without_survival = o->without_survival,
	};

	if (!all->live->plan_allocations(target, &plan, NULL, err) ||
	    !allocation_cost_is_within(&plan, all->options.budget_ms, err))
		return err->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_ATTACH;
	plan.time_ns = o->time_ms * UINT64_C(1000000);
	print_lines(plan.who, lines, card_lines_of_recording(&plan, 0, lines));
	if (!o->skips_question && isatty(STDIN_FILENO) && !user_agrees("record", true, err))
		return err->kind == ERROR_NONE ? EXIT_INTERRUPTED : EXIT_USAGE;
	return snapshots_add_recording(all, target->pid, &plan, err) ? EXIT_OK : EXIT_FAILED;
}
