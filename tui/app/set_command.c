#include "tui/app/set_command.h"
#include "tui/app/state.h"
#include "tui/app/views.h"
#include <string.h>

/* Shows a value; with `why`, also its origin and help. */
static void
show_value(struct app *app, const struct setting_place *place, bool why)
{
	char value[SETTING_TEXT_BYTES], where[ORIGIN_BYTES];
	char name[SETTING_NAME_BYTES];
	const struct setting *s = place->setting;
	const char *overruled = s->overruled ? s->overruled(app) : NULL;

	setting_show(s, app->settings, place->view, value);
	app_message(app, STYLE_STATUS, "%s=%.200s%s%s%s%s%s%s", settings_spell(place, name), value,
		    overruled ? ", without effect: " : "", overruled ? overruled : "",
		    why ? " (" : "",
		    why ? origin_text(settings_origin(app->settings, place), where) : "",
		    why ? "): " : "", why ? s->help : "");
}

static bool
set_and_apply(struct app *app, const char *word, struct error *err)
{
	static const struct origin at_prompt = { .kind = ORIGIN_PROMPT };
	struct setting_change change;
	const struct setting *row;

	if (!settings_set(app->settings, word, &at_prompt, &change, err))
		return false;
	row = change.place.setting;
	show_value(app, &change.place, false);
	if (!row->apply || row->apply(app, err))
		return true;
	settings_undo(app->settings, &change);
	return false;
}

static bool
set_or_show(struct app *app, char *word, struct error *err)
{
	size_t len = strlen(word);
	struct setting_place place;

	if (word[len - 1] != '?')
		return set_and_apply(app, word, err);
	if (!settings_find(word, len - 1, &place, err))
		return false;
	show_value(app, &place, true);
	return true;
}

bool
set_command(struct app *app, const char *words, struct error *err)
{
	char word[SETTING_TEXT_BYTES];

	while (settings_word(&words, word))
		if (!set_or_show(app, word, err))
			return false;
	return true;
}

/* --- completion ----------------------------------------------------------- */

/* Puts a prefix before each word offered. */
struct offer {
	const char *before;
	void (*add)(void *to, const char *word);
	void *to;
};

static void
offer_value(void *context, const char *value)
{
	const struct offer *o = context;
	char word[SETTING_TEXT_BYTES];

	snprintf(word, sizeof word, "%s%s", o->before, value);
	o->add(o->to, word);
}

static void
offer_names(const struct setting *s, void (*add)(void *to, const char *word), void *to)
{
	char word[64];

	if (s->kind == SETTING_SWITCH) {
		add(to, s->name);
		snprintf(word, sizeof word, "no%s", s->name);
		add(to, word);
		return;
	}
	if (!(s->flags & SETTING_OF_VIEWS)) {
		snprintf(word, sizeof word, "%s=", s->name);
		add(to, word);
		return;
	}
	for (size_t i = 0; all_views[i]; i++) {
		snprintf(word, sizeof word, "%s.%s=", s->name, all_views[i]->command.name);
		add(to, word);
	}
}

void
set_command_complete(const char *words, void (*add)(void *to, const char *word), void *to)
{
	const char *word = strrchr(words, ' ');
	const char *equals, *comma;
	struct setting_place place;
	struct error ignored = { 0 };
	char name[SETTING_TEXT_BYTES];
	struct offer o = { name, add, to };

	word = word ? word + 1 : words;
	equals = strchr(word, '=');
	if (!equals) {
		for (const struct setting *s = settings_table; s->name; s++)
			offer_names(s, add, to);
		return;
	}
	comma = strrchr(equals, ',');
	snprintf(name, sizeof name, "%.*s", (int)((comma ? comma : equals) - word + 1), word);
	if (!settings_find(word, (size_t)(equals - word), &place, &ignored))
		return;
	setting_complete(place.setting,
			 place.setting->flags & SETTING_OF_VIEWS ? all_views[place.view] : NULL,
			 offer_value, &o);
}
