#include "tui/app/rc.h"
#include "tui/app/command.h"
#include "tui/base/text_file.h"
#include "tui/app/views.h"
#include "tui/base/quoting.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file being read, and what its commands change. */
struct reader {
	struct rc *rc;
	struct settings *settings;
	struct script script;
	struct origin origin;
};

static void
add_error(struct rc *rc, const struct error *err)
{
	if (rc->errors_count < RC_ERRORS_MAX)
		rc->errors[rc->errors_count] = *err;
	rc->errors_count++;
}

/* --- the commands --------------------------------------------------------- */

typedef bool rc_verb(struct reader *r, const char *arg, struct error *err);

/* Runs `set`. The error's offset is moved from the word to the argument. */
static bool
rc_set(struct reader *r, const char *arg, struct error *err)
{
	char word[SETTING_TEXT_BYTES];
	const char *at = arg, *begin;

	if (!*arg)
		return error_set(err, ERROR_USAGE,
				 "set wants a setting; heaptop --help settings lists them");
	while ((begin = settings_word(&at, word)) != NULL)
		if (!settings_set(r->settings, word, &r->origin, NULL, err)) {
			if (err->offset != ERROR_NO_OFFSET)
				err->offset += (uint64_t)(begin - arg);
			return false;
		}
	return true;
}

static bool
rc_theme(struct reader *r, const char *arg, struct error *err)
{
	return settings_set_value(r->settings, "theme", "theme", arg, &r->origin, err);
}

static bool
rc_map(struct reader *r, const char *arg, struct error *err)
{
	return keymap_map(&r->settings->keys, arg, &r->origin, err);
}

static bool
rc_unmap(struct reader *r, const char *arg, struct error *err)
{
	return keymap_unmap(&r->settings->keys, arg, err);
}

static bool read_file(struct rc *rc, const char *path, enum origin_kind kind, struct settings *s,
		      struct error *err);

static bool
rc_source(struct reader *r, const char *arg, struct error *err)
{
	char quoted[PLACE_BYTES], path[PLACE_BYTES];
	const char *kept;
	bool is_read;

	if (strlen(arg) >= sizeof quoted)
		return error_set(err, ERROR_USAGE, "the name of the file is too long");
	strcpy(quoted, arg);
	if (!quoting_path(quoting_strip(quoted), path, sizeof path, err))
		return false;
	kept = arena_strndup(&r->rc->arena, path, strlen(path), err);
	if (!kept || !script_enter(&r->rc->nesting, kept, err))
		return false;
	is_read = read_file(r->rc, kept, r->origin.kind, r->settings, err);
	script_leave(&r->rc->nesting);
	return is_read;
}

static const struct {
	const char *name;
	rc_verb *run;
} verbs[] = {
	{ "set", rc_set },     { "theme", rc_theme },   { "map", rc_map },
	{ "unmap", rc_unmap }, { "source", rc_source },
};

static bool
add_later(struct reader *r, const char *line, struct error *err)
{
	struct rc *rc = r->rc;
	struct rc_command *c = &rc->later[rc->later_count];

	if (rc->later_count == RC_LATER_MAX)
		return error_set(err, ERROR_USAGE, "more than %d commands for the screen",
				 RC_LATER_MAX);
	c->text = arena_strndup(&rc->arena, line, strlen(line), err);
	if (!c->text)
		return false;
	c->file = r->origin.file;
	c->line = r->script.line;
	c->column = r->script.column;
	rc->later_count++;
	return true;
}

static uint32_t
characters_count(const char *from, const char *to)
{
	uint32_t count = 0;

	for (; from < to; from++)
		count += ((unsigned char)*from & 0xc0) != 0x80;
	return count;
}

static bool
run_command(struct reader *r, const char *line, struct error *err)
{
	const char *arg = line + strcspn(line, " \t");
	struct binding found;

	arg += strspn(arg, " \t");
	if (!line[strspn(line, "0123456789")] || command_is_for_shell(line))
		return add_later(r, line, err);
	found = command_anywhere(line, err);
	if (!found.command)
		return false;
	for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
		if (strcmp(found.command->name, verbs[i].name) != 0)
			continue;
		if (verbs[i].run(r, arg, err))
			return true;
		/* Point at the part of the line that is wrong. */
		if (err->offset <= strlen(arg))
			r->script.column += characters_count(line, arg + err->offset);
		return false;
	}
	return add_later(r, line, err);
}

/* --- files ---------------------------------------------------------------- */

void
rc_run(struct rc *rc, const char *file, enum origin_kind kind, const char *text, struct settings *s)
{
	struct reader r = { .rc = rc, .settings = s, .origin = { .kind = kind, .file = file } };
	char line[SCRIPT_COMMAND_BYTES];
	struct error err;

	script_init(&r.script, text);
	r.script.name = file;
	for (;;) {
		bool is_there;

		error_clear(&err);
		is_there = script_next(&r.script, line, &err);
		if (!is_there && err.kind == ERROR_NONE)
			break;
		r.origin.line = r.script.line;
		if (is_there && run_command(&r, line, &err))
			continue;
		if (is_there)
			script_blame(&r.script, &err);
		add_error(rc, &err);
	}
}

static bool
read_file(struct rc *rc, const char *path, enum origin_kind kind, struct settings *s,
	  struct error *err)
{
	struct script script;

	if (!script_read(&script, path, TEXT_FILE_TRUSTED, err))
		return false;
	rc_run(rc, path, kind, script.begin, s);
	script_clear(&script);
	return true;
}

static void
add_file(struct rc *rc, enum origin_kind kind, bool is_named)
{
	struct rc_file *f = &rc->files[rc->files_count];

	if (!is_named)
		return;
	f->kind = kind;
	f->state = access(f->path, F_OK) ? RC_ABSENT : RC_THERE;
	rc->files_count++;
}

void
rc_find(struct rc *rc)
{
	const char *instead = getenv("HEAPTOP_RC");

	*rc = (struct rc){ 0 };
	arena_init(&rc->arena, 1 << 20);
	if (instead) {
		size_t len = strlen(instead);

		if (len && len < PLACE_BYTES)
			memcpy(rc->files[0].path, instead, len + 1);
		rc->files[0].is_wanted = true;
		add_file(rc, ORIGIN_RC, len && len < PLACE_BYTES);
		return;
	}
	add_file(rc, ORIGIN_SYSTEM_RC, place_of_system("heaptoprc", rc->files[0].path));
	add_file(rc, ORIGIN_RC, place_of_config("heaptoprc", rc->files[rc->files_count].path));
}

void
rc_clear(struct rc *rc)
{
	arena_clear(&rc->arena);
	*rc = (struct rc){ 0 };
}

void
rc_read(struct rc *rc, struct settings *s)
{
	for (unsigned i = 0; i < rc->files_count; i++) {
		struct rc_file *f = &rc->files[i];
		struct error err;

		error_clear(&err);
		if (f->state == RC_ABSENT && !f->is_wanted)
			continue;
		if (f->state == RC_ABSENT)
			error_set(&err, ERROR_USAGE, "%.180s, named by HEAPTOP_RC, does not exist",
				  f->path);
		else if (!read_file(rc, f->path, f->kind, s, &err))
			f->state = RC_REFUSED;
		if (err.kind != ERROR_NONE)
			add_error(rc, &err);
	}
}

void
rc_skip(struct rc *rc)
{
	for (unsigned i = 0; i < rc->files_count; i++)
		if (rc->files[i].state == RC_THERE)
			rc->files[i].state = RC_SKIPPED;
}

void
rc_blame(const struct rc_command *c, struct error *err)
{
	struct script place = { .name = c->file, .line = c->line, .column = c->column };

	script_blame(&place, err);
}

bool
rc_sum_up(const struct rc *rc, char *out, size_t out_size)
{
	if (!rc->errors_count)
		return false;
	if (rc->errors_count == 1)
		snprintf(out, out_size, "%s", rc->errors[0].message);
	else
		snprintf(out, out_size, "%s (and %u more)", rc->errors[0].message,
			 rc->errors_count - 1);
	return true;
}

void
rc_print_places(const struct rc *rc, FILE *to)
{
	static const char *const states[] = { [RC_ABSENT] = "absent",
					      [RC_THERE] = "there",
					      [RC_REFUSED] = "refused",
					      [RC_SKIPPED] = "skipped" };

	for (unsigned i = 0; i < rc->files_count; i++)
		place_print(to, "rc", states[rc->files[i].state], rc->files[i].path);
}
