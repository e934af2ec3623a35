#include "tui/app/copy.h"
#include "tui/app/state.h"
#include "tui/term/clipboard.h"
#include "tui/session/describe.h"
#include "model/base/format.h"
#include "tui/widget/view_print.h"
#include "model/base/text.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

/* A long path keeps WAY_END steps at either end, which always fit. */
enum { TEXT_BYTES = CLIPBOARD_TEXT_MAX, WAY_END = 24, NAME_COLUMNS = 256 };

/* A text buffer. Control characters are removed; what does not fit is cut. */
struct copied {
	char *out;
	size_t size, len;
};

static void PRINTF_LIKE(2, 3) add(struct copied *t, const char *format, ...);
static void
add(struct copied *t, const char *format, ...)
{
	char piece[8 * 1024];
	va_list args;

	va_start(args, format);
	vsnprintf(piece, sizeof piece, format, args);
	va_end(args);
	text_clean(piece, t->out + t->len, t->size - t->len);
	t->len += strlen(t->out + t->len);
}

static void
end_line(struct copied *t)
{
	if (t->len + 1 < t->size)
		strcpy(t->out + t->len++, "\n");
}

/* --- texts to copy -------------------------------------------------------- */

/* Adds "Leaky.Session 7fe01c001d70", even if names on the screen are short. */
static void
add_node(struct copied *t, const struct heap *h, node_id n)
{
	char address[24], name[4 * NAME_COLUMNS + 1];

	add(t, "%s %s", text_fit(heap_type(h, n)->name, NAME_COLUMNS, name, sizeof name),
	    address_format(heap_address(h, n), address));
}

/* Adds "Leaky.Session: Count 5,001, Size 440,088 B (types of leaky.gcdump)". */
static bool
row_text(const struct view *v, const struct row *row, struct copied *t)
{
	const struct column *name = table_name_column(v->ops->table);
	char out[VALUE_TEXT_BYTES];
	const char *before = ": ";
	struct value value;

	view_cell(v, name, row, &value);
	add(t, "%s", view_whole_text(&value, out));
	for (int i = 0; v->ops->table->columns[i].id; i++) {
		const struct column *c = &v->ops->table->columns[i];
		const char *text;

		if (c == name || !view_has_column(v, c, false))
			continue;
		view_cell(v, c, row, &value);
		text = view_whole_text(&value, out);
		if (!*text || value.kind == VALUE_PENDING)
			continue;
		add(t, "%s%s %s", before, c->title, text);
		before = ", ";
	}
	add(t, " (%s of %s)", v->title, v->session->name);
	return true;
}

static bool
name_text(const struct view *v, const struct row *row, struct copied *t)
{
	char out[VALUE_TEXT_BYTES];
	struct value value;

	if (row->type != TYPE_NONE && row->type < v->session->types_count) {
		add(t, "%s", v->session->types[row->type].name);
		return true;
	}
	view_cell(v, table_name_column(v->ops->table), row, &value);
	add(t, "%s", value_for_people(&value, out));
	return t->len > 0;
}

static bool
address_text(const struct view *v, const struct row *row, struct copied *t)
{
	char address[24];

	if (row->node == NODE_NONE)
		return false;
	add(t, "%s", address_format(heap_address(v->session->heap, row->node), address));
	return true;
}

static bool
why_text(const struct view *v, const struct row *row, struct copied *t)
{
	const struct session *s = v->session;
	char why[4096], size[FORMAT_BYTES];

	if (row->node == NODE_NONE || !s->reach)
		return false;
	add_node(t, s->heap, row->node);
	add(t, ", %s, is %s (%s)", format_size(heap_size(s->heap, row->node), size),
	    describe_why(s, row->node, why, sizeof why), s->name);
	return true;
}

/* Collects the steps from object to root, without the middle of a long path. */
static uint32_t
find_steps(const struct reach *r, node_id n, node_id steps[2 * WAY_END])
{
	uint32_t distance = r->distance[n], count = 0;

	for (uint32_t left = distance;; left--, n = r->next[n]) {
		if (left < WAY_END || distance - left < WAY_END)
			steps[count++] = n;
		if (!left)
			return count;
	}
}

/* Adds a line for each step, the root first. */
static bool
way_text(const struct view *v, const struct row *row, struct copied *t)
{
	const struct session *s = v->session;
	char text[VALUE_TEXT_BYTES], size[FORMAT_BYTES];
	uint32_t distance, count;
	node_id steps[2 * WAY_END];

	if (row->node == NODE_NONE || !s->reach)
		return false;
	distance = s->reach->distance[row->node];
	if (distance == DISTANCE_UNREACHABLE)
		return false;
	count = find_steps(s->reach, row->node, steps);
	add(t, "%s (%s)", describe_root(session_root_of(s, row->node), text, sizeof text), s->name);
	end_line(t);
	while (count) {
		node_id n = steps[--count];

		add(t, "  → ");
		add_node(t, s->heap, n);
		add(t, ", %s", format_size(heap_size(s->heap, n), size));
		end_line(t);
		if (count == WAY_END && distance >= 2 * WAY_END) {
			add(t, "  … %s steps omitted",
			    format_count(distance + 1 - 2 * WAY_END, size));
			end_line(t);
		}
	}
	return true;
}

const char *const copy_parts[COPY_KINDS + 1] = {
	[COPY_ROW] = "row", [COPY_NAME] = "name", [COPY_ADDRESS] = "address",
	[COPY_WHY] = "why", [COPY_WAY] = "way",
};
static const struct {
	const char *help;
	bool (*text)(const struct view *v, const struct row *row, struct copied *t);
} kinds[COPY_KINDS] = {
	/* clang-format off */
	[COPY_ROW]     = { "the row with the titles of its columns", row_text },
	[COPY_NAME]    = { "the whole name",                          name_text },
	[COPY_ADDRESS] = { "the object's address",                           address_text },
	[COPY_WHY]     = { "why the object is alive, as a sentence",        why_text },
	[COPY_WAY]     = { "the cheapest path from a root, a line for each step", way_text },
	/* clang-format on */
};

bool
copy_text(const struct view *v, enum copy_what what, char *out, size_t out_size)
{
	struct copied t = { out, out_size, 0 };
	struct row row;

	out[0] = '\0';
	return view_selected(v, &row) && kinds[what].text(v, &row, &t);
}

/* --- y -------------------------------------------------------------------- */

static bool
send(struct app *app, enum copy_what what, struct error *err)
{
	char text[TEXT_BYTES];
	const struct view *v = app_view(app);

	if (!v->rows_count)
		return error_set(err, ERROR_USAGE, "there is no row to copy");
	if (!copy_text(v, what, text, sizeof text))
		return error_set(err, ERROR_USAGE, "the selected row has no %s to copy",
				 copy_parts[what]);
	if (app->term && !term_copy(app->term, text, err))
		return false;
	text[strcspn(text, "\n")] = '\0';
	app_message(app, STYLE_STATUS, "%s%s",
		    app->term ? clipboard_sent(clipboard_way()) : "would copy: ", text);
	return true;
}

static bool
choose(struct app *app, int what, struct error *err)
{
	return send(app, (enum copy_what)what, err);
}

static bool
open_menu(struct app *app, int key)
{
	char ignored[TEXT_BYTES];

	menu_clear(&app->menu, " copy ");
	for (int i = 0; i < COPY_KINDS; i++)
		if (copy_text(app_view(app), (enum copy_what)i, ignored, sizeof ignored))
			menu_add(&app->menu, copy_parts[i], kinds[i].help, i);
	app_open_menu(app, key, choose);
	return app->menu.is_open;
}

bool
copy_selected(const struct call *call, struct error *err)
{
	if (!*call->arg && call->key)
		return open_menu(call->app, call->key) ||
		       error_set(err, ERROR_USAGE, "there is no row to copy");
	for (int i = 0; i < COPY_KINDS; i++)
		if (!*call->arg || !strcmp(call->arg, copy_parts[i]))
			return send(call->app, (enum copy_what)i, err);
	return error_set(err, ERROR_USAGE, "copy takes row, name, address, why or way");
}

/* --- Y -------------------------------------------------------------------- */

/* Prints the rows on the screen, uncut. */
static void
print_rows(FILE *to, const struct view *v, const struct table_writer *t)
{
	fprintf(to, "\n");
	view_print(to, t, v);
	fflush(to);
}

bool
show_plain(const struct call *call, struct error *err)
{
	struct app *app = call->app;
	const struct view *v = call->view;
	struct table_writer t;
	FILE *to;

	if (!app->term)
		return error_set(err, ERROR_USAGE, "there is no terminal");
	if (!view_print_init(
		&t, v, app->settings->ascii || term_is_ascii(app->term) ? TABLE_ASCII : TABLE_TEXT,
		NULL, err))
		return false;
	t.rows_first = v->top;
	t.rows_max = (uint64_t)v->rows_shown;
	to = fdopen(dup(term_output(app->term)), "w");
	if (!to)
		return error_sys(err, errno, "cannot write to the terminal");
	term_lend(app->term);
	print_rows(to, v, &t);
	fclose(to);
	app_pause(app);
	term_take_back(app->term, "heaptop: press any key to return");
	app_go_on(app);
	return true;
}
