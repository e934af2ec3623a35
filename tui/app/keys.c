/* From keys to commands: counts, the prompt, the menu. */
#include "model/analysis/diff.h"
#include "model/base/clock.h"
#include "tui/app/copy.h"
#include "tui/app/file_names.h"
#include "tui/app/resume.h"
#include "tui/app/sos.h"
#include "tui/app/state.h"
#include "tui/session/snapshots.h"
#include "tui/widget/view_search.h"
#include <inttypes.h>
#include <string.h>

static const struct {
	const char *sign, *history;
} prompt_kinds[PROMPT_KINDS] = {
	[PROMPT_COMMAND] = { ":", "history" },
	[PROMPT_SEARCH] = { "/", "searches" },
	[PROMPT_FILTER] = { "&", "filters" },
};

/* --- the prompt ---------------------------------------------------------- */

/* Where completions of the prompt go. */
struct completion {
	void (*add)(void *to, const char *word);
	void *to;
	const char *begin; /* what they must begin with */
};

static void
offer(const struct completion *c, const char *word)
{
	if (!strncmp(word, c->begin, strlen(c->begin)))
		c->add(c->to, word);
}

static void
complete_names(struct app *app, const struct completion *c)
{
	struct command_iterator it = { 0 };

	while (command_next(&it, app_view(app)->ops))
		offer(c, it.command->name);
	for (const struct sos_command *s = sos_commands; s->name; s++) {
		struct error ignored = { 0 };
		struct binding same = command_by_name(
		    app_view(app)->ops, s->name, strlen(s->name), &ignored);

		if (!same.command || strcmp(same.command->name, s->name) != 0)
			offer(c, s->name);
	}
}

static void
complete_columns(struct app *app, const struct completion *c)
{
	for (const struct column *k = app_view(app)->ops->table->columns; k->id;
	     k++)
		if (view_has_column(app_view(app), k, false))
			offer(c, k->id);
}

/* Those that can be unmapped. */
static void
complete_keys(const struct app *app, const struct completion *c)
{
	const struct keymap *k = &app->settings->keys;
	char name[64];

	for (size_t i = 0; i < k->count; i++)
		offer(c, keymap_spell(&k->entries[i], name));
}

/* Behind the key stands a command. */
static void
complete_mapped(struct app *app, const struct completion *c)
{
	struct completion command = *c;

	command.begin += strcspn(command.begin, " ");
	command.begin += strspn(command.begin, " ");
	if (command.begin > c->begin && command.begin[-1] == ' ')
		complete_names(app, &command);
}

/* "[statics|nostatics]": the words that a row of the table spells out. */
static void
complete_words(const char *args, const struct completion *c)
{
	char word[64];
	size_t len;

	while (*args) {
		args += strspn(args, "[]|");
		len = strcspn(args, "[]|");
		if (len && len < sizeof word && args[0] >= 'a') {
			memcpy(word, args, len);
			word[len] = '\0';
			offer(c, word);
		}
		args += len;
	}
}

/* WHAT is another thing in each of these; of others what diff compares by. */
static void
complete_what(const char *command, const struct completion *c)
{
	static const struct {
		const char *command, *words;
	} others[] = {
		{ "ignore", "[reference|type|kind|nothing]" },
		{ "async", "[calls|tasks|completed]" },
	};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!strcmp(command, others[i].command)) {
			complete_words(others[i].words, c);
			return;
		}
	for (int i = 0; i < DIFF_BY_COUNT; i++)
		offer(c, diff_by_ids[i]);
}

static void
complete_argument(struct app *app, const struct binding *b,
		  const struct completion *c)
{
	const char *args = b->command->args;

	if (b->opens && b->opens->takes & (TAKES_TYPE | TAKES_OBJECT))
		target_complete(app->session, b->opens->takes, c->begin, c->add,
				c->to);
	else if (strstr(args, "FILE"))
		file_names_complete(c->begin, c->add, c->to);
	else if (strstr(args, "COLUMN"))
		complete_columns(app, c);
	else if (strstr(args, "FILTER") || strstr(args, "EXPRESSION"))
		filter_complete(app_view(app), c->begin, c->add, c->to);
	else if (strstr(args, "WORD"))
		complete_names(app, c);
	else if (strstr(args, "WHAT"))
		complete_what(b->command->name, c);
	else if (strstr(args, "THEME"))
		theme_list(c->add, c->to);
	else if (strstr(args, "SETTING"))
		settings_complete(c->begin, c->add, c->to);
	else if (strstr(args, "KEY COMMAND"))
		complete_mapped(app, c);
	else if (strstr(args, "KEY"))
		complete_keys(app, c);
	else if (strstr(args, "PART"))
		for (int i = 0; i < COPY_KINDS; i++)
			offer(c, copy_part((enum copy_what)i));
	else if (strstr(args, "GROUPING"))
		for (int i = GROUP_NONE + 1; i < GROUPING_COUNT; i++)
			offer(c, grouping_ids[i]);
	else
		complete_words(args, c);
}

static void
complete(void *context, const char *line, size_t cursor,
	 void (*add)(void *to, const char *word), void *to)
{
	struct app *app = context;
	char text[SCRIPT_COMMAND_BYTES];
	struct completion c = { add, to, text };
	struct binding b;
	struct error err;
	size_t name_len;

	if (app->prompt_kind == PROMPT_SEARCH || cursor >= sizeof text)
		return;
	memcpy(text, line, cursor);
	text[cursor] = '\0';
	if (app->prompt_kind == PROMPT_FILTER) {
		filter_complete(app_view(app), text, add, to);
		return;
	}
	name_len = strcspn(text, " ");
	if (!text[name_len]) {
		complete_names(app, &c);
		return;
	}
	error_clear(&err);
	b = command_by_name(app_view(app)->ops, text, name_len, &err);
	c.begin = text + name_len + strspn(text + name_len, " ");
	if (b.command)
		complete_argument(app, &b, &c);
}

static struct prompt *
new_prompt(const struct app *app, enum prompt_kind kind, struct error *err)
{
	size_t lines = (size_t)app->settings->history;
	bool is_kept = app->keeps_histories && lines;

	if (app->snapshots && secure_is_on(&app->snapshots->secure))
		return prompt_new_secure(err);
	return prompt_new(is_kept ? prompt_kinds[kind].history : NULL,
			  lines ? lines : PAST_LINES_MAX, err);
}

void
app_begin_prompt(struct app *app, enum prompt_kind kind, const char *initial)
{
	struct error err;

	error_clear(&err);
	if (!app->prompts[kind])
		app->prompts[kind] = new_prompt(app, kind, &err);
	if (!app->prompts[kind]) {
		app_show_error(app, &err);
		return;
	}
	if (err.kind != ERROR_NONE)
		app->history_trouble = err;
	app->prompt_kind = kind;
	app->is_prompting = true;
	prompt_begin(app->prompts[kind], prompt_kinds[kind].sign, initial,
		     complete, app);
}

/* Mistakes are not kept, nor blanks without a meaning. */
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
		(void)prompt_keep(app->prompts[kind], line,
				  &app->history_trouble);
}

/* The text is refused, not what it leads to. */
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

/* It stays to be mended; of a line that the terminal edits it cannot. */
static void
keep_mistyped(struct app *app, enum prompt_kind kind, const char *line)
{
	if (!app->settings->linear && is_mistyped(app, kind, line))
		app_begin_prompt(app, kind, line);
}

static void
finish_prompt(struct app *app, const char *typed)
{
	/* What is run may begin a prompt of its own. */
	enum prompt_kind kind = app->prompt_kind;
	char line[SCRIPT_COMMAND_BYTES];
	struct script s;
	struct error err;
	bool ok = true;

	snprintf(line, sizeof line, "%s", typed);
	error_clear(&err);
	switch (kind) {
	case PROMPT_COMMAND:
		script_init(&s, line, command_is_for_shell);
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

/* The line at the bottom is free again. */
static void
tell_trouble(struct app *app)
{
	if (app->history_trouble.kind == ERROR_NONE || app->has_told_trouble ||
	    app->message[0])
		return;
	app_show_error(app, &app->history_trouble);
	app->has_told_trouble = true;
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
	tell_trouble(app);
}

/* --- the menu ------------------------------------------------------------ */

void
app_open_menu(struct app *app, int key, menu_choose *choose)
{
	app->menu.again = key;
	app->menu.is_open = app->menu.count > 0;
	app->menu_choose = choose;
}

static bool
choose_order(struct app *app, int column, struct error *err)
{
	return view_sort(app_view(app), column, err);
}

void
app_open_sort_menu(struct app *app, int key)
{
	const struct view *v = app_view(app);

	menu_clear(&app->menu, " sort by ");
	for (int i = 0; v->ops->table->columns[i].id; i++) {
		const struct column *c = &v->ops->table->columns[i];

		if (c->sort == UNSORTED || !view_has_column(v, c, false))
			continue;
		if (i == v->sort)
			app->menu.cursor = app->menu.count;
		menu_add(&app->menu, c->title, c->help, i);
	}
	app_open_menu(app, key, choose_order);
	if (!app->menu.is_open)
		app_message(app, STYLE_STATUS,
			    "the order of this view has a meaning");
}

static void
feed_menu(struct app *app, int key)
{
	enum menu_answer answer = menu_key(&app->menu, key);
	struct error err;
	char name[16];

	if (answer == MENU_UNKNOWN_KEY)
		app_message(app, STYLE_STATUS,
			    "%s does nothing in a menu: j and k move, Enter "
			    "chooses, Esc closes",
			    key_spell(key, name));
	if (answer != MENU_CHOSEN)
		return;
	error_clear(&err);
	if (!app->menu_choose(app, app->menu.items[app->menu.cursor].value,
			      &err))
		app_show_error(app, &err);
}

/* --- keys ---------------------------------------------------------------- */

/* The first of the commands that a mapped key runs. */
static struct binding
mapped_binding(struct app *app, const struct keymap_entry *e)
{
	char expanded[SCRIPT_COMMAND_BYTES];
	struct error ignored = { 0 };
	const char *line =
	    app_expand_alias(app, e->command, expanded, &ignored);

	if (!line)
		return (struct binding){ 0 };
	return command_by_name(app_view(app)->ops, line, strcspn(line, " ;"),
			       &ignored);
}

struct key_meaning
app_key_meaning(struct app *app, int key)
{
	const struct view_ops *ops = app_view(app)->ops;
	const char *name = ops->command.name;
	const struct keymap_entry *e = keymap_find(
	    &app->settings->keys, key, settings_view(name, strlen(name)));

	if (e)
		return (struct key_meaning){ mapped_binding(app, e), e };
	return (struct key_meaning){ command_by_key(ops, key), NULL };
}

/*
 * One command alone is about the selected row, as on its own key; one for the
 * users of SOS may be two, and what a shell is given is an argument.
 */
static bool
run_mapped(struct app *app, const struct key_meaning *m, uint32_t count,
	   int key, struct error *err)
{
	char expanded[SCRIPT_COMMAND_BYTES];
	const char *line =
	    app_expand_alias(app, m->mapped->command, expanded, err);
	struct script s;

	if (!line)
		return false;
	if (!strpbrk(line, " \t;"))
		return app_run_binding(app, &m->binding, "", count, key, err);
	script_init(&s, m->mapped->command, command_is_for_shell);
	return app_script(app, &s, err);
}

/* A command of a view is about its rows: where there are none, it says so. */
static void
tell_no_rows(struct app *app, const struct view *v, uint64_t opened)
{
	if (v == app_view(app) && opened == app->views_opened &&
	    !v->rows_count && !view_is_busy(v) && !app->message[0] &&
	    !app->is_prompting && !app->menu.is_open)
		app_message(app, STYLE_STATUS, "%s", view_no_rows(v));
}

/*
 * Moving about, as what takes a count does, is no reason to give up a session
 * that is being brought back. Esc does no more than that.
 */
static bool
stops_resuming(struct app *app, const struct command *c, int key)
{
	return !c->takes_count && resume_stop(app) && key == TK_ESCAPE;
}

static void
run_key(struct app *app, int key, uint32_t count)
{
	struct key_meaning m = app_key_meaning(app, key);
	const struct view *v = app_view(app);
	bool is_of_view = command_is_of(v->ops, m.binding.command);
	uint64_t opened = app->views_opened;
	struct error err;
	char name[16];

	if (!m.binding.command) {
		app_message(app, STYLE_STATUS,
			    "nothing is on the key %s here; ? shows all",
			    key_spell(key, name));
		return;
	}
	if (stops_resuming(app, m.binding.command, key))
		return;
	error_clear(&err);
	if (m.mapped ? !run_mapped(app, &m, count, key, &err)
		     : !app_run_binding(app, &m.binding, "", count, key, &err))
		app_show_error(app, &err);
	else if (is_of_view)
		tell_no_rows(app, v, opened);
}

/* A number key alone goes to a view; before a motion it is a count. */
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

/* Two number keys in a hurry look like a count that nothing follows. */
static void
give_up_count(struct app *app)
{
	uint32_t count = app->count;

	if (clock_ns() - app->counted_ns < COUNT_REST_MS * INT64_C(1000000))
		return;
	app->is_counting = false;
	app->count = 0;
	app_message(app, STYLE_STATUS,
		    "%" PRIu32 " is a count, and no motion such as j, k or G "
		    "followed; a number key alone opens a view",
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
	b = app_key_meaning(app, key).binding;
	if (key != TK_ESCAPE && !(b.command && b.command->takes_count)) {
		end_count(app);
		count = 0;
	}
	app->is_counting = false;
	app->count = 0;
	if (key != TK_ESCAPE)
		run_key(app, key, count);
}

void
app_begin_input(struct app *app)
{
	memcpy(app->message_before, app->message, sizeof app->message);
	app->message_times_before = app->message_times;
	app->message[0] = '\0';
	app->hint = NULL;
	app->mouse.clicked = NULL;
	app->mouse.sized = NULL;
	if (!app->again.commands) /* the row is another now */
		app_again_forget(app);
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

bool
app_key(struct app *app, int key)
{
	bool is_interrupt = key == TK_INTERRUPT && !app->is_prompting;
	bool was_on_tour = app->tour.is_on;

	if (key == TK_WAKE || key == TK_RESIZE || key == KEY_NONE_)
		return true;
	if (key == TK_MOUSE)
		return !app->term || app_mouse(app, term_mouse(app->term));
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
	if (was_on_tour) /* not the key that began it */
		tour_look(app, key == TK_TIMEOUT ? 0 : key);
	app_leave(app);
	return !app->has_quit;
}
