#include "tui/sos.h"
#include "model/heap.h"
#include <inttypes.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 160, WORDS_MAX = 24, PLACES_MAX = 2 };

/* A line as words, and what becomes of it. */
struct sos_line {
	const struct sos_command *command;
	char words[WORDS_MAX][WORD_BYTES];
	unsigned count, at;             /* at: the next one */
	const char *places[PLACES_MAX]; /* words that are no options */
	unsigned places_count;
	const char *ours;    /* the view, if an option wants another */
	char view_words[48]; /* what options add behind the view */
	char where[1024];
	const char *sort;
	bool is_stat;
	bool is_of_objects; /* a condition is not about types */
	bool has_memory;
	char *out;
	size_t out_size;
};

/* Not strcasecmp(): it follows the locale. */
static bool
is_alike(const char *a, const char *b, size_t b_len)
{
	for (; *a && b_len; a++, b++, b_len--)
		if (*a != *b && ((*a | 32) != (*b | 32) || (*a | 32) < 'a' ||
				 (*a | 32) > 'z'))
			return false;
	return !*a && !b_len;
}

static const struct sos_command *
find(const char *name, size_t len)
{
	for (const struct sos_command *c = sos_commands; c->name; c++)
		if (is_alike(c->name, name, len))
			return c;
	return NULL;
}

bool
sos_has(const char *name, size_t len)
{
	return find(name, len) != NULL;
}

/* --- words ---------------------------------------------------------------- */

static bool
split(struct sos_line *l, const char *line, struct error *err)
{
	for (;;) {
		size_t len;

		line += strspn(line, " \t");
		len = strcspn(line, " \t");
		if (!len)
			return true;
		if (l->count == WORDS_MAX || len >= WORD_BYTES ||
		    memchr(line, ';', len))
			return error_set(err, ERROR_USAGE,
					 "%s cannot have so much, or a ';'",
					 l->command->name);
		memcpy(l->words[l->count], line, len);
		l->words[l->count++][len] = '\0';
		line += len;
	}
}

static const char *
next_word(struct sos_line *l)
{
	return l->at < l->count ? l->words[l->at++] : NULL;
}

static bool
write_out(struct sos_line *l, const char *first, const char *second,
	  struct error *err)
{
	int len = snprintf(l->out, l->out_size, "%s%s", first, second);

	return (len >= 0 && (size_t)len < l->out_size) ||
	       error_set(err, ERROR_USAGE, "%s: the line is too long",
			 l->command->name);
}

static bool
wants(const struct sos_line *l, const char *what, struct error *err)
{
	return error_set(err, ERROR_USAGE, "%s wants %s", l->command->name,
			 what);
}

/* --- conditions ----------------------------------------------------------- */

/* With an "and" before it, unless it is the first. */
static bool
add(struct sos_line *l, const char *condition, const char *text,
    struct error *err)
{
	size_t len = strlen(l->where), left = sizeof l->where - len;
	int written = snprintf(l->where + len, left, "%s%s%s",
			       len ? " and " : "", condition, text);

	if (strncmp(condition, "type", 4) != 0)
		l->is_of_objects = true;
	return (written > 0 && (size_t)written < left) ||
	       error_set(err, ERROR_USAGE, "%s: the line is too long",
			 l->command->name);
}

/* As SOS reads it: with or without 0x and a back-tick. */
static bool
add_address(struct sos_line *l, const char *condition, const char *word,
	    struct error *err)
{
	uint64_t address;
	char text[32];

	if (!word || *word == '#' || !address_parse(word, &address))
		return wants(l, "an address such as 7fe01c001d70", err);
	snprintf(text, sizeof text, "0x%" PRIx64, address);
	return add(l, condition, text, err);
}

/* Sizes are decimal, or hexadecimal behind 0x. */
static bool
add_size(struct sos_line *l, const char *condition, const char *word,
	 struct error *err)
{
	uint64_t value;
	char text[32], *end;

	bool is_hex = word && word[0] == '0' && (word[1] | 32) == 'x';

	if (!word || *word < '0' || *word > '9')
		return wants(l, "a number of bytes behind -min and -max", err);
	errno = 0;
	value = strtoull(word, &end, is_hex ? 16 : 10);
	if (*end || errno)
		return wants(l, "a number of bytes behind -min and -max", err);
	snprintf(text, sizeof text, "%" PRIu64, value);
	return add(l, condition, text, err);
}

/* So that a regular expression means just this text. */
static void
escape(const char *text, char *out, size_t out_size)
{
	size_t len = 0;

	for (; *text && len + 2 < out_size; text++) {
		if (strchr("\\^$.|?*+()[]{}", *text))
			out[len++] = '\\';
		out[len++] = *text;
	}
	out[len] = '\0';
}

/* --- options -------------------------------------------------------------- */

static bool
take_nothing(struct sos_line *l, struct error *err)
{
	(void)l;
	(void)err;
	return true;
}

static bool
take_value(struct sos_line *l, struct error *err)
{
	return next_word(l) || wants(l, "a value behind that option", err);
}

static bool
take_stat(struct sos_line *l, struct error *err)
{
	(void)err;
	l->is_stat = true;
	return true;
}

static bool
take_by_count(struct sos_line *l, struct error *err)
{
	l->sort = "count";
	return take_stat(l, err);
}

static bool
take_sort_by_type(struct sos_line *l, struct error *err)
{
	(void)err;
	l->sort = "type";
	return true;
}

/* Up to the end of its arguments: "Dictionary<string, int>". */
static bool
take_name(struct sos_line *l, const char *column, struct error *err)
{
	char name[2 * WORD_BYTES] = "", pattern[4 * WORD_BYTES];
	size_t len = 0, open = 0;
	const char *word;

	do {
		word = next_word(l);
		if (!word || strchr(word, '/') ||
		    len + strlen(word) + 2 > sizeof name)
			return wants(l, "a part of a name behind that option",
				     err);
		len += (size_t)snprintf(name + len, sizeof name - len, "%s%s",
					len ? " " : "", word);
		open = 0;
		for (const char *c = name; *c; c++)
			open += (size_t)(*c == '<') - (size_t)(*c == '>');
	} while (open && l->at < l->count);
	pattern[0] = '/';
	escape(name, pattern + 1, sizeof pattern - 2);
	strcat(pattern, "/");
	return add(l, column, pattern, err);
}

static bool
take_type(struct sos_line *l, struct error *err)
{
	return take_name(l, "type ~ ", err);
}

static bool
take_module(struct sos_line *l, struct error *err)
{
	return take_name(l, "module ~ ", err);
}

static bool
take_chain(struct sos_line *l, struct error *err)
{
	return take_name(l, "chain ~ ", err);
}

/* Each is known by its name: "-tasks" is "async tasks". */
static bool
take_view_word(struct sos_line *l, const char *word, struct error *err)
{
	size_t len = strlen(l->view_words), left = sizeof l->view_words - len;

	return (size_t)snprintf(l->view_words + len, left, " %s", word) <
		   left ||
	       wants(l, "fewer options", err);
}

static bool
take_tasks(struct sos_line *l, struct error *err)
{
	return take_view_word(l, "tasks", err);
}

static bool
take_completed(struct sos_line *l, struct error *err)
{
	return take_view_word(l, "completed", err);
}

static bool
take_calls(struct sos_line *l, struct error *err)
{
	return take_view_word(l, "calls", err);
}

static bool
take_object(struct sos_line *l, struct error *err)
{
	const char *word = next_word(l);

	return word ? take_view_word(l, word, err)
		    : wants(l, "an address behind that option", err);
}

static bool
take_min(struct sos_line *l, struct error *err)
{
	return add_size(l, "size >= ", next_word(l), err);
}

static bool
take_max(struct sos_line *l, struct error *err)
{
	return add_size(l, "size <= ", next_word(l), err);
}

static bool
take_live(struct sos_line *l, struct error *err)
{
	return add(l, "live", "", err);
}

static bool
take_dead(struct sos_line *l, struct error *err)
{
	return add(l, "dead", "", err);
}

#define OF_STRINGS "type = 'string'"
static bool
take_table(struct sos_line *l, struct error *err)
{
	return add_address(l, "table = ", next_word(l), err);
}

static bool
take_thin_locks(struct sos_line *l, struct error *err)
{
	l->ours = "locks";
	return add(l, "kind = 'thin lock'", "", err);
}

static bool
take_strings(struct sos_line *l, struct error *err)
{
	return add(l, OF_STRINGS, "", err);
}

static bool
take_refs(struct sos_line *l, struct error *err)
{
	(void)err;
	l->ours = "references";
	return true;
}

static bool
take_all_blocks(struct sos_line *l, struct error *err)
{
	return add(l, "kind = 'sync block'", "", err);
}

static bool
take_alive(struct sos_line *l, struct error *err)
{
	return add(l, "os_id > 0", "", err);
}

static bool
add_generation(struct sos_line *l, const char *gen, struct error *err)
{
	static const struct {
		const char *theirs, *ours;
	} generations[] = {
		{ "gen0", "0" },  { "gen1", "1" },        { "gen2", "2" },
		{ "loh", "loh" }, { "poh", "poh" },       { "foh", "frozen" },
		{ "0", "0" },     { "1", "1" },           { "2", "2" },
		{ "3", "loh" },   { "frozen", "frozen" },
	};

	for (size_t i = 0; gen && i < sizeof generations / sizeof *generations;
	     i++)
		if (is_alike(generations[i].theirs, gen, strlen(gen)))
			return add(l, "gen = ", generations[i].ours, err);
	return wants(l, "gen0, gen1, gen2, loh, poh or foh", err);
}

static bool
take_generation(struct sos_line *l, struct error *err)
{
	return add_generation(l, next_word(l), err);
}

static bool
take_handle_kind(struct sos_line *l, struct error *err)
{
	static const struct {
		const char *theirs, *ours;
	} kinds[] = {
		{ "WeakShort", "'weak short'" },
		{ "WeakLong", "'weak long'" },
		{ "Strong", "strong" },
		{ "Pinned", "pinned" },
		{ "RefCount", "'ref-counted'" },
		{ "RefCounted", "'ref-counted'" },
		{ "Dependent", "dependent" },
		{ "AsyncPinned", "'async pinned'" },
		{ "SizedRef", "'sized ref'" },
		{ "WeakWinRT", "'weak native COM'" },
	};
	const char *kind = next_word(l);

	for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; i++)
		if (is_alike(kinds[i].theirs, kind, strlen(kind))) {
			l->ours = "handles";
			return add(l, "kind = ", kinds[i].ours, err);
		}
	return wants(l,
		     "Strong, Pinned, WeakShort, WeakLong, Dependent, "
		     "RefCounted, AsyncPinned or SizedRef behind -type",
		     err);
}

/* clang-format off */
static const struct {
	const char *of;   /* names of commands */
	const char *name;
	bool (*take)(struct sos_line *l, struct error *err);
	const char *answer; /* take NULL: what there is instead */
} options[] = {
	{ "dumpheap dumpgen", "-stat",      take_stat,         NULL },
	{ "dumpheap dumpgen", "-type",      take_type,         NULL },
	{ "dumpheap dumpgen", "-min",       take_min,          NULL },
	{ "dumpheap dumpgen", "-max",       take_max,          NULL },
	{ "dumpheap dumpgen", "-live",      take_live,         NULL },
	{ "dumpheap dumpgen", "-dead",      take_dead,         NULL },
	{ "dumpheap dumpgen", "-strings",   take_strings,      NULL },
	{ "dumpheap dumpgen", "-bycount",   take_by_count,     NULL },
	{ "dumpheap dumpgen", "-mt",        take_table,        NULL },
	{ "dumpheap",         "-thinlock",  take_thin_locks,   NULL },
	{ "dumpheap",         "-gen",       take_generation,   NULL },
	{ "dumpheap",         "-startAtLowerBound", take_nothing, NULL },
	{ "dumpheap dumpgen finalizequeue", "-short", NULL,    "addresses alone are what `heaptop -b objects --columns address` prints" },
	{ "dumpheap verifyheap", "-segment", NULL,             "see segments, where Enter shows the objects of one; or dumpheap START END" },
	{ "dumpheap verifyheap eeheap", "-gcheap", NULL,       "see segments, which has the number of the heap" },
	{ "dumpheap verifyheap", "-ignoreGCState", take_nothing, NULL },
	{ "dumpobj do",       "-nofields",  take_nothing,      NULL },
	{ "dumpobj do",       "-refs",      take_refs,         NULL },
	{ "dumpobj do dumparray da", "/d",  take_nothing,      NULL },
	{ "dumparray da",     "-details",   take_nothing,      NULL },
	{ "dumparray da",     "-nofields",  take_nothing,      NULL },
	{ "dumparray da",     "-length",    take_value,        NULL },
	{ "dumparray da",     "-start",     NULL,              "all elements are there: N, then G, goes to the row N" },
	{ "gcroot",           "-all",       take_nothing,      NULL },
	{ "gcroot",           "-nostacks",  take_nothing,      NULL },
	{ "gcroot",           "-gcgen",     NULL,              "all generations are searched" },
	{ "objsize",          "-stat",      take_nothing,      NULL },
	{ "objsize",          "-aggregate", take_nothing,      NULL },
	{ "gchandles",        "-type",      take_handle_kind,  NULL },
	{ "gchandles",        "-stat",      take_sort_by_type, NULL },
	{ "gchandles",        "-perdomain", take_nothing,      NULL },
	{ "finalizequeue fq", "-detail",    take_nothing,      NULL },
	{ "finalizequeue fq", "-stat",      take_sort_by_type, NULL },
	{ "finalizequeue fq", "-allReady",  NULL,              "the collector's own list is `finalizers; where state = ready`; what is dead and not yet found to be is in dumpheap -dead" },
	{ "finalizequeue fq", "-mt",        NULL,              "see finalizers, and filter by type: & and a part of its name" },
	{ "dumpmt",           "-MD",        NULL,              "methods are not listed here; dumpmt ADDRESS has how many there are" },
	{ "dumpmt",           "-all",       take_nothing,      NULL },
	{ "syncblk",          "-all",       take_all_blocks,   NULL },
	{ "gcheapstat",       "-inclUnrooted", take_nothing,   NULL },
	{ "gcheapstat",       "-iu",        take_nothing,      NULL },
	{ "eeheap",           "-gc",        take_nothing,      NULL },
	{ "eeheap",           "-loader",    NULL,              "the loader's heaps are not read here; memory says what a process has beside the heap" },
	{ "threads clrthreads", "-live",    take_alive,        NULL },
	{ "threads clrthreads", "-special", NULL,              "only managed threads are listed, the finalizer's too" },
	{ "modules clrmodules", "-name",    take_module,       NULL },
	{ "modules clrmodules", "-verbose", take_nothing,      NULL },
	{ "modules clrmodules", "-v",       take_nothing,      NULL },
	{ "dumpasync",        "-type",      take_chain,        NULL },
	{ "dumpasync",        "-tasks",     take_tasks,        NULL },
	{ "dumpasync",        "-t",         take_tasks,        NULL },
	{ "dumpasync",        "-completed", take_completed,    NULL },
	{ "dumpasync",        "-c",         take_completed,    NULL },
	{ "dumpasync",        "-stats",     take_calls,        NULL },
	{ "dumpasync",        "-address",   take_object,       NULL },
	{ "dumpasync",        "-addr",      take_object,       NULL },
	{ "dumpasync",        "-coalesce",  take_nothing,      NULL },
	{ "dumpasync",        "-fields",    NULL,              "Enter lists the objects, and fields shows those of one" },
	{ "dumpasync",        "-f",         NULL,              "Enter lists the objects, and fields shows those of one" },
	{ "dumpasync",        "-roots",     NULL,              "Enter lists the objects, and p shows why one is alive" },
	{ "dumpasync",        "-methodtable", NULL,            "types have names here: -type NAME" },
	{ "dumpasync",        "-mt",        NULL,              "types have names here: -type NAME" },
	{ "modules clrmodules", "-segments", NULL,             "see segments for the heap's; modules has where the images are" },
};
/* clang-format on */
enum { OPTIONS = sizeof options / sizeof *options };

/* Is it one of the words? */
static bool
is_among(const char *name, const char *words)
{
	size_t len;

	for (; *words; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		if (strlen(name) == len && !strncmp(name, words, len))
			return true;
	}
	return false;
}

static bool
no_option(const struct sos_line *l, const char *word, struct error *err)
{
	char all[200] = "";
	size_t len = 0;

	for (size_t i = 0; i < OPTIONS && len < sizeof all; i++)
		if (options[i].take &&
		    is_among(l->command->name, options[i].of))
			len += (size_t)snprintf(all + len, sizeof all - len,
						" %s", options[i].name);
	return error_set(err, ERROR_USAGE, "%s knows no %.40s here%s%s",
			 l->command->name, word,
			 len ? "; it takes" : ", and takes no options", all);
}

static bool
take_option(struct sos_line *l, const char *word, struct error *err)
{
	/* Newer commands of SOS are written with two. */
	word += !strncmp(word, "--", 2);
	for (size_t i = 0; i < OPTIONS; i++) {
		if (!is_alike(options[i].name, word, strlen(word)) ||
		    !is_among(l->command->name, options[i].of))
			continue;
		if (options[i].take)
			return options[i].take(l, err);
		return error_set(err, ERROR_USAGE, "%s %s: %s",
				 l->command->name, options[i].name,
				 options[i].answer);
	}
	return no_option(l, word, err);
}

static bool
take_words(struct sos_line *l, struct error *err)
{
	const char *word;

	while ((word = next_word(l))) {
		if (*word == '-' || (*word == '/' && strlen(word) == 2)) {
			if (!take_option(l, word, err))
				return false;
		} else if (l->places_count == PLACES_MAX) {
			return error_set(err, ERROR_USAGE,
					 "%s: what is %.60s to be?",
					 l->command->name, word);
		} else {
			l->places[l->places_count++] = word;
		}
	}
	return true;
}

/* --- the commands --------------------------------------------------------- */

/* "view words; where …; sort …" */
static bool
write_view(struct sos_line *l, const char *view, struct error *err)
{
	char rest[1400] = "";
	size_t len = 0;

	len += (size_t)snprintf(rest, sizeof rest, "%s", l->view_words);
	for (unsigned i = 0; i < l->places_count; i++)
		len += (size_t)snprintf(rest + len, sizeof rest - len, " %s",
					l->places[i]);
	if (*l->where)
		len += (size_t)snprintf(rest + len, sizeof rest - len,
					"; where %s", l->where);
	if (l->sort)
		snprintf(rest + len, sizeof rest - len, "; sort %s", l->sort);
	return write_out(l, view, rest, err);
}

static const char *
usual_view(const struct sos_line *l)
{
	const struct sos_command *c = l->command;

	return l->ours                              ? l->ours
	       : c->ours_of_memory && l->has_memory ? c->ours_of_memory
						    : c->ours;
}

/* Of heaps; their two words say where it begins and ends. */
static bool
expand_heap(struct sos_line *l, struct error *err)
{
	if ((l->places_count > 0 &&
	     !add_address(l, "address >= ", l->places[0], err)) ||
	    (l->places_count > 1 &&
	     !add_address(l, "address < ", l->places[1], err)))
		return false;
	l->places_count = 0;
	/* Of strings alone what they say, where that is known. */
	if (l->has_memory && !strcmp(l->where, OF_STRINGS)) {
		*l->where = '\0';
		return write_view(l, "strings", err);
	}
	/* Totals are of all objects of a type. */
	if (!l->is_of_objects && l->is_stat)
		return write_view(l, "types", err);
	if (l->is_stat)
		l->sort = "type";
	return write_view(l, usual_view(l), err);
}

static bool
expand_generation(struct sos_line *l, struct error *err)
{
	if (!add_generation(l, l->places[0], err))
		return false;
	l->places_count = 0;
	return expand_heap(l, err);
}

static bool
expand_where(struct sos_line *l, struct error *err)
{
	if (!add_address(l, "start <= ", l->places[0], err) ||
	    !add_address(l, "end > ", l->places[0], err))
		return false;
	l->places_count = 0;
	return write_view(l, l->command->ours, err);
}

/* Without an address it is the selected one, if the view takes that. */
static bool
expand_object(struct sos_line *l, struct error *err)
{
	if (l->places_count < 2)
		return write_view(l, usual_view(l), err);
	return wants(l, "the address of one object", err);
}

static bool
expand_address(struct sos_line *l, struct error *err)
{
	if (l->places_count == 1)
		return write_view(l, usual_view(l), err);
	return wants(l, "an address", err);
}

static bool
expand_value(struct sos_line *l, struct error *err)
{
	if (l->places_count == 2)
		return write_view(l, usual_view(l), err);
	return wants(l, "the method table and the address of a value", err);
}

static bool
expand_nothing(struct sos_line *l, struct error *err)
{
	if (!l->places_count)
		return write_view(l, usual_view(l), err);
	return error_set(err, ERROR_USAGE, "%s: what is %.60s to be?",
			 l->command->name, l->places[0]);
}

/* Those that somebody holds, or one by its number. */
static bool
expand_blocks(struct sos_line *l, struct error *err)
{
	char *end;

	if (l->places_count == 1) {
		(void)strtoul(l->places[0], &end, 10);
		if (*end || !add(l, "index = ", l->places[0], err))
			return wants(l, "the number of a sync block", err);
	} else if (!*l->where &&
		   !add(l, "not kind = 'thin lock' and entered > 0", "", err)) {
		return false;
	}
	l->places_count = 0;
	return write_view(l, l->command->ours, err);
}

/* clang-format off */
const struct sos_command sos_commands[] = {
	/* name            ours                       of memory    expand             help */
	{ "dumpheap",      "objects",                 NULL,        expand_heap,       "-stat: types; -mt -type -min -max -live -dead -gen and more" },
	{ "dumpgen",       "objects",                 NULL,        expand_generation, "gen0, gen1, gen2, loh, poh or foh, and options of dumpheap" },
	{ "dumpobj",       "inspect",                 NULL,        expand_object,     "ADDRESS; -refs: what it refers to" },
	{ "do",            "inspect",                 NULL,        expand_object,     "ADDRESS; -refs: what it refers to" },
	{ "dumparray",     "fields",                  NULL,        expand_object,     "ADDRESS" },
	{ "da",            "fields",                  NULL,        expand_object,     "ADDRESS" },
	{ "dumpmt",        "method-table",            NULL,        expand_address,    "ADDRESS" },
	{ "db",            "bytes",                   NULL,        expand_address,    "ADDRESS" },
	{ "readmemory",    "bytes",                   NULL,        expand_address,    "ADDRESS" },
	{ "dumpvc",        "value",                   NULL,        expand_value,      "METHOD-TABLE ADDRESS" },
	{ "gcroot",        "paths",                   NULL,        expand_object,     "ADDRESS" },
	{ "objsize",       "objsize",                 NULL,        expand_object,     "ADDRESS" },
	{ "gchandles",     "roots; filter handles?$", "handles",   expand_nothing,    "-type KIND; -stat: by type" },
	{ "finalizequeue", "roots; filter finalizer", "finalizers", expand_nothing,   "-stat: by type" },
	{ "fq",            "roots; filter finalizer", "finalizers", expand_nothing,   "-stat: by type" },
	{ "eeheap",        "segments",                NULL,        expand_nothing,    "-gc" },
	{ "gcheapstat",    "heaps",                   NULL,        expand_nothing,    "with live and dead bytes" },
	{ "gcwhere",       "segments",                NULL,        expand_where,      "ADDRESS: the segment that it is in" },
	{ "threads",       "threads",                 NULL,        expand_nothing,    "-live: those that run" },
	{ "clrthreads",    "threads",                 NULL,        expand_nothing,    "-live: those that run" },
	{ "modules",       "modules",                 NULL,        expand_nothing,    "-name NAME" },
	{ "clrmodules",    "modules",                 NULL,        expand_nothing,    "-name NAME" },
	{ "syncblk",       "locks",                   NULL,        expand_blocks,     "-all: not only those that are held; NUMBER" },
	{ "listnearobj",   "near",                    NULL,        expand_address,    "ADDRESS" },
	{ "lno",           "near",                    NULL,        expand_address,    "ADDRESS" },
	{ "dumpasync",     "async",                   NULL,        expand_nothing,    "-type NAME -tasks -completed -address ADDRESS; -stats: by method" },
	{ "timerinfo",     "timers",                  NULL,        expand_nothing,    "due and period in milliseconds" },
	{ "ti",            "timers",                  NULL,        expand_nothing,    "due and period in milliseconds" },
	{ "verifyheap",    "verify",                  NULL,        expand_nothing,    "all of it" },
	{ "verifyobj",     "verify",                  NULL,        expand_address,    "ADDRESS" },
	{ 0 },
};
/* clang-format on */

bool
sos_expand(const char *line, bool has_memory, char *out, size_t out_size,
	   struct error *err)
{
	size_t len = strcspn(line, " \t");
	struct sos_line l = { .command = find(line, len),
			      .has_memory = has_memory,
			      .out = out,
			      .out_size = out_size };

	if (!l.command)
		return error_set(err, ERROR_USAGE, "no command \"%.60s\"",
				 line);
	if (!split(&l, line + len, err) || !take_words(&l, err))
		return false;
	return l.command->expand(&l, err);
}
