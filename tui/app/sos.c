#include "tui/app/sos_line.h"
#include "model/heap/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sos_command *
find(const char *name, size_t len)
{
	for (const struct sos_command *c = sos_commands; c->name; c++)
		if (sos_same_word(c->name, name, len))
			return c;
	return NULL;
}

/* Returns what to use instead of this SOS command; NULL if it is not one. */
static const char *
answer_of(const char *name, size_t len)
{
	for (const struct sos_answer *a = sos_answers; a->names; a++)
		if (sos_has_word(name, len, a->names))
			return a->answer;
	return NULL;
}

bool
sos_has(const char *name, size_t len)
{
	return find(name, len) || (len && answer_of(name, len));
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
		if (l->count == SOS_WORDS_MAX || len >= SOS_WORD_BYTES || memchr(line, ';', len))
			return error_set(err, ERROR_USAGE, "%s: the line is too long, or has a ';'",
					 l->command->name);
		memcpy(l->words[l->count], line, len);
		l->words[l->count++][len] = '\0';
		line += len;
	}
}

/* Appends to the translated line. */
static bool
append(struct sos_line *l, const char *first, const char *second, struct error *err)
{
	size_t used = strlen(l->out), room = l->out_size - used;
	int len = snprintf(l->out + used, room, "%s%s", first, second);

	return (len >= 0 && (size_t)len < room) ||
	       error_set(err, ERROR_USAGE, "%s: the line is too long", l->command->name);
}

static bool
write_out(struct sos_line *l, const char *first, const char *second, struct error *err)
{
	l->out[0] = '\0';
	return append(l, first, second, err);
}

static bool
take_words(struct sos_line *l, struct error *err)
{
	const char *word;

	while ((word = sos_next_word(l))) {
		if (*word == '-' || (*word == '/' && strlen(word) == 2)) {
			if (!sos_take_option(l, word, err))
				return false;
		} else if (l->args_count == SOS_ARGS_MAX) {
			return error_set(err, ERROR_USAGE, "%s: unexpected argument %.60s",
					 l->command->name, word);
		} else {
			l->args[l->args_count++] = word;
		}
	}
	return true;
}

/* --- the commands --------------------------------------------------------- */

/* Writes "view words; where …; totals; sort …; short". */
static bool
write_view(struct sos_line *l, const char *view, struct error *err)
{
	bool ok = write_out(l, view, l->view_words, err);

	for (unsigned i = 0; i < l->args_count && ok; i++)
		ok = append(l, " ", l->args[i], err);
	return ok && (!*l->where || append(l, "; where ", l->where, err)) &&
	       (!l->is_stat || append(l, "; totals", "", err)) &&
	       (!l->sort || append(l, "; sort ", l->sort, err)) &&
	       (!l->is_short || l->is_stat || append(l, "; short", "", err));
}

static const char *
usual_view(const struct sos_line *l)
{
	const struct sos_command *c = l->command;

	return l->view                                   ? l->view
	       : c->becomes_for_capture && l->is_capture ? c->becomes_for_capture
							 : c->becomes;
}

/* Reads the bounds of an address range: "START END" or "START L<length>". */
static bool
add_range(struct sos_line *l, struct error *err)
{
	const char *end = l->args_count > 1 ? l->args[1] : NULL;
	uint64_t start, len;
	char text[32];

	if (l->args_count > 0 && !sos_add_address(l, "address >= ", l->args[0], err))
		return false;
	if (end && *end == 'L' && address_parse(l->args[0], &start) &&
	    address_parse(end + 1, &len) && !__builtin_add_overflow(start, len, &start))
		end = address_format(start, text);
	l->args_count = 0;
	return !end || sos_add_address(l, "address < ", end, err);
}

static bool
expand_heap(struct sos_line *l, struct error *err)
{
	if (!add_range(l, err))
		return false;
	/* The view `strings` adds up equal texts. */
	if (l->of_strings && !*l->where && !l->is_capture && !l->is_short) {
		l->is_stat = false;
		return write_view(l, "strings", err);
	}
	if (l->of_strings && !sos_add(l, "type = 'string'", "", err))
		return false;
	/* Totals over whole types are already in `types`. */
	if (!l->is_of_objects && l->is_stat && !l->view) {
		l->is_stat = false;
		return write_view(l, "types", err);
	}
	return write_view(l, usual_view(l), err);
}

/* Shows totals by type, as SOS does, or the objects of one method table. */
static bool
expand_generation(struct sos_line *l, struct error *err)
{
	if (!sos_add_generation(l, l->args[0], err))
		return false;
	l->args_count = 0;
	l->is_stat = l->is_stat || (!l->of_table && !l->is_short);
	return expand_heap(l, err);
}

/* Verify the whole heap, then show the faults within the range. */
static bool
expand_verify(struct sos_line *l, struct error *err)
{
	return add_range(l, err) && write_view(l, usual_view(l), err);
}

/* Turns the argument, an address, into a condition. */
static bool
add_arg(struct sos_line *l, const char *condition, struct error *err)
{
	l->args_count = 0;
	return sos_add_address(l, condition, l->args[0], err);
}

static bool
expand_where(struct sos_line *l, struct error *err)
{
	return add_arg(l, "start <= ", err) && add_arg(l, "end > ", err) &&
	       write_view(l, l->command->becomes, err);
}

/* Opens the usual view with so many arguments. */
static bool
open_with(struct sos_line *l, unsigned least, unsigned most, const char *wanted, struct error *err)
{
	if (l->args_count < least || l->args_count > most)
		return sos_wants(l, wanted, err);
	return write_view(l, usual_view(l), err);
}

/* The view takes the selected object if no address is given. */
static bool
expand_object(struct sos_line *l, struct error *err)
{
	static const char wanted[] = "the address of one object";

	if (!l->is_object_alone)
		return open_with(l, 0, 1, wanted, err);
	if (l->args_count != 1)
		return sos_wants(l, wanted, err);
	return add_arg(l, "address = ", err) && write_view(l, "objects", err);
}

/*
 * If no address is given, show the exception last thrown, if only one thread has one; otherwise
 * list the threads.
 */
static bool
expand_exception(struct sos_line *l, struct error *err)
{
	const struct heap_memory *m = l->heap ? l->heap->memory : NULL;
	node_id thrown = NODE_NONE;
	uint32_t count = 0;
	char text[32];

	if (l->args_count || !l->heap)
		return expand_object(l, err);
	if (!m)
		return sos_wants(l,
				 "an address: exceptions of threads are only in memory, of a core "
				 "or with -m of a process",
				 err);
	for (uint32_t i = 0; i < m->threads_count; i++)
		if (m->threads[i].thrown != NODE_NONE) {
			thrown = m->threads[i].thrown;
			count++;
		}
	if (!count)
		return error_set(err, ERROR_USAGE,
				 "no thread has thrown an exception; dumpexceptions lists those in "
				 "the heap");
	if (count > 1)
		return write_out(l, "threads; where thrown > 0", "", err);
	address_format(heap_address(l->heap, thrown), text);
	return write_out(l, "inspect ", text, err);
}

/* Returns whether it is known to be an object that is no delegate. */
static bool
is_no_delegate(const struct heap *h, const char *place, node_id *out)
{
	uint64_t address;

	*out = h && h->memory && h->has_objects && address_parse(place, &address)
		   ? heap_find(h, address)
		   : NODE_NONE;
	return *out != NODE_NONE && !(heap_type(h, *out)->flags & TYPE_DELEGATE);
}

static bool
expand_delegate(struct sos_line *l, struct error *err)
{
	node_id node;

	if (l->args_count != 1 || !is_no_delegate(l->heap, l->args[0], &node))
		return expand_object(l, err);
	return error_set(err, ERROR_USAGE,
			 "%.40s is not a delegate but a %.120s: dumpobj shows its fields",
			 l->args[0], heap_type(l->heap, node)->name);
}

static bool
expand_address(struct sos_line *l, struct error *err)
{
	return open_with(l, 1, 1, "an address", err);
}

static bool
expand_value(struct sos_line *l, struct error *err)
{
	return open_with(l, 2, 2, "the method table and the address of a value", err);
}

static bool
expand_nothing(struct sos_line *l, struct error *err)
{
	if (!l->args_count)
		return write_view(l, usual_view(l), err);
	return error_set(err, ERROR_USAGE, "%s: unexpected argument %.60s", l->command->name,
			 l->args[0]);
}

static bool
expand_thread(struct sos_line *l, struct error *err)
{
	return open_with(l, 0, 1, "the id of a thread: threads lists them", err);
}

/* Captures have no handle table, only the handles that are roots. */
static bool
expand_handles(struct sos_line *l, struct error *err)
{
	if (l->is_capture && l->is_stat)
		return error_set(err, ERROR_USAGE,
				 "%s -stat: only memory has all of them, of a core or with -m of a "
				 "process; roots lists those that keep objects alive, by kind",
				 l->command->name);
	if (l->is_capture && !*l->where &&
	    !sos_add(l, "kind ~ ",
		     "/^(strong|pinned|async-pinned|ref-counted|sized-ref|dependent|weak)$/", err))
		return false;
	return expand_nothing(l, err);
}

static bool
expand_finalizers(struct sos_line *l, struct error *err)
{
	if (l->is_capture && *l->where)
		return sos_wants(l, "memory for that: a core, or -m of a process", err);
	if (l->is_capture && !l->is_stat && !sos_add(l, "kind = finalizer", "", err))
		return false;
	return expand_handles(l, err);
}

/* Shows locks that are held, or one by the number of its sync block. */
static bool
expand_blocks(struct sos_line *l, struct error *err)
{
	char *end;

	if (l->args_count == 1) {
		(void)strtoul(l->args[0], &end, 10);
		if (*end || !sos_add(l, "index = ", l->args[0], err))
			return sos_wants(l, "the number of a sync block", err);
		l->args_count = 0;
	}
	return write_view(l, *l->where ? "locks" : l->command->becomes, err);
}

/* Finds a module by the address of the runtime's record or of its image. */
static bool
expand_module(struct sos_line *l, struct error *err)
{
	if (l->args_count != 1)
		return sos_wants(l, "the address of a module: modules lists them", err);
	return add_arg(l, "record = ", err) && write_view(l, l->command->becomes, err);
}

/* "Leaky.Holder`1" has no objects itself: list types constructed from it. */
static bool
expand_generic(struct sos_line *l, const char *module, const char *name, struct error *err)
{
	l->args_count = 0;
	return (!strcmp(module, "*") || sos_add_name(l, "module ~ ", module, err)) &&
	       sos_add_name(l, "type ~ ", name, err) && write_view(l, "types", err);
}

/* Accepts "leaky.dll Leaky.Session", "leaky!Leaky.Session", "*!Session". */
static bool
expand_name(struct sos_line *l, struct error *err)
{
	const char *bang = l->args_count ? strchr(l->args[0], '!') : NULL;
	char name[2 * SOS_WORD_BYTES + 2];

	if (l->args_count < 1 || (l->args_count == 1) == !bang)
		return sos_wants(
		    l, "a module and the name of a type: name2ee leaky.dll Leaky.Session", err);
	if (bang)
		snprintf(name, sizeof name, " %s", l->args[0]);
	else
		snprintf(name, sizeof name, " %s!%s", l->args[0], l->args[1]);
	if (strchr(name, '`')) {
		char *end = strchr(name, '!');

		*end = '\0';
		return expand_generic(l, name + 1, end + 1, err);
	}
	if (!strncmp(name, " *!", 3))
		memmove(name + 1, name + 3, strlen(name + 3) + 1);
	return write_out(l, usual_view(l), name, err);
}

/* Shows types derived from System.Exception; captures only know names. */
static bool
expand_exceptions(struct sos_line *l, struct error *err)
{
	return sos_add(l, l->is_capture ? "type ~ /Exception$/" : "kind = exception", "", err) &&
	       expand_nothing(l, err);
}

static bool
expand_save(struct sos_line *l, struct error *err)
{
	const char *dot = l->args_count ? strrchr(l->args[0], '.') : NULL;

	if (l->args_count == 1 && dot)
		return write_view(l, l->command->becomes, err);
	return sos_wants(l, "a file that ends in .gcdump, .heaptop or .gclog", err);
}

/* clang-format off */
#define OF_HANDLES "-type KIND; -stat: by type; captures: only roots"
const struct sos_command sos_commands[] = {
	/* SOS name                 command         captures   where                      expand             help */
	{ "dumpheap",                 "objects",      NULL,      NULL,                      expand_heap,       "-stat: by type; START END -mt -type -min -max -live -dead -gen -segment -heap -short" },
	{ "dumpgen",                  "objects",      NULL,      NULL,                      expand_generation, "gen0, gen1, gen2, loh, poh or foh: by type; -mt TABLE: its objects; options of dumpheap" },
	{ "dumpexceptions",           "objects",      NULL,      NULL,                      expand_exceptions, "objects of types derived from System.Exception; -type NAME" },
	{ "dumpruntimetypes",         "objects",      NULL,      "type = 'System.RuntimeType'", expand_nothing,    "types that the program has used by reflection" },
	{ "dumphttp",                 "objects",      NULL,      "type = 'System.Net.Http.HttpRequestMessage'", expand_nothing,    "requests that a client sends; fields shows one" },
	{ "dumpobj",                  "inspect",      NULL,      NULL,                      expand_object,     "ADDRESS; -refs: what it refers to; -nofields: one line" },
	{ "do",                       "inspect",      NULL,      NULL,                      expand_object,     "ADDRESS; -refs: what it refers to; -nofields: one line" },
	{ "dumpobjgcrefs",            "references",   NULL,      NULL,                      expand_object,     "ADDRESS" },
	{ "dumpdelegate",             "inspect",      NULL,      NULL,                      expand_delegate,   "ADDRESS: the methods that it calls, and their targets" },
	{ "printexception",           "inspect",      NULL,      NULL,                      expand_exception,  "the exception at ADDRESS, or else that of a thread" },
	{ "pe",                       "inspect",      NULL,      NULL,                      expand_exception,  "the exception at ADDRESS, or else that of a thread" },
	{ "dumparray",                "fields",       NULL,      NULL,                      expand_object,     "ADDRESS; -nofields: no fields of elements" },
	{ "da",                       "fields",       NULL,      NULL,                      expand_object,     "ADDRESS; -nofields: no fields of elements" },
	{ "dumpconcurrentdictionary", "fields",       NULL,      NULL,                      expand_object,     "ADDRESS: its keys and values" },
	{ "dcd",                      "fields",       NULL,      NULL,                      expand_object,     "ADDRESS: its keys and values" },
	{ "dumpmt",                   "method-table", NULL,      NULL,                      expand_address,    "ADDRESS; -MD: its methods" },
	{ "name2ee",                  "method-table", "objects", NULL,                      expand_name,       "MODULE TYPE, or MODULE!TYPE" },
	{ "db",                       "hex",          NULL,      NULL,                      expand_address,    "ADDRESS" },
	{ "readmemory",               "hex",          NULL,      NULL,                      expand_address,    "ADDRESS" },
	{ "dumpclass",                "statics",      NULL,      NULL,                      expand_address,    "ADDRESS: its static fields; dumpmt has the rest" },
	{ "dumpvc",                   "value",        NULL,      NULL,                      expand_value,      "METHOD-TABLE ADDRESS" },
	{ "gcroot",                   "paths",        NULL,      NULL,                      expand_object,     "ADDRESS" },
	{ "objsize",                  "objsize",      NULL,      NULL,                      expand_object,     "ADDRESS" },
	{ "sizestats",                "histogram",    NULL,      NULL,                      expand_nothing,    "number of objects by size" },
	{ "gchandles",                "handles",      "roots",   NULL,                      expand_handles,    OF_HANDLES },
	{ "finalizequeue",            "finalizers",   "roots",   NULL,                      expand_finalizers, "-stat: by type; -mt TABLE; captures: only roots" },
	{ "fq",                       "finalizers",   "roots",   NULL,                      expand_finalizers, "-stat: by type; -mt TABLE; captures: only roots" },
	{ "dumpstackobjects",         "roots",        NULL,      "kind ~ /stack/",          expand_nothing,    "objects that the stacks of threads may refer to" },
	{ "dso",                      "roots",        NULL,      "kind ~ /stack/",          expand_nothing,    "objects that the stacks of threads may refer to" },
	{ "eeheap",                   "segments",     NULL,      NULL,                      expand_nothing,    "-gc -heap NUMBER" },
	{ "gcheapstat",               "heaps",        NULL,      NULL,                      expand_nothing,    "with live and dead bytes" },
	{ "gcwhere",                  "segments",     NULL,      NULL,                      expand_where,      "ADDRESS: the segment that it is in" },
	{ "threads",                  "threads",      NULL,      NULL,                      expand_nothing,    "GC mode and exception of each; -live: those that run" },
	{ "clrthreads",               "threads",      NULL,      NULL,                      expand_nothing,    "GC mode and exception of each; -live: those that run" },
	{ "clrstack",                 "stacks",       NULL,      NULL,                      expand_thread,     "of all threads (-all), or of THREAD" },
	{ "ip2md",                    "code",         NULL,      NULL,                      expand_address,    "ADDRESS: the method whose code is there" },
	{ "setthread",                "stacks",       NULL,      NULL,                      expand_thread,     "THREAD, by its id: its calls" },
	{ "pstacks",                  "pstacks",      NULL,      NULL,                      expand_nothing,    "stacks of all threads, merged" },
	{ "parallelstacks",           "pstacks",      NULL,      NULL,                      expand_nothing,    "stacks of all threads, merged" },
	{ "modules",                  "modules",      NULL,      NULL,                      expand_nothing,    "-name NAME" },
	{ "lm",                       "modules",      NULL,      NULL,                      expand_nothing,    "-name NAME" },
	{ "clrmodules",               "modules",      NULL,      NULL,                      expand_nothing,    "-name NAME" },
	{ "assemblies",               "modules",      NULL,      NULL,                      expand_nothing,    "-name NAME" },
	{ "dumpmodule",               "modules",      NULL,      NULL,                      expand_module,     "ADDRESS" },
	{ "eeversion",                "summary",      NULL,      "name = format",           expand_nothing,    "the version of the runtime" },
	{ "syncblk",                  "locks held",   NULL,      NULL,                      expand_blocks,     "-all: not only those that are held; NUMBER" },
	{ "listnearobj",              "near",         NULL,      NULL,                      expand_address,    "ADDRESS" },
	{ "lno",                      "near",         NULL,      NULL,                      expand_address,    "ADDRESS" },
	{ "dumpasync",                "async",        NULL,      NULL,                      expand_nothing,    "-type NAME -waiting -tasks -completed -address ADDRESS -mt TABLE; -stats: by method" },
	{ "timerinfo",                "timers",       NULL,      NULL,                      expand_nothing,    "due and period in milliseconds" },
	{ "ti",                       "timers",       NULL,      NULL,                      expand_nothing,    "due and period in milliseconds" },
	{ "verifyheap",               "verify",       NULL,      NULL,                      expand_verify,     "the whole heap; START END, -segment or -heap: faults there" },
	{ "verifyobj",                "verify",       NULL,      NULL,                      expand_address,    "ADDRESS" },
	{ "traverseheap",             "save",         NULL,      NULL,                      expand_save,       "FILE.gcdump, FILE.heaptop or FILE.gclog" },
	{ "exit",                     "quit",         NULL,      NULL,                      expand_nothing,    "the same as Q" },
	{ 0 },
};
/* clang-format on */

/* Returns whether heaptop's own command is meant: it quotes type names. */
static bool
is_ours(const struct sos_command *c, const char *line, size_t name_len)
{
	const char *argument = line + name_len;

	argument += strspn(argument, " \t");
	return *argument == '"' && sos_same_word(c->becomes, line, name_len);
}

bool
sos_expand(const char *line, const struct heap *heap, char *out, size_t out_size, struct error *err)
{
	size_t len = strcspn(line, " \t");
	struct sos_line l = { .command = find(line, len),
			      .heap = heap,
			      .is_capture = heap && !heap->memory,
			      .out = out,
			      .out_size = out_size };
	const char *answer = l.command ? NULL : answer_of(line, len);

	if (!l.command)
		return error_set(err, ERROR_USAGE, "%.60s%.*s%s%s", answer ? "" : "no command ",
				 len < 60 ? (int)len : 60, line, answer ? ": " : "",
				 answer ? answer : "");
	if (is_ours(l.command, line, len))
		return write_out(&l, line, "", err);
	if (!split(&l, line + len, err) || !take_words(&l, err) ||
	    (l.command->where && !sos_add(&l, l.command->where, "", err)))
		return false;
	return l.command->expand(&l, err);
}
