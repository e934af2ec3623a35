#include "tui/column_choice.h"
#include <string.h>

static int
find_column(const struct view_ops *ops, const char *id, size_t len)
{
	for (int i = 0; ops->columns[i].id; i++)
		if (strlen(ops->columns[i].id) == len &&
		    !memcmp(ops->columns[i].id, id, len))
			return i;
	return -1;
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
column_choice_next(const char **at, const struct view_ops *ops,
		   struct column_choice *out, struct error *err)
{
	const char *word = *at, *width;
	size_t len = strcspn(word, ",");

	if (!*word)
		return false;
	*at = word + len + (word[len] == ',');
	*out =
	    (struct column_choice){ .id = word, .id_len = strcspn(word, ",:") };
	out->column = find_column(ops, word, out->id_len);
	if (out->id_len == len)
		return true;
	width = word + out->id_len + 1;
	len -= out->id_len + 1;
	return parse_width(width, len, &out->width) ||
	       error_set(err, ERROR_USAGE,
			 "%.*s:WIDTH wants a width from 1 to %d, not \"%.*s\"",
			 out->id_len < 30 ? (int)out->id_len : 30, word,
			 COLUMN_WIDTH_MAX, len < 30 ? (int)len : 30, width);
}

int
column_choice_kind(const struct view_ops *ops, const char *id, size_t len)
{
	int column = find_column(ops, id, len);
	char first[32];
	size_t stem = len;

	while (stem && id[stem - 1] >= '0' && id[stem - 1] <= '9')
		stem--;
	if (column >= 0 || stem == len || !stem || id[stem - 1] != '_' ||
	    id[stem] == '0' || stem + 2 > sizeof first)
		return column;
	memcpy(first, id, stem);
	first[stem] = '1';
	return find_column(ops, first, stem + 1);
}
