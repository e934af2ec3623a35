#include "tui/app/sos_line.h"
#include "model/heap/memory.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- conditions ----------------------------------------------------------- */

bool
sos_add(struct sos_line *l, const char *condition, const char *text,
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

bool
sos_add_address(struct sos_line *l, const char *condition, const char *word,
		struct error *err)
{
	uint64_t address;
	char text[32];

	if (!word || *word == '#' || !address_parse(word, &address))
		return sos_wants(l, "an address such as 7fe01c001d70", err);
	snprintf(text, sizeof text, "0x%" PRIx64, address);
	return sos_add(l, condition, text, err);
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
		return sos_wants(l, "a number of bytes behind -min and -max",
				 err);
	errno = 0;
	value = strtoull(word, &end, is_hex ? 16 : 10);
	if (*end || errno)
		return sos_wants(l, "a number of bytes behind -min and -max",
				 err);
	snprintf(text, sizeof text, "%" PRIu64, value);
	return sos_add(l, condition, text, err);
}

/*
 * Behind a name, "`2" says how many type arguments it has; here they are
 * written out. Arguments of arguments are known three levels deep.
 */
#define OTHERS   "[^<>(),]|\\[,*\\]"
#define NESTED   "<([^<>]|<([^<>]|<[^<>]*>)*>)*>"
#define ARGUMENT "(" OTHERS "|" NESTED ")*"

enum { ARITY_MAX = 16 };

/* How many bytes were read; 0: it says nothing of the kind. */
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
	if ((size_t)snprintf(out, out_size, "<%s%s>", ARGUMENT, more) >=
	    out_size)
		return 0;
	return (size_t)(end - text);
}

/* A regular expression that means just this text. */
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
sos_add_name(struct sos_line *l, const char *column, const char *name,
	     struct error *err)
{
	char pattern[4 * SOS_WORD_BYTES];

	pattern[0] = '/';
	escape(name, pattern + 1, sizeof pattern - 2);
	strcat(pattern, "/");
	return sos_add(l, column, pattern, err);
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
take_short(struct sos_line *l, struct error *err)
{
	(void)err;
	l->is_short = true;
	return true;
}

/* Up to the end of its arguments: "Dictionary<string, int>". */
static bool
take_name(struct sos_line *l, const char *column, struct error *err)
{
	char name[2 * SOS_WORD_BYTES] = "";
	size_t len = 0, open = 0;
	const char *word;

	do {
		word = sos_next_word(l);
		if (!word || strchr(word, '/') ||
		    len + strlen(word) + 2 > sizeof name)
			return sos_wants(
			    l, "a part of a name behind that option", err);
		len += (size_t)snprintf(name + len, sizeof name - len, "%s%s",
					len ? " " : "", word);
		open = 0;
		for (const char *c = name; *c; c++)
			open += (size_t)(*c == '<') - (size_t)(*c == '>');
	} while (open && l->at < l->count);
	return sos_add_name(l, column, name, err);
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
	       sos_wants(l, "fewer options", err);
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
	const char *word = sos_next_word(l);

	return word ? take_view_word(l, word, err)
		    : sos_wants(l, "an address behind that option", err);
}

/* None of its calls runs, or has ended. */
static bool
take_waiting(struct sos_line *l, struct error *err)
{
	return sos_add(l, "not states ~ ", "/-/", err);
}

static bool
take_min(struct sos_line *l, struct error *err)
{
	return add_size(l, "size >= ", sos_next_word(l), err);
}

static bool
take_max(struct sos_line *l, struct error *err)
{
	return add_size(l, "size <= ", sos_next_word(l), err);
}

static bool
take_live(struct sos_line *l, struct error *err)
{
	return sos_add(l, "live", "", err);
}

static bool
take_dead(struct sos_line *l, struct error *err)
{
	return sos_add(l, "dead", "", err);
}

static bool
take_table(struct sos_line *l, struct error *err)
{
	l->of_table = true;
	return sos_add_address(l, "table = ", sos_next_word(l), err);
}

static bool
take_thin_locks(struct sos_line *l, struct error *err)
{
	l->ours = "locks";
	return sos_add(l, "kind = 'thin lock'", "", err);
}

static bool
take_strings(struct sos_line *l, struct error *err)
{
	(void)err;
	l->of_strings = true;
	return true;
}

/* Any address in the segment stands for it. */
static const struct heap_segment *
segment_at(const struct sos_line *l, uint64_t address, struct error *err)
{
	const struct heap_memory *m = l->heap->memory;

	for (uint32_t i = 0; m && i < m->segments_count; i++)
		if (address >= m->segments[i].start &&
		    address < m->segments[i].committed)
			return &m->segments[i];
	error_set(err, ERROR_USAGE,
		  m ? "%s -segment: no segment has that address; segments "
		      "lists them"
		    : "%s -segment: only memory has segments, of a core or "
		      "with -m of a process",
		  l->command->name);
	return NULL;
}

static bool
take_segment(struct sos_line *l, struct error *err)
{
	const char *word = sos_next_word(l);
	bool of_segments = !strcmp(l->command->ours, "segments");
	const struct heap_segment *s;
	struct heap_segment unknown = { 0 };
	uint64_t address;
	char text[64];

	if (!word || !address_parse(word, &address))
		return sos_wants(l, "an address in a segment behind -segment",
				 err);
	/* Without a heap the line is only asked what it will need. */
	s = l->heap ? segment_at(l, address, err) : &unknown;
	if (!s)
		return false;
	snprintf(text, sizeof text, "0x%" PRIx64, s->start);
	if (of_segments)
		return sos_add(l, "start = ", text, err);
	snprintf(text, sizeof text, "0x%" PRIx64 " and address < 0x%" PRIx64,
		 s->start, s->committed);
	return sos_add(l, "address >= ", text, err);
}

static bool
take_heap(struct sos_line *l, struct error *err)
{
	const char *word = sos_next_word(l);

	if (!word || !*word || word[strspn(word, "0123456789")])
		return sos_wants(l, "the number of a heap behind that option",
				 err);
	return sos_add(l, "heap = ", word, err);
}

static bool
take_refs(struct sos_line *l, struct error *err)
{
	(void)err;
	l->ours = "references";
	return true;
}

static bool
take_no_fields(struct sos_line *l, struct error *err)
{
	(void)err;
	l->is_itself = true;
	return true;
}

/* Those of elements that are structures stand below, and have names. */
static bool
take_elements(struct sos_line *l, struct error *err)
{
	return sos_add(l, "field ~ ", "/^\\[/", err);
}

static bool
take_all_blocks(struct sos_line *l, struct error *err)
{
	return sos_add(l, "kind = 'sync block'", "", err);
}

static bool
take_alive(struct sos_line *l, struct error *err)
{
	return sos_add(l, "os_id > 0", "", err);
}

bool
sos_add_generation(struct sos_line *l, const char *gen, struct error *err)
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
		if (sos_is_alike(generations[i].theirs, gen, strlen(gen)))
			return sos_add(l, "gen = ", generations[i].ours, err);
	return sos_wants(l, "gen0, gen1, gen2, loh, poh or foh", err);
}

static bool
take_generation(struct sos_line *l, struct error *err)
{
	return sos_add_generation(l, sos_next_word(l), err);
}

static bool
take_methods(struct sos_line *l, struct error *err)
{
	(void)err;
	l->ours = "methods";
	return true;
}

static bool
take_handle_kind(struct sos_line *l, struct error *err)
{
	static const struct {
		const char *theirs, *ours, *as_root;
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
		if (sos_is_alike(kinds[i].theirs, kind, strlen(kind)))
			return sos_add(l, "kind = ",
				       l->is_capture ? kinds[i].as_root
						     : kinds[i].ours,
				       err);
	return sos_wants(l,
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
	{ "dumpheap dumpgen dumpexceptions", "-stat",      take_stat,         NULL },
	{ "dumpheap dumpgen dumpexceptions", "-type", take_type, NULL },
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
	{ "dumpheap dumpgen dumpexceptions finalizequeue fq", "-short", take_short, NULL },
	{ "dumpheap verifyheap eeheap", "-segment", take_segment, NULL },
	{ "dumpheap verifyheap eeheap", "-heap", take_heap,     NULL },
	{ "dumpheap verifyheap eeheap", "-gcheap", take_heap,   NULL },
	{ "dumpheap verifyheap", "-ignoreGCState", take_nothing, NULL },
	{ "dumpobj do",       "-nofields",  take_no_fields,    NULL },
	{ "dumpobj do",       "-refs",      take_refs,         NULL },
	{ "dumpobj do dumparray da", "/d",  take_nothing,      NULL },
	{ "dumparray da",     "-details",   NULL,              "elements that are structures have their fields below them; of one that is an object, dumpobj ADDRESS has them" },
	{ "dumparray da",     "-nofields",  take_elements,     NULL },
	{ "dumparray da",     "-length",    NULL,              "all elements are there: with -b, -n 3 prints the first three" },
	{ "dumparray da",     "-start",     NULL,              "all elements are there: N, then G, goes to the row N" },
	{ "gcroot",           "-all",       take_nothing,      NULL },
	{ "gcroot",           "-nostacks",  take_nothing,      NULL },
	{ "gcroot",           "-gcgen",     NULL,              "all generations are searched" },
	{ "objsize",          "-stat",      take_nothing,      NULL },
	{ "objsize",          "-aggregate", take_nothing,      NULL },
	{ "gchandles",        "-type",      take_handle_kind,  NULL },
	{ "gchandles",        "-stat",      take_stat,         NULL },
	{ "gchandles",        "-perdomain", take_nothing,      NULL },
	{ "finalizequeue fq", "-detail",    take_nothing,      NULL },
	{ "finalizequeue fq", "-stat",      take_stat,         NULL },
	{ "finalizequeue fq", "-allReady",  NULL,              "the collector's own list is `finalizers; where state = ready`; what is dead and not yet found to be is in dumpheap -dead" },
	{ "finalizequeue fq", "-mt",        take_table,        NULL },
	{ "dumpmt",           "-MD",        take_methods,      NULL },
	{ "dumpmt",           "-all",       take_nothing,      NULL },
	{ "syncblk",          "-all",       take_all_blocks,   NULL },
	{ "gcheapstat",       "-inclUnrooted", take_nothing,   NULL },
	{ "gcheapstat",       "-iu",        take_nothing,      NULL },
	{ "eeheap",           "-gc",        take_nothing,      NULL },
	{ "eeheap",           "-loader",    NULL,              "the loader's heaps are not read here; memory says what a process has beside the heap" },
	{ "threads clrthreads", "-live",    take_alive,        NULL },
	{ "threads clrthreads", "-special", NULL,              "threads lists them, too; those without an Id are not managed" },
	{ "modules clrmodules assemblies", "-name",    take_module,       NULL },
	{ "modules clrmodules assemblies", "-verbose", take_nothing,      NULL },
	{ "modules clrmodules assemblies", "-v",       take_nothing,      NULL },
	{ "dumpasync",        "-type",      take_chain,        NULL },
	{ "dumpasync",        "-tasks",     take_tasks,        NULL },
	{ "dumpasync",        "-t",         take_tasks,        NULL },
	{ "dumpasync",        "-completed", take_completed,    NULL },
	{ "dumpasync",        "-c",         take_completed,    NULL },
	{ "dumpasync",        "-stats",     take_calls,        NULL },
	{ "dumpasync",        "-address",   take_object,       NULL },
	{ "dumpasync",        "-addr",      take_object,       NULL },
	{ "dumpasync",        "-coalesce",  take_nothing,      NULL },
	{ "dumpasync",        "-fields",    NULL,              "fields ADDRESS shows those of one call; Enter lists the calls of a row, and the column address has the first" },
	{ "dumpasync",        "-f",         NULL,              "fields ADDRESS shows those of one call; Enter lists the calls of a row, and the column address has the first" },
	{ "dumpasync",        "-roots",     NULL,              "gcroot ADDRESS shows why a call is alive; Enter lists the calls of a row, and the column address has the first" },
	{ "dumpasync",        "-methodtable", take_object,     NULL },
	{ "dumpasync",        "-mt",        take_object,       NULL },
	{ "dumpasync",        "-waiting",   take_waiting,      NULL },
	{ "modules clrmodules assemblies", "-segments", NULL,             "see segments for the heap's; modules has where the images are" },
};
/* clang-format on */
enum { OPTIONS = sizeof options / sizeof *options };
_Static_assert(sizeof options / sizeof *options <= SOS_OPTIONS_MAX,
	       "taken[] is too short");

static bool
no_option(const struct sos_line *l, const char *word, struct error *err)
{
	char all[200] = "";
	size_t len = 0;

	for (size_t i = 0; i < OPTIONS && len < sizeof all; i++)
		if (options[i].take &&
		    sos_is_among(l->command->name, strlen(l->command->name),
				 options[i].of))
			len += (size_t)snprintf(all + len, sizeof all - len,
						" %s", options[i].name);
	return error_set(err, ERROR_USAGE, "%s knows no %.40s here%s%s",
			 l->command->name, word,
			 len ? "; it takes" : ", and takes no options", all);
}

bool
sos_take_option(struct sos_line *l, const char *word, struct error *err)
{
	const char *name = l->command->name;

	/* Newer commands of SOS are written with two. */
	word += !strncmp(word, "--", 2);
	for (size_t i = 0; i < OPTIONS; i++) {
		if (!sos_is_alike(options[i].name, word, strlen(word)) ||
		    !sos_is_among(name, strlen(name), options[i].of))
			continue;
		if (!options[i].take)
			return error_set(err, ERROR_USAGE, "%s %s: %s", name,
					 options[i].name, options[i].answer);
		if (l->taken[i])
			return error_set(err, ERROR_USAGE,
					 "%s has %s twice; where takes several "
					 "conditions, with and, or, not",
					 name, options[i].name);
		l->taken[i] = true;
		return options[i].take(l, err);
	}
	return no_option(l, word, err);
}
