/* Opens the prompt and menus. */
#include "tui/app/arguments.h"
#include "tui/app/state.h"
#include "tui/session/snapshots.h"

static const struct {
	const char *sign, *history;
} prompt_kinds[PROMPT_KINDS] = {
	[PROMPT_COMMAND] = { ":", "history" },
	[PROMPT_SEARCH] = { "/", "searches" },
	[PROMPT_FILTER] = { "&", "filters" },
};

static struct prompt *
new_prompt(const struct app *app, enum prompt_kind kind, struct error *err)
{
	size_t lines = (size_t)app->settings->history;
	bool is_kept = app->keeps_histories && lines;

	if (app->snapshots && secure_is_on(&app->snapshots->secure))
		return prompt_new_secure(err);
	return prompt_new(is_kept ? prompt_kinds[kind].history : NULL,
			  lines ? lines : HISTORY_LINES_MAX, err);
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
		app->history_error = err;
	app->prompt_kind = kind;
	app->is_prompting = true;
	prompt_begin(app->prompts[kind], prompt_kinds[kind].sign, initial, arguments_complete, app);
}

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
		int by = table_sort_column(v->ops->table, i);

		if (v->ops->table->columns[by].sort == UNSORTED || !view_has_column(v, c, false))
			continue;
		if (by == v->sort)
			app->menu.cursor = app->menu.count;
		menu_add(&app->menu, c->title, c->help, by);
	}
	app_open_menu(app, key, choose_order);
	if (!app->menu.is_open)
		app_message(app, STYLE_STATUS, "this view has a fixed order");
}
