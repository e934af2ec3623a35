#include "tui/widget/view_heading.h"
#include "model/base/text.h"
#include <string.h>

enum {
	ROWS_MIN = 3,       /* heading lines make room for this many rows */
	NAMED_MAX = 6,      /* most lines of a heading that names a row */
	NAMED_ROWS = 8,     /* if there is then room for so many rows */
	MEASURED_MAX = 100, /* rows */
	WAY_LINES = 2,      /* lines of a cut path if lines are few */
	LINE_BYTES = 1024   /* of a line cut to the screen */
};

static bool
fits_in_lines(const char *text, int width, int lines)
{
	char line[LINE_BYTES];

	return !text_line(text, width, lines, line, sizeof line);
}

/* Cuts the middle out of a path that takes too many lines, as its ends matter most. */
static const char *
fit_way(const char *text, int width, int lines, char out[LINE_BYTES])
{
	int most = width * lines;

	if (!strstr(text, " → ") || fits_in_lines(text, width, lines))
		return text;
	while (most > 1 && !fits_in_lines(text_fit(text, most, out, LINE_BYTES), width, lines))
		most--;
	return out;
}

int
view_heading_room(const struct view *v)
{
	int below = v->area.height - 1, spare = below - ROWS_MIN;
	int most = v->ops->list.flags & VIEW_NAMES_SELECTED && below >= NAMED_MAX + NAMED_ROWS
		       ? NAMED_MAX
		       : HEADING_MAX;

	if (!view_code(v->ops)->picture && below - HEADING_MAX > 0 &&
	    v->rows_count < (size_t)(below - HEADING_MAX))
		most = below - (int)v->rows_count;
	if (most > spare)
		most = spare > 0 ? spare : 0;
	return most;
}

/*
 * Returns how many of the remaining lines a path may take: all but one, which the next sentence
 * gets, if the path is then complete or rows do not need the lines.
 */
static int
way_lines(const struct view *v, const char *text, int left)
{
	int most = WAY_LINES;

	if (left - 1 > most &&
	    (view_heading_room(v) > HEADING_MAX || fits_in_lines(text, v->area.width, left - 1)))
		most = left - 1;
	return left < most ? left : most;
}

/* A line above the table. */
struct heading_line {
	char text[LINE_BYTES];
	enum style style;
	bool goes_on; /* continues the line before it */
};

/* Makes heading line `n`. */
static bool
heading_line(const struct view *v, int n, struct heading_line *out)
{
	char text[VALUE_TEXT_BYTES], fitted[LINE_BYTES];
	struct value value;
	int room = view_heading_room(v);

	if (v->is_waiting)
		return false;
	for (unsigned i = 0; view_heading(v, i, &value); i++) {
		const char *whole = value_for_people(&value, text);
		int lines = 0;

		if (room > 0)
			whole = fit_way(whole, v->area.width, way_lines(v, whole, room), fitted);
		out->style = value.style;
		out->goes_on = n > 0;
		if (text_line(whole, v->area.width, n, out->text, sizeof out->text))
			return true;
		while (text_line(whole, v->area.width, lines, out->text, sizeof out->text))
			lines++;
		n -= lines;
		room -= lines;
	}
	return false;
}

static int
count_heading_lines(const struct view *v)
{
	struct heading_line line;
	int lines = 0, room = view_heading_room(v);

	while (lines < room && heading_line(v, lines, &line))
		lines++;
	return lines;
}

/* Uses the same number for every selected row, so that the rows below do not jump. */
static int
count_lines_of_all_rows(struct view *v)
{
	size_t cursor = v->cursor;
	int most = 0;

	if (v->rows_count > MEASURED_MAX)
		return view_heading_room(v);
	for (v->cursor = 0; v->cursor < v->rows_count; v->cursor++) {
		int lines = count_heading_lines(v);

		most = lines > most ? lines : most;
	}
	v->cursor = cursor;
	return most;
}

int
view_heading_measure(struct view *v)
{
	bool says = v->ops->list.flags & VIEW_NAMES_SELECTED && v->rows_count && !v->is_waiting;

	return says ? count_lines_of_all_rows(v) : count_heading_lines(v);
}

void
view_heading_draw(const struct view *v, struct screen *s)
{
	int at = v->area.row, column = v->area.column;
	struct heading_line line;
	/* Lines were dropped to make room for rows. A complete sentence does not end in …, even if
	   further sentences were dropped. */
	bool is_cut = heading_line(v, v->heading_lines, &line) && line.goes_on;

	for (int i = 0; i < v->heading_lines; i++, at++) {
		if (!heading_line(v, i, &line))
			return;
		if (is_cut && i + 1 == v->heading_lines)
			screen_put_part(s, at, column, v->area.width, line.style, line.text);
		else
			screen_put(s, at, column, v->area.width, line.style, line.text);
	}
}
