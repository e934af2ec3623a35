#include "tests/judge/judge_values.h"
#include "model/heap/memory.h"
#include "model/heap/names.h"
#include "tests/drive/run_tests.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 16384, PATH_MAX_BYTES = 512, SHOWN_MAX = 40, DEPTH_MAX = 16 };

/* One of our rows that has a value, and where it is: "Where.X". */
struct leaf {
	char path[PATH_MAX_BYTES];
	const struct content *row;
	uint64_t element; /* its number; 0 of a field */
	bool is_matched;
};

struct judged {
	const char *what;
	const struct oracle *oracle;
	const struct heap *heap;
	const char *const *but;
	struct arena arena; /* of what follows */
	node_id node;       /* whose rows these are */
	struct content *rows;
	struct leaf *leaves;
	size_t leaves_count, next;
	uint64_t fields, elements, strings, differences;
	/* Of fields and elements: */
	uint64_t values, references, inside, empty, apart, raw, absent;
	const struct type *shown; /* whose difference was printed */
	unsigned shown_count;
};

static void
differ(struct judged *j, const char *why, const struct leaf *leaf, const struct oracle_line *line)
{
	const struct type *type = j->node == NODE_NONE ? NULL : heap_type(j->heap, j->node);

	j->differences++;
	if (j->shown_count == SHOWN_MAX || (type && type == j->shown))
		return;
	j->shown = type;
	j->shown_count++;
	printf("%s: %s: %s: ours %s %s at %" PRIx64 " = %s, theirs %.*s\n", j->what,
	       type ? type->name : "?", why, leaf ? leaf->path : "", leaf ? leaf->row->type : "",
	       leaf ? leaf->row->address : 0, leaf ? leaf->row->text : "",
	       line ? (int)(line->rest_len < 300 ? line->rest_len : 300) : 0,
	       line ? line->rest : "");
}

/* --- ours --- */

static void
take_leaves(struct judged *j, size_t rows_count)
{
	const char *names[DEPTH_MAX] = { 0 };
	uint64_t element = 0;

	j->leaves_count = j->next = 0;
	for (size_t i = 0; i < rows_count; i++) {
		const struct content *row = &j->rows[i];
		struct leaf *leaf = &j->leaves[j->leaves_count];
		size_t at = 0;

		assert_true(row->depth < DEPTH_MAX);
		names[row->depth] = row->name;
		if (!row->depth && *row->name == '[') {
			names[0] = "";
			element += i != 0;
		}
		/* A structure is its fields, if it has any. */
		*leaf = (struct leaf){ .row = row,
				       .element = element,
				       .is_matched = row->kind == CONTENT_STRUCT };
		for (uint32_t k = 0; k <= row->depth; k++)
			at += (size_t)snprintf(leaf->path + at, sizeof(leaf->path) - at, "%s%s",
					       at ? "." : "", names[k]);
		assert_true(at < sizeof(leaf->path));
		j->leaves_count++;
	}
}

/* That a field of ours is none of theirs. */
static void
end_object(struct judged *j)
{
	for (size_t i = 0; i < j->leaves_count; i++) {
		const struct leaf *leaf = &j->leaves[i];

		/* Of a buffer they have the first element alone. */
		if (leaf->is_matched || leaf->element >= 64 || strstr(leaf->path, ".["))
			continue;
		differ(j, "only ours", leaf, NULL);
	}
	j->leaves_count = 0;
}

static bool
begin_object(struct judged *j, const struct oracle_line *line)
{
	node_id n = heap_find(j->heap, oracle_hex(line, 0));
	const struct heap_memory *m = j->heap->memory;
	size_t rows_count;
	struct error err;
	uint64_t total;

	if (n == j->node && n != NODE_NONE)
		return j->leaves_count > 0;
	end_object(j);
	j->node = n;
	if (n == NODE_NONE) {
		differ(j, "no such object", NULL, line);
		return false;
	}
	for (const char *const *but = j->but; but && *but; but++)
		if (!strncmp(heap_type(j->heap, n)->raw, *but, strlen(*but)))
			return false;
	arena_clear(&j->arena);
	arena_init(&j->arena, 0);
	error_clear(&err);
	if (!m->contents->rows(m->source, n, 0, ROWS_MAX, j->rows, &rows_count, &total, &j->arena,
			       &err)) {
		differ(j, err.message, NULL, line);
		return false;
	}
	take_leaves(j, rows_count);
	return true;
}

/* --- theirs --- */

/* Their path in our words. */
static void
translate(struct judged *j, const char *text, size_t len, char out[PATH_MAX_BYTES])
{
	size_t at = 0;

	while (len) {
		size_t part_len = 0;
		const char *part;
		struct error err = { 0 };
		int open = 0;

		for (; part_len < len && (text[part_len] != '.' || open > 0); part_len++)
			open += (text[part_len] == '<') - (text[part_len] == '>');
		part = arena_strndup(&j->arena, text, part_len, &err);
		part = name_field(part, &j->arena, &err);
		assert_non_null(part);
		at += (size_t)snprintf(out + at, PATH_MAX_BYTES - at, "%s%s", at ? "." : "", part);
		assert_true(at < PATH_MAX_BYTES);
		part_len += part_len < len;
		text += part_len;
		len -= part_len;
	}
	out[at] = '\0';
}

/* Ours of that name, or one that theirs is a part of. */
static struct leaf *
find_leaf(struct judged *j, uint64_t element, const char *path, uint64_t address)
{
	struct leaf *around = NULL;

	for (size_t i = 0; i < j->leaves_count; i++) {
		size_t k = (j->next + i) % j->leaves_count;
		struct leaf *leaf = &j->leaves[k];
		size_t len = strlen(leaf->path);

		if (leaf->element != element)
			continue;
		/* Base types have fields of the same name. */
		if (!strcmp(leaf->path, path) && (!address || leaf->row->address == address)) {
			j->next = k;
			return leaf;
		}
		if (leaf->row->kind != CONTENT_STRUCT && !strncmp(leaf->path, path, len) &&
		    (!len || path[len] == '.') && (!around || len))
			around = leaf;
	}
	return around;
}

/*
 * They have the fields of a Nullable, hasValue and value; in ours it is the value itself. True:
 * theirs is the first of them.
 */
static bool
unwrap(const struct judged *j, uint64_t element, char path[PATH_MAX_BYTES])
{
	for (size_t i = 0; i < j->leaves_count; i++) {
		const struct leaf *leaf = &j->leaves[i];
		size_t len = strlen(leaf->path), type = strlen(leaf->row->type);
		char *rest = path + len + (len && path[len] == '.');

		if (leaf->element != element || leaf->row->kind != CONTENT_STRUCT || !type ||
		    leaf->row->type[type - 1] != '?' || strncmp(path, leaf->path, len) != 0 ||
		    (len && path[len] != '.'))
			continue;
		if (!strcmp(rest, "hasValue"))
			return true;
		if (!strncmp(rest, "value.", 6))
			memmove(rest, rest + 6, strlen(rest + 6) + 1);
	}
	return false;
}

/* What the value means, in our words; "" if only its bytes can be compared. */
static void
expect_text(const char *element, size_t len, uint64_t raw, char out[64])
{
	static const struct {
		const char *name;
		unsigned bits;
		bool is_signed;
	} integers[] = {
		{ "Int8", 8, true },     { "UInt8", 8, false },   { "Int16", 16, true },
		{ "UInt16", 16, false }, { "Int32", 32, true },   { "UInt32", 32, false },
		{ "Int64", 64, true },   { "UInt64", 64, false },
	};

	*out = '\0';
	if (len == 7 && !strncmp(element, "Boolean", len) && raw < 2)
		snprintf(out, 64, "%s", raw ? "true" : "false");
	for (size_t i = 0; i < COUNT_OF(integers); i++) {
		unsigned shift = 64 - integers[i].bits;

		if (strlen(integers[i].name) != len || strncmp(integers[i].name, element, len) != 0)
			continue;
		if (integers[i].is_signed)
			snprintf(out, 64, "%" PRId64, (int64_t)(raw << shift) >> shift);
		else
			snprintf(out, 64, "%" PRIu64, raw);
	}
}

static double
read_double(const char *text)
{
	bool is_minus = *text == '-';

	if (!strcmp(text + is_minus, "∞"))
		return is_minus ? -HUGE_VAL : HUGE_VAL;
	return strtod(text, NULL);
}

/* A number of ours is theirs, and what it says gives the same bits again. */
static bool
is_same_text(const char *text, const char *element, size_t len, uint64_t raw)
{
	char wanted[64];

	if (len == 5 && !strncmp(element, "Float", len)) {
		float value = (float)read_double(text), theirs;
		uint32_t bits = (uint32_t)raw;

		memcpy(&theirs, &bits, sizeof(theirs));
		return value == theirs || (value != value && theirs != theirs);
	}
	if (len == 6 && !strncmp(element, "Double", len)) {
		double value = read_double(text), theirs;

		memcpy(&theirs, &raw, sizeof(theirs));
		return value == theirs || (value != value && theirs != theirs);
	}
	expect_text(element, len, raw, wanted);
	/* Of an enumeration there is a name. */
	return !*wanted || !strcmp(text, wanted) ||
	       ((*wanted == '-' || (*wanted >= '0' && *wanted <= '9')) &&
		strspn(text, "-0123456789") == 0);
}

static uint64_t
bits_at(const struct heap *h, const struct content *row)
{
	const struct heap_memory *m = h->memory;
	uint8_t bytes[8] = { 0 };
	uint64_t bits = 0;

	if (row->bytes > 8 ||
	    m->contents->bytes(m->source, row->address, bytes, (size_t)row->bytes) != row->bytes)
		return ~UINT64_C(0);
	for (size_t i = 8; i-- > 0;)
		bits = bits << 8 | bytes[i];
	return bits;
}

bool
judge_is_same(const struct heap *h, const struct content *row, const char *element, size_t len,
	      uint64_t raw)
{
	return bits_at(h, row) == raw && (!len || is_same_text(row->text, element, len, raw));
}

/* One of theirs: what kind it is, its path, its value. */
struct theirs {
	const char *element, *path, *value;
	size_t element_len, path_len, value_len;
	uint64_t number, address, bytes; /* of the last two: 0, unknown */
};

/* A structure that they do not take apart: one without fields, or of a type that only we know. */
static void
take_whole(struct judged *j, const struct leaf *whole)
{
	size_t len = strlen(whole->path);
	bool has_parts = false;

	for (size_t i = 0; i < j->leaves_count; i++) {
		struct leaf *leaf = &j->leaves[i];

		if (leaf->element != whole->element || strncmp(leaf->path, whole->path, len) != 0 ||
		    leaf->path[len] != '.')
			continue;
		leaf->is_matched = has_parts = true;
	}
	j->empty += !has_parts;
	j->apart += has_parts;
}

static void
compare_one(struct judged *j, const struct theirs *t, const struct oracle_line *line)
{
	char path[PATH_MAX_BYTES];
	struct leaf *leaf;
	uint64_t raw;

	translate(j, t->path, t->path_len, path);
	if (unwrap(j, t->number, path)) {
		j->inside++;
		return;
	}
	leaf = find_leaf(j, t->number, path, t->address);
	if (!leaf) {
		differ(j, "only theirs", NULL, line);
		return;
	}
	leaf->is_matched = true;
	if (leaf->row->kind == CONTENT_RAW) {
		j->raw++;
		if (t->address && (t->address < leaf->row->address ||
				   t->address >= leaf->row->address + leaf->row->bytes))
			differ(j, "raw, elsewhere", leaf, line);
		return;
	}
	if (strcmp(leaf->path, path) != 0) {
		j->inside++; /* a date's number, a Nullable's bool */
		return;
	}
	if (t->address && leaf->row->address != t->address)
		differ(j, "elsewhere", leaf, line);
	if (leaf->row->kind == CONTENT_STRUCT) {
		take_whole(j, leaf);
		return;
	}
	if (t->bytes && leaf->row->bytes != t->bytes)
		differ(j, "of another size", leaf, line);
	if (t->value_len > 16)
		return;
	if (*t->value == '?') {
		j->absent++;
		return;
	}
	raw = strtoull(t->value, NULL, 16);
	if (leaf->row->kind == CONTENT_REFERENCE) {
		j->references++;
		if (leaf->row->pointer != raw || leaf->row->target != heap_find(j->heap, raw))
			differ(j, "leads elsewhere", leaf, line);
		return;
	}
	j->values++;
	if (!judge_is_same(j->heap, leaf->row, t->element, t->element_len, raw))
		differ(j, "another value", leaf, line);
}

static void
compare_fields(struct judged *j)
{
	struct oracle_line line;
	const char *at = NULL;

	j->node = NODE_NONE;
	while (oracle_next(j->oracle, "field", &at, &line)) {
		const struct theirs t = {
			.element = line.fields[2],
			.element_len = line.lens[2],
			.path = line.fields[4],
			.path_len = line.lens[4],
			.value = line.fields[5],
			.value_len = line.lens[5],
			.address = oracle_hex(&line, 1),
			.bytes = oracle_number(&line, 3),
		};

		j->fields++;
		if (begin_object(j, &line))
			compare_one(j, &t, &line);
	}
	end_object(j);
}

/* "path=value" many times, a space between two, or one value. */
static void
compare_element(struct judged *j, const struct oracle_line *line)
{
	struct theirs t = { .number = oracle_number(line, 1) };
	const char *end = line->rest + line->rest_len, *text = line->fields[3];

	if (!oracle_is(line, 2, "Struct")) {
		t.element = line->fields[2];
		t.element_len = line->lens[2];
		t.path = "";
		t.value = text;
		t.value_len = line->lens[3];
		compare_one(j, &t, line);
		return;
	}
	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		const char *stop = space ? space : end;
		const char *equals = memchr(text, '=', (size_t)(stop - text));

		if (!equals)
			break;
		t.path = text;
		t.path_len = (size_t)(equals - text);
		t.value = equals + 1;
		t.value_len = (size_t)(stop - t.value);
		compare_one(j, &t, line);
		text = stop + 1;
	}
}

static void
compare_elements(struct judged *j)
{
	struct oracle_line line;
	const char *at = NULL;

	j->node = NODE_NONE;
	while (oracle_next(j->oracle, "element", &at, &line)) {
		j->elements++;
		if (begin_object(j, &line))
			compare_element(j, &line);
	}
	end_object(j);
}

/* --- strings --- */

/* One UTF-16 unit of what is escaped, or 0 to 0x10ffff of ours. */
static uint32_t
next_char(const char **text)
{
	static const char codes[] = "0abtnvfr", values[] = "\0\a\b\t\n\v\f\r";
	const unsigned char *t = (const unsigned char *)*text;
	uint32_t c = t[0];
	const char *code;
	char digits[9];
	size_t len;

	*text += 1;
	if (c == '\\') {
		len = t[1] == 'u' ? 4 : t[1] == 'U' ? 8 : 0;
		*text += 1 + len;
		snprintf(digits, sizeof(digits), "%.*s", (int)len, t + 2);
		if (len)
			return (uint32_t)strtoul(digits, NULL, 16);
		code = strchr(codes, t[1]);
		return code && t[1] ? (uint32_t)values[code - codes] : t[1];
	}
	if (c < 0x80)
		return c;
	len = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
	c &= 0x3fU >> len;
	for (size_t i = 1; i <= len; i++)
		c = c << 6 | (t[i] & 0x3f);
	*text += len;
	return c;
}

/* What each of them wrote, back in UTF-16. */
static bool
is_same_string(const char *ours, size_t ours_len, const char *theirs, size_t theirs_len)
{
	const char *a = ours + 1, *a_end = ours + ours_len - 1;
	const char *b = theirs, *b_end = theirs + theirs_len;

	if (ours_len < 2 || *ours != '"' || *a_end != '"')
		return false;
	while (a < a_end && b < b_end) {
		uint32_t c = next_char(&a), first = c;

		if (c > 0xffff) {
			first = 0xd800 + ((c - 0x10000) >> 10);
			if (next_char(&b) != first || b >= b_end)
				return false;
			first = 0xdc00 + ((c - 0x10000) & 0x3ff);
		}
		if (next_char(&b) != first)
			return false;
	}
	return a == a_end && b == b_end;
}

static void
compare_string(struct judged *j, const struct oracle_line *line)
{
	const struct heap_memory *m = j->heap->memory;
	struct arena_mark mark = arena_mark(&j->arena);
	const char *text, *theirs = line->fields[2];
	struct error err = { 0 };
	uint32_t units;

	j->strings++;
	j->node = heap_find(j->heap, oracle_hex(line, 0));
	if (j->node == NODE_NONE)
		differ(j, "no such string", NULL, line);
	else if (!m->contents->text(m->source, j->node, INT32_MAX, &text, &units, &j->arena, &err))
		differ(j, err.message, NULL, line);
	else if (units != oracle_number(line, 1) ||
		 !is_same_string(text, strlen(text), theirs,
				 (size_t)(line->rest + line->rest_len - theirs)))
		differ(j, text, NULL, line);
	arena_reset(&j->arena, mark);
}

void
judge_values(const char *what, const struct oracle *o, const struct heap *h, const char *const *but)
{
	struct judged j = { .what = what, .oracle = o, .heap = h, .but = but };
	struct oracle_line line;
	const char *at = NULL;

	assert_non_null(h->memory);
	assert_non_null(h->memory->contents);
	j.rows = calloc(ROWS_MAX, sizeof(*j.rows));
	j.leaves = calloc(ROWS_MAX, sizeof(*j.leaves));
	assert_non_null(j.rows);
	assert_non_null(j.leaves);
	arena_init(&j.arena, 0);
	compare_fields(&j);
	compare_elements(&j);
	while (oracle_next(o, "string", &at, &line))
		compare_string(&j, &line);
	arena_clear(&j.arena);
	free(j.rows);
	free(j.leaves);
	printf("%s: %" PRIu64 " fields, %" PRIu64 " elements, %" PRIu64 " strings: %" PRIu64
	       " values, %" PRIu64 " references, %" PRIu64 " inside of values, %" PRIu64
	       " empty, %" PRIu64 " known to us alone, %" PRIu64 " raw, %" PRIu64
	       " absent: %" PRIu64 " differences\n",
	       what, j.fields, j.elements, j.strings, j.values, j.references, j.inside, j.empty,
	       j.apart, j.raw, j.absent, j.differences);
	assert_true(j.fields && j.elements && j.strings);
	assert_int_equal(j.differences, 0);
}
