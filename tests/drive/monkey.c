#include "tests/drive/monkey.h"
#include "tui/app/command.h"
#include "tui/app/settings.h"
#include "tui/app/sos.h"
#include "tui/term/term.h"
#include "tui/app/views.h"
#include <signal.h>
#include <string.h>

enum { KEYS_MAX = 256 };
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- chance -------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t
chance(uint32_t limit)
{
	random_state += 0x9e3779b97f4a7c15U;
	uint64_t z = random_state;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return (uint32_t)((z ^ z >> 31) % limit);
}

#define ONE_OF(array) ((array)[chance(COUNT(array))])

/* --- what it knows ------------------------------------------------------- */

/* clang-format off */
static const struct {
	const char *files[MONKEY_FILES];
	const char *option;
} inputs[] = {
	{ { "leaky-10.gcdump" }, NULL },
	{ { "leaky-10.gcdump" }, NULL },
	{ { "leaky-10.gcdump" }, "--linear" },
	{ { "leaky-10.gcdump", "leaky-10-later.gcdump.zst" }, NULL },
	{ { "leaky-8.gcdump.zst", "leaky-9.gcdump.zst" }, "--linear" },
	{ { "leaky-10.nettrace.zst" }, NULL },
	{ { "gcs-10.nettrace.zst" }, "-g" },
	{ { "gcs-10-cut.nettrace" }, "-g" },
	{ { "sample.gclog" }, NULL },
	{ { "tiny.gcdump" }, NULL },
	{ { "tiny-full.gcdump" }, NULL },
	{ { "no-such-file" }, NULL },
	{ { NULL }, "--tour" },
};

static const char *const terms[] = {
	"TERM=xterm-256color", "TERM=xterm", "TERM=tmux-256color",
	"TERM=screen", "TERM=linux", "TERM=vt220", "TERM=vt100",
	"TERM=putty-256color", "TERM=xterm-kitty", "TERM=xterm-unheard-of",
	"TERM=dumb", "TERM=ansi", "TERM=xterm-16color", "TERM=xterm-direct",
	"TERM=ms-terminal", "TERM=rxvt-unicode", "TERM=",
};
/* The mouse more often than not: it has states of its own. */
static const char *const settings[] = {
	NULL, NULL, "set mouse", "set mouse", "set mouse; treemap",
	"set mouse nobar", "set mouse nometer nofacts", "set nobar",
	"set linear", "set ascii mouse", "set names=folded bytes=share",
};
static const char *const locales[] = {
	"LC_ALL=C.UTF-8", "LC_ALL=C.UTF-8", "LC_ALL=C", "LC_ALL=xx_XX.UTF-8",
};
static const char *const colours[] = {
	"COLORTERM=truecolor", "COLORTERM=", "NO_COLOR=1", "COLORFGBG=0;15",
};

/* As xterm sends them, or a near relation. */
static const struct {
	const char *name, *bytes;
} named_keys[] = {
	{ "Up", "\033[A" },      { "Down", "\033OB" },   { "Left", "\033[D" },
	{ "Right", "\033OC" },   { "Home", "\033[H" },   { "End", "\033[4~" },
	{ "PgUp", "\033[5~" },   { "PgDn", "\033[6~" },  { "Enter", "\r" },
	{ "Backspace", "\177" }, { "Delete", "\033[3~" }, { "Insert", "\033[2~" },
	{ "Tab", "\t" },         { "S-Tab", "\033[Z" },  { "Esc", "\033" },
	{ "Space", " " },        { "F1", "\033OP" },     { "F2", "\033OQ" },
	{ "F3", "\033OR" },      { "F4", "\033OS" },     { "F5", "\033[15~" },
	{ "F6", "\033[17~" },    { "F7", "\033[18~" },   { "F8", "\033[19~" },
	{ "F9", "\033[20~" },    { "F10", "\033[21~" },  { "F11", "\033[23~" },
	{ "F12", "\033[24~" },
};

static const char *const arguments[] = {
	"", "Leaky.Session", "Leaky.Link", "System.String", "Leaky", "xyzzy",
	"7fe01c001d70", "0x0", "ffffffffffffffff", "size > 1M", "in > 10 and (",
	"count", "-size", "type", "1", "0", "-1", "99999999999", "*", "[", "\\",
	"kind", "reference", "all", "name", "off", "high-contrast", "mono",
	"F5 sort count", "j quit", "g down 3; up", "\303\244\314\210\343\201\202",
	"%s%n", "a,b,c", "''", "\"", "bytes=exact", "ascii", "mouse", "nobar!",
	"/tmp", "no-such-file", "types; objects; tree", "where size > 0",
	"sort.types=-count", "columns.types=type", "theme=light", "!",
	"-stat", "-type Leaky -min 100", "-mt 7fe01c001d70", "-all 1 -gen 2",
	"-live -short", "F2 tour", "on", "ADDRESS=1", "../", "~",
};

/* At a prompt, before its line is done: history, words, completion. */
static const char *const edits[] = {
	"\022", "\022a", "\022\022\023", "\033[A", "\033[B", "\t", "\t\t",
	"\t\033[B\t", "\001", "\005", "\027", "\025", "\031", "\033b", "\033d",
	"\026\033", "\020\020\016", "\177\177\177", "\033[D\033[D", "\013",
};

static const char *const noise[] = {
	"\033", "\033[", "\033[1;", "\033O", "\033[[", "\033[999999;9~",
	"\303", "\342\202", "\360\237\222", "\377\376", "\300\200", "\033]2;x\a",
	"\033[200~paste\033[201~", "\033[<0;1;1M", "\033[<0;1", "\033[M   ",
	"\033[<64;5;5M", "\033[<0;99999;99999M", "\033[<-1;0;0m", "\033[I",
	"\033P1$r\033\\", "\033[?62;c", "\033\033\033", "\r\n\r\n", "\b\b\b",
	"\033[<35;3;3M", "\342\200\256", "\314\201\314\201", "\021\023\026",
	"\033[200~:q\r\033]52;c;eA==\a\033[201~", "\033[200~", "\302\233;1H",
	"\033_Gi=1;OK\033\\", "\033]11;rgb:0/0/0\033\\", "\033[27;5;9~",
	"\033[1;1:3A", "\033[97;5u", "\217\220\235\237", "\355\240\200",
};
/* clang-format on */

/* Every key that some command in some view has, once. */
static struct {
	char names[KEYS_MAX][16];
	size_t count;
} keys;

static void
add_key(const char *name, size_t len)
{
	char word[sizeof(keys.names[0])];

	if (len >= sizeof(word) || keys.count == KEYS_MAX)
		return;
	memcpy(word, name, len);
	word[len] = '\0';
	for (size_t i = 0; i < keys.count; i++)
		if (!strcmp(keys.names[i], word))
			return;
	strcpy(keys.names[keys.count++], word);
}

static void
collect_keys(void)
{
	if (keys.count)
		return;
	for (size_t i = 0; all_views[i]; i++) {
		struct command_iterator it = { 0 };

		while (command_next(&it, all_views[i]))
			for (const char *at = it.command->keys; *at;) {
				size_t len = strcspn(at, " ");

				add_key(at, len);
				at += len + strspn(at + len, " ");
			}
	}
}

static const struct command *
some_command(void)
{
	size_t views = 0, number = 0;
	const struct view_ops *view;
	struct command_iterator it = { 0 };

	while (all_views[views])
		views++;
	view = all_views[chance((uint32_t)views)];
	while (command_next(&it, view))
		number++;
	number = chance((uint32_t)number) + 1;
	it = (struct command_iterator){ 0 };
	while (number--)
		command_next(&it, view);
	return it.command;
}

/* --- steps --------------------------------------------------------------- */

static void
type_bytes(struct monkey_step *step, const char *bytes, size_t len)
{
	step->kind = MONKEY_BYTES;
	if (len > sizeof(step->bytes) - step->len)
		len = sizeof(step->bytes) - step->len;
	memcpy(step->bytes + step->len, bytes, len);
	step->len += len;
}

static void
type_text(struct monkey_step *step, const char *text)
{
	type_bytes(step, text, strlen(text));
}

static void
type_key(struct monkey_step *step, const char *name)
{
	int key = key_parse(name);
	char control = (char)key;

	for (size_t i = 0; i < COUNT(named_keys); i++)
		if (!strcmp(named_keys[i].name, name)) {
			type_text(step, named_keys[i].bytes);
			return;
		}
	if (key & TK_ALT_BIT)
		type_text(step, "\033");
	if (key > 0 && key < ' ')
		type_bytes(step, &control, 1);
	else
		type_text(step, key & TK_ALT_BIT ? name + 2 : name);
}

/* Many keys in one go, as when one is held down. */
static void
do_key(struct monkey_step *step)
{
	const char *name = keys.names[chance((uint32_t)keys.count)];
	uint32_t times = chance(4) ? 1 : 1 + chance(20);
	char digits[16];

	/* Most scripts would be over soon. */
	if (strchr("qQ", name[0]) && chance(8))
		name = "j";
	if (!chance(6)) {
		snprintf(digits, sizeof(digits), "%u", chance(3) ? chance(30) : chance(UINT32_MAX));
		type_text(step, digits);
	}
	while (times--)
		type_key(step, name);
}

static void
do_walk(struct monkey_step *step)
{
	static const char *const ways[] = { "j",      "\r",   "G",  "g", "l",
					    "\033[B", "\006", "\t", "i", "\r" };

	for (uint32_t times = 1 + chance(6); times--;)
		type_text(step, ONE_OF(ways));
}

static const char *
some_sos_command(void)
{
	uint32_t count = 0;

	while (sos_commands[count].name)
		count++;
	return sos_commands[chance(count)].name;
}

static void
do_prompt(struct monkey_step *step)
{
	static const char *const ends[] = { "\r", "\r", "\r", "\r", "\r", "\033", "\003", "" };
	uint32_t kind = chance(7);

	if (kind < 5) {
		type_text(step, ":");
		type_text(step, kind ? some_command()->name : some_sos_command());
		type_text(step, chance(20) ? " " : "! ");
	} else {
		type_text(step, kind == 5 ? "/" : "&");
	}
	/* Most commands refuse an argument that they do not know. */
	if (kind >= 5 || chance(2))
		type_text(step, ONE_OF(arguments));
	while (!chance(3))
		type_text(step, ONE_OF(edits));
	type_text(step, ONE_OF(ends));
}

/* Where rows go while they are shown: with what is ignored, or closed. */
static void
do_vanish(struct monkey_step *step)
{
	static const char *const scripts[] = {
		"4jjx:ignored\rGX",
		"4jxjx:ignored\rjkx",
		"x:ignored\rG\r:ignore nothing\r\177",
		":ignored\r",
		":ignore kind static\r",
		":set statics!\r",
		":dominators\r+j+&retained = 16400\r:fold-rows\r",
		":dominators\r:more-rows 0 400\rG+",
		"P+j+&Session\r:fold-rows\r",
		":roots\r+R:fold-rows\r",
		":fold-rows\r",
		":unfold-row 2\r",
		":unfold-row 1\r:more-rows 1 300\r",
		":row 12 3\r",
		"jm\r'jx",
		":unmark\r",
	};

	type_text(step, ONE_OF(scripts));
}

/* Something in a menu, a mark with its note, the jump list, the other half. */
static void
do_dialogue(struct monkey_step *step)
{
	static const char *const dialogues[] = {
		"\033OQ jj  \r", "\033OQ>>--j+ \033",
		"mnote\r",       "m\033",
		"'j\r",          ":jumps\rk\r",
		":set\rjjj\r\r", ":theme\rj\r",
		"\tjj\r\t",      ":tour\r\r\033",
		"?/sort\rnn",    "Y\r",
		"yyj.y",         "sjj\r",
		"uuu\022\022",   ":save-session\r",
		":copy way\r",   ":mkrc\r",
	};

	type_text(step, ONE_OF(dialogues));
}

static void
do_setting(struct monkey_step *step)
{
	size_t count = 0;

	while (settings_table[count].name)
		count++;
	type_text(step, ":set ");
	type_text(step, settings_table[chance((uint32_t)count)].name);
	type_text(step, chance(2) ? "!\r" : "=\t\r");
}

static void
do_noise(struct monkey_step *step)
{
	type_text(step, ONE_OF(noise));
	while (chance(3)) {
		/* ^\ is meant to kill, and is tried elsewhere. */
		char byte = (char)chance(256);

		if (byte != '\034')
			type_bytes(step, &byte, 1);
	}
}

static void
type_mouse(struct monkey_step *step, unsigned button, unsigned column, unsigned row, char last)
{
	char text[40];

	snprintf(text, sizeof(text), "\033[<%u;%u;%u%c", button, column, row, last);
	type_text(step, text);
}

static void
do_mouse(struct monkey_step *step)
{
	static const unsigned buttons[] = { 0, 0, 0, 1, 2, 32, 64, 65, 66, 3 };

	for (uint32_t times = 1 + chance(3); times--;)
		type_mouse(step, ONE_OF(buttons), 1 + chance(chance(2) ? 80 : 420),
			   1 + chance(chance(2) ? 24 : 110), chance(2) ? 'M' : 'm');
}

/* A click, a double click or a drag, as a hand does them. */
static void
do_gesture(struct monkey_step *step)
{
	unsigned column = 1 + chance(80), row = 1 + chance(24);
	uint32_t times = chance(3);

	type_mouse(step, 0, column, row, 'M');
	while (times--) {
		column = 1 + chance(80);
		row += chance(3);
		type_mouse(step, 32, column, row, 'M');
	}
	type_mouse(step, 0, column, row, 'm');
	if (!chance(3)) {
		type_mouse(step, 0, column, row, 'M');
		type_mouse(step, 0, column, row, 'm');
	}
}

/* What a slow line makes of keys, characters and the mouse. */
static void
do_torn(struct monkey_step *step)
{
	static void (*const whole[])(struct monkey_step *) = {
		do_mouse,
		do_gesture,
		do_key,
		do_noise,
	};
	enum { BYTES_MOST = 24 };

	ONE_OF(whole)(step);
	if (step->len > BYTES_MOST)
		step->len = BYTES_MOST;
	step->kind = MONKEY_TORN;
	step->number = (int)chance(chance(4) ? 8 : 60);
}

/* Into a prompt or at the keys, all at once. */
static void
do_paste(struct monkey_step *step)
{
	static const char *const begins[] = { ":", "/", "&", "m", "", "" };

	type_text(step, ONE_OF(begins));
	if (chance(2))
		type_text(step, "\033[200~");
	for (uint32_t times = 1 + chance(4); times--;)
		type_text(step, chance(2) ? ONE_OF(noise) : ONE_OF(arguments));
	if (chance(2))
		type_text(step, "\033[201~");
	if (chance(2))
		type_text(step, "\r");
}

static void
do_size(struct monkey_step *step)
{
	static const int odd[][2] = { { 1, 1 },  { 2, 2 },   { 1, 400 },   { 100, 1 }, { 5, 20 },
				      { 4, 19 }, { 24, 80 }, { 100, 400 }, { 10, 40 } };
	size_t which = chance(COUNT(odd));
	bool is_odd = chance(2);

	step->kind = MONKEY_SIZE;
	step->rows = is_odd ? odd[which][0] : (int)chance(MONKEY_ROWS_MAX) + 1;
	step->columns = is_odd ? odd[which][1] : (int)chance(MONKEY_COLUMNS_MAX) + 1;
}

static void
do_signal(struct monkey_step *step)
{
	static const int numbers[] = { SIGWINCH, SIGWINCH, SIGCONT, SIGTSTP,
				       SIGTSTP,  SIGSTOP,  SIGWINCH };

	step->kind = MONKEY_SIGNAL;
	step->number = chance(25) ? ONE_OF(numbers) : SIGINT;
}

static void
do_wait(struct monkey_step *step)
{
	step->kind = MONKEY_WAIT;
	step->number = (int)chance(40);
}

/* --- the script ---------------------------------------------------------- */

static const struct {
	void (*act)(struct monkey_step *step);
	unsigned weight;
} habits[] = {
	{ do_key, 10 },    { do_walk, 4 }, { do_prompt, 6 }, { do_setting, 2 }, { do_noise, 2 },
	{ do_mouse, 2 },   { do_size, 4 }, { do_signal, 3 }, { do_wait, 4 },    { do_dialogue, 2 },
	{ do_gesture, 3 }, { do_torn, 2 }, { do_paste, 2 },  { do_vanish, 3 },
};

static void
add_step(struct monkey_script *script)
{
	unsigned whole = 0, at;
	size_t i = 0;

	for (size_t n = 0; n < COUNT(habits); n++)
		whole += habits[n].weight;
	for (at = chance(whole); at >= habits[i].weight; i++)
		at -= habits[i].weight;
	habits[i].act(&script->steps[script->count++]);
}

/* Sizes one upon another, as when a window's corner is dragged. */
static void
add_storm(struct monkey_script *script)
{
	for (uint32_t times = chance(20); times-- && script->count < MONKEY_STEPS_MAX;)
		do_size(&script->steps[script->count++]);
}

void
monkey_write(struct monkey_script *script, uint64_t seed)
{
	size_t input, length;

	collect_keys();
	random_state = seed;
	memset(script, 0, sizeof(*script));
	script->seed = seed;
	input = chance(COUNT(inputs));
	memcpy(script->files, inputs[input].files, sizeof(script->files));
	script->option = inputs[input].option;
	if (!script->option)
		script->settings = ONE_OF(settings);
	script->cut = chance(8) ? 0 : 1 + chance(60000);
	script->place = (enum monkey_place)chance(MONKEY_PLACES);
	script->end = (enum monkey_end)chance(MONKEY_ENDS);
	script->term = chance(2) ? terms[0] : ONE_OF(terms);
	script->locale = ONE_OF(locales);
	script->colours = ONE_OF(colours);
	script->rows = 1 + (int)chance(60);
	script->columns = 1 + (int)chance(200);
	length = 20 + chance(MONKEY_STEPS_MAX - 20);
	while (script->count < length)
		if (chance(60))
			add_step(script);
		else
			add_storm(script);
}

static void
print_bytes(const struct monkey_step *step, FILE *to)
{
	if (step->kind == MONKEY_TORN)
		fprintf(to, "every %d ms ", step->number);
	fputs("types \"", to);
	for (size_t i = 0; i < step->len; i++) {
		unsigned char c = (unsigned char)step->bytes[i];

		if (c < ' ' || c >= 0x7f || c == '"' || c == '\\')
			fprintf(to, "\\%03o", c);
		else
			fputc(c, to);
	}
	fputs("\"\n", to);
}

void
monkey_print(const struct monkey_script *script, FILE *to)
{
	static const char *const places[] = { "leader", "job", "no input", "closed input" };
	static const char *const ends[] = { "Q", "SIGTERM", "SIGHUP", "hangs up" };

	fprintf(to, "HEAPTOP_MONKEY=%llu: %s %s%s%s %s %s, cut %zu, %s %s %s, %s, %dx%d\n",
		(unsigned long long)script->seed, script->option ? script->option : "",
		script->settings ? "-x '" : "", script->settings ? script->settings : "",
		script->settings ? "'" : "", script->files[0] ? script->files[0] : "",
		script->files[1] ? script->files[1] : "", script->cut, script->term, script->locale,
		script->colours, places[script->place], script->columns, script->rows);
	for (size_t i = 0; i < script->count; i++) {
		const struct monkey_step *step = &script->steps[i];

		fprintf(to, "%4zu ", i);
		switch (step->kind) {
		case MONKEY_BYTES:
		case MONKEY_TORN:
			print_bytes(step, to);
			break;
		case MONKEY_SIZE:
			fprintf(to, "%dx%d\n", step->columns, step->rows);
			break;
		case MONKEY_SIGNAL:
			fprintf(to, "signal %d\n", step->number);
			break;
		case MONKEY_WAIT:
			fprintf(to, "waits %d ms\n", step->number);
			break;
		}
	}
	fprintf(to, "     ends with %s\n", ends[script->end]);
}
