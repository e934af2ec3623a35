/* Turns keys into commands: counts, the prompt, the menu. */
#include "model/base/clock.h"
#include "model/base/utf8.h"
#include "model/base/width.h"
#include "tui/app/resume.h"
#include "tui/app/state.h"
#include "tui/widget/view_search.h"
#include <inttypes.h>
#include <string.h>

/* --- the prompt ----------------------------------------------------------- */

/* Adds an accepted line to the history, without surplus spaces. */
static void
keep_line(struct app *app, enum prompt_kind kind, const char *line)
{
	char kept[SCRIPT_COMMAND_BYTES];
	size_t name_len;

	if (kind == PROMPT_COMMAND) {
		line += strspn(line, " :");
		name_len = strcspn(line, " ");
		snprintf(kept, sizeof kept, "%.*s %s", (int)name_len, line,
			 line + name_len + strspn(line + name_len, " "));
		for (size_t n = strlen(kept); n && kept[n - 1] == ' ';)
			kept[--n] = '\0';
		line = kept;
	}
	if (*line)
		(void)prompt_keep(app->prompts[kind], line, &app->history_error);
}

/* Returns whether the text itself was refused, rather than what it led to. */
static bool
is_mistyped(struct app *app, enum prompt_kind kind, const char *line)
{
	const struct filter *f = app_view(app)->filter;
	struct error ignored = { 0 };
	struct pattern *p;

	if (!*line || kind == PROMPT_COMMAND)
		return false;
	if (kind == PROMPT_FILTER)
		return !f || strcmp(filter_text(f), line) != 0;
	p = pattern_new(line, &ignored);
	pattern_free(p);
	return !p;
}

/* Prompt again with the refused text; in linear mode it cannot be edited. */
static void
keep_mistyped(struct app *app, enum prompt_kind kind, const char *line)
{
	if (!app->settings->linear && is_mistyped(app, kind, line))
		app_begin_prompt(app, kind, line);
}

static void
finish_prompt(struct app *app, const char *typed)
{
	/* The command may open another prompt and change this. */
	enum prompt_kind kind = app->prompt_kind;
	char line[SCRIPT_COMMAND_BYTES];
	struct script s;
	struct error err;
	bool ok = true;

	snprintf(line, sizeof line, "%s", typed);
	error_clear(&err);
	switch (kind) {
	case PROMPT_COMMAND:
		script_init(&s, line);
		s.is_typed = true;
		ok = app_script(app, &s, &err);
		break;
	case PROMPT_SEARCH:
		ok = view_search(app_view(app), line, &err);
		break;
	case PROMPT_FILTER:
		ok = view_filter(app_view(app), line, &err);
		break;
	case PROMPT_KINDS:
		break;
	}
	if (ok) {
		keep_line(app, kind, line);
		return;
	}
	app_show_error(app, &err);
	keep_mistyped(app, kind, line);
}

/* Reports an error of the history once the status line is free. */
static void
show_history_error(struct app *app)
{
	if (app->history_error.kind == ERROR_NONE || app->has_shown_history_error ||
	    app->message[0])
		return;
	app_show_error(app, &app->history_error);
	app->has_shown_history_error = true;
}

static void
feed_prompt(struct app *app, int key)
{
	struct prompt *p = app->prompts[app->prompt_kind];

	switch (prompt_key(p, key)) {
	case PROMPT_EDITING:
		return;
	case PROMPT_DONE:
		app->is_prompting = false;
		finish_prompt(app, prompt_line(p));
		break;
	case PROMPT_CANCELLED:
		app->is_prompting = false;
		break;
	}
	show_history_error(app);
}

/* --- the menu ------------------------------------------------------------- */

static void
feed_menu(struct app *app, int key)
{
	enum menu_answer answer = menu_key(&app->menu, key);
	struct error err;
	char name[16];

	if (answer == MENU_UNKNOWN_KEY)
		app_message(app, STYLE_STATUS,
			    "%s does nothing in a menu: j and k move, Enter chooses, Esc closes",
			    key_spell(key, name));
	if (answer != MENU_CHOSEN)
		return;
	error_clear(&err);
	if (!app->menu_choose(app, app->menu.items[app->menu.cursor].value, &err))
		app_show_error(app, &err);
}

/* --- keys ----------------------------------------------------------------- */

/* If a command had no effect in an empty view, show why it is empty. */
static void
report_no_rows(struct app *app, const struct view *v, uint64_t opened)
{
	if (v == app_view(app) && opened == app->views_opened && !v->rows_count &&
	    !view_is_busy(v) && !app->message[0] && !app->is_prompting && !app->menu.is_open)
		app_message(app, STYLE_STATUS, "%s", view_no_rows(v));
}

/*
 * Abandon resuming a session, unless the key only moves. Returns true for Esc, which then has no
 * other effect.
 */
static bool
stops_resuming(struct app *app, const struct command *c, int key)
{
	return !(c->flags & COMMAND_COUNTS) && resume_stop(app) && key == TK_ESCAPE;
}

static void
run_key(struct app *app, int key, uint32_t count)
{
	const struct view *v = app_view(app);
	struct key_meaning m = keymap_meaning(&app->settings->keys, v, key);
	bool is_of_view = command_is_of(v->ops, m.binding.command);
	uint64_t opened = app->views_opened;
	const struct call call = { .arg = "", .count = count, .key = key };
	struct error err;
	char name[16];

	if (!m.binding.command) {
		app_message(app, STYLE_STATUS, "the key %s has no command here; ? shows all keys",
			    key_spell(key, name));
		return;
	}
	if (stops_resuming(app, m.binding.command, key))
		return;
	error_clear(&err);
	if (m.commands ? !app_run_mapping(app, m.commands, &err)
		       : !app_run_binding(app, &m.binding, call, &err))
		app_show_error(app, &err);
	else if (is_of_view)
		report_no_rows(app, v, opened);
}

/* A number key alone opens a view; before a motion it is a count. */
bool
app_has_number_key(struct app *app)
{
	return app->is_counting && app->count > 0 && app->count <= 9;
}

static void
end_count(struct app *app)
{
	bool is_key = app_has_number_key(app);
	int key = '0' + (int)app->count;

	app->is_counting = false;
	app->count = 0;
	if (is_key)
		run_key(app, key, 0);
}

/* Two number keys typed quickly look like a count without a motion. */
static void
give_up_count(struct app *app)
{
	uint32_t count = app->count;

	if (clock_ns() - app->counted_ns < COUNT_TIMEOUT_MS * INT64_C(1000000))
		return;
	app->is_counting = false;
	app->count = 0;
	app_message(app, STYLE_STATUS,
		    "%" PRIu32 " is a count, but no motion such as j, k or G followed; a number "
		    "key alone opens a view",
		    count);
}

static void
feed_count(struct app *app, int key)
{
	struct binding b;
	uint32_t count = app->count;

	if (key >= '0' && key <= '9') {
		app->is_counting = true;
		app->counted_ns = clock_ns();
		if (app->count < COUNT_MAX / 10)
			app->count = app->count * 10 + (uint32_t)(key - '0');
		return;
	}
	b = keymap_meaning(&app->settings->keys, app_view(app), key).binding;
	if (key != TK_ESCAPE && !(b.command && b.command->flags & COMMAND_COUNTS)) {
		end_count(app);
		count = 0;
	}
	app->is_counting = false;
	app->count = 0;
	if (key != TK_ESCAPE)
		run_key(app, key, count);
}

static void
feed_key(struct app *app, int key)
{
	if (key == TK_TIMEOUT) {
		if (app_has_number_key(app))
			end_count(app);
		else if (app->is_counting)
			give_up_count(app);
		return;
	}
	app_begin_input(app);
	if (app->menu.is_open)
		feed_menu(app, key);
	else if (app->is_prompting)
		feed_prompt(app, key);
	else if (app->is_counting || (key >= '1' && key <= '9'))
		feed_count(app, key);
	else
		run_key(app, key, 0);
}

/* No pasted text acts as keys: a prompt takes it as typed text, everything else leaves it. */
bool
app_paste(struct app *app, const char *text, bool has_more)
{
	size_t used;

	app_enter(app);
	app_begin_input(app);
	if (!app->is_prompting) {
		app_message(app, STYLE_STATUS,
			    "pasted text does nothing here: open a prompt with : / or & first");
		app_leave(app);
		return true;
	}
	for (; *text && app->is_prompting; text += used) {
		uint32_t c = utf8_decode(text, &used);

		if (c != UTF8_BROKEN && c >= ' ' && !width_is_hidden(c))
			feed_prompt(app, (int)c);
	}
	if (has_more)
		app_message(app, STYLE_WARNING, "only the first line of the pasted text is here");
	app_leave(app);
	return !app->has_quit;
}

static bool
paste_of_terminal(struct app *app)
{
	bool has_more;
	const char *text = term_paste(app->term, &has_more);

	return app_paste(app, text, has_more);
}

bool
app_key(struct app *app, int key)
{
	bool is_interrupt = key == TK_INTERRUPT && !app->is_prompting;
	bool was_on_tour = app->tour.is_on;

	if (key == TK_WAKE || key == TK_RESIZE || key == KEY_NONE_)
		return true;
	if (key == TK_MOUSE)
		return !app->term || app_mouse(app, term_mouse(app->term));
	if (key == TK_PASTE)
		return !app->term || paste_of_terminal(app);
	if (key == TK_QUIT || (is_interrupt && app->was_interrupted)) {
		app->has_quit = true;
		return false;
	}
	if (key != TK_TIMEOUT)
		app->was_interrupted = is_interrupt;
	if (key == TK_INTERRUPT)
		key = TK_ESCAPE;
	app_enter(app);
	app_update_view(app);
	feed_key(app, key);
	if (was_on_tour) /* not if this key has begun it */
		tour_look(app, key == TK_TIMEOUT ? 0 : key);
	app_leave(app);
	return !app->has_quit;
}

bool
app_mouse(struct app *app, const struct mouse *m)
{
	int times, key = app_mouse_key(app, m, &times);

	for (int i = 0; i < times && key != KEY_NONE_; i++)
		if (!app_key(app, key))
			return false;
	return true;
}
