#include "tui/app/tour.h"
#include "tui/app/state.h"
#include "tui/term/line.h"
#include "tui/session/snapshots.h"
#include "model/base/text.h"
#include "tui/app/views.h"
#include <string.h>

/* clang-format off */
const struct tour_step tour_steps[] = {
	/* in               at                     ignores  text, keys */
	{ &view_types,      "",                    false,
	  "A service grows. Bytes and strings are large in any heap; 5,001 of its own Leaky.Session look wrong.", "j" },
	{ &view_types,      "Leaky.Session",       false,
	  "A fifth of the heap, and half of it with what they hold. What holds all 5,001?", "P" },
	{ &view_merged,     "Leaky.Session",       false,
	  "Read it upwards: most of them are in one array, and that belongs to one List. Go to the List.", "j j" },
	{ &view_merged,     "List<Leaky.Session>", false,
	  "The column Objects shows 1: it is a single List. List it.", "Enter" },
	{ &view_objects,    "List<Leaky.Session>", false,
	  "Here it is, with its address. Why is it in memory at all?", "p" },
	{ &view_paths,      "List<Leaky.Session>", false,
	  "In words: kept by static Sessions. A static variable never goes away by itself. Back to the List.", "q" },
	{ &view_objects,    "List<Leaky.Session>", false,
	  "What would go with the List, and what would stay?", "d" },
	{ &view_dominators, "List<Leaky.Session>", false,
	  "142,640 B in 1,230 objects: far less than all sessions take. Something else holds them, too. Back.", "q q" },
	{ &view_merged,     "List<Leaky.Session>", false,
	  "To see what, ignore the variable. It is the row below.", "j" },
	{ &view_merged,     "static Sessions",     false,
	  "What would be freed without it? The dump itself does not change.", "x" },
	{ &view_merged,     "",                    true,
	  "142,640 B: too little. The others are in a dictionary, by Node<int, Leaky.Session>. Undo it.", "X" },
	{ &view_merged,     "",                    false,
	  "The list alone is not the whole leak. What would heaptop have found by itself?", "9" },
	{ &view_findings,   "",                    false,
	  "The same List, on the first row. Now the second dump, made later: what has grown?", "=" },
	{ &view_diff,       "",                    false,
	  "Twice the sessions, and all that each holds: they leak. heaptop --help heaptop-tutorial goes on from here.", "" },
	{ NULL, NULL, false, NULL, NULL },
};
/* clang-format on */

/* --- the dumps ------------------------------------------------------------ */

bool
tour_open_dumps(struct snapshots *all, struct error *err)
{
	if (!all->tour_loaders[0].load)
		return error_set(err, ERROR_USAGE, "the tour has no dumps here");
	for (int i = 0; i < TOUR_DUMPS; i++) {
		all->tour[i] = snapshots_add(all, &all->tour_loaders[i], err);
		if (!all->tour[i])
			return false;
	}
	return true;
}

/* Marks the two dumps of the tour for `diff`, and no others. */
static void
mark_dumps(struct snapshots *all)
{
	for (size_t i = 0; i < all->count; i++)
		all->sessions[i]->is_marked = false;
	for (int i = 0; i < TOUR_DUMPS; i++)
		all->tour[i]->is_marked = true;
}

/* --- from step to step ---------------------------------------------------- */

static const struct tour_step *
step_of(const struct app *app)
{
	return &tour_steps[app->tour.step];
}

/* Compares the type's full name: a title may have the short one. */
static bool
is_type(const struct session *s, type_id type, const char *name)
{
	return type != TYPE_NONE && type < s->types_count && !strcmp(s->types[type].name, name);
}

static bool
is_about(const struct view *v, const char *name)
{
	const struct heap *h = v->session->heap;
	struct target target = v->target;

	if (h && target.node < h->nodes_count)
		target.type = heap_type_of(h, target.node);
	return !*name || is_type(v->session, target.type, name);
}

/* A row without a type, such as a root, is compared by its text. */
static bool
is_selected(const struct view *v, const char *name)
{
	char text[VALUE_TEXT_BYTES];
	struct value value;
	struct row row;

	if (!view_selected(v, &row))
		return false;
	if (is_type(v->session, row.type, name))
		return true;
	view_cell(v, table_name_column(v->ops->table), &row, &value);
	return !strcmp(value_for_people(&value, text), name);
}

/* Compares by name: a view may have a copy of its ops. */
static bool
is_in(struct app *app, const struct tour_step *step)
{
	return view_is(app_view(app), step->in);
}

static bool
has_reached(struct app *app, const struct tour_step *step)
{
	const struct view *v = app_view(app);

	return is_in(app, step) && !v->is_waiting && !view_is_busy(v) &&
	       (is_about(v, step->at) || is_selected(v, step->at)) &&
	       (v->session->what_if.shown.items_count > 0) == step->ignores;
}

/*
 * A step may need several keys, so the user may be between two places; after another key only the
 * place counts.
 */
static bool
is_on_way(struct app *app, int key)
{
	return keys_have(step_of(app)->keys, key) &&
	       (!app->tour.strayed || has_reached(app, step_of(app)));
}

void
tour_look(struct app *app, int key)
{
	struct tour *t = &app->tour;

	if (!t->is_on || app->menu.is_open || app->is_prompting || app->is_counting)
		return;
	if (*step_of(app)->keys && has_reached(app, step_of(app) + 1)) {
		t->step++;
		t->strayed = 0;
	} else if (key) {
		t->strayed = is_on_way(app, key) ? 0 : key;
	}
}

bool
tour_begin(struct app *app, struct error *err)
{
	struct snapshots *all = app->snapshots;
	struct session *s;

	if (!all || app->session->is_batch)
		return error_set(err, ERROR_USAGE, "the tour needs a screen");
	if (!all->tour[TOUR_DUMPS - 1] && !tour_open_dumps(all, err))
		return false;
	mark_dumps(all);
	s = all->tour[0];
	app_close_pane(app);
	if (s->what_if.list.items_count && !what_if_stop_ignoring(s, SIZE_MAX, err))
		return false;
	if ((app->session != s || app_view(app)->ops != &view_types) &&
	    !app_open_in(app, s, &view_types, &target_none, err))
		return false;
	app->tour = (struct tour){ .is_on = true };
	view_move_to(app_view(app), 0);
	return view_sort_and_filter(app_view(app), "size", "", err);
}

void
tour_end(struct app *app)
{
	if (app->tour.is_on)
		app_message(app, STYLE_STATUS, "the tour has ended; :tour starts it again");
	app->tour.is_on = false;
}

/* --- the panel ------------------------------------------------------------ */

static unsigned
steps_count(void)
{
	unsigned count = 0;

	while (tour_steps[count].in)
		count++;
	return count;
}

const char *
tour_text(const struct app *app, char *out, size_t out_size)
{
	snprintf(out, out_size, "%u/%u %s", app->tour.step + 1, steps_count(), step_of(app)->text);
	return out;
}

int
tour_lines(const struct app *app, int columns)
{
	char text[256], line[256];
	int lines = 0;

	if (!app->tour.is_on)
		return 0;
	tour_text(app, text, sizeof text);
	while (lines < TOUR_TEXT_LINES && text_line(text, columns, lines, line, sizeof line))
		lines++;
	return lines + 1;
}

/* Writes what to press next, or after another key, how to get back. */
const char *
tour_prompt(struct app *app, char *out, size_t out_size)
{
	const struct tour_step *step = step_of(app);
	char key[16];

	if (!*step->keys)
		snprintf(out, out_size, "that was the tour");
	else if (!app->tour.strayed)
		snprintf(out, out_size, "press %s", step->keys);
	else if (is_in(app, step) && has_reached(app, step))
		snprintf(out, out_size, "that was %s; press %s", key_spell(app->tour.strayed, key),
			 step->keys);
	else if (is_in(app, step))
		snprintf(out, out_size, "that was %s; back to %s, then %s",
			 key_spell(app->tour.strayed, key), *step->at ? step->at : "where you were",
			 step->keys);
	else
		snprintf(out, out_size, "that was %s; Backspace goes back",
			 key_spell(app->tour.strayed, key));
	return out;
}

void
tour_draw(struct app *app, struct screen *s, int row)
{
	char text[256], line[256];
	static const char ends[] = "  (Esc ends)";
	int lines = tour_lines(app, s->columns);
	struct line last = { s, row + lines - 1, 0 };

	tour_text(app, text, sizeof text);
	for (int i = 0; i < lines - 1; i++) {
		text_line(text, s->columns, i, line, sizeof line);
		screen_restyle(s, row + i, 0, s->columns, STYLE_HEADER);
		screen_put(s, row + i, 0, s->columns, STYLE_HEADER, line);
	}
	tour_prompt(app, text, sizeof text);
	line_add(&last, STYLE_KEY, "%s", text_fit(text, s->columns, line, sizeof line));
	/* While a job runs, Esc stops that first. */
	if (!app_running_job(app) && last.column + text_width(ends) <= s->columns)
		line_add(&last, STYLE_DIM, "%s", ends);
}
