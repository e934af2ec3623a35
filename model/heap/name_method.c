#include "model/heap/name_method.h"
#include "model/heap/names.h"
#include <string.h>

/* Returns the length without the closure class of lambdas: up to the last "+<>c". */
static size_t
outer_len(const char *type)
{
	size_t len = strlen(type), outer = len;
	int open = 0;

	for (size_t i = 0; i < len; i++) {
		open += (type[i] == '<') - (type[i] == '>');
		if (type[i] == '+' && !open &&
		    (!strncmp(type + i + 1, "<>c", 3) || !strncmp(type + i + 1, "[]c", 3)))
			outer = i;
	}
	return outer;
}

static const char *
spell_type(const char *type, size_t len, struct arena *a, struct error *err)
{
	const char *outer = arena_strndup(a, type, len, err);
	struct display_name shown;

	return outer && name_display(outer, a, &shown, err) ? shown.full : NULL;
}

/* "lambda in Foo.Bar.Run" with a type "…<<Run>b__1_2>d" is "Foo.Bar.Run lambda 1_2", like a lambda
   that is not async. */
static const char *
name_body(const char *body, const char *type, struct arena *a, struct error *err)
{
	static const char lambda[] = "lambda in ";
	const size_t skipped = sizeof lambda - 1;
	const char *number = strstr(type, ">b__");

	if (!number || strncmp(body, lambda, skipped) != 0)
		return body;
	return arena_printf(a, err, "%s lambda %.*s", body + skipped, (int)strcspn(number + 4, ">"),
			    number + 4);
}

/* Returns the method of the source whose body the compiler moved to MoveNext of a state machine, or
   NULL. The type is the machine or its box. */
static const char *
body_of_machine(const char *type, struct arena *a, struct error *err)
{
	static const char *const machines[] = { "state machine of ", "async " };
	const char *shown = spell_type(type, strlen(type), a, err), *body;
	size_t len = shown ? strlen(shown) : 0;

	if (len < 2 || strcmp(shown + len - 2, "()") != 0)
		return NULL;
	for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
		size_t skipped = strlen(machines[i]);

		if (strncmp(shown, machines[i], skipped) != 0)
			continue;
		body = arena_strndup(a, shown + skipped, len - skipped - 2, err);
		return body ? name_body(body, type, a, err) : NULL;
	}
	return NULL;
}

const char *
name_method(const char *type, const char *method, struct arena *a, struct error *err)
{
	const char *close = *method == '<' ? strchr(method, '>') : NULL;
	const char *shown, *body;
	int inner = close ? (int)(close - method - 1) : 0;

	if (!strcmp(method, "MoveNext")) {
		body = body_of_machine(type, a, err);
		if (body || err->kind != ERROR_NONE)
			return body;
	}
	shown = spell_type(type, outer_len(type), a, err);
	if (!shown)
		return NULL;
	/* Leave nested ones ("<<Run>b__0>g__…") as they are. */
	if (inner > 0 && method[1] != '<') {
		if (!strncmp(close + 1, "b__", 3))
			return arena_printf(a, err, "%s.%.*s lambda %s", shown, inner, method + 1,
					    close + 4);
		if (!strncmp(close + 1, "g__", 3))
			return arena_printf(a, err, "%s.%.*s.%.*s", shown, inner, method + 1,
					    (int)strcspn(close + 4, "|"), close + 4);
	}
	return arena_printf(a, err, "%s.%s", shown, method);
}
