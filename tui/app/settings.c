#include "tui/app/settings.h"
#include "tui/session/analyses.h"
#include "tui/app/state.h"
#include "model/table/column_choice.h"
#include "model/base/nearest.h"
#include "tui/session/snapshots.h"
#include "tui/app/views.h"
#include <string.h>

/* --- what values a setting takes ------------------------------------------ */

static bool
check_theme(const char *name, const struct view_ops *view, struct error *err)
{
	struct theme theme;

	(void)view;
	return theme_load(&theme, name, err);
}

static void
complete_theme(const struct view_ops *view, void (*add)(void *to, const char *word), void *to)
{
	(void)view;
	theme_list(add, to);
}

/* Checks "COLUMN" or "-COLUMN", descending. "" means the default order. */
static bool
check_sort(const char *text, const struct view_ops *view, struct error *err)
{
	int column;

	if (!*text)
		return true;
	text += *text == '-';
	column = column_choice_kind(view->table, text, strlen(text));
	if (column >= 0 && view->table->columns[column].sort != UNSORTED)
		return true;
	return error_set(err, ERROR_USAGE, "%s does not sort by \"%.30s\"", view->command.name,
			 text);
}

static bool
is_named_before(const char *text, const struct view_ops *view, const struct column_choice *one)
{
	struct column_choice c;
	struct error ignored = { 0 };

	while (column_choice_next(&text, view->table, &c, &ignored) && c.id != one->id)
		if (c.id_len == one->id_len && !memcmp(c.id, one->id, one->id_len))
			return true;
	return false;
}

static bool
no_column(const struct view_ops *view, const struct column_choice *wanted, struct error *err)
{
	int len = wanted->id_len < 30 ? (int)wanted->id_len : 30;
	char meant[COLUMN_SUGGESTION_BYTES];

	return error_set(err, ERROR_USAGE, "%s has no column \"%.*s\"%s", view->command.name, len,
			 wanted->id,
			 column_choice_suggest(view->table, wanted->id, wanted->id_len, meant));
}

/* Checks "a,b:12,c". "" means all columns. */
static bool
check_columns(const char *text, const struct view_ops *view, struct error *err)
{
	const char *at = text;
	struct column_choice c;

	while (column_choice_next(&at, view->table, &c, err)) {
		int len = c.id_len < 30 ? (int)c.id_len : 30;

		if (column_choice_kind(view->table, c.id, c.id_len) < 0)
			return no_column(view, &c, err);
		if (is_named_before(text, view, &c))
			return error_set(err, ERROR_USAGE, "%.*s is named twice", len, c.id);
	}
	return err->kind == ERROR_NONE;
}

static void
complete_columns(const struct view_ops *view, void (*add)(void *to, const char *word), void *to)
{
	for (const struct column *c = view->table->columns; c->id; c++)
		if (!(c->flags & COLUMN_MACHINE))
			add(to, c->id);
}

static void
complete_sort(const struct view_ops *view, void (*add)(void *to, const char *word), void *to)
{
	for (const struct column *c = view->table->columns; c->id; c++)
		if (c->sort != UNSORTED && !(c->flags & COLUMN_MACHINE))
			add(to, c->id);
}

/* --- applying values ------------------------------------------------------ */

static bool
apply_theme(struct app *app, struct error *err)
{
	const struct settings *s = app->settings;
	struct theme theme;

	if (!app->term)
		return true;
	if (!theme_load(&theme, s->color ? s->theme : "mono", err))
		return false;
	term_set_theme(app->term, &theme);
	return true;
}

static const char *
no_colours_here(const struct app *app)
{
	return app->term && app->settings->color ? term_no_colours(app->term) : NULL;
}

static const char *
ascii_here(const struct app *app)
{
	return app->term && !app->settings->ascii && term_is_ascii(app->term)
		   ? "the locale has no UTF-8"
		   : NULL;
}

/* Only warn, since one heaptoprc may serve many terminals. */
static bool
apply_mouse(struct app *app, struct error *err)
{
	bool on = app->settings->mouse;

	(void)err;
	if (app->term && !term_set_mouse(app->term, on) && on)
		app_message(app, STYLE_WARNING,
			    "this terminal is not known to support a mouse; check TERM");
	return true;
}

static struct session_options
session_options_of(const struct settings *s)
{
	return (struct session_options){
		/* Scripts get full names. */
		.shows_short_names = s->has_screen && s->names != NAMES_FULL,
		.folds_names = s->names == NAMES_FOLDED,
		.prefers_statics = s->statics,
		.bytes_shown = (uint8_t)s->bytes,
		.guards_formulas = s->csvguard,
		.shows_mine = s->mine,
		.my_modules = s->my_modules,
	};
}

void
settings_attach(struct settings *s, struct snapshots *to)
{
	to->settings = s;
	to->new_sessions = session_options_of(s);
}

/* To be called before rows are made. An order that the heap cannot have is ignored. */
void
settings_apply_to_view(const struct settings *s, struct view *v)
{
	const char *name = v->ops->command.name;
	size_t number = views_number(name, strlen(name));
	struct error ignored = { 0 };
	bool is_descending;
	int column;

	if (number == SIZE_MAX)
		return;
	v->wanted = s->columns[number];
	if (!*s->sort[number] ||
	    !view_find_sort(v, s->sort[number], &column, &is_descending, &ignored))
		return;
	v->sort = v->shown.sort = column;
	v->is_descending = v->shown.is_descending = is_descending;
}

static void
apply_to_new_sessions(struct app *app)
{
	if (app->snapshots)
		app->snapshots->new_sessions = session_options_of(app->settings);
}

static bool
apply_to_sessions(struct app *app, struct error *err)
{
	struct session_options options = session_options_of(app->settings);
	struct session *s;

	(void)err;
	for (size_t i = 0; (s = app_nth_session(app, i)); i++)
		session_apply_options(s, &options);
	apply_to_new_sessions(app);
	return true;
}

/* Re-sort a view whose order may depend on the spelling of names. */
static void
resort_names(struct view *v)
{
	const struct column *c = v->sort < 0 ? NULL : &v->ops->table->columns[v->sort];

	if (c && c->sort == UP && c->width <= FILL)
		v->is_stale = true;
}

static bool
apply_names(struct app *app, struct error *err)
{
	const struct session *first = app_nth_session(app, 0);
	bool were_short = first && first->shows_short_names;

	if (!apply_to_sessions(app, err))
		return false;
	if (were_short == (app->settings->names != NAMES_FULL))
		return true;
	for (size_t i = 0; i < app->views_count; i++)
		resort_names(app->views[i]);
	if (app->pane)
		resort_names(app->pane);
	return true;
}

static void
renew_mine(struct view *v)
{
	if (v->ops->list.flags & VIEW_MINE)
		v->is_stale = true;
}

static bool
apply_mine(struct app *app, struct error *err)
{
	if (!apply_to_sessions(app, err))
		return false;
	for (size_t i = 0; i < app->views_count; i++)
		renew_mine(app->views[i]);
	if (app->pane)
		renew_mine(app->pane);
	return true;
}

/* Sets the preference in up to `max` sessions. Returns how many succeeded. */
static size_t
prefer_statics(const struct app *app, bool prefer, size_t max, struct error *err)
{
	struct session *s;
	size_t i = 0;

	while (i < max && (s = app_nth_session(app, i)) && session_prefer_statics(s, prefer, err))
		i++;
	return i;
}

/* Changes all sessions or none. */
static bool
apply_statics(struct app *app, struct error *err)
{
	bool prefer = app->settings->statics;
	size_t count = prefer_statics(app, prefer, SIZE_MAX, err);
	struct error ignored = { 0 };

	if (!app_nth_session(app, count)) {
		apply_to_new_sessions(app);
		return true;
	}
	(void)prefer_statics(app, !prefer, count, &ignored);
	return false;
}

/* Starts what was refused for lack of memory, if it fits now. */
static bool
apply_memory(struct app *app, struct error *err)
{
	uint64_t bytes = app->settings->memory_bytes;
	struct error why = { 0 };
	struct session *s;

	if (app->snapshots)
		snapshots_limit_memory(app->snapshots, bytes);
	else
		app->session->memory_limit = bytes == SETTING_NONE ? 0 : bytes;
	for (size_t i = 0; (s = app_nth_session(app, i)); i++) {
		unsigned needs = analyses_refused_needs(s);

		if (!needs || session_want(s, needs, &why))
			continue;
		if (!analyses_refusal(s, ~0U)) {
			*err = why;
			return false;
		}
		app_show_error(app, &why);
	}
	return true;
}

static bool
apply_budget(struct app *app, struct error *err)
{
	(void)err;
	if (app->snapshots)
		app->snapshots->options.budget_ms = app->settings->budget_ms;
	return true;
}

static bool
apply_stack_roots(struct app *app, struct error *err)
{
	(void)err;
	if (app->snapshots)
		app->snapshots->options.has_conservative_stacks = app->settings->stack_roots;
	return true;
}

/* --- the table ------------------------------------------------------------ */

#define FIELD(name)  offsetof(struct settings, name), sizeof(((struct settings *)0)->name)
#define FIELDS(name) offsetof(struct settings, name), sizeof(((struct settings *)0)->name[0])

/* clang-format off */
const struct setting settings_table[] = {
	/* name         kind            field                initial    values           help, and optional members */
	{ "ascii",      SETTING_SWITCH, FIELD(ascii),        "off",     "",              "draw with ASCII only, whatever the terminal supports",
	  .overruled = ascii_here },
	{ "bar",        SETTING_SWITCH, FIELD(bar),          "on",      "",              "the line of keys at the bottom", .apply = NULL },
	{ "budget",     SETTING_TIME,   FIELD(budget_ms),    "none",    "TIME|none",     "refuse a capture that may pause the process longer: 5s",
	  .flags = SETTING_BATCH, .apply = apply_budget },
	{ "bytes",      SETTING_CHOICE, FIELD(bytes),        "short",   "short|exact|share", "sizes as 1.21 MiB, to the byte, or as a share of the heap",
	  .apply = apply_to_sessions },
	{ "color",      SETTING_SWITCH, FIELD(color),        "on",      "",              "colours, where the terminal has them",
	  .apply = apply_theme, .overruled = no_colours_here },
	{ "columns",    SETTING_WORD,   FIELDS(columns),     "",        "A,B:WIDTH,C",   "a view's columns, in order: columns.types=count,size:12",
	  .flags = SETTING_OF_VIEWS, .check = check_columns, .complete = complete_columns },
	{ "csvguard",   SETTING_SWITCH, FIELD(csvguard),     "off",     "",              "in CSV and TSV, write ' before texts that a spreadsheet would take for formulas",
	  .flags = SETTING_BATCH, .apply = apply_to_sessions },
	{ "facts",      SETTING_SWITCH, FIELD(facts),        "on",      "",              "the line about the heap below the title", .apply = NULL },
	{ "hints",      SETTING_SWITCH, FIELD(hints),        "on",      "",              "list matching commands while one is typed", .apply = NULL },
	{ "history",    SETTING_COUNT,  FIELD(history),      "1000",    "LINES",         "number of typed lines saved across runs",
	  .most = HISTORY_LINES_MAX },
	{ "linear",     SETTING_SWITCH, FIELD(linear),       "off",     "",              "print a line for each key; for screen readers", .apply = NULL },
	{ "mem",        SETTING_SIZE,   FIELD(memory_bytes), "auto",    "SIZE|auto",     "memory for heaps and what is computed: 512M, 2G",
	  .flags = SETTING_BATCH, .apply = apply_memory },
	{ "meter",      SETTING_SWITCH, FIELD(meter),        "on",      "",              "the memory of the process as a sum, or what the heap is made of, on 20 rows or more", .apply = NULL },
	{ "mine",       SETTING_SWITCH, FIELD(mine),         "off",     "",              "count only your own types, with the framework objects that they hold; key Z",
	  .apply = apply_mine },
	{ "mouse",      SETTING_SWITCH, FIELD(mouse),        "off",     "",              "clicks and the wheel; hold Shift to select text",
	  .apply = apply_mouse },
	{ "mymodules",  SETTING_WORD,   FIELD(my_modules),   "",        "PATTERNS",     "your modules: Shop*,Billing; empty: all but the framework's",
	  .apply = apply_mine },
	{ "names",      SETTING_CHOICE, FIELD(names),        "short",   "full|short|folded", "types with namespaces, without, or as List<>; key z",
	  .apply = apply_names },
	{ "resume",     SETTING_SWITCH, FIELD(resume),       "off",     "",              "save the session on quitting, for heaptop --resume", .apply = NULL },
	{ "sort",       SETTING_WORD,   FIELDS(sort),        "",        "COLUMN",        "what a view is sorted by: sort.types=count",
	  .flags = SETTING_OF_VIEWS, .check = check_sort, .complete = complete_sort },
	{ "stackroots", SETTING_CHOICE, FIELD(stack_roots),  "exact",   "exact|words",  "roots on stacks (-m, cores): known references, or all words like them",
	  .flags = SETTING_BATCH, .apply = apply_stack_roots },
	{ "statics",    SETTING_SWITCH, FIELD(statics),      "on",      "",              "prefer static variables as roots",
	  .apply = apply_statics },
	{ "theme",      SETTING_WORD,   FIELD(theme),        "default", "THEME",         "the colours: a name, or a file; else $HEAPTOP_THEME",
	  .check = check_theme, .complete = complete_theme, .apply = apply_theme },
	{ "title",      SETTING_SWITCH, FIELD(title),        "on",      "",              "show the heap's name in the terminal's title", .apply = NULL },
	{ 0 },
};
/* clang-format on */

/* --- finding a setting ---------------------------------------------------- */

static const struct setting *
find_row(const char *name, size_t len)
{
	for (const struct setting *s = settings_table; s->name; s++)
		if (strlen(s->name) == len && !memcmp(s->name, name, len))
			return s;
	return NULL;
}

static bool
no_setting(const char *name, size_t len, struct error *err)
{
	int shown = len < 60 ? (int)len : 60;
	struct nearest near;

	nearest_init(&near, name, len);
	for (const struct setting *s = settings_table; s->name; s++)
		nearest_try(&near, s->name);
	if (len && near.best)
		return error_set(err, ERROR_USAGE, "there is no setting \"%.*s\"; perhaps: %s",
				 shown, name, near.best);
	return error_set(err, ERROR_USAGE, "there is no setting \"%.*s\"; :set lists them", shown,
			 name);
}

bool
settings_find(const char *name, size_t name_len, struct setting_place *out, struct error *err)
{
	const char *dot = memchr(name, '.', name_len);
	size_t len = dot ? (size_t)(dot - name) : name_len;
	int shown = name_len < 60 ? (int)name_len : 60;

	out->setting = find_row(name, len);
	out->view = 0;
	if (!out->setting)
		return no_setting(name, len, err);
	if (!(out->setting->flags & SETTING_OF_VIEWS))
		return !dot || error_set(err, ERROR_USAGE, "%s is the same in every view",
					 out->setting->name);
	if (!dot)
		return error_set(err, ERROR_USAGE,
				 "every view has its own %s: %s.types, %s.objects",
				 out->setting->name, out->setting->name, out->setting->name);
	out->view = views_number(dot + 1, name_len - len - 1);
	return out->view != SIZE_MAX || error_set(err, ERROR_USAGE, "there is no view \"%.*s\"",
						  shown - (int)len - 1, dot + 1);
}

const char *
settings_spell(const struct setting_place *place, char out[SETTING_NAME_BYTES])
{
	bool has_views = place->setting->flags & SETTING_OF_VIEWS;

	snprintf(out, SETTING_NAME_BYTES, "%s%s%s", place->setting->name, has_views ? "." : "",
		 has_views ? all_views[place->view]->command.name : "");
	return out;
}

const struct origin *
settings_origin(const struct settings *s, const struct setting_place *place)
{
	return &s->origins[place->setting - settings_table][place->view];
}

/* --- setting -------------------------------------------------------------- */

static struct origin *
origin_of(struct settings *s, const struct setting_place *place)
{
	return &s->origins[place->setting - settings_table][place->view];
}

void
settings_undo(struct settings *s, const struct setting_change *change)
{
	const struct setting_place *place = &change->place;
	struct error ignored = { 0 };

	(void)setting_store(place->setting, place->setting->name, change->value_before, place->view,
			    s, &ignored);
	*origin_of(s, place) = change->origin_before;
}

/* Checks the value even if it will not apply here. */
static bool
store(struct settings *s, const char *what, const char *value, const struct origin *from,
      struct setting_change *change, struct error *err)
{
	const struct setting *row = change->place.setting;
	size_t view = change->place.view;

	setting_show(row, s, view, change->value_before);
	change->origin_before = *settings_origin(s, &change->place);
	if (!setting_store(row, what, value, view, s, err))
		return false;
	*origin_of(s, &change->place) = *from;
	if (!s->has_screen && !(row->flags & SETTING_BATCH) &&
	    (from->kind == ORIGIN_RC || from->kind == ORIGIN_SYSTEM_RC))
		settings_undo(s, change);
	return true;
}

bool
settings_set_value(struct settings *s, const char *name, const char *what, const char *value,
		   const struct origin *from, struct error *err)
{
	struct setting_change change = { 0 };

	return settings_find(name, strlen(name), &change.place, err) &&
	       store(s, what, value, from, &change, err);
}

/* Parses "bar", "nobar" or "bar!": a switch and its new value. */
static bool
find_switch(const struct settings *s, const char *text, struct setting_place *place,
	    const char **value, struct error *err)
{
	size_t len = strlen(text);
	bool is_turned = len && text[len - 1] == '!';
	char now[SETTING_TEXT_BYTES];
	struct error ignored = { 0 };

	*value = "on";
	if (!strncmp(text, "no", 2) && settings_find(text + 2, len - 2, place, &ignored)) {
		*value = "off";
	} else if (!settings_find(text, len - is_turned, place, err)) {
		return false;
	}
	if (place->setting->kind != SETTING_SWITCH)
		return error_set(err, ERROR_USAGE, "%s wants a value: %s=%s; %s? shows it",
				 place->setting->name, place->setting->name, place->setting->values,
				 place->setting->name);
	setting_show(place->setting, s, place->view, now);
	if (is_turned && !strcmp(now, "on"))
		*value = "off";
	return true;
}

/* Sets one word. `value_at` gets the offset of the value, for errors. */
static bool
set_word(struct settings *s, const char *text, const struct origin *from,
	 struct setting_change *change, size_t *value_at, struct error *err)
{
	const char *equals = strchr(text, '='), *value;
	char what[64];

	*value_at = 0;
	if (!equals)
		return find_switch(s, text, &change->place, &value, err) &&
		       store(s, change->place.setting->name, value, from, change, err);
	if (!settings_find(text, (size_t)(equals - text), &change->place, err))
		return false;
	*value_at = (size_t)(equals - text) + 1;
	snprintf(what, sizeof what, "%.*s", (int)(equals - text), text);
	return store(s, what, equals + 1, from, change, err);
}

bool
settings_set(struct settings *s, const char *text, const struct origin *from,
	     struct setting_change *change, struct error *err)
{
	struct setting_change ignored;
	size_t value_at;

	if (set_word(s, text, from, change ? change : &ignored, &value_at, err))
		return true;
	err->offset = value_at;
	return false;
}

void
settings_init(struct settings *s)
{
	static const struct origin none = { .kind = ORIGIN_DEFAULT };

	*s = (struct settings){ .has_screen = true };
	for (const struct setting *row = settings_table; row->name; row++) {
		size_t views = row->flags & SETTING_OF_VIEWS ? SETTING_VIEWS_MAX : 1;

		for (size_t i = 0; i < views; i++) {
			s->origins[row - settings_table][i] = none;
			setting_reset(row, i, s);
		}
	}
}

/* Takes the "on" or "off" behind a switch, as in "set mouse on": it is one word with it. */
static void
take_state(const char **words, char word[SETTING_TEXT_BYTES])
{
	const char *next = *words + strspn(*words, " \t");
	size_t len = strcspn(next, " \t"), used = strlen(word);
	bool is_state =
	    (len == 2 && !strncmp(next, "on", 2)) || (len == 3 && !strncmp(next, "off", 3));
	struct error ignored = { 0 };
	struct setting_place place;

	if (!is_state || used + len + 2 > SETTING_TEXT_BYTES ||
	    !settings_find(word, used, &place, &ignored) || place.setting->kind != SETTING_SWITCH)
		return;
	snprintf(word + used, SETTING_TEXT_BYTES - used, "=%.*s", (int)len, next);
	*words = next + len;
}

const char *
settings_word(const char **words, char out[SETTING_TEXT_BYTES])
{
	const char *word = *words + strspn(*words, " \t");
	size_t len = strcspn(word, " \t");

	*words = word + len;
	if (!len)
		return NULL;
	if (len >= SETTING_TEXT_BYTES)
		len = SETTING_TEXT_BYTES - 1;
	memcpy(out, word, len);
	out[len] = '\0';
	take_state(words, out);
	return word;
}

/* Returns whether a setting has been changed in any view. */
static bool
is_set(const struct settings *s, const struct setting *row)
{
	for (size_t i = 0; i < SETTING_VIEWS_MAX; i++) {
		struct setting_place place = { row, i };

		if (settings_origin(s, &place)->kind != ORIGIN_DEFAULT)
			return true;
	}
	return false;
}

bool
settings_apply_all(struct app *app, struct error *err)
{
	for (const struct setting *s = settings_table; s->name; s++)
		if (s->apply && is_set(app->settings, s) && !s->apply(app, err))
			return false;
	return true;
}

void
settings_print(FILE *to)
{
	char form[64];

	for (const struct setting *s = settings_table; s->name; s++)
		fprintf(to, "  %-26s %s%s%s%s\n", setting_form(s, form), s->help,
			*s->initial ? " [" : "", s->initial, *s->initial ? "]" : "");
}
