#include "tui/app/sos_line.h"
#include "model/heap/memory.h"
#include "model/base/text.h"
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- conditions ----------------------------------------------------------- */

bool
sos_add(struct sos_line *l, const char *condition, const char *text, struct error *err)
{
	size_t len = strlen(l->where), left = sizeof l->where - len;
	int written = snprintf(l->where + len, left, "%s%s%s", len ? " and " : "", condition, text);

	if (strncmp(condition, "type", 4) != 0)
		l->is_of_objects = true;
	return (written > 0 && (size_t)written < left) ||
	       error_set(err, ERROR_USAGE, "%s: the line is too long", l->command->name);
}

bool
sos_add_address(struct sos_line *l, const char *condition, const char *word, struct error *err)
{
	uint64_t address;
	char text[32];

	if (!word || *word == '#' || !address_parse(word, &address))
		return sos_wants(l, "an address such as 7fe01c001d70", err);
	snprintf(text, sizeof text, "0x%" PRIx64, address);
	return sos_add(l, condition, text, err);
}

/* Reads a size: decimal, or hexadecimal after 0x. */
static bool
read_size(struct sos_line *l, const char *condition, struct error *err)
{
	const char *word = sos_next_word(l);
	uint64_t value;
	char text[32], *end;
	bool is_hex = word && word[0] == '0' && (word[1] | 32) == 'x';

	errno = 0;
	value = word ? strtoull(word, &end, is_hex ? 16 : 10) : 0;
	if (!word || *word < '0' || *word > '9' || *end || errno)
		return sos_wants(l, "a number of bytes after -min and -max", err);
	snprintf(text, sizeof text, "%" PRIu64, value);
	return sos_add(l, condition, text, err);
}

/*
 * Patterns for the type arguments that an arity such as "`2" stands for: heaptop's type names have
 * them written out. ARGUMENT matches brackets nested up to three levels deep.
 */
#define OTHERS   "[^<>(),]|\\[,*\\]"
#define NESTED   "<([^<>]|<([^<>]|<[^<>]*>)*>)*>"
#define ARGUMENT "(" OTHERS "|" NESTED ")*"

enum { ARITY_MAX = 16 };

/* Writes the pattern for an arity. Returns the bytes read; 0: no arity. */
static size_t
add_arguments(const char *text, char *out, size_t out_size)
{
	char *end, more[sizeof ARGUMENT + 8] = "";
	unsigned long arity;

	if (*text != '`' || text[1] < '1' || text[1] > '9')
		return 0;
	arity = strtoul(text + 1, &end, 10);
	if (arity > ARITY_MAX)
		return 0;
	if (arity > 1)
		snprintf(more, sizeof more, "(,%s){%lu}", ARGUMENT, arity - 1);
	if ((size_t)snprintf(out, out_size, "<%s%s>", ARGUMENT, more) >= out_size)
		return 0;
	return (size_t)(end - text);
}

/* Writes a regular expression that matches the text, except for arities. */
static void
escape(const char *text, char *out, size_t out_size)
{
	size_t len = 0;

	*out = '\0';
	while (*text && len + 2 < out_size) {
		size_t used = add_arguments(text, out + len, out_size - len);

		if (used) {
			len += strlen(out + len);
			text += used;
			continue;
		}
		if (strchr("\\^$.|?*+()[]{}", *text))
			out[len++] = '\\';
		out[len++] = *text++;
	}
	out[len] = '\0';
}

bool
sos_add_name(struct sos_line *l, const char *column, const char *name, struct error *err)
{
	char pattern[4 * SOS_WORD_BYTES];

	pattern[0] = '/';
	escape(name, pattern + 1, sizeof pattern - 2);
	strcat(pattern, "/");
	return sos_add(l, column, pattern, err);
}

/* --- options -------------------------------------------------------------- */

/* Reads a name with its type arguments: "Dictionary<string, int>". */
static bool
read_name(struct sos_line *l, const char *column, struct error *err)
{
	char name[2 * SOS_WORD_BYTES] = "";
	size_t len = 0, open = 0;
	const char *word;

	do {
		word = sos_next_word(l);
		if (!word || strchr(word, '/') || len + strlen(word) + 2 > sizeof name)
			return sos_wants(l, "a part of a name after that option", err);
		len +=
		    (size_t)snprintf(name + len, sizeof name - len, "%s%s", len ? " " : "", word);
		open = 0;
		for (const char *c = name; *c; c++)
			open += (size_t)(*c == '<') - (size_t)(*c == '>');
	} while (open && l->at < l->count);
	return sos_add_name(l, column, name, err);
}

/* Passes an argument on to the view: "-tasks" becomes "async tasks". */
static bool
add_view_word(struct sos_line *l, const char *word, struct error *err)
{
	size_t len = strlen(l->view_words), left = sizeof l->view_words - len;

	return (size_t)snprintf(l->view_words + len, left, " %s", word) < left ||
	       sos_wants(l, "fewer options", err);
}

static bool
read_object(struct sos_line *l, const char *unused, struct error *err)
{
	const char *word = sos_next_word(l);

	(void)unused;
	return word ? add_view_word(l, word, err)
		    : sos_wants(l, "an address after that option", err);
}

/* Returns the segment with this address, which need not be its start. */
static const struct heap_segment *
segment_at(const struct sos_line *l, uint64_t address, struct error *err)
{
	const struct heap_memory *m = l->heap->memory;

	for (uint32_t i = 0; m && i < m->segments_count; i++)
		if (address >= m->segments[i].start && address < m->segments[i].committed)
			return &m->segments[i];
	error_set(err, ERROR_USAGE,
		  m ? "%s -segment: no segment has that address; segments lists them"
		    : "%s -segment: only memory has segments, of a core or with -m of a process",
		  l->command->name);
	return NULL;
}

static bool
read_segment(struct sos_line *l, const char *unused, struct error *err)
{
	const char *word = sos_next_word(l);
	bool of_segments = !strcmp(l->command->becomes, "segments");
	const struct heap_segment *s;
	struct heap_segment unknown = { 0 };
	uint64_t address;
	char text[64];

	(void)unused;
	if (!word || !address_parse(word, &address))
		return sos_wants(l, "an address in a segment after -segment", err);
	/* Before a heap is loaded, only the view matters. */
	s = l->heap ? segment_at(l, address, err) : &unknown;
	if (!s)
		return false;
	snprintf(text, sizeof text, "0x%" PRIx64, s->start);
	if (of_segments)
		return sos_add(l, "start = ", text, err);
	snprintf(text, sizeof text, "0x%" PRIx64 " and address < 0x%" PRIx64, s->start,
		 s->committed);
	return sos_add(l, "address >= ", text, err);
}

static bool
read_number(struct sos_line *l, const char *condition, struct error *err)
{
	const char *word = sos_next_word(l);

	if (!word || !*word || word[strspn(word, "0123456789")])
		return sos_wants(l, "the number of a heap after that option", err);
	return sos_add(l, condition, word, err);
}

bool
sos_add_generation(struct sos_line *l, const char *gen, struct error *err)
{
	static const struct {
		const char *sos, *value;
	} generations[] = {
		{ "gen0", "0" },  { "gen1", "1" },     { "gen2", "2" },        { "loh", "loh" },
		{ "poh", "poh" }, { "foh", "frozen" }, { "0", "0" },           { "1", "1" },
		{ "2", "2" },     { "3", "loh" },      { "frozen", "frozen" },
	};

	for (size_t i = 0; gen && i < sizeof generations / sizeof *generations; i++)
		if (sos_same_word(generations[i].sos, gen, strlen(gen)))
			return sos_add(l, "gen = ", generations[i].value, err);
	return sos_wants(l, "gen0, gen1, gen2, loh, poh or foh", err);
}

static bool
read_generation(struct sos_line *l, const char *unused, struct error *err)
{
	(void)unused;
	return sos_add_generation(l, sos_next_word(l), err);
}

static bool
read_address(struct sos_line *l, const char *condition, struct error *err)
{
	return sos_add_address(l, condition, sos_next_word(l), err);
}

static bool
read_handle_kind(struct sos_line *l, const char *condition, struct error *err)
{
	static const struct {
		const char *sos, *value, *as_root;
	} kinds[] = {
		{ "WeakShort", "'weak short'", "weak" },
		{ "WeakLong", "'weak long'", "weak" },
		{ "Strong", "strong", "strong" },
		{ "Pinned", "pinned", "pinned" },
		{ "RefCount", "'ref-counted'", "ref-counted" },
		{ "RefCounted", "'ref-counted'", "ref-counted" },
		{ "Dependent", "dependent", "dependent" },
		{ "AsyncPinned", "'async pinned'", "async-pinned" },
		{ "SizedRef", "'sized ref'", "sized-ref" },
		{ "WeakWinRT", "'weak native COM'", "weak" },
	};
	const char *kind = sos_next_word(l);

	for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
		if (sos_same_word(kinds[i].sos, kind, strlen(kind)))
			return sos_add(l, condition,
				       l->is_capture ? kinds[i].as_root : kinds[i].value, err);
	return sos_wants(l,
			 "Strong, Pinned, WeakShort, WeakLong, Dependent, RefCounted, AsyncPinned "
			 "or SizedRef after -type",
			 err);
}

#define SETS(field) .sets = offsetof(struct sos_line, field)
/* clang-format off */
static const struct {
	const char *of;   /* commands that have this option, separated by spaces */
	const char *name;
	/*
	 * The option is refused with this hint. A row with only names is accepted: heaptop always
	 * does that.
	 */
	const char *answer;
	size_t sets; /* offset of a bool in struct sos_line */
	const char *view, *view_word; /* opens this view, or adds this argument */
	const char *sort;
	/* added to the `where`; `read` may complete it */
	const char *condition;
	bool (*read)(struct sos_line *l, const char *condition,
		     struct error *err);
} options[] = {
	{ "dumpheap dumpgen dumpexceptions", "-stat", SETS(is_stat) },
	{ "dumpheap dumpgen dumpexceptions", "-type", .read = read_name, .condition = "type ~ " },
	{ "dumpheap dumpgen", "-min", .read = read_size, .condition = "size >= " },
	{ "dumpheap dumpgen", "-max", .read = read_size, .condition = "size <= " },
	{ "dumpheap dumpgen", "-live", .condition = "live" },
	{ "dumpheap dumpgen", "-dead", .condition = "dead" },
	{ "dumpheap dumpgen", "-strings", SETS(of_strings) },
	{ "dumpheap dumpgen", "-bycount", SETS(is_stat), .sort = "count" },
	{ "dumpheap dumpgen", "-mt", SETS(of_table), .read = read_address, .condition = "table = " },
	{ "dumpheap", "-thinlock", .view = "locks", .condition = "kind = 'thin lock'" },
	{ "dumpheap", "-gen", .read = read_generation },
	{ "dumpheap", "-startAtLowerBound", .answer = NULL },
	{ "dumpheap dumpgen dumpexceptions finalizequeue fq", "-short", SETS(is_short) },
	{ "dumpheap verifyheap eeheap", "-segment", .read = read_segment },
	{ "dumpheap verifyheap eeheap", "-heap", .read = read_number, .condition = "heap = " },
	{ "dumpheap verifyheap eeheap", "-gcheap", .read = read_number, .condition = "heap = " },
	{ "dumpheap verifyheap", "-ignoreGCState", .answer = NULL },
	{ "dumpobj do", "-nofields", SETS(is_object_alone) },
	{ "dumpobj do", "-refs", .view = "references" },
	{ "dumpobj do dumparray da", "/d", .answer = NULL },
	{ "dumparray da", "-details", .answer = "structures have their fields below them; for an object, dumpobj ADDRESS shows them" },
	{ "dumparray da", "-nofields", .condition = "field ~ /^\\[/" },
	{ "dumparray da", "-length", .answer = "all elements are listed; with -b, -n 3 prints the first three" },
	{ "dumparray da", "-start", .answer = "all elements are listed; N, then G, goes to row N" },
	{ "gcroot", "-all", .answer = NULL },
	{ "gcroot", "-nostacks", .answer = NULL },
	{ "gcroot", "-gcgen", .answer = "all generations are searched" },
	{ "objsize", "-stat", .answer = NULL },
	{ "objsize", "-aggregate", .answer = NULL },
	{ "gchandles", "-type", .read = read_handle_kind, .condition = "kind = " },
	{ "gchandles", "-stat", SETS(is_stat) },
	{ "gchandles", "-perdomain", .answer = NULL },
	{ "finalizequeue fq", "-detail", .answer = NULL },
	{ "finalizequeue fq", "-stat", SETS(is_stat) },
	{ "finalizequeue fq", "-allReady", .answer = "`finalizers; where state = ready` lists what the collector has found dead; dumpheap -dead lists all dead objects" },
	{ "finalizequeue fq", "-mt", SETS(of_table), .read = read_address, .condition = "table = " },
	{ "dumpmt", "-MD", .view = "methods" },
	{ "dumpmt", "-all", .answer = NULL },
	{ "syncblk", "-all", .condition = "kind = 'sync block'" },
	{ "gcheapstat", "-inclUnrooted", .answer = NULL },
	{ "gcheapstat", "-iu", .answer = NULL },
	{ "eeheap", "-gc", .answer = NULL },
	{ "eeheap", "-loader", .answer = "loader heaps are not read; memory shows what a process has outside the heap" },
	{ "threads clrthreads", "-live", .condition = "os_id > 0" },
	{ "clrstack", "-all", .answer = NULL },
	{ "clrstack", "-f", .answer = "native frames are not listed" },
	{ "clrstack", "-a", .answer = "arguments and local variables are not read; dso lists the objects on stacks" },
	{ "clrstack", "-l", .answer = "local variables are not read; dso lists the objects on stacks" },
	{ "clrstack", "-p", .answer = "arguments are not read; dso lists the objects on stacks" },
	{ "parallelstacks pstacks", "-a", .answer = NULL },
	{ "threads clrthreads", "-special", .answer = "threads lists these, too; those without an Id are not managed" },
	{ "modules clrmodules assemblies", "-name", .read = read_name, .condition = "module ~ " },
	{ "modules clrmodules assemblies", "-verbose", .answer = NULL },
	{ "modules clrmodules assemblies", "-v", .answer = NULL },
	{ "dumpasync", "-type", .read = read_name, .condition = "chain ~ " },
	{ "dumpasync", "-tasks", .view_word = "tasks" },
	{ "dumpasync", "-t", .view_word = "tasks" },
	{ "dumpasync", "-completed", .view_word = "completed" },
	{ "dumpasync", "-c", .view_word = "completed" },
	{ "dumpasync", "-stats", .view_word = "calls" },
	{ "dumpasync", "-address", .read = read_object },
	{ "dumpasync", "-addr", .read = read_object },
	{ "dumpasync", "-coalesce", .answer = NULL },
	{ "dumpasync", "-fields", .answer = "fields ADDRESS shows the fields of one call; Enter lists the calls of a row, and the column address has the first" },
	{ "dumpasync", "-f", .answer = "fields ADDRESS shows the fields of one call; Enter lists the calls of a row, and the column address has the first" },
	{ "dumpasync", "-roots", .answer = "gcroot ADDRESS shows why a call is alive; Enter lists the calls of a row, and the column address has the first" },
	{ "dumpasync", "-methodtable", .read = read_object },
	{ "dumpasync", "-mt", .read = read_object },
	{ "dumpasync", "-waiting", .condition = "not states ~ /-/" },
	{ "modules clrmodules assemblies", "-segments", .answer = "segments lists those of the heap; modules shows where the images are" },
};
/* clang-format on */
enum { OPTIONS = sizeof options / sizeof *options };
_Static_assert(sizeof options / sizeof *options <= SOS_OPTIONS_MAX, "given[] is too short");

static bool
no_option(const struct sos_line *l, const char *word, struct error *err)
{
	char all[200];
	struct text text = text_in(all, sizeof all);

	for (size_t i = 0; i < OPTIONS; i++)
		if (!options[i].answer &&
		    sos_has_word(l->command->name, strlen(l->command->name), options[i].of))
			text_addf(&text, " %s", options[i].name);
	return error_set(err, ERROR_USAGE, "%s has no option %.40s%s%s", l->command->name, word,
			 text.len ? "; it takes" : "; it takes none", all);
}

static bool
take(struct sos_line *l, size_t option, struct error *err)
{
	const char *condition = options[option].condition;

	if (options[option].sets)
		*(bool *)((char *)l + options[option].sets) = true;
	if (options[option].view)
		l->view = options[option].view;
	if (options[option].sort)
		l->sort = options[option].sort;
	if (options[option].view_word && !add_view_word(l, options[option].view_word, err))
		return false;
	if (options[option].read)
		return options[option].read(l, condition, err);
	return !condition || sos_add(l, condition, "", err);
}

bool
sos_take_option(struct sos_line *l, const char *word, struct error *err)
{
	const char *name = l->command->name;

	/* Newer SOS commands also accept options with two dashes. */
	word += !strncmp(word, "--", 2);
	for (size_t i = 0; i < OPTIONS; i++) {
		if (!sos_same_word(options[i].name, word, strlen(word)) ||
		    !sos_has_word(name, strlen(name), options[i].of))
			continue;
		if (options[i].answer)
			return error_set(err, ERROR_USAGE, "%s %s: %s", name, options[i].name,
					 options[i].answer);
		if (l->given[i])
			return error_set(err, ERROR_USAGE,
					 "%s has %s twice; where takes several conditions, with "
					 "and, or, not",
					 name, options[i].name);
		l->given[i] = true;
		return take(l, i, err);
	}
	return no_option(l, word, err);
}
