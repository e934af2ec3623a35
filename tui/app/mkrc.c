#include "tui/app/mkrc.h"
#include "tui/app/state.h"
#include "tui/app/views.h"
#include <stdarg.h>
#include <string.h>

enum {
	TEXT_BYTES = 256 << 10, /* more than all settings and keys need */
	SHOWN_BYTES = 400,      /* longest text shown as a message */
};

struct lines {
	char *text; /* has TEXT_BYTES */
	size_t len, count;
};

PRINTF_LIKE(2, 3)
static void
add(struct lines *l, const char *format, ...)
{
	size_t room = TEXT_BYTES - l->len;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(l->text + l->len, room, format, args);
	va_end(args);
	l->len += len > 0 && (size_t)len < room ? (size_t)len : 0;
	l->count++;
}

/* --- settings ------------------------------------------------------------- */

/* Adds a setting. A word of :set ends at a space, a command at a semicolon. */
static bool
add_setting(struct lines *l, const struct setting_place *place, const char *value,
	    struct error *err)
{
	const struct setting *s = place->setting;
	char name[SETTING_NAME_BYTES];

	for (const char *at = value; *at; at++)
		if (*at == ';' || (unsigned char)*at < ' ' || *at == 0x7f)
			return error_set(err, ERROR_USAGE, "a heaptoprc cannot express %s=%.80s",
					 s->name, value);
	if (!strcmp(s->name, "theme"))
		add(l, "theme %s\n", value);
	else if (s->kind == SETTING_SWITCH)
		add(l, "set %s%s\n", strcmp(value, "on") ? "no" : "", s->name);
	else
		add(l, "set %s=%s\n", settings_spell(place, name), value);
	return true;
}

static bool
add_settings(struct lines *l, const struct settings *s, const struct settings *initial,
	     struct error *err)
{
	char value[SETTING_TEXT_BYTES], before[SETTING_TEXT_BYTES];

	for (const struct setting *row = settings_table; row->name; row++) {
		bool has_views = row->flags & SETTING_OF_VIEWS;

		for (size_t i = 0; all_views[i] && (!i || has_views); i++) {
			struct setting_place place = { row, i };

			setting_show(row, s, i, value);
			setting_show(row, initial, i, before);
			if (strcmp(value, before) != 0 && !add_setting(l, &place, value, err))
				return false;
		}
	}
	return true;
}

/* --- keys ----------------------------------------------------------------- */

/* Adds a mapped key; quotes several commands, if a kind of quote is unused. */
static bool
add_key(struct lines *l, const struct keymap_entry *e, struct error *err)
{
	const char *quote = !strchr(e->command, ';')    ? ""
			    : !strchr(e->command, '\'') ? "'"
			    : !strchr(e->command, '"')  ? "\""
							: NULL;
	char key[64];

	keymap_spell(e, key);
	if (!quote)
		return error_set(err, ERROR_USAGE,
				 "a heaptoprc cannot express the mapping of %s: it has ; and both "
				 "quotes",
				 key);
	add(l, "map %s %s%s%s\n", key, quote, e->command, quote);
	return true;
}

static bool
add_keys(struct lines *l, const struct keymap *k, struct error *err)
{
	for (size_t i = 0; i < k->count; i++)
		if (!add_key(l, &k->entries[i], err))
			return false;
	return true;
}

static char *
write_lines(const struct settings *s, size_t *count, struct error *err)
{
	struct settings *initial = memory_new(1, sizeof *initial, err);
	struct lines l = { .text = memory_new(TEXT_BYTES, 1, err) };
	bool ok = initial && l.text;

	if (ok) {
		settings_init(initial);
		ok = add_settings(&l, s, initial, err) && add_keys(&l, &s->keys, err);
	}
	memory_free(initial);
	*count = l.count;
	if (ok)
		return l.text;
	memory_free(l.text);
	return NULL;
}

char *
mkrc_text(const struct settings *s, struct error *err)
{
	size_t count;

	return write_lines(s, &count, err);
}

/* --- the command ---------------------------------------------------------- */

/* Stores how the view is sorted; its default order is left out. */
static void
take_order(struct settings *s, const struct view *v)
{
	const char *view = v->ops->command.name, *usual = v->ops->list.sort;
	const struct column *c;
	char name[64], order[64];
	struct error ignored = { 0 };
	bool is_usual_way;

	if (v->sort < 0)
		return;
	c = &v->ops->table->columns[v->sort];
	is_usual_way = (c->sort == DOWN) == v->is_descending;
	snprintf(name, sizeof name, "sort.%s", view);
	snprintf(order, sizeof order, "%s%s", is_usual_way ? "" : "-", c->id);
	if (usual && !strcmp(order, usual))
		order[0] = '\0';
	(void)settings_set_value(s, name, name, order, &(struct origin){ .kind = ORIGIN_PROMPT },
				 &ignored);
}

/* Shows the lines as one, in the form in which it may be typed. */
static void
show_lines(struct app *app, char *text, size_t count)
{
	if (strlen(text) > SHOWN_BYTES) {
		app_message(app, STYLE_STATUS, "%zu lines; mkrc FILE writes them", count);
		return;
	}
	for (char *at = text; (at = strchr(at, '\n')) != NULL && at[1];)
		*at = ';';
	text[strcspn(text, "\n")] = '\0';
	app_message(app, STYLE_STATUS, "%s", text);
}

static bool
put_text(struct app *app, const char *path, bool may_replace, char *text, size_t count,
	 struct error *err)
{
	bool is_shown = !*path || !strcmp(path, "-");

	if (!count) {
		app_message(app, is_shown ? STYLE_STATUS : STYLE_WARNING,
			    "nothing differs from the defaults%s%.300s%s", is_shown ? "" : ": ",
			    is_shown ? "" : path, is_shown ? "" : " was not written");
		return true;
	}
	if (is_shown) {
		show_lines(app, text, count);
		return true;
	}
	if (!app_may_write(app, path, may_replace, "mkrc", err) ||
	    !app_write_text(app, path, may_replace, text, err))
		return false;
	app_message(app, STYLE_STATUS, "wrote %zu line%s to %.300s", count, count == 1 ? "" : "s",
		    path);
	return true;
}

bool
mkrc_run(struct app *app, const char *path, bool may_replace, struct error *err)
{
	struct settings *s = memory_new(1, sizeof *s, err);
	char *text;
	size_t count;
	bool ok;

	if (!s)
		return false;
	*s = *app->settings;
	for (size_t i = 0; i < app->views_count; i++)
		take_order(s, app->views[i]);
	text = write_lines(s, &count, err);
	ok = text && put_text(app, path, may_replace, text, count, err);
	memory_free(text);
	memory_free(s);
	return ok;
}
