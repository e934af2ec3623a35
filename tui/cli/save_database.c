#include "tui/cli/save_database.h"
#include "model/sql/database.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

enum { TIME_BYTES = 32 };

bool
save_database_is_named(const char *path)
{
	const char *suffix = strrchr(path, '.');

	return suffix && !strcmp(suffix, SAVE_DATABASE_SUFFIX);
}

bool
save_database_is_wanted(const struct options *o)
{
	if (o->save_format)
		return !strcmp(o->save_format, &SAVE_DATABASE_SUFFIX[1]);
	return o->output && save_database_is_named(o->output);
}

bool
save_database_can(const struct options *o, struct error *err)
{
	if (!save_database_is_wanted(o))
		return true;
	if (o->is_raw || o->with)
		return error_set(err, ERROR_USAGE,
				 "--%s is for .heaptop files; a database has all results",
				 o->is_raw ? "raw" : "with");
	return strcmp(o->output, "-") != 0 ||
	       error_set(err, ERROR_USAGE,
			 "a database cannot be written to the standard output; "
			 "name a file: -o FILE" SAVE_DATABASE_SUFFIX);
}

/* Returns the time as people write it; NULL: unknown. */
static const char *
time_text(int64_t seconds, struct arena *a, struct error *err)
{
	time_t when = (time_t)seconds;
	char text[TIME_BYTES];
	struct tm tm;

	if (!seconds || !gmtime_r(&when, &tm) ||
	    !strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm))
		return NULL;
	return arena_printf(a, err, "%s", text);
}

static const char *
number_text(int64_t n, struct arena *a, struct error *err)
{
	return n ? arena_printf(a, err, "%" PRId64, n) : NULL;
}

static const char *
if_known(const char *text)
{
	return text && *text ? text : NULL;
}

enum { FACTS = 10 };

/* Writes the rows of `meta`: facts, then warnings. Texts are kept in `a`. */
static struct sql_note *
make_notes(const struct sql_heap *heap, size_t *count, struct arena *a, struct error *err)
{
	const struct heap_info *info = &heap->facts.heap->info;
	const struct sql_note facts[FACTS] = {
		{ "heap", heap->name },
		{ "source", if_known(info->source) },
		{ "format", if_known(info->format) },
		{ "tool", if_known(info->tool) },
		{ "process", if_known(info->process) },
		{ "pid", number_text(info->pid, a, err) },
		{ "time", time_text(info->time, a, err) },
		{ "machine", if_known(info->machine) },
		{ "heaptop", HEAPTOP_VERSION },
		{ "complete", losses_are_incomplete(&info->losses) ? "no" : "yes" },
	};
	struct sql_note *notes =
	    arena_array(a, struct sql_note, FACTS + (size_t)info->warnings_count, err);

	if (!notes)
		return NULL;
	memcpy(notes, facts, sizeof facts);
	*count = FACTS;
	for (uint32_t i = 0; i < info->warnings_count; i++)
		notes[(*count)++] = (struct sql_note){
			arena_printf(a, err, "warning %" PRIu32, i + 1),
			info->warnings[i],
		};
	return notes;
}

bool
save_database(const struct facts *f, const char *name, struct output *to, struct progress *progress,
	      struct error *err)
{
	struct sql_heap heap = { name, *f };
	struct arena texts = { 0 };
	struct sql_note *notes;
	size_t count = 0;
	bool ok;

	heap.facts.shows_short_names = false;
	heap.facts.shows_mine = false;
	notes = make_notes(&heap, &count, &texts, err);
	ok = notes && sql_write_database(output_fd(to), &heap, notes, count, progress, err);
	arena_clear(&texts);
	return ok;
}
