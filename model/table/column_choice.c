#include "model/table/column_choice.h"
#include "model/base/nearest.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool
is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Matches a word with a title: "Pause ms" is pause_ms or pause, ignoring case. Returns the length
   that matched, 0 if none did. */
static size_t
match_title(const char *title, const char *word, size_t len)
{
	size_t at = 0;

	while (*title && !is_in_word(*title))
		title++;
	for (; at < len && title[at]; at++)
		if (tolower((unsigned char)title[at]) != tolower((unsigned char)word[at]) &&
		    (title[at] != ' ' || word[at] != '_'))
			return 0;
	return at == len && !is_in_word(title[len]) ? len : 0;
}

/* Returns the column with exactly this title, else the only one that begins with it. */
static int
find_title(const struct table *t, const char *word, size_t len)
{
	int found = -1;
	bool is_single = true;

	for (int i = 0; t->columns[i].id; i++) {
		const struct column *c = &t->columns[i];

		if (c->flags & COLUMN_MACHINE || !match_title(c->title, word, len))
			continue;
		if (strlen(c->title) == len)
			return i;
		is_single = found < 0;
		found = i;
	}
	return is_single ? found : -1;
}

int
column_choice_find(const struct table *t, const char *id, size_t len)
{
	for (int i = 0; t->columns[i].id; i++)
		if (strlen(t->columns[i].id) == len && !memcmp(t->columns[i].id, id, len))
			return i;
	return len ? find_title(t, id, len) : -1;
}

static bool
parse_width(const char *text, size_t len, int *out)
{
	*out = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		*out = *out * 10 + (text[i] - '0');
		if (*out > COLUMN_WIDTH_MAX)
			return false;
	}
	return *out > 0;
}

bool
column_choice_next(const char **at, const struct table *t, struct column_choice *out,
		   struct error *err)
{
	const char *word = *at, *width;
	size_t len = strcspn(word, ",");

	if (!*word)
		return false;
	*at = word + len + (word[len] == ',');
	*out = (struct column_choice){ .id = word, .id_len = strcspn(word, ",:") };
	out->column = column_choice_find(t, word, out->id_len);
	if (out->id_len == len)
		return true;
	width = word + out->id_len + 1;
	len -= out->id_len + 1;
	return parse_width(width, len, &out->width) ||
	       error_set(err, ERROR_USAGE, "%.*s:WIDTH needs a width from 1 to %d, not \"%.*s\"",
			 out->id_len < 30 ? (int)out->id_len : 30, word, COLUMN_WIDTH_MAX,
			 len < 30 ? (int)len : 30, width);
}

int
column_choice_kind(const struct table *t, const char *id, size_t len)
{
	int column = column_choice_find(t, id, len);
	char first[32];
	size_t stem = len;

	while (stem && id[stem - 1] >= '0' && id[stem - 1] <= '9')
		stem--;
	if (column >= 0 || stem == len || !stem || id[stem - 1] != '_' || id[stem] == '0' ||
	    stem + 2 > sizeof first)
		return column;
	memcpy(first, id, stem);
	first[stem] = '1';
	return column_choice_find(t, first, stem + 1);
}

const char *
column_choice_suggest(const struct table *t, const char *id, size_t len,
		      char out[COLUMN_SUGGESTION_BYTES])
{
	struct nearest near;

	nearest_init(&near, id, len);
	for (const struct column *c = t->columns; c->id; c++)
		nearest_try(&near, c->id);
	if (near.best && !near.distance)
		near.best = NULL;
	snprintf(out, COLUMN_SUGGESTION_BYTES, "%s%s", near.best ? "; perhaps: " : "",
		 near.best ? near.best : "");
	return out;
}

static bool
has_item(const struct column_list *list, int column)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].column == column)
			return true;
	return false;
}

static void
add_item(struct column_list *list, int column, bool is_shown, int width)
{
	if (list->of->columns[column].flags & COLUMN_MACHINE || has_item(list, column))
		return;
	list->items[list->count++] = (struct column_item){ column, is_shown, width };
}

static bool
is_of_names(const struct column_list *list, const struct column_choice *c)
{
	return strlen(list->name_id) == c->id_len && !memcmp(list->name_id, c->id, c->id_len);
}

void
column_list_read(struct column_list *list, const char *text)
{
	const struct column *columns = list->of->columns;
	int name = (int)(table_name_column(list->of) - columns);
	bool are_all_shown = !*text;
	struct column_choice c;
	struct error ignored = { 0 };

	list->count = 0;
	while (column_choice_next(&text, list->of, &c, &ignored))
		if (c.column >= 0 || is_of_names(list, &c))
			add_item(list, c.column < 0 ? name : c.column, true, c.width);
	for (int i = 0; columns[i].id; i++)
		add_item(list, i, are_all_shown || columns[i].width == FILL, 0);
}

static bool
is_as_at_first(const struct column_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct column_item *item = &list->items[i];

		if (!item->is_shown || item->width || (i && item->column < item[-1].column))
			return false;
	}
	return true;
}

bool
column_list_write(const struct column_list *list, char *out, size_t out_size)
{
	struct text text = text_in(out, out_size);

	for (size_t i = 0; i < list->count && !is_as_at_first(list); i++) {
		const struct column_item *item = &list->items[i];
		const struct column *c = &list->of->columns[item->column];

		if (!item->is_shown)
			continue;
		text_addf(&text, "%s%s", text.len ? "," : "",
			  c->width == FILL ? list->name_id : c->id);
		if (item->width)
			text_addf(&text, ":%d", item->width);
	}
	return !text.is_cut;
}
