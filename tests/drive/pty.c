#define _XOPEN_SOURCE   700 /* posix_openpt() */
#define _DEFAULT_SOURCE     /* TIOCSCTTY, TIOCSWINSZ */
#include "tests/drive/pty.h"
#include "model/base/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <vterm.h>

enum {
	PATIENCE_MS = 120000, /* sanitizers on a busy machine */
	ROW_BYTES = 4096,
	SENT_MAX = 64 << 20,
	VARIABLES_MAX = 64,
	END_MARK = 5, /* a control that no terminal shows, nor program sends */
};

struct pty {
	pid_t pid;
	/* The slave, so that modes outlive the program; never waited for. */
	int master, slave;
	struct termios modes;
	VTerm *vterm;
	VTermScreen *screen;
	int rows, columns;
	bool is_alternate, is_cursor_visible, has_mouse;
	bool has_ended, is_marked, is_drained;
	int status;
	char *sent; /* all that came, for pty_has_sent() */
	size_t sent_len, sent_size;
	size_t waited_from; /* bytes before do not count */
	char row[ROW_BYTES];
};

/* ---- the terminal ---- */

static int
set_property(VTermProp property, VTermValue *value, void *user)
{
	struct pty *p = user;

	if (property == VTERM_PROP_ALTSCREEN)
		p->is_alternate = value->boolean != 0;
	if (property == VTERM_PROP_CURSORVISIBLE)
		p->is_cursor_visible = value->boolean != 0;
	if (property == VTERM_PROP_MOUSE)
		p->has_mouse = value->number != VTERM_PROP_MOUSE_NONE;
	return 1;
}

static const VTermScreenCallbacks callbacks = { .settermprop = set_property };

static void
vterm_start(struct pty *p)
{
	p->vterm = vterm_new(p->rows, p->columns);
	vterm_set_utf8(p->vterm, 1);
	p->is_cursor_visible = true;
	p->screen = vterm_obtain_screen(p->vterm);
	vterm_screen_enable_altscreen(p->screen, 1);
	vterm_screen_set_callbacks(p->screen, &callbacks, p);
	vterm_screen_reset(p->screen, 1);
}

static bool
terminal_open(struct pty *p, tcflag_t flags)
{
	struct winsize size = { .ws_row = (unsigned short)p->rows,
				.ws_col = (unsigned short)p->columns };
	const char *name;

	p->slave = -1;
	p->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (p->master < 0 || grantpt(p->master) < 0 || unlockpt(p->master) < 0)
		return false;
	name = ptsname(p->master);
	p->slave = name ? open(name, O_RDWR | O_NOCTTY | O_NONBLOCK) : -1;
	if (p->slave < 0 || ioctl(p->slave, TIOCSWINSZ, &size) < 0 ||
	    tcgetattr(p->slave, &p->modes) < 0)
		return false;
	p->modes.c_lflag |= flags;
	return tcsetattr(p->slave, TCSANOW, &p->modes) == 0;
}

/* Nobody's own settings. */
static void
add_no_rc(const char *const env[], const char *all[VARIABLES_MAX])
{
	bool has_rc = false;
	size_t count = 0;

	for (; count < VARIABLES_MAX - 2 && env[count]; count++) {
		has_rc |= strncmp(env[count], "HEAPTOP_RC=", 11) == 0;
		all[count] = env[count];
	}
	if (!has_rc)
		all[count++] = "HEAPTOP_RC=";
	all[count] = NULL;
}

static void
program_run(const struct pty *p, const char *const argv[], const char *const env[])
{
	const char *all[VARIABLES_MAX];
	int slave = open(ptsname(p->master), O_RDWR | O_NOCTTY);

	setsid();
	signal(SIGINT, SIG_DFL); /* ignored in the background */
	signal(SIGQUIT, SIG_DFL);
	ioctl(slave, TIOCSCTTY, 0);
	for (int fd = 0; fd < 3; fd++)
		dup2(slave, fd);
	if (slave > STDERR_FILENO)
		close(slave);
	close(p->slave);
	close(p->master);
	add_no_rc(env, all);
	execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)all);
	perror(argv[0]);
	_exit(127);
}

static struct pty *
start(const char *const argv[], const char *const env[], int rows, int columns, tcflag_t flags)
{
	struct pty *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->rows = rows;
	p->columns = columns;
	if (!terminal_open(p, flags)) {
		fprintf(stderr, "no pseudo-terminal: %s\n", strerror(errno));
		free(p);
		return NULL;
	}
	vterm_start(p);
	p->pid = fork();
	if (p->pid == 0)
		program_run(p, argv, env);
	return p;
}

struct pty *
pty_start(const char *const argv[], const char *const env[], int rows, int columns)
{
	return start(argv, env, rows, columns, 0);
}

struct pty *
pty_start_unseen(const char *const argv[], const char *const env[], int rows, int columns)
{
	struct pty *p = start(argv, env, rows, columns, NOFLSH);

	if (!p)
		return NULL;
	vterm_free(p->vterm);
	p->vterm = NULL;
	p->rows = p->columns = 0;
	return p;
}

void
pty_free(struct pty *p)
{
	if (!p)
		return;
	if (!p->has_ended) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, &p->status, 0);
	}
	if (p->master >= 0)
		close(p->master);
	close(p->slave);
	if (p->vterm)
		vterm_free(p->vterm);
	free(p->sent);
	free(p);
}

void
pty_spoil(struct pty *p, const char *bytes)
{
	vterm_input_write(p->vterm, bytes, strlen(bytes));
}

void
pty_resize(struct pty *p, int rows, int columns)
{
	struct winsize size = { .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns };

	p->rows = p->vterm ? rows : 0;
	p->columns = p->vterm ? columns : 0;
	if (p->vterm)
		vterm_set_size(p->vterm, rows, columns);
	ioctl(p->master, TIOCSWINSZ, &size);
}

void
pty_signal(struct pty *p, int number)
{
	kill(p->pid, number);
}

void
pty_signal_job(struct pty *p, int number)
{
	pid_t job = tcgetpgrp(p->master);

	if (job > 0)
		kill(-job, number);
}

void
pty_stop_output(struct pty *p)
{
	tcflow(p->slave, TCOOFF);
}

void
pty_start_output(struct pty *p)
{
	tcflow(p->slave, TCOON);
}

void
pty_hang_up(struct pty *p)
{
	close(p->master);
	p->master = -1;
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- reading ---- */

static void
sent_keep(struct pty *p, const char *bytes, size_t len)
{
	if (p->sent_len + len + 1 > SENT_MAX)
		return;
	if (p->sent_len + len + 1 > p->sent_size) {
		size_t size = 2 * (p->sent_len + len + 1);
		char *more = realloc(p->sent, size);

		if (!more)
			return;
		p->sent = more;
		p->sent_size = size;
	}
	memcpy(p->sent + p->sent_len, bytes, len);
	p->sent_len += len;
	p->sent[p->sent_len] = '\0';
}

/* Reads what is there, after waiting for at most `wait_ms`. */
static bool
output_read(struct pty *p, int wait_ms)
{
	struct pollfd fd = { .fd = p->master, .events = POLLIN };
	char bytes[16384];
	const char *mark;
	ssize_t len;

	if (p->master < 0 || poll(&fd, 1, wait_ms) <= 0)
		return false;
	len = read(p->master, bytes, sizeof(bytes));
	mark = len > 0 ? memchr(bytes, END_MARK, (size_t)len) : NULL;
	if (mark) { /* behind it there may be echoes of what was typed */
		p->is_drained = true;
		len = mark - bytes;
	}
	if (len <= 0)
		return false;
	sent_keep(p, bytes, (size_t)len);
	if (p->vterm)
		vterm_input_write(p->vterm, bytes, (size_t)len);
	return true;
}

/* ---- waiting ---- */

/* False: the terminal takes nothing now. */
static bool
end_mark(struct pty *p)
{
	static const char mark = END_MARK;
	ssize_t written;

	tcflow(p->slave, TCOON); /* ^S may have been typed, or heard just now */
	written = write(p->slave, &mark, 1);
	if (written < 0 && errno == EAGAIN)
		return false;
	p->is_drained = written != 1; /* a terminal that is gone */
	return true;
}

/* Has it ended, and is all that it wrote read? A terminal hands on bytes when it likes: a mark of
 * ours tells which were the last. */
static bool
program_has_ended(struct pty *p)
{
	if (!p->has_ended)
		p->has_ended = waitpid(p->pid, &p->status, WNOHANG) == p->pid;
	if (p->has_ended && !p->is_marked && p->master >= 0)
		p->is_marked = end_mark(p);
	return p->has_ended && (p->is_drained || p->master < 0);
}

/* One that waits for its output to be taken reads nothing meanwhile. */
void
pty_send_bytes(struct pty *p, const char *bytes, size_t len)
{
	int64_t deadline = now_ms() + PATIENCE_MS;

	while (len > 0) {
		ssize_t written = write(p->master, bytes, len);

		if (written > 0) {
			bytes += written;
			len -= (size_t)written;
		} else if (errno != EAGAIN || now_ms() > deadline) {
			perror("pty_send");
			return;
		} else if (program_has_ended(p)) {
			return;
		} else {
			output_read(p, 10);
		}
	}
}

void
pty_send(struct pty *p, const char *bytes)
{
	pty_send_bytes(p, bytes, strlen(bytes));
}

static void
screen_print(struct pty *p, const char *what, const char *text)
{
	fprintf(stderr, "%s: %s\n", what, text);
	for (int row = 0; row < p->rows; row++)
		fprintf(stderr, "|%s\n", pty_row(p, row));
}

static bool
is_shown(struct pty *p, const char *text)
{
	return pty_find(p, text) >= 0;
}

static bool
is_not_shown(struct pty *p, const char *text)
{
	return pty_find(p, text) < 0;
}

static bool
is_sent(struct pty *p, const char *text)
{
	return p->sent && strstr(p->sent + p->waited_from, text);
}

static bool
wait_for(struct pty *p, bool (*is_so)(struct pty *, const char *), const char *text,
	 const char *complaint)
{
	int64_t deadline = now_ms() + PATIENCE_MS;

	for (;;) {
		bool is_over = program_has_ended(p);

		while (output_read(p, 10))
			if (is_so(p, text))
				return true;
		if (is_so(p, text))
			return true;
		if (is_over || now_ms() > deadline) {
			screen_print(p, complaint, text);
			return false;
		}
	}
}

bool
pty_wait_text(struct pty *p, const char *text)
{
	return wait_for(p, is_shown, text, "not on the screen");
}

bool
pty_wait_no_text(struct pty *p, const char *text)
{
	return wait_for(p, is_not_shown, text, "still on the screen");
}

static bool
is_cursor_visible(struct pty *p, const char *text)
{
	(void)text;
	return p->is_cursor_visible;
}

bool
pty_wait_cursor(struct pty *p)
{
	return wait_for(p, is_cursor_visible, "", "no cursor");
}

bool
pty_wait_bytes(struct pty *p, const char *bytes)
{
	return pty_wait_sent(p, 0, bytes);
}

bool
pty_wait_sent(struct pty *p, size_t from, const char *bytes)
{
	p->waited_from = from;
	return wait_for(p, is_sent, bytes, "never sent");
}

/* Of a thread: it runs or could, or is in the middle of reading a file. */
static bool
is_at_work(const char *stat_path)
{
	FILE *from = fopen(stat_path, "r");
	char line[512] = "";
	const char *state;

	if (!from)
		return false;
	if (!fgets(line, sizeof(line), from))
		line[0] = '\0';
	fclose(from);
	state = strrchr(line, ')'); /* a name may have one, too */
	return state && (state[2] == 'R' || state[2] == 'D');
}

static bool
program_is_at_work(const struct pty *p)
{
	char pattern[64];
	bool is_any = false;
	glob_t threads;

	snprintf(pattern, sizeof(pattern), "/proc/%d/task/*/stat", p->pid);
	if (glob(pattern, GLOB_NOSORT, NULL, &threads) == 0)
		for (size_t i = 0; i < threads.gl_pathc; i++)
			is_any |= is_at_work(threads.gl_pathv[i]);
	globfree(&threads);
	return is_any;
}

/* Is anything that was typed not read yet? */
static bool
has_more_to_read(const struct pty *p)
{
	int count = 0;

	return ioctl(p->slave, FIONREAD, &count) == 0 && count > 0;
}

bool
pty_wait_quiet(struct pty *p, int quiet_ms)
{
	int64_t deadline = now_ms() + PATIENCE_MS;

	while (pty_sends_within(p, quiet_ms) || has_more_to_read(p) || program_is_at_work(p))
		if (now_ms() > deadline) {
			screen_print(p, "never quiet", "");
			return false;
		}
	return true;
}

bool
pty_ends_within(struct pty *p, int wait_ms)
{
	int64_t deadline = now_ms() + wait_ms;

	while (!program_has_ended(p)) {
		if (now_ms() >= deadline)
			return false;
		output_read(p, 10);
	}
	return true;
}

int
pty_wait_end(struct pty *p)
{
	if (pty_ends_within(p, PATIENCE_MS))
		return p->status;
	screen_print(p, "still runs", "");
	return -1;
}

/* ---- looking ---- */

static unsigned
colour_of(const struct pty *p, VTermColor colour)
{
	vterm_screen_convert_color_to_rgb(p->screen, &colour);
	return (unsigned)colour.rgb.red << 16 | (unsigned)colour.rgb.green << 8 | colour.rgb.blue;
}

bool
pty_cell(struct pty *p, int row, int column, struct pty_cell *out)
{
	VTermPos at = { .row = row, .col = column };
	VTermScreenCell cell;
	size_t len = 0;

	if (!vterm_screen_get_cell(p->screen, at, &cell))
		return false;
	if (cell.chars[0] != UINT32_MAX)
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++)
			len += utf8_put(cell.chars[i], out->text + len);
	if (!cell.chars[0])
		out->text[len++] = ' ';
	out->text[len] = '\0';
	out->ink = colour_of(p, cell.attrs.reverse ? cell.bg : cell.fg);
	out->paper = colour_of(p, cell.attrs.reverse ? cell.fg : cell.bg);
	out->is_bold = cell.attrs.bold;
	out->is_underlined = cell.attrs.underline != 0;
	return true;
}

const char *
pty_row(struct pty *p, int row)
{
	size_t len = 0, end = 0;

	for (int column = 0; column < p->columns; column++) {
		VTermPos at = { .row = row, .col = column };
		VTermScreenCell cell;

		if (!vterm_screen_get_cell(p->screen, at, &cell) ||
		    len + 4 * VTERM_MAX_CHARS_PER_CELL + 1 > ROW_BYTES)
			break;
		if (cell.chars[0] == UINT32_MAX) /* a wide one's second half */
			continue;
		for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i] != 0; i++)
			len += utf8_put(cell.chars[i], p->row + len);
		if (cell.chars[0] == 0)
			p->row[len++] = ' ';
		else if (cell.chars[0] != ' ')
			end = len;
	}
	p->row[end] = '\0';
	return p->row;
}

int
pty_find(struct pty *p, const char *text)
{
	for (int row = 0; row < p->rows; row++)
		if (strstr(pty_row(p, row), text))
			return row;
	return -1;
}

bool
pty_sends_within(struct pty *p, int wait_ms)
{
	return output_read(p, wait_ms);
}

const char *
pty_sent(const struct pty *p)
{
	return p->sent ? p->sent : "";
}

size_t
pty_sent_count(const struct pty *p)
{
	return p->sent_len;
}

bool
pty_has_sent(const struct pty *p, const char *bytes)
{
	return p->sent && strstr(p->sent, bytes);
}

/* Which of the two was sent last? False if neither was. */
static bool
was_sent_last(const struct pty *p, const char *text, const char *other)
{
	size_t len = strlen(text);

	for (size_t at = p->sent_len; at-- > 0;) {
		if (p->sent_len - at < len || p->sent[at] != text[0])
			continue;
		if (!memcmp(p->sent + at, text, len))
			return true;
		if (!memcmp(p->sent + at, other, len))
			return false;
	}
	return false;
}

bool
pty_cursor_is_visible(const struct pty *p)
{
	return p->vterm ? p->is_cursor_visible : !was_sent_last(p, "\033[?25l", "\033[?25h");
}

bool
pty_has_mouse(const struct pty *p)
{
	return p->has_mouse;
}

bool
pty_is_alternate(const struct pty *p)
{
	return p->vterm ? p->is_alternate : was_sent_last(p, "\033[?1049h", "\033[?1049l");
}

bool
pty_has_colours(struct pty *p)
{
	for (int row = 0; row < p->rows; row++) {
		for (int column = 0; column < p->columns; column++) {
			VTermPos at = { .row = row, .col = column };
			VTermScreenCell cell;

			if (!vterm_screen_get_cell(p->screen, at, &cell))
				continue;
			if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) ||
			    !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg))
				return true;
		}
	}
	return false;
}

bool
pty_modes_are_kept(const struct pty *p)
{
	struct termios now;

	return tcgetattr(p->slave, &now) == 0 && now.c_iflag == p->modes.c_iflag &&
	       now.c_oflag == p->modes.c_oflag && now.c_cflag == p->modes.c_cflag &&
	       now.c_lflag == p->modes.c_lflag &&
	       memcmp(now.c_cc, p->modes.c_cc, sizeof(now.c_cc)) == 0;
}
