/*
 * The pictures of README, doc/NAME.svg, are what the program shows on a terminal: `make
 * screenshots` takes them anew, and here they are compared. HEAPTOP names the program.
 */
#include "tests/drive/started.h"
#include "tests/drive/svg.h"
#include <stdlib.h>
#include <string.h>

#define LEAKY "tests/data/leaky-10.gcdump"
#define LATER "tests/data/leaky-10-later.gcdump.zst"
#define TRACE "tests/data/gcs-10.nettrace.zst"

enum { ROWS = 24, COLUMNS = 110 };

/* Keys one after another, each when what is before it stands there. */
static const struct shot {
	const char *name, *title;
	const char *files[2];
	struct {
		const char *text, *keys;
	} steps[4]; /* the last text: what the picture must have */
} shots[] = {
	{ "types",
	  "the types of a heap",
	  { LEAKY },
	  { { "kept by static misc", "j" }, { "2/163", NULL } } },
	{ "tree",
	  "who holds an object",
	  { LEAKY },
	  { { "48.0%", ":tree 7fe019c08938\r" },
	    { "› tree", "*" },
	    { "static Sessions", "G" },
	    { "6/6", NULL } } },
	{ "dominators",
	  "what would go with which object",
	  { LEAKY },
	  { { "48.0%", "3" }, { "Publisher", "jj+j+jt" }, { "200 × EventHandler", NULL } } },
	{ "findings",
	  "what looks like a leak",
	  { LEAKY },
	  { { "48.0%", "9" }, { "50.8%", NULL } } },
	{ "diff", "what changed between two heaps", { LEAKY, LATER }, { { "grows", NULL } } },
	{ "inspect",
	  "one object",
	  { LEAKY },
	  { { "48.0%", ":inspect 7fe019c08938\r" },
	    { "holds 3 references", "jj" },
	    { "3/7", NULL } } },
	{ "roots",
	  "what holds the heap",
	  { LEAKY },
	  { { "48.0%", "4R" }, { "static: 328 roots", "+j" }, { "2/334", NULL } } },
	{ "treemap",
	  "what retains most, as areas",
	  { LEAKY },
	  { { "48.0%", ":treemap\r" }, { "1/105", NULL } } },
	{ "gcs",
	  "collections and their pauses",
	  { "-g", TRACE },
	  { { "1/29", "t" }, { "#29 gen1", NULL } } },
};

static struct pty *
take(const struct shot *shot)
{
	const char *arguments[] = { "--theme", "dark", shot->files[0], shot->files[1], NULL };
	static const char *const variables[] = { "COLORTERM=truecolor", NULL };
	struct pty *p = started(arguments, variables, ROWS, COLUMNS);

	for (size_t i = 0; i < 4 && shot->steps[i].text; i++) {
		assert_true(pty_wait_text(p, shot->steps[i].text));
		if (shot->steps[i].keys)
			pty_send(p, shot->steps[i].keys);
	}
	/* Results come one by one: until nothing is on its way any more. */
	assert_true(pty_wait_no_text(p, "Esc stops"));
	assert_true(pty_wait_no_text(p, "…  "));
	/* The last of it may be on its way still. */
	assert_true(pty_wait_quiet(p, 500));
	return p;
}

/* heaptop's own memory differs from run to run. */
static void
leave_out_own_memory(char *text)
{
	char *at = strstr(text, ">heaptop "), *begin, *end;

	if (!at)
		return;
	for (begin = at; *begin != '<'; begin--)
		;
	end = strchr(at + 1, '\n');
	memmove(begin, end, strlen(end) + 1);
}

BEGIN_TEST(is_what_the_screen_shows, ROWS_OF(shots), .before = home_make, .after = home_remove)
{
	const struct shot *shot = *state;
	struct pty *p = take(shot);
	char path[64], *old, *new = NULL;
	size_t len = 0;
	FILE *to;

	snprintf(path, sizeof path, "doc/%s.svg", shot->name);
	to = getenv("HEAPTOP_GOLDEN") ? fopen(path, "w") : open_memstream(&new, &len);
	assert_non_null(to);
	svg_write(to, p, ROWS, COLUMNS, shot->title);
	assert_int_equal(fclose(to), 0);
	pty_quits(p);
	if (!new)
		return;
	old = file_read(path, NULL);
	leave_out_own_memory(old);
	leave_out_own_memory(new);
	if (strcmp(old, new))
		print_error("%s is another picture: make screenshots\n", path);
	assert_true(!strcmp(old, new));
	free(old);
	free(new);
}
