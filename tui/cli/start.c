#include "tui/cli/start.h"
#include "tui/app/rc.h"
#include "tui/cli/say.h"
#include <stdlib.h>
#include <string.h>

/* Prints the mistakes in rc files; most begin with FILE:LINE already. */
static void
report_mistakes(const struct rc *rc)
{
	for (unsigned i = 0; i < rc->errors_count && i < RC_ERRORS_MAX; i++) {
		const char *message = rc->errors[i].message, *file = NULL;

		for (unsigned k = 0; k < rc->files_count; k++) {
			size_t len = strlen(rc->files[k].path);

			if (!strncmp(message, rc->files[k].path, len) && message[len] == ':')
				file = rc->files[k].path;
		}
		say_warning(file, message);
	}
	if (rc->errors_count > RC_ERRORS_MAX)
		say(NULL, "and %u more mistakes in settings", rc->errors_count - RC_ERRORS_MAX);
}

/* Applies an environment variable; an empty one counts as unset. */
static bool
take_variable(struct settings *s, const char *variable, const char *name, const char *value,
	      struct error *err)
{
	static const struct origin from = { .kind = ORIGIN_ENVIRONMENT };

	return !value || !*value || !s->has_screen ||
	       settings_set_value(s, name, variable, value, &from, err);
}

/*
 * Returns the theme for COLORFGBG, which rxvt, Konsole and others set and vim reads: "0;15" is
 * black on white. NULL: the background is dark or unknown.
 */
static const char *
theme_for_background(void)
{
	const char *colours = getenv("COLORFGBG"), *behind;

	if (!colours || !(behind = strrchr(colours, ';')))
		return NULL;
	if (strcmp(behind, ";7") != 0 && (strlen(behind) > 3 || atoi(behind + 1) < 9))
		return NULL;
	return "light";
}

bool
start_settings(struct options *o, struct error *err)
{
	const char *theme = getenv("HEAPTOP_THEME");
	const char *linear = getenv("HEAPTOP_LINEAR");
	struct rc *rc = o->rc;

	if (linear && *linear)
		linear = strcmp(linear, "0") ? "on" : "off";

	if (!take_variable(o->settings, "COLORFGBG", "theme", theme_for_background(), err))
		return false;
	if (o->has_no_rc)
		rc_skip(rc);
	else
		rc_read(rc, o->settings);
	if (!o->settings->has_screen)
		report_mistakes(rc);
	return take_variable(o->settings, "HEAPTOP_THEME", "theme", theme, err) &&
	       take_variable(o->settings, "HEAPTOP_LINEAR", "linear", linear, err) &&
	       options_set(o, o->settings, err);
}
