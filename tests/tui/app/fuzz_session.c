/*
 * Any bytes as a session that is brought back on a small heap: they are refused with a sentence, or
 * all of their commands are done or told of, and then there is a screen; nothing quits, and no
 * other file is made.
 */
#include "tests/drive/fuzz.h"
#include "tests/drive/screens.h"
#include "tui/app/resume.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 24, COLUMNS = 80 };

/* With a heap, for which the file itself will do, or as they are. */
static void
write_session(const char *path, bool has_heap, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fuzz_fail("no file to read", NULL);
	if (has_heap)
		fprintf(file, "# heaptop session\n# heap \"%s\" 1 1.0\n", path);
	if (fwrite(data, 1, size, file) != size || fclose(file))
		fuzz_fail("no file to read", NULL);
}

static void
bring_back(struct resume *r)
{
	struct app *app = app_on(awkward_heap());
	struct error err = { 0 };
	struct screen *s = screen_new(ROWS, COLUMNS, &err);

	if (!s)
		fuzz_fail("no screen", &err);
	app_set_resume(app, r);
	for (int i = 0; i < 3; i++)
		app_poll(app);
	if (r->is_running)
		fuzz_fail("it has no end", NULL);
	if (app->has_quit)
		fuzz_fail("it quits", NULL);
	if (r->failed && r->first.kind == ERROR_NONE)
		fuzz_fail("a command fails without a reason", NULL);
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
		snprintf(path, sizeof path, "/tmp/heaptop-fuzz-session-%ld", (long)getpid());
	for (int has_heap = 0; has_heap < 2; has_heap++) {
		error_clear(&err);
		write_session(path, has_heap, data, size);
		if (resume_open(&r, path, &err)) {
			bring_back(&r);
			resume_clear(&r);
		} else if (!*err.message) {
			fuzz_fail("it is refused without a reason", NULL);
		}
	}
	unlink(path);
	return 0;
}
