/*
 * Any words as a command line: options or a sentence; what was given for settings is taken or
 * refused with one.
 */
#include "tests/drive/fuzz.h"
#include "tui/cli/options.h"
#include <string.h>

enum { TEXT_BYTES = 5000, WORDS_MAX = 60 };

static void
expect_error(bool ok, const struct error *err)
{
	if (ok != (err->kind == ERROR_NONE))
		fuzz_fail("neither options nor an error, or both", NULL);
	if (!ok && (err->kind == ERROR_CANCELLED || !err->message[0]))
		fuzz_fail("an error without a sentence", NULL);
}

/* One of the words is what was asked for. */
static bool
is_word(char *const *words, int count, const char *text)
{
	for (int i = 0; i < count; i++)
		if (text >= words[i] && text <= words[i] + strlen(words[i]))
			return true;
	return false;
}

static void
expect_options(const struct options *o, char *const *words, int count)
{
	static struct settings settings;
	struct error err = { 0 };

	if (o->files_count < 0 || o->files_count > count)
		fuzz_fail("more files than words", NULL);
	for (int i = 0; i < o->files_count; i++)
		if (!is_word(words, count, o->files[i]))
			fuzz_fail("a file that nobody named", NULL);
	if (o->has_pid && (o->pid < 0 || o->files_count))
		fuzz_fail("a process and files, or none", NULL);
	if (o->check.rules_count > CHECK_RULES_MAX)
		fuzz_fail("too many rules", NULL);
	settings_init(&settings);
	expect_error(options_set(o, &settings, &err), &err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[TEXT_BYTES];
	char *words[WORDS_MAX + 2], *kept[WORDS_MAX + 2];
	struct options o;
	struct error err;
	int count = 0;
	bool ok;

	size = size < sizeof text ? size : sizeof text - 1;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	words[count++] = (char[]){ "heaptop" };
	/* A word on each line. */
	for (char *at = text; count <= WORDS_MAX && *at;) {
		size_t len = strcspn(at, "\n");

		words[count++] = at;
		at += len + (at[len] == '\n');
		words[count - 1][len] = '\0';
	}
	words[count] = NULL;
	memcpy(kept, words, sizeof kept); /* getopt() changes their order */
	error_clear(&err);
	ok = options_parse(&o, count, words, &err);
	expect_error(ok, &err);
	if (ok)
		expect_options(&o, kept, count);
	return 0;
}
