/*
 * The static program in a root where nothing else is: no libraries, terminfo, locale, /tmp, /proc.
 * Skipped where it cannot be linked or no root be changed.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/pty.h"
#include "tui/app/tour.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT_BYTES = 7000000 };

static char root[] = "/tmp/test_static.XXXXXX";
static char program[256];
static const char *changer[5]; /* chroot, with its rights */
static const char *why_not;

static bool
can_run(const char *command)
{
	int status = system(command);

	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool
copy(const char *from, const char *name, mode_t mode)
{
	char command[800];

	snprintf(command, sizeof(command), "cp '%s' '%s/%s' && chmod %o '%s/%s'", from, root, name,
		 (unsigned)mode, root, name);
	return can_run(command);
}

static int
set_up(void **state)
{
	const char *build = getenv("BUILD");

	(void)state;
	snprintf(program, sizeof(program), "%s/heaptop-static", build ? build : "build");
	if (access(program, X_OK) || !mkdtemp(root)) {
		why_not = "there is no static program";
		return 0;
	}
	if (can_run("chroot / true 2>/dev/null")) {
		changer[0] = "/usr/sbin/chroot";
		changer[1] = root;
	} else if (can_run("unshare -r chroot / true 2>/dev/null")) {
		changer[0] = "/usr/bin/unshare";
		changer[1] = "-r";
		changer[2] = "/usr/sbin/chroot";
		changer[3] = root;
	} else {
		why_not = "no root can be changed here";
	}
	if (!why_not && access(changer[0], X_OK))
		why_not = "chroot is not where it is looked for";
	if (!why_not && (!copy(program, "heaptop", 0755) ||
			 !copy("tests/data/leaky-10.gcdump", "x.gcdump", 0644)))
		why_not = "nothing can be copied";
	return 0;
}

static bool
is_skipped(void)
{
	if (why_not)
		printf("skipped: %s\n", why_not);
	return why_not != NULL;
}

/* Returns whether the program names a dynamic loader; it must not. */
static bool
has_interpreter(const char *path)
{
	Elf64_Ehdr head;
	Elf64_Phdr part;
	FILE *file = fopen(path, "rb");
	bool has = false;

	assert_non_null(file);
	assert_int_equal(fread(&head, sizeof(head), 1, file), 1);
	assert_memory_equal(head.e_ident, ELFMAG, SELFMAG);
	for (int i = 0; i < head.e_phnum; i++) {
		assert_int_equal(
		    fseek(file, (long)(head.e_phoff + (size_t)i * sizeof(part)), SEEK_SET), 0);
		assert_int_equal(fread(&part, sizeof(part), 1, file), 1);
		has = has || part.p_type == PT_INTERP;
	}
	fclose(file);
	return has;
}

TEST(is_one_small_file)
{
	struct stat st;

	if (is_skipped())
		skip();
	assert_int_equal(stat(program, &st), 0);
	assert_in_range(st.st_size, 1, LIMIT_BYTES);
	assert_false(has_interpreter(program));
	assert_true(has_interpreter("/proc/self/exe"));
}

static struct pty *
start(const char *const env[], const char *const arguments[])
{
	const char *argv[12];
	size_t count = 0;
	struct pty *p;

	for (size_t i = 0; changer[i]; i++)
		argv[count++] = changer[i];
	for (size_t i = 0; arguments[i]; i++)
		argv[count++] = arguments[i];
	argv[count] = NULL;
	p = pty_start(argv, env, 20, 80);
	assert_non_null(p);
	return p;
}

TEST(browses_in_an_empty_root)
{
	static const char *const arguments[] = { "/heaptop", "x.gcdump", NULL };
	static const char *const env[] = { "TERM=xterm-256color", NULL };
	struct pty *p;
	int status;

	if (is_skipped())
		skip();
	p = start(env, arguments);
	assert_true(pty_wait_text(p, "Session[]"));
	pty_send(p, ":tree Leaky.Session\r");
	assert_true(pty_wait_text(p, "static Sessions"));
	pty_send(p, "Q");
	status = pty_wait_end(p);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(pty_modes_are_kept(p));
	pty_free(p);
}

TEST(prints_in_an_empty_root)
{
	static const char *const arguments[] = { "/heaptop", "-b",       "types", "-n",
						 "2",        "x.gcdump", NULL };
	static const char *const env[] = { NULL };
	struct pty *p;

	if (is_skipped())
		skip();
	p = start(env, arguments);
	assert_true(pty_wait_text(p, "Leaky.Session"));
	assert_int_equal(pty_wait_end(p), 0);
	pty_free(p);
}

/* Sends the keys of a step: "j j", "Enter". */
static void
send_keys(struct pty *p, const char *keys)
{
	char copy[64], *rest = copy;
	const char *key;

	snprintf(copy, sizeof(copy), "%s", keys);
	while ((key = strtok_r(rest, " ", &rest)))
		pty_send(p, strcmp(key, "Enter") ? key : "\r");
}

TEST(tours_in_an_empty_root)
{
	static const char *const arguments[] = { "/heaptop", "--tour", NULL };
	static const char *const env[] = { "TERM=xterm-256color", NULL };
	struct pty *p;
	char number[16];

	if (is_skipped())
		skip();
	p = start(env, arguments);
	assert_true(pty_wait_text(p, "31,867 objects"));
	for (int i = 0; tour_steps[i].in; i++) {
		snprintf(number, sizeof(number), "%d/14 ", i + 1);
		if (!pty_wait_text(p, number))
			fail_msg("no step %s", number);
		send_keys(p, tour_steps[i].keys);
	}
	assert_true(pty_wait_text(p, "leaky-2"));
	pty_send(p, "Q");
	assert_int_equal(pty_wait_end(p), 0);
	pty_free(p);
}

/* The root has neither the manual nor man(1). */
TEST(prints_the_manual_in_an_empty_root)
{
	static const char *const arguments[] = { "/heaptop", "--help", "heaptop-format", NULL };
	static const char *const env[] = { "TERM=xterm-256color", NULL };
	struct pty *p;

	if (is_skipped())
		skip();
	p = start(env, arguments);
	assert_true(pty_wait_text(p, "SEE ALSO"));
	assert_int_equal(pty_wait_end(p), 0);
	pty_free(p);
}

static int
tear_down(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return (!strchr(root, 'X') || !access(root, F_OK)) && !can_run(command);
}
TESTS_BETWEEN(set_up, tear_down);
