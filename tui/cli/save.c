#include "tui/cli/save.h"
#include "io/formats/heap_writer.h"
#include "model/heap/memory.h"
#include "model/sql/database.h"
#include "tui/cli/outcome.h"
#include "tui/cli/save_database.h"
#include "tui/cli/say.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
save_has_format(const char *path)
{
	const char *suffix = strrchr(path, '.');

	return suffix && !strcmp(suffix, heap_writer_of(path, NULL)->suffix);
}

static bool
write_heap(const struct heap_writer *writer, const char *path, bool may_replace,
	   const struct heap *h, const struct saved_how *how, char note[HEAP_WRITER_NOTE_BYTES],
	   struct progress *progress, struct error *err)
{
	struct output *to = output_open(path, may_replace, err);

	if (!to)
		return false;
	if (writer->write(to, h, how, note, progress, err))
		return output_close(to, err);
	output_abandon(to);
	return false;
}

static bool
write_database(const char *path, bool may_replace, const struct facts *f, const char *name,
	       struct progress *progress, struct error *err)
{
	struct output *to = output_open(path, may_replace, err);

	if (to && save_database(f, name, to, progress, err))
		return output_close(to, err);
	output_abandon(to);
	return false;
}

/* --- the command line ---------------------------------------------------- */

static bool
can_write(const char *path, bool may_replace, struct error *err)
{
	struct output *to;

	if (!path || !strcmp(path, "-"))
		return true;
	to = output_open(path, may_replace, err);
	if (to)
		output_abandon(to);
	return to != NULL;
}

bool
save_can_write(const struct options *o, struct error *err)
{
	if (!save_database_can(o, err))
		return false;
	if (o->trace && !o->may_replace && !access(o->trace, F_OK))
		return error_set(err, ERROR_USAGE,
				 "%.200s exists; it is not overwritten without --force", o->trace);
	return can_write(o->output, o->may_replace, err) && can_write(o->check.junit, true, err);
}

/* Returns what has to be computed for -o FILE (enum need). */
static unsigned
needs_of_save(const struct options *o)
{
	if (!o->with)
		return NEED_OBJECTS;
	return NEED_OBJECTS | NEED_REVERSE | NEED_REACH |
	       (strcmp(o->with, "retained") ? 0U : NEED_RETAINED);
}

static struct saved_how
how_to_save(const struct options *o, const struct session *s)
{
	struct saved_how how = { .is_raw = o->is_raw };

	if (o->with) {
		how.prefers_statics = s->prefers_statics;
		how.reach = s->reach;
		how.dominators = s->retention ? s->retention->dominators : NULL;
		how.types = s->retention ? s->retention->types : NULL;
	}
	return how;
}

/* Writes the heap to the output. */
static bool
write_output(struct session *s, const struct options *o, char note[HEAP_WRITER_NOTE_BYTES],
	     struct error *err)
{
	struct saved_how how = how_to_save(o, s);
	struct facts facts;

	if (!save_database_is_wanted(o))
		return write_heap(heap_writer_of(o->output, o->save_format), o->output,
				  o->may_replace, s->heap, &how, note, NULL, err);
	if (!session_require_allowed(s, SQL_DATABASE_NEEDS, err))
		return false;
	facts = session_facts(s);
	return write_database(o->output, o->may_replace, &facts, s->name, NULL, err);
}

int
save_run(struct snapshots *all, const struct options *o)
{
	unsigned needs = needs_of_save(o);
	struct session *s = all->sessions[0];
	char note[HEAP_WRITER_NOTE_BYTES] = "";
	struct error err;
	int code = EXIT_OK;

	error_clear(&err);
	/* The types of a truncated heap can still be saved. */
	if (session_require(s, needs, &err) || (s->has_only_types && !heap_lacks_objects(s->heap)))
		error_clear(&err);
	else
		code = outcome_of_load(s, exit_code_of_load(&err), &err);
	if (!code && !write_output(s, o, note, &err)) {
		code = err.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		*note = '\0';
	} else if (!code && losses_are_incomplete(&s->heap->info.losses)) {
		code = EXIT_INCOMPLETE;
	}
	code = outcome_report_heaps(all, o, code);
	if (*note)
		say(o->output, "%s", note);
	return say_error(outcome_failed_path(all), &err, code);
}

int
save_trace_run(struct snapshots *all, const struct options *o)
{
	struct session *s = all->sessions[0];
	struct error err;
	int code = EXIT_OK;

	error_clear(&err);
	if (!session_require(s, NEED_TYPES, &err))
		code = outcome_of_load(s, exit_code_of_load(&err), &err);
	else if (losses_are_incomplete(&s->heap->info.losses))
		code = EXIT_INCOMPLETE;
	code = outcome_report_heaps(all, o, code);
	code = say_error(outcome_failed_path(all), &err, code);
	return outcome_report_trace(all, code);
}

/* --- commands of the screen ---------------------------------------------- */

static bool
may_write(const char *path, bool may_replace, const char *command, struct error *err)
{
	struct stat st;

	if (stat(path, &st))
		return true; /* absent, or opening it reports the error */
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_USAGE,
				 "%.160s is not a regular file and is not replaced", path);
	return may_replace || error_set(err, ERROR_USAGE, "%.100s exists; %s! %.100s replaces it",
					path, command, path);
}

static bool
may_save(const char *path, struct error *err)
{
	return save_has_format(path) || save_database_is_named(path) ||
	       error_set(
		   err, ERROR_USAGE,
		   "save writes a heap to FILE.heaptop, FILE.gcdump, FILE.gclog or FILE.sqlite, "
		   "not \"%.80s\"; w FILE.csv writes this table",
		   path);
}

static unsigned
needs_of_file(const char *path)
{
	return save_database_is_named(path) ? (unsigned)SQL_DATABASE_NEEDS : 0;
}

static bool
save_heap(const char *path, bool may_replace, const struct facts *f, const char *name,
	  char warning[SAVE_WARNING_BYTES], struct progress *progress, struct error *err)
{
	char note[HEAP_WRITER_NOTE_BYTES] = "";
	bool ok;

	if (save_database_is_named(path)) {
		if (SQL_DATABASE_NEEDS & ~f->has)
			snprintf(note, sizeof note,
				 "it lacks what was not computed; its table meta lists that");
		ok = write_database(path, may_replace, f, name, progress, err);
	} else {
		ok = write_heap(heap_writer_of(path, NULL), path, may_replace, f->heap, NULL, note,
				progress, err);
	}
	if (ok)
		snprintf(warning, SAVE_WARNING_BYTES, "%s", note);
	return ok;
}

static bool
write_printed(const char *path, bool may_replace,
	      bool (*print)(void *context, FILE *to, struct error *err), void *context,
	      struct error *err)
{
	struct output *to = output_open(path, may_replace, err);

	if (!to)
		return false;
	if (output_fill(to, print, context, err))
		return output_close(to, err);
	output_abandon(to);
	return false;
}

void
save_set_writers(struct snapshots *all)
{
	all->may_write = may_write;
	all->may_save = may_save;
	all->save_needs = needs_of_file;
	all->save = save_heap;
	all->write = write_printed;
}
