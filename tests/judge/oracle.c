#include "tests/judge/oracle.h"
#include "tests/drive/targets.h"
#include "tests/drive/run_tests.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 32 };

struct oracle {
	pid_t pid; /* 0: it has ended */
	int to;    /* its standard input */
	char *text;
	size_t len, room;
};

static void
program_of(char path[256])
{
	snprintf(path, 256, "%.200s/oracle/oracle.dll", targets_folder());
}

bool
oracle_exists(void)
{
	char path[256];

	program_of(path);
	if (target_exists("10.0") && !access(path, R_OK))
		return true;
	printf("skipped: no oracle to compare with\n");
	return false;
}

/* --- running it --- */

static void
exec_oracle(const char *where, const char *version, const char *const sections[])
{
	char path[256], dac[256];
	const char *argv[ARGUMENTS_MAX] = { "dotnet", path, "--dac", dac, "--hold", where };
	unsigned count = 6;

	program_of(path);
	snprintf(dac, sizeof(dac), "%.200s/leaky-%.*s", targets_folder(),
		 (int)strcspn(version, "-"), version);
	for (; *sections && count < ARGUMENTS_MAX - 1; sections++)
		argv[count++] = *sections;
	argv[count] = NULL;
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* Up to the line "held" of a process, or the end. */
static void
read_all(struct oracle *o, int from)
{
	static const char held[] = "\nheld\n";
	ssize_t got;

	for (;;) {
		if (o->len + 1 >= o->room) {
			o->room = o->room ? 2 * o->room : 1 << 20;
			o->text = realloc(o->text, o->room);
			assert_non_null(o->text);
		}
		got = read(from, o->text + o->len, o->room - 1 - o->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		o->len += (size_t)got;
		o->text[o->len] = '\0';
		if (o->len >= sizeof(held) && !strcmp(o->text + o->len - (sizeof(held) - 1), held))
			break;
	}
	o->text[o->len] = '\0';
}

static int
end_oracle(struct oracle *o)
{
	int status = 0;

	if (!o->pid)
		return 0;
	close(o->to);
	while (waitpid(o->pid, &status, 0) < 0 && errno == EINTR)
		;
	o->pid = 0;
	return status;
}

struct oracle *
oracle_try(const char *where, const char *version, const char *const sections[])
{
	struct oracle *o = calloc(1, sizeof(*o));
	bool is_process = where[strspn(where, "0123456789")] == '\0';
	int in[2], out[2];

	assert_non_null(o);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(pipe(out), 0);
	fcntl(in[1], F_SETFD, FD_CLOEXEC);
	fcntl(out[0], F_SETFD, FD_CLOEXEC);
	fflush(NULL);
	o->pid = fork();
	assert_true(o->pid >= 0);
	if (!o->pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		close(in[0]);
		close(out[1]);
		exec_oracle(where, version, sections);
	}
	close(in[0]);
	close(out[1]);
	o->to = in[1];
	read_all(o, out[0]);
	close(out[0]);
	if (is_process ? o->len && strstr(o->text, "held\n") : !end_oracle(o) && o->len)
		return o;
	oracle_free(o);
	return NULL;
}

struct oracle *
oracle_ask(const char *where, const char *version, const char *const sections[])
{
	struct oracle *o = oracle_try(where, version, sections);

	if (!o)
		fail_msg("the oracle cannot read %s", where);
	return o;
}

void
oracle_free(struct oracle *o)
{
	if (!o)
		return;
	end_oracle(o);
	free(o->text);
	free(o);
}

/* --- what it said --- */

static void
split(struct oracle_line *line, const char *at, const char *end)
{
	memset(line, 0, sizeof(*line));
	for (unsigned i = 0; i < ORACLE_FIELDS; i++)
		line->fields[i] = "";
	line->rest = at;
	line->rest_len = (size_t)(end - at);
	while (line->count < ORACLE_FIELDS) {
		const char *tab = memchr(at, '\t', (size_t)(end - at));
		const char *stop = tab ? tab : end;

		line->fields[line->count] = at;
		line->lens[line->count++] = (size_t)(stop - at);
		if (!tab)
			break;
		at = tab + 1;
	}
}

bool
oracle_next(const struct oracle *o, const char *word, const char **at, struct oracle_line *line)
{
	const char *from = *at ? *at : o->text;
	size_t len = strlen(word);

	while (*from) {
		const char *end = strchr(from, '\n');

		if (!end)
			end = from + strlen(from);
		if ((size_t)(end - from) > len && from[len] == '\t' && !memcmp(from, word, len)) {
			split(line, from + len + 1, end);
			*at = *end ? end + 1 : end;
			return true;
		}
		from = *end ? end + 1 : end;
	}
	*at = from;
	return false;
}

size_t
oracle_count(const struct oracle *o, const char *word)
{
	struct oracle_line line;
	const char *at = NULL;
	size_t count = 0;

	while (oracle_next(o, word, &at, &line))
		count++;
	return count;
}

uint64_t
oracle_hex(const struct oracle_line *line, unsigned field)
{
	return strtoull(line->fields[field], NULL, 16);
}

uint64_t
oracle_number(const struct oracle_line *line, unsigned field)
{
	return strtoull(line->fields[field], NULL, 10);
}

bool
oracle_is(const struct oracle_line *line, unsigned field, const char *text)
{
	return line->lens[field] == strlen(text) &&
	       !memcmp(line->fields[field], text, line->lens[field]);
}
