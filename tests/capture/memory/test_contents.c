/*
 * What is in objects, of real processes: the program has filled its sessions by a rule, and
 * whatever is read from memory must follow it.
 */
#include "model/analysis/collection.h"
#include "tests/drive/captures.h"
#include "tests/drive/ways.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64 };

/* An object's fields. */
struct fields {
	struct arena arena;
	struct content rows[FIELDS_MAX];
	size_t count;
	uint64_t total;
};

static void
fields_read(struct fields *f, const struct heap *h, node_id n)
{
	struct error err = { 0 };

	arena_init(&f->arena, 0);
	assert_ok(h->memory->contents->rows(h->memory->source, n, 0, FIELDS_MAX, f->rows, &f->count,
					    &f->total, &f->arena, &err),
		  &err);
}

static const struct content *
field(const struct fields *f, const char *name)
{
	static const struct content none = { .text = "(no such field)" };

	for (size_t i = 0; i < f->count; i++)
		if (!strcmp(f->rows[i].name, name))
			return &f->rows[i];
	return &none;
}

static void
expect(const struct fields *f, const char *name, const char *wanted)
{
	const struct content *c = field(f, name);

	if (strcmp(c->text, wanted) != 0)
		fail_msg("%s is %s, not %s", name, c->text, wanted);
}

static const char *
type_of(const struct heap *h, node_id n)
{
	return h->types[heap_type_of(h, n)].name;
}

/* One by one they are what all of them together are. */
static void
check_one_by_one(const struct fields *f, const struct heap *h, node_id n)
{
	const struct heap_memory *m = h->memory;
	struct content_field one;
	struct error err = { 0 };

	for (size_t i = 0; i < f->count; i++) {
		const struct content *last = &f->rows[i];

		if (last->depth || strchr(last->name, '['))
			continue;
		for (size_t k = i; k < f->count; k++)
			if (!f->rows[k].depth && !strcmp(f->rows[k].name, last->name))
				last = &f->rows[k];
		assert_true(m->contents->field(m->source, n, last->name, &one, &err));
		assert_int_equal(one.address, last->address);
		assert_int_equal(one.row, last - f->rows);
		assert_int_equal(one.kind, last->kind);
	}
	assert_false(m->contents->field(m->source, n, "no such field", &one, &err));
	assert_int_equal(err.kind, ERROR_NONE);
}

static void
check_reading(const struct heap *h, node_id n, const struct fields *f, long i)
{
	struct error err = { 0 };
	int64_t number;
	node_id object;

	assert_true(contents_integer(h, n, "Id", &number, &err));
	assert_int_equal(number, i);
	assert_true(contents_integer(h, n, "Where.Y", &number, &err));
	assert_int_equal(number, -i);
	assert_true(contents_integer(h, n, "Kind", &number, &err));
	assert_int_equal(number, i % 3);
	assert_true(contents_reference(h, n, "User", &object, &err));
	assert_int_equal(object, field(f, "User")->target);
	assert_false(contents_integer(h, n, "User", &number, &err));
	assert_false(contents_reference(h, n, "Where", &object, &err));
	assert_false(contents_reference(h, n, "Where.Z", &object, &err));
	assert_int_equal(err.kind, ERROR_NONE);
}

/* Item i has user i % 100, i / 3, kind i % 3, at (i, -i). */
static void
check_session(const struct heap *h, node_id n, bool *seen, long sessions)
{
	static const char *const kinds[] = { "Plain", "Guest", "Admin" };
	char wanted[64];
	struct fields f;
	double weight;
	long i;

	fields_read(&f, h, n);
	assert_int_equal(f.count, f.total);
	i = strtol(field(&f, "Id")->text, NULL, 10);
	if (i == -1) {
		expect(&f, "User", "\"held by a plugin\"");
		arena_clear(&f.arena);
		return;
	}
	assert_in_range(i, 0, sessions - 1);
	assert_false(seen[i]);
	seen[i] = true;
	snprintf(wanted, sizeof wanted, "\"user%ld\"", i % 100);
	expect(&f, "User", wanted);
	check_reading(h, n, &f, i);
	expect(&f, "Kind", kinds[i % 3]);
	weight = strtod(field(&f, "Weight")->text, NULL);
	assert_true(weight > (double)i / 3 - 1e-9 && weight < (double)i / 3 + 1e-9);
	snprintf(wanted, sizeof wanted, "%ld", i);
	expect(&f, "X", wanted);
	snprintf(wanted, sizeof wanted, "%ld", -i);
	expect(&f, "Y", wanted);
	if (i == 400)
		expect(&f, "Created", "1971-02-05 00:00:00Z");
	expect(&f, "Token", "00000000-0000-0000-0000-000000000000");
	assert_string_equal(field(&f, "Where")->type, "Leaky.Point");
	assert_int_equal(field(&f, "X")->depth, 1);
	assert_string_equal(type_of(h, field(&f, "Items")->target),
			    "Dictionary<string, List<int>>");
	assert_string_equal(field(&f, "Items")->type, "Dictionary<string, List<int>>");
	arena_clear(&f.arena);
}

/* Values of dependent handles are references that no field has. */
static void
take_dependents(const struct heap *h, node_id n, uint64_t *count, uint64_t *sum)
{
	for (uint32_t i = 0; i < h->memory->handles_count; i++) {
		const struct heap_handle *handle = &h->memory->handles[i];

		if (handle->kind == HANDLE_DEPENDENT && handle->object == n &&
		    handle->dependent != NODE_NONE) {
			++*count;
			*sum += handle->dependent;
		}
	}
}

/* References that fields tell are those of the graph, in number and target. */
static void
check_against_graph(const struct heap *h, node_id n)
{
	struct refs refs = heap_refs(h, n);
	uint64_t sum_graph = 0, sum_fields = 0, in_graph = 0, in_fields = 0;
	struct fields f;
	node_id target;

	while (refs_next(&refs, &target)) {
		in_graph++;
		sum_graph += target;
	}
	fields_read(&f, h, n);
	for (size_t i = 0; i < f.count; i++)
		if (f.rows[i].target != NODE_NONE) {
			in_fields++;
			sum_fields += f.rows[i].target;
		}
	take_dependents(h, n, &in_fields, &sum_fields);
	if (f.count == f.total)
		check_one_by_one(&f, h, n);
	/* Of what can be unloaded there is one more, which is no field. */
	if (f.count == f.total && in_graph <= FIELDS_MAX &&
	    (in_graph != in_fields || sum_graph != sum_fields) &&
	    !(h->types[heap_type_of(h, n)].flags & TYPE_COLLECTIBLE))
		fail_msg("%s at %llx has %llu references, and fields tell %llu", type_of(h, n),
			 (unsigned long long)heap_address(h, n), (unsigned long long)in_graph,
			 (unsigned long long)in_fields);
	arena_clear(&f.arena);
}

/*
 * Of an array of structures: its first element by itself, with the method table that the array's
 * says behind 48 bytes, is what the array shows of it.
 */
static unsigned
check_value(const struct heap *h, node_id n)
{
	enum { TABLE_OF_ELEMENTS = 48 };
	const struct heap_memory *m = h->memory;
	const struct contents_ops *ops = m->contents;
	struct content_header header;
	struct fields array, one;
	struct error err;
	uint64_t table, parts;

	fields_read(&array, h, n);
	if (!array.count || array.rows[0].kind != CONTENT_STRUCT ||
	    strcmp(array.rows[0].name, "[0]") != 0) {
		arena_clear(&array.arena);
		return 0;
	}
	error_clear(&err);
	arena_init(&one.arena, 0);
	assert_true(ops->header(m->source, n, &header, &err));
	assert_int_equal(
	    ops->bytes(m->source, header.table + TABLE_OF_ELEMENTS, &table, sizeof table),
	    sizeof table);
	if (!ops->value(m->source, table, array.rows[0].address, 0, FIELDS_MAX, one.rows,
			&one.count, &one.total, &one.arena, &err))
		fail_msg("%s: %s", array.rows[0].type, err.message);
	for (parts = 0; parts + 1 < array.count && parts < one.count; parts++) {
		const struct content *wanted = &array.rows[parts + 1];

		assert_string_equal(one.rows[parts].name, wanted->name);
		assert_string_equal(one.rows[parts].text, wanted->text);
		assert_int_equal(one.rows[parts].address, wanted->address);
		assert_int_equal(one.rows[parts].depth + 1, wanted->depth);
	}
	assert_true(parts > 0);
	/* A class is none, and neither is what is no method table. */
	assert_false(ops->value(m->source, header.table, array.rows[0].address, 0, FIELDS_MAX,
				one.rows, &one.count, &one.total, &one.arena, &err));
	assert_non_null(strstr(err.message, " is not a value type"));
	error_clear(&err);
	assert_false(ops->value(m->source, table, 8, 0, FIELDS_MAX, one.rows, &one.count,
				&one.total, &one.arena, &err));
	arena_clear(&one.arena);
	arena_clear(&array.arena);
	return 1;
}

static void
check_strings(const struct heap *h, node_id n)
{
	struct arena a;
	struct error err = { 0 };
	const char *text;
	uint32_t units;

	arena_init(&a, 0);
	assert_ok(h->memory->contents->text(h->memory->source, n, 1 << 16, &text, &units, &a, &err),
		  &err);
	assert_int_equal(heap_size(h, n), 22 + 2 * (uint64_t)units);
	assert_true(text[0] == '"');
	arena_clear(&a);
}

/*
 * What looks like a collection has as many elements as it says, and what is shown of them is there.
 * Sessions have a dictionary each.
 */
static unsigned
check_collection(const struct heap *h, node_id n)
{
	static struct content rows[1000];
	struct collection *c;
	struct error err = { 0 };
	struct arena a;
	uint64_t total;
	size_t count;

	c = collection_open(h, n, &err);
	if (!c) {
		assert_int_equal(err.kind, ERROR_NONE);
		return 0;
	}
	arena_init(&a, 0);
	if (!collection_rows(c, 0, 1000, rows, &count, &total, &a, &err))
		fail_msg("%s at %llx: %s", type_of(h, n), (unsigned long long)heap_address(h, n),
			 err.message);
	assert_true(total >= collection_count(c));
	assert_int_equal(count, total < 1000 ? total : 1000);
	if (collection_is_short(c))
		fail_msg("%s at %llx says to have more", type_of(h, n),
			 (unsigned long long)heap_address(h, n));
	arena_clear(&a);
	collection_close(c);
	return 1;
}

static void
check_heap(const struct heap *h, const struct target *t)
{
	long sessions = target_fact(t, "sessions"), found = 0;
	bool *seen = calloc((size_t)sessions, sizeof *seen);
	long collections = 0, values = 0;

	assert_non_null(seen);
	for (node_id n = 0; n < h->nodes_count; n++) {
		const struct type *type = &h->types[heap_type_of(h, n)];

		if (!strcmp(type->name, "Leaky.Session"))
			check_session(h, n, seen, sessions);
		if (type->flags & TYPE_STRING)
			check_strings(h, n);
		else
			check_against_graph(h, n);
		collections += check_collection(h, n);
		values += check_value(h, n);
	}
	assert_true(collections > sessions);
	printf("%ld arrays of structures, each first one by itself\n", values);
	assert_true(values > 20);
	for (long i = 0; i < sessions; i++)
		found += seen[i];
	assert_int_equal(found, sessions);
	free(seen);
}

BEGIN_TEST(shows_what_is_there, .rows = versions, .rows_count = VERSIONS,
	   .row_bytes = sizeof(versions[0]))
{
	const char *version = *(const char *const *)*state;
	const struct heap *h;
	struct target *t;

	if (is_skipped(version))
		return;
	t = target_start(version, TARGET_HERE, NULL, NULL);
	h = heap_by(BY_MEMORY, target_pid(t));
	check_heap(h, t);
	heap_free(h);
	target_free(t);
}
