#include "model/heap/names.h"
#include <string.h>

/* "<>9__215_0" → "lambda 215_0" */
static const char *
field_lambda(const char *number, struct arena *a, struct error *err)
{
	if (!*number)
		return arena_strndup(a, "lambdas", 7, err);
	return arena_printf(a, err, "lambda %s", number + 2);
}

const char *
name_field(const char *raw, struct arena *a, struct error *err)
{
	const char *close = strchr(raw, '>');
	size_t len = strlen(raw);

	if (!strncmp(raw, "[]", 2))
		close = raw + 1;
	else if (*raw != '<' || !close)
		return arena_strndup(a, raw, len, err);
	if (close == raw + 1 && close[1] == '9' && (!close[2] || !strncmp(close + 2, "__", 2)))
		return field_lambda(close + 2, a, err);
	if (close == raw + 1 && !strcmp(close + 1, "4__this"))
		return arena_strndup(a, "this", 4, err);
	if (close == raw + 1)
		return arena_strndup(a, raw, len, err);
	/* A cached delegate is named after its method: "<0>__Compare". */
	if (raw[1] >= '0' && raw[1] <= '9' && !strncmp(close + 1, "__", 2) && close[3])
		return arena_strndup(a, close + 3, strlen(close + 3), err);
	/* A local variable in a state machine: "<count>5__2". */
	if (!strcmp(close + 1, "k__BackingField") || !strncmp(close + 1, "5__", 3))
		return arena_strndup(a, raw + 1, (size_t)(close - raw - 1), err);
	return arena_strndup(a, raw, len, err);
}

size_t
name_field_start(const char *text, size_t len)
{
	int depth = 0;

	for (size_t i = len; i > 0; i--) {
		char c = text[i - 1];

		if (c == '>')
			depth++;
		else if (c == '<')
			depth--;
		else if ((c == '.' || c == '+') && depth <= 0 && i < len)
			return i;
	}
	return 0;
}
