/*
 * Any bytes as a heaptoprc: every command is done, kept for later or told with its place; what is
 * set can be shown and set again, and mapped keys are keys that may be mapped.
 */
#include "tests/drive/fuzz.h"
#include "tui/app/rc.h"
#include "tui/app/set_command.h"
#include "tui/term/term.h"
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 20000 };

static struct settings settings, again;
static struct rc rc;

static uint32_t
lines_count(const char *text)
{
	uint32_t count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* Also checks errors in files that the text names. */
static void
check_errors(const char *text)
{
	for (unsigned i = 0; i < rc.errors_count && i < RC_ERRORS_MAX; i++) {
		const char *message = rc.errors[i].message;
		unsigned line, column;

		if (rc.errors[i].kind == ERROR_NONE)
			fuzz_fail("an error that is none", NULL);
		if (strncmp(message, "rc:", 3) == 0 &&
		    (sscanf(message, "rc:%u:%u: ", &line, &column) != 2 || line < 1 ||
		     line > lines_count(text) || column < 1))
			fuzz_fail(message, NULL);
	}
}

static void
check_keys(const struct keymap *k)
{
	struct keymap copy = { 0 };
	struct error err = { 0 };
	char name[64], line[64 + KEYMAP_COMMAND_BYTES + 4];

	if (k->count > KEYMAP_MAX)
		fuzz_fail("too many keys", NULL);
	for (size_t i = 0; i < k->count; i++) {
		const struct keymap_entry *e = &k->entries[i];

		if (!e->key || e->key == TK_ESCAPE || e->key == ':' || e->key == TK_CTRL('C'))
			fuzz_fail("a key that must stay", NULL);
		snprintf(line, sizeof line, "%s %s", keymap_spell(e, name), e->command);
		if (!keymap_map(&copy, line, &e->origin, &err))
			fuzz_fail(err.message, NULL);
	}
	if (copy.count != k->count)
		fuzz_fail("keys have become fewer", NULL);
}

/* All but keys and origins. */
static bool
has_same_values(const struct settings *a, const struct settings *b)
{
	return a->ascii == b->ascii && a->bar == b->bar && a->color == b->color &&
	       a->facts == b->facts && a->names == b->names && a->statics == b->statics &&
	       a->title == b->title && a->bytes == b->bytes && a->history == b->history &&
	       a->budget_ms == b->budget_ms && a->memory_bytes == b->memory_bytes &&
	       !memcmp(a->theme, b->theme, sizeof a->theme) &&
	       !memcmp(a->sort, b->sort, sizeof a->sort) &&
	       !memcmp(a->columns, b->columns, sizeof a->columns);
}

/* Setting each shown value again must give the same values. */
static void
check_values(void)
{
	char value[SETTING_TEXT_BYTES];
	struct error err = { 0 };

	settings_init(&again);
	for (const struct setting *s = settings_table; s->name; s++)
		for (size_t v = 0; v < SETTING_VIEWS_MAX; v++) {
			struct setting_place place = { s, v };

			if (settings_origin(&settings, &place)->kind == ORIGIN_DEFAULT)
				continue;
			setting_show(s, &settings, v, value);
			if (!setting_store(s, s->name, value, v, &again, &err))
				fuzz_fail(err.message, NULL);
		}
	if (!has_same_values(&settings, &again))
		fuzz_fail("a value is not what it says", NULL);
}

static void
count_word(void *to, const char *word)
{
	*(size_t *)to += strlen(word);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[TEXT_BYTES];
	size_t words = 0;

	size = size < sizeof text ? size : sizeof text - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	rc_find(&rc);
	settings_init(&settings);
	/* Such a name would be read, whatever it is. */
	if (!strstr(text, "so") && !strchr(text, '/'))
		rc_run(&rc, "rc", ORIGIN_RC, text, &settings);
	check_errors(text);
	check_keys(&settings.keys);
	check_values();
	set_command_complete(text, count_word, &words);
	rc_clear(&rc);
	return 0;
}
