#include "tui/session/target.h"
#include "model/base/nearest.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include "model/heap/memory.h"
#include "model/base/format.h"
#include "model/table/pattern.h"
#include "tui/base/script.h"
#include <stdlib.h>
#include <string.h>

const struct target target_none = { .node = NODE_NONE, .type = TYPE_NONE };

enum {
	NAMES_TOLD = 5,
	MESSAGE_BYTES = 240, /* as long as an error can be */
	MORE_BYTES = 24      /* " and 4294967295 more" */
};

struct target
target_of_node(const struct session *s, node_id node)
{
	return (struct target){ .node = node,
				.type = heap_type_of(s->heap, node) };
}

struct target
target_of_type(type_id type)
{
	return (struct target){ .node = NODE_NONE, .type = type };
}

bool
target_is_none(const struct target *t)
{
	return t->node == NODE_NONE && t->type == TYPE_NONE && !t->address &&
	       !t->is_marked;
}

bool
target_is_of_chosen(const struct target *t)
{
	return t->nodes || t->calls || t->compared;
}

bool
target_fits(const struct target *t, unsigned takes)
{
	if (target_is_none(t))
		return takes & TAKES_OPTIONAL || takes == TAKES_NOTHING;
	if (t->is_marked || (t->node != NODE_NONE && takes & TAKES_OBJECT))
		return true;
	return t->type != TYPE_NONE && takes & TAKES_TYPE;
}

/* "leaky.dll!Session", "Session [leaky]": what stands for what. */
struct spelling {
	const char *name, *module;
	size_t name_len, module_len; /* of the module: 0 if none is named */
};

static struct spelling
spelling_read(const char *text)
{
	size_t len = strlen(text);
	struct spelling s = { .name = text, .name_len = len };
	const char *bang = strchr(text, '!'), *bracket = strrchr(text, '[');

	if (len && text[len - 1] == ']' && bracket > text &&
	    bracket[-1] == ' ') {
		s.name_len = (size_t)(bracket - text) - 1;
		s.module = bracket + 1;
		s.module_len = len - s.name_len - 3;
	} else if (bang) {
		s.name = bang + 1;
		s.name_len = strlen(bang + 1);
		s.module = text;
		s.module_len = (size_t)(bang - text);
	}
	return s;
}

/* Not strcasecmp(): it follows the locale. */
static bool
is_alike(const char *name, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && name[at] &&
	       letter_lower(name[at]) == letter_lower(text[at]))
		at++;
	return at == len && !name[at];
}

static bool
is_same(const char *name, const char *text, size_t len)
{
	return !strncmp(name, text, len) && !name[len];
}

/* With ".dll" or without. */
static bool
is_module(const struct type *t, const struct spelling *s)
{
	const char *file = type_module_file(t), *dot = strrchr(file, '.');
	char stem[256];

	if (is_alike(file, s->module, s->module_len))
		return true;
	snprintf(stem, sizeof stem, "%.*s", dot ? (int)(dot - file) : 0, file);
	return is_alike(stem, s->module, s->module_len);
}

/* How well a type answers to a text; the best that only one has wins. */
enum answer {
	ANSWER_NO,
	ANSWER_SHORT_ALIKE, /* but for capitals */
	ANSWER_RAW_ALIKE,
	ANSWER_NAME_ALIKE,
	ANSWER_SHORT,
	ANSWER_RAW,
	ANSWER_NAME,
	ANSWER_SPELLED /* all of it, with the module: as target_spell_type()
			  writes */
};

static enum answer
name_answers(const struct type *t, const char *text, size_t len)
{
	if (is_same(t->name, text, len))
		return ANSWER_NAME;
	if (is_same(t->raw, text, len))
		return ANSWER_RAW;
	if (is_same(t->short_name, text, len))
		return ANSWER_SHORT;
	if (is_alike(t->name, text, len))
		return ANSWER_NAME_ALIKE;
	if (is_alike(t->raw, text, len))
		return ANSWER_RAW_ALIKE;
	return is_alike(t->short_name, text, len) ? ANSWER_SHORT_ALIKE
						  : ANSWER_NO;
}

static enum answer
type_answers(const struct type *t, const char *text)
{
	struct spelling s = spelling_read(text);

	if (!s.module_len || !is_module(t, &s))
		return name_answers(t, text, strlen(text));
	if (is_same(t->raw, s.name, s.name_len))
		return ANSWER_SPELLED;
	return name_answers(t, s.name, s.name_len);
}

/* Types found, the first few to be told. */
struct found {
	uint32_t count;
	type_id types[NAMES_TOLD];
};

static void
found_add(struct found *f, type_id type)
{
	if (f->count < NAMES_TOLD)
		f->types[f->count] = type;
	f->count++;
}

static void
find_exact(const struct session *s, const char *text, struct found *f)
{
	enum answer best = ANSWER_NO + 1;

	*f = (struct found){ 0 };
	for (type_id t = 0; t < s->types_count; t++) {
		enum answer answer = type_answers(&s->types[t], text);

		if (!s->types[t].count || answer < best)
			continue;
		if (answer > best)
			*f = (struct found){ 0 };
		best = answer;
		found_add(f, t);
	}
}

static bool
find_matching(const struct session *s, const char *text, struct found *f,
	      struct error *err)
{
	struct pattern *p = pattern_new(text, err);

	*f = (struct found){ 0 };
	if (!p)
		return false;
	for (type_id t = 0; t < s->types_count; t++)
		if (s->types[t].count &&
		    (pattern_matches(p, s->types[t].name, true) ||
		     pattern_matches(p, s->types[t].raw, true)))
			found_add(f, t);
	pattern_free(p);
	return true;
}

static void
find_nearest(const struct session *s, const char *text, struct found *f)
{
	unsigned distances[NAMES_TOLD];
	uint32_t at;

	*f = (struct found){ 0 };
	for (type_id t = 0; t < s->types_count; t++) {
		const struct type *type = &s->types[t];
		unsigned distance = letters_apart(text, type->name);
		unsigned brief = letters_apart(text, type->short_name);

		if (!type->count)
			continue;
		distance = brief < distance ? brief : distance;
		if (f->count == NAMES_TOLD &&
		    distance >= distances[NAMES_TOLD - 1])
			continue;
		if (f->count < NAMES_TOLD)
			f->count++;
		for (at = f->count - 1; at && distances[at - 1] > distance;
		     at--) {
			distances[at] = distances[at - 1];
			f->types[at] = f->types[at - 1];
		}
		distances[at] = distance;
		f->types[at] = t;
	}
}

void
target_spell_type(const struct session *s, type_id type, char *out,
		  size_t out_size)
{
	const struct type *t = &s->types[type];
	const char *const names[] = { t->name, t->raw };
	struct found found;

	for (int i = 0; i < 2; i++) {
		snprintf(out, out_size, *t->module ? "%s [%s]" : "%s", names[i],
			 type_module_file(t));
		find_exact(s, out, &found);
		if (found.count == 1 && found.types[0] == type)
			return;
	}
}

/* "A, B and 7 more": as many whole names as fit. */
static void
tell_names(const struct session *s, const struct found *f, char *out,
	   size_t out_size)
{
	char name[MESSAGE_BYTES];
	uint32_t told = 0;
	size_t len = 0;

	out[0] = '\0';
	for (; told < f->count && told < NAMES_TOLD; told++) {
		target_spell_type(s, f->types[told], name, sizeof name);
		if (len + strlen(name) + MORE_BYTES > out_size)
			break;
		len += (size_t)snprintf(out + len, out_size - len, "%s%s",
					told ? ", " : "", name);
	}
	if (f->count > told)
		snprintf(out + len, out_size - len, "%s%u more",
			 told ? " and " : "", f->count - told);
}

static bool
is_object_address(const struct session *s, const char *text)
{
	uint64_t address;

	return s->has & NEED_OBJECTS && address_parse(text, &address) &&
	       heap_find(s->heap, address) != NODE_NONE;
}

static bool
parse_type(const struct session *s, const char *text, struct target *out,
	   struct error *err)
{
	struct found found;
	char names[180];

	find_exact(s, text, &found);
	if (!found.count && !find_matching(s, text, &found, err))
		return false;
	if (found.count == 1) {
		*out = target_of_type(found.types[0]);
		return true;
	}
	if (found.count) {
		tell_names(s, &found, names, sizeof names);
		return error_set(err, ERROR_USAGE,
				 "%u types match \"%.40s\": %s", found.count,
				 text, names);
	}
	if (is_object_address(s, text))
		return error_set(err, ERROR_USAGE,
				 "%.24s is an object, no type: inspect %.24s "
				 "shows it, as dumpobj does",
				 text, text);
	find_nearest(s, text, &found);
	found.count = found.count < 3 ? found.count : 3;
	if (!found.count)
		return error_set(err, ERROR_USAGE,
				 "no type \"%.60s\"%s; :types lists them", text,
				 s->heap ? "" : " yet");
	tell_names(s, &found, names, sizeof names);
	return error_set(err, ERROR_USAGE, "no type \"%.60s\"; nearest: %s",
			 text, names);
}

/* Free blocks are told by where they begin, or where in them. */
static int
compare_block(const void *key, const void *block)
{
	const uint64_t *address = key;
	const struct heap_free_block *f = block;

	if (*address < f->address)
		return -1;
	return *address - f->address >= f->bytes;
}

/* The last object at or before an address; ids are in address order. */
static node_id
object_before(const struct heap *h, uint64_t address)
{
	node_id at;

	LOWER_BOUND(at, 0, h->nodes_count, heap_address(h, at) <= address);
	return at ? at - 1 : NODE_NONE;
}

static void
tell_object(const struct heap *h, node_id n, char *out, size_t out_size)
{
	char at[24];

	if (n < h->nodes_count)
		snprintf(out, out_size, "%.60s at %s", heap_type(h, n)->name,
			 address_format(heap_address(h, n), at));
	else
		snprintf(out, out_size, "nothing");
}

/* Free space has an address and a size as objects have. */
static bool
tell_free_block(const struct heap *h, const char *text, uint64_t address,
		struct error *err)
{
	const struct heap_memory *m = h->memory;
	const struct heap_free_block *f;
	char before[96], after[96], bytes[FORMAT_BYTES];
	node_id next;

	f = m ? bsearch(&address, m->free_blocks, m->free_blocks_count,
			sizeof *f, compare_block)
	      : NULL;
	if (!f)
		return false;
	next = addresses_rank(h->addresses, address);
	tell_object(h, next ? next - 1 : NODE_NONE, before, sizeof before);
	tell_object(h, next, after, sizeof after);
	error_set(err, ERROR_USAGE,
		  "%.24s is %s free block of %s, between %s and %s", text,
		  address == f->address ? "a" : "in a",
		  format_size(f->bytes, bytes), before, after);
	return true;
}

static bool
no_object_at(const struct session *s, const char *text, uint64_t address,
	     struct error *err)
{
	const struct heap *h = s->heap;
	node_id before = object_before(h, address);
	char at[24];

	if (tell_free_block(h, text, address, err))
		return false;
	if (before != NODE_NONE && !address_is_made_up(address) &&
	    address - heap_address(h, before) < heap_size(h, before))
		return error_set(err, ERROR_USAGE,
				 "%.24s is inside the object %s (%.100s)", text,
				 address_format(heap_address(h, before), at),
				 heap_type(h, before)->name);
	return error_set(err, ERROR_USAGE,
			 "no object starts at %.24s; :near %.24s shows what is "
			 "there",
			 text, text);
}

bool
target_parse(const struct session *s, unsigned takes, const char *text,
	     struct target *out, struct error *err)
{
	bool is_address;
	uint64_t address;
	node_id node = NODE_NONE;
	struct found found;
	char name[SCRIPT_COMMAND_BYTES];

	*out = target_none;
	if (!*text)
		return true;
	if (takes & TAKES_TOPIC) {
		if (strlen(text) >= sizeof out->topic)
			return error_set(err, ERROR_USAGE,
					 "the argument is too long");
		snprintf(out->topic, sizeof out->topic, "%s", text);
		return true;
	}
	if (takes & TAKES_MARKED && !strcmp(text, "marked")) {
		out->is_marked = true;
		return true;
	}
	if (*text == '"' && script_unquote_bytes(text, name, sizeof name))
		text = name;
	is_address = takes & (TAKES_OBJECT | TAKES_ADDRESS) &&
		     address_parse(text, &address);
	if (is_address && !(s->has & NEED_OBJECTS))
		return error_set(
		    err, ERROR_USAGE, "%s",
		    session_only_types(s)
			? session_only_types(s)
			: "the heap is still being read: addresses "
			  "are known when that is done");
	if (is_address)
		node = heap_find(s->heap, address);
	if (takes & TAKES_TYPE && node == NODE_NONE) {
		/* "Cafe" may be a type as well as an address. */
		find_exact(s, text, &found);
		if (found.count || !is_address)
			return parse_type(s, text, out, err);
	}
	if (!is_address)
		return error_set(
		    err, ERROR_USAGE,
		    "\"%.60s\" is not an address such as 7fe01c001d70%s; "
		    "`objects TYPE` lists those of a type",
		    text,
		    s->heap && s->heap->info.losses.made_up_addresses ? " or #3"
								      : "");
	if (node == NODE_NONE && takes & TAKES_ADDRESS) {
		out->address = address;
		return true;
	}
	if (node == NODE_NONE)
		return no_object_at(s, text, address, err);
	*out = target_of_node(s, node);
	return true;
}

void
target_complete(const struct session *s, unsigned takes, const char *text,
		void (*add)(void *to, const char *word), void *to)
{
	size_t len = strlen(text);

	if (!(takes & TAKES_TYPE))
		return;
	for (type_id t = 0; t < s->types_count; t++) {
		const struct type *type = &s->types[t];

		if (!type->count)
			continue;
		if (!strncmp(type->name, text, len))
			add(to, type->name);
		else if (!strncmp(type->short_name, text, len))
			add(to, type->short_name);
	}
}
