#include "tui/cli/run_text.h"
#include "tui/cli/gc_batch.h"
#include "tui/cli/outcome.h"
#include "tui/cli/say.h"
#include "tui/term/term.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static enum table_format
format_here(const struct options *o)
{
	return o->format == TABLE_TEXT && !term_wants_utf8() ? TABLE_ASCII : o->format;
}

int
run_text_batch(struct snapshots *all, struct options *o)
{
	struct session *s = all->sessions[0];
	struct error err;
	int code;

	error_clear(&err);
	o->format = format_here(o);
	code = batch_run(s, o, stdout, &err);
	code = outcome_report_heaps(all, o, outcome_of_load(s, code, &err));
	return outcome_report_trace(all, say_error(outcome_failed_path(all), &err, code));
}

int
run_text_list(struct snapshots *all, struct options *o)
{
	struct error err;

	error_clear(&err);
	o->format = format_here(o);
	if (all->live->place)
		say(NULL, "the .NET processes of %s", all->live->place());
	return say_error(NULL, &err, batch_list(all->sessions[0], o, stdout, &err));
}

struct text_run {
	char *bytes;
	size_t len;
};

static bool
print_text(void *context, FILE *to, struct error *err)
{
	const struct text_run *text = context;

	(void)err;
	fwrite(text->bytes, 1, text->len, to);
	return true;
}

int
run_text_check(struct snapshots *all, const struct options *o)
{
	struct check c = o->check;
	struct text_run xml = { 0 };
	FILE *junit = open_memstream(&xml.bytes, &xml.len);
	struct error err;
	bool is_whole;
	int code;

	error_clear(&err);
	if (!junit) {
		error_sys(&err, errno, "out of memory for the results");
		return say_error(NULL, &err, EXIT_FAILED);
	}
	c.is_strict = o->is_strict;
	c.allows_missing = o->allows_missing;
	check_junit_begin(junit);
	code = check_heaps(all, &c, junit, &err);
	check_junit_end(junit);
	/* fclose() may succeed even if memory for the text ran out. */
	is_whole = (!fclose(junit) && xml.bytes) ||
		   error_sys(&err, ENOMEM, "out of memory for the results");
	if (c.junit && code != EXIT_USAGE && code != EXIT_INTERRUPTED &&
	    !(is_whole && all->write(c.junit, true, print_text, &xml, &err)))
		code = EXIT_FAILED;
	free(xml.bytes);
	code = outcome_of_load(all->sessions[0], code, &err);
	return say_error(outcome_failed_path(all), &err, outcome_report_heaps(all, o, code));
}

bool
run_text_prints_gcs(const struct options *o)
{
	return o->batch || !isatty(STDOUT_FILENO) || o->is_verbose || o->min_pause_ms ||
	       o->format != TABLE_TEXT || o->columns || o->rows_max != UINT64_MAX;
}

int
run_text_gcs(const struct options *o, const struct loader *from)
{
	struct gc_lines lines;
	struct error err;
	int code;

	error_clear(&err);
	if (gc_lines_init(&lines, stdout, stderr, format_here(o), o->columns, &err)) {
		lines.is_verbose = o->is_verbose;
		lines.min_pause_ns = o->min_pause_ms * 1000000;
		lines.rows_max = o->rows_max;
		lines.counts_all = !from->is_live;
		code = gc_batch_run(from, &lines, &err);
	} else {
		code = err.kind == ERROR_SYSTEM ? EXIT_FAILED : EXIT_USAGE;
	}
	gc_lines_clear(&lines);
	return say_error(from->is_live ? NULL : from->path, &err, code);
}
