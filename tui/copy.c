#include "tui/copy.h"
#include "tui/app_state.h"
#include "tui/clipboard.h"
#include "tui/describe.h"
#include "tui/table.h"
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum {
	TEXT_BYTES = 32 * 1024,
	WAY_MAX = 200 /* steps; of longer ways the nearest to the root */
};

/* Lines in a buffer, made harmless, cut where it ends. */
struct text {
	char *out;
	size_t size, len;
};

static void PRINTF_LIKE(2, 3) add(struct text *t, const char *format, ...);
static void
add(struct text *t, const char *format, ...)
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
end_line(struct text *t)
{
	if (t->len + 1 < t->size)
		strcpy(t->out + t->len++, "\n");
}

/* --- what there is to copy ------------------------------------------------ */

/* "Leaky.Session: Count 5,001, Size 440,088 B (types of leaky.gcdump)" */
static bool
row_text(const struct view *v, const struct row *row, struct text *t)
{
	const struct column *name = view_name_column(v->ops);
	char out[VALUE_TEXT_BYTES];
	const char *before = ": ";
	struct value value;

	view_cell(v, name, row, &value);
	add(t, "%s", value_for_people(&value, out));
	for (int i = 0; v->ops->columns[i].id; i++) {
		const struct column *c = &v->ops->columns[i];
		const char *text;

		if (c == name || !view_has_column(v, c, false))
			continue;
		view_cell(v, c, row, &value);
		text = value_for_people(&value, out);
		if (!*text || value.kind == VALUE_PENDING)
			continue;
		add(t, "%s%s %s", before, c->title, text);
		before = ", ";
	}
	add(t, " (%s of %s)", v->title, v->session->name);
	return true;
}

static bool
name_text(const struct view *v, const struct row *row, struct text *t)
{
	char out[VALUE_TEXT_BYTES];
	struct value value;

	if (row->type != TYPE_NONE && row->type < v->session->types_count) {
		add(t, "%s", v->session->types[row->type].name);
		return true;
	}
	view_cell(v, view_name_column(v->ops), row, &value);
	add(t, "%s", value_for_people(&value, out));
	return t->len > 0;
}

static bool
address_text(const struct view *v, const struct row *row, struct text *t)
{
	char address[24];

	if (row->node == NODE_NONE)
		return false;
	add(t, "%s",
	    address_format(heap_address(v->session->heap, row->node), address));
	return true;
}

static bool
why_text(const struct view *v, const struct row *row, struct text *t)
{
	char node[VALUE_TEXT_BYTES], why[4096];

	if (row->node == NODE_NONE || !v->session->reach)
		return false;
	add(t, "%s is %s",
	    describe_node(v->session, row->node, node, sizeof node),
	    describe_why(v->session, row->node, why, sizeof why));
	return true;
}

/* A line a step, the root first. */
static bool
way_text(const struct view *v, const struct row *row, struct text *t)
{
	const struct session *s = v->session;
	node_id steps[WAY_MAX], n = row->node;
	char text[VALUE_TEXT_BYTES];
	uint32_t distance, count = 0;

	if (n == NODE_NONE || !s->reach)
		return false;
	distance = s->reach->distance[n];
	if (distance == DISTANCE_UNREACHABLE)
		return false;
	for (uint32_t left = distance; left >= WAY_MAX; left--)
		n = s->reach->next[n];
	for (;; n = s->reach->next[n]) {
		steps[count++] = n;
		if (!s->reach->distance[n])
			break;
	}
	add(t, "%s",
	    describe_root(session_root_of(s, row->node), text, sizeof text));
	end_line(t);
	while (count) {
		add(t, "  → %s",
		    describe_node(s, steps[--count], text, sizeof text));
		end_line(t);
	}
	if (distance >= WAY_MAX)
		add(t, "  … %u steps more", distance + 1 - WAY_MAX);
	return true;
}

static const struct {
	const char *name, *help;
	bool (*text)(const struct view *v, const struct row *row,
		     struct text *t);
} kinds[COPY_KINDS] = {
	/* clang-format off */
	[COPY_ROW]     = { "row",     "the line with the titles of its columns", row_text },
	[COPY_NAME]    = { "name",    "the whole name",                          name_text },
	[COPY_ADDRESS] = { "address", "of the object",                           address_text },
	[COPY_WHY]     = { "why",     "why the object lives, a sentence",        why_text },
	[COPY_WAY]     = { "way",     "the shortest way from a root, a line a step", way_text },
	/* clang-format on */
};

const char *
copy_part(enum copy_what what)
{
	return kinds[what].name;
}

bool
copy_text(const struct view *v, enum copy_what what, char *out, size_t out_size)
{
	struct text t = { out, out_size, 0 };
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
		return error_set(err, ERROR_USAGE,
				 "the selected row has no %s to copy",
				 kinds[what].name);
	if (app->term && !term_copy(app->term, text, err))
		return false;
	text[strcspn(text, "\n")] = '\0';
	app_message(app, STYLE_STATUS, "%s%s",
		    app->term ? "sent to the terminal's clipboard: "
			      : "to be copied: ",
		    text);
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
		if (copy_text(app_view(app), (enum copy_what)i, ignored,
			      sizeof ignored))
			menu_add(&app->menu, kinds[i].name, kinds[i].help, i);
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
		if (!*call->arg || !strcmp(call->arg, kinds[i].name))
			return send(call->app, (enum copy_what)i, err);
	return error_set(err, ERROR_USAGE,
			 "copy takes row, name, address, why or way");
}

/* --- Y -------------------------------------------------------------------- */

/* As many as are on the screen, whole. */
static void
print_rows(FILE *to, const struct view *v, const struct table *t)
{
	fprintf(to, "\n");
	table_print(to, t, v);
	fflush(to);
}

bool
show_plain(const struct call *call, struct error *err)
{
	struct app *app = call->app;
	const struct view *v = call->view;
	struct table t;
	FILE *to;

	if (!app->term)
		return error_set(err, ERROR_USAGE, "there is no terminal");
	if (!table_init(&t, v,
			app->settings->ascii || term_is_ascii(app->term)
			    ? TABLE_ASCII
			    : TABLE_TEXT,
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
	term_take_back(app->term, "heaptop: any key goes back");
	return true;
}
