#include "model/table/lookup.h"
#include "model/base/format.h"
#include "model/base/nearest.h"
#include "model/base/sorted.h"
#include "model/heap/memory.h"
#include "model/table/pattern.h"
#include <stdlib.h>
#include <string.h>

enum {
	NAMES_LISTED = 5,
	MESSAGE_BYTES = 240, /* as long as an error message */
	MORE_BYTES = 24      /* " and 4294967295 more" */
};

/* --- types --------------------------------------------------------------- */

/* The parts of "leaky.dll!Session" or "Session [leaky]". */
struct spelling {
	const char *name, *module;
	size_t name_len, module_len; /* module_len 0: no module */
};

static struct spelling
spelling_read(const char *text)
{
	size_t len = strlen(text);
	struct spelling s = { .name = text, .name_len = len };
	const char *bang = strchr(text, '!'), *bracket = strrchr(text, '[');

	if (len && text[len - 1] == ']' && bracket > text && bracket[-1] == ' ') {
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

/* Compares ignoring ASCII case; strcasecmp() would depend on the locale. */
static bool
is_alike(const char *name, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && name[at] && letter_lower(name[at]) == letter_lower(text[at]))
		at++;
	return at == len && !name[at];
}

static bool
is_same(const char *name, const char *text, size_t len)
{
	return !strncmp(name, text, len) && !name[len];
}

/* Compares the module's file name, with or without ".dll". */
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

/* How well a type matches a text; the best kind wins if one type has it. */
enum match {
	MATCH_NO,
	MATCH_SHORT_ALIKE, /* ignoring case */
	MATCH_RAW_ALIKE,
	MATCH_NAME_ALIKE,
	MATCH_SHORT,
	MATCH_RAW,
	MATCH_NAME,
	MATCH_SPELLED /* with the module, as lookup_spell_type() writes it */
};

static enum match
match_name(const struct type *t, const char *text, size_t len)
{
	if (is_same(t->name, text, len))
		return MATCH_NAME;
	if (is_same(t->raw, text, len))
		return MATCH_RAW;
	if (is_same(t->short_name, text, len))
		return MATCH_SHORT;
	if (is_alike(t->name, text, len))
		return MATCH_NAME_ALIKE;
	if (is_alike(t->raw, text, len))
		return MATCH_RAW_ALIKE;
	return is_alike(t->short_name, text, len) ? MATCH_SHORT_ALIKE : MATCH_NO;
}

static enum match
match_type(const struct type *t, const char *text)
{
	struct spelling s = spelling_read(text);

	if (!s.module_len || !is_module(t, &s))
		return match_name(t, text, strlen(text));
	if (is_same(t->raw, s.name, s.name_len))
		return MATCH_SPELLED;
	return match_name(t, s.name, s.name_len);
}

/* The matching types, of which the first few are named. */
struct found {
	uint32_t count;
	type_id types[NAMES_LISTED];
};

static void
found_add(struct found *found, type_id type)
{
	if (found->count < NAMES_LISTED)
		found->types[found->count] = type;
	found->count++;
}

static void
find_exact(const struct facts *f, const char *text, struct found *found)
{
	enum match best = MATCH_NO + 1;

	*found = (struct found){ 0 };
	for (type_id t = 0; t < f->types_count; t++) {
		enum match match = match_type(&f->types[t], text);

		if (!f->types[t].count || match < best)
			continue;
		if (match > best)
			*found = (struct found){ 0 };
		best = match;
		found_add(found, t);
	}
}

static bool
find_matching(const struct facts *f, const char *text, struct found *found, struct error *err)
{
	struct pattern *p = pattern_new(text, err);

	*found = (struct found){ 0 };
	if (!p)
		return false;
	for (type_id t = 0; t < f->types_count; t++)
		if (f->types[t].count && (pattern_matches(p, f->types[t].name, true) ||
					  pattern_matches(p, f->types[t].raw, true)))
			found_add(found, t);
	pattern_free(p);
	return true;
}

static void
find_nearest(const struct facts *f, const char *text, struct found *found)
{
	unsigned distances[NAMES_LISTED];
	uint32_t at;

	*found = (struct found){ 0 };
	for (type_id t = 0; t < f->types_count; t++) {
		const struct type *type = &f->types[t];
		unsigned distance = letters_apart(text, type->name);
		unsigned brief = letters_apart(text, type->short_name);

		if (!type->count)
			continue;
		distance = brief < distance ? brief : distance;
		if (found->count == NAMES_LISTED && distance >= distances[NAMES_LISTED - 1])
			continue;
		if (found->count < NAMES_LISTED)
			found->count++;
		for (at = found->count - 1; at && distances[at - 1] > distance; at--) {
			distances[at] = distances[at - 1];
			found->types[at] = found->types[at - 1];
		}
		distances[at] = distance;
		found->types[at] = t;
	}
}

void
lookup_spell_type(const struct facts *f, type_id type, char *out, size_t out_size)
{
	const struct type *t = &f->types[type];
	const char *const names[] = { t->name, t->raw };
	struct found found;

	for (int i = 0; i < 2; i++) {
		snprintf(out, out_size, *t->module ? "%s [%s]" : "%s", names[i],
			 type_module_file(t));
		find_exact(f, out, &found);
		if (found.count == 1 && found.types[0] == type)
			return;
	}
}

/* Writes "A, B and 7 more" with as many whole names as fit. */
static void
list_names(const struct facts *f, const struct found *found, char *out, size_t out_size)
{
	char name[MESSAGE_BYTES];
	uint32_t listed = 0;
	size_t len = 0;

	out[0] = '\0';
	for (; listed < found->count && listed < NAMES_LISTED; listed++) {
		lookup_spell_type(f, found->types[listed], name, sizeof name);
		if (len + strlen(name) + MORE_BYTES > out_size)
			break;
		len +=
		    (size_t)snprintf(out + len, out_size - len, "%s%s", listed ? ", " : "", name);
	}
	if (found->count > listed)
		snprintf(out + len, out_size - len, "%s%u more", listed ? " and " : "",
			 found->count - listed);
}

static bool
is_object_address(const struct facts *f, const char *text)
{
	uint64_t address;

	return f->has & NEED_OBJECTS && address_parse(text, &address) &&
	       heap_find(f->heap, address) != NODE_NONE;
}

bool
lookup_type(const struct facts *f, const char *text, type_id *out, struct error *err)
{
	struct found found;
	char names[180];

	find_exact(f, text, &found);
	if (!found.count && !find_matching(f, text, &found, err))
		return false;
	if (found.count == 1) {
		*out = found.types[0];
		return true;
	}
	if (found.count) {
		list_names(f, &found, names, sizeof names);
		return error_set(err, ERROR_USAGE, "%u types match \"%.40s\": %s", found.count,
				 text, names);
	}
	if (is_object_address(f, text))
		return error_set(
		    err, ERROR_USAGE,
		    "%.24s is an object, not a type: inspect %.24s shows it, as dumpobj does", text,
		    text);
	find_nearest(f, text, &found);
	found.count = found.count < 3 ? found.count : 3;
	if (!found.count)
		return error_set(err, ERROR_USAGE, "no type \"%.60s\"%s; :types lists them", text,
				 f->heap ? "" : " yet");
	list_names(f, &found, names, sizeof names);
	return error_set(err, ERROR_USAGE, "no type \"%.60s\"; nearest: %s", text, names);
}

bool
lookup_has_type(const struct facts *f, const char *text)
{
	struct found found;

	find_exact(f, text, &found);
	return found.count != 0;
}

/* --- objects ------------------------------------------------------------- */

/* Any address in a free block finds it. */
static int
compare_block(const void *key, const void *block)
{
	const uint64_t *address = key;
	const struct heap_free_block *f = block;

	if (*address < f->address)
		return -1;
	return *address - f->address >= f->bytes;
}

/* Returns the last object at or before an address; ids are in address order. */
static node_id
object_before(const struct heap *h, uint64_t address)
{
	node_id at;

	LOWER_BOUND(at, 0, h->nodes_count, heap_address(h, at) <= address);
	return at ? at - 1 : NODE_NONE;
}

static void
describe_object(const struct heap *h, node_id n, char *out, size_t out_size)
{
	char at[24];

	if (n < h->nodes_count)
		snprintf(out, out_size, "%.60s at %s", heap_type(h, n)->name,
			 address_format(heap_address(h, n), at));
	else
		snprintf(out, out_size, "nothing");
}

/* Reports a free block at the address, if there is one. */
static bool
report_free_block(const struct heap *h, const char *text, uint64_t address, struct error *err)
{
	const struct heap_memory *m = h->memory;
	const struct heap_free_block *f;
	char before[96], after[96], bytes[FORMAT_BYTES];
	node_id next;

	f = m ? bsearch(&address, m->free_blocks, m->free_blocks_count, sizeof *f, compare_block)
	      : NULL;
	if (!f)
		return false;
	next = addresses_rank(h->addresses, address);
	describe_object(h, next ? next - 1 : NODE_NONE, before, sizeof before);
	describe_object(h, next, after, sizeof after);
	error_set(err, ERROR_USAGE, "%.24s is %s free block of %s, between %s and %s", text,
		  address == f->address ? "a" : "in a", format_size(f->bytes, bytes), before,
		  after);
	return true;
}

static bool
no_object_at(const struct heap *h, const char *text, uint64_t address, struct error *err)
{
	node_id before = object_before(h, address);
	char at[24];

	if (report_free_block(h, text, address, err))
		return false;
	if (before != NODE_NONE && !address_is_made_up(address) &&
	    address - heap_address(h, before) < heap_size(h, before))
		return error_set(err, ERROR_USAGE, "%.24s is inside the object %s (%.100s)", text,
				 address_format(heap_address(h, before), at),
				 heap_type(h, before)->name);
	return error_set(err, ERROR_USAGE,
			 "no object starts at %.24s; :near %.24s shows what is there", text, text);
}

bool
lookup_object(const struct heap *h, const char *text, uint64_t address, node_id *out,
	      struct error *err)
{
	*out = heap_find(h, address);
	return *out != NODE_NONE || no_object_at(h, text, address, err);
}
