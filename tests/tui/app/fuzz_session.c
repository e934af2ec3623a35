/*
 * Any bytes as a session that is brought back on a small heap: they are refused
 * with a sentence, or all of their commands are done or told of, and then there
 * is a screen; nothing quits, and no other file is made.
 */
#include "tests/drive/screens.h"
#include "tui/app/resume.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 24, COLUMNS = 80 };

static void
broken(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

/* With a heap, for which the file itself will do, or as they are. */
static void
write_session(const char *path, bool has_heap, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file)
		broken("no file to read");
	if (has_heap)
		fprintf(file, "# heaptop session\n# heap \"%s\" 1 1.0\n", path);
	if (fwrite(data, 1, size, file) != size || fclose(file))
		broken("no file to read");
}

static void
bring_back(struct resume *r)
{
	struct app *app = app_on(awkward_heap());
	struct screen *s = screen_for_test(ROWS, COLUMNS, false);

	app_set_resume(app, r);
	for (int i = 0; i < 3; i++)
		app_poll(app);
	if (r->is_running)
		broken("it has no end");
	if (app->has_quit)
		broken("it quits");
	if (r->failed && r->first.kind == ERROR_NONE)
		broken("a command fails without a reason");
	app_draw(app, s);
	app_end(app);
	screen_free(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	struct resume r;
	struct error err;

	if (!*path)
		snprintf(path, sizeof path, "/tmp/heaptop-fuzz-session-%ld",
			 (long)getpid());
	for (int has_heap = 0; has_heap < 2; has_heap++) {
		error_clear(&err);
		write_session(path, has_heap, data, size);
		if (resume_open(&r, path, &err)) {
			bring_back(&r);
			resume_clear(&r);
		} else if (!*err.message) {
			broken("it is refused without a reason");
		}
	}
	unlink(path);
	return 0;
}
