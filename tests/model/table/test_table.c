/* Where the rows of a table are: arrays of records in every place, and rows without a record. */
#include "model/table/table.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"

struct record {
	uint16_t number;
	node_id node;
	uint64_t bytes, whole;
	const char *text;
};

static struct record records[] = {
	{ 1, 2, 10, 40, "one" },
	{ UINT16_MAX, NODE_NONE, 30, 40, NULL },
};

struct made {
	struct record *items;
	size_t count;
};

struct inside {
	uint8_t count;
	struct record items[2];
};

static const struct column columns[] = {
	{ .id = "number", .from = KNOWN_AT(VALUE_COUNT, struct record, number) },
	{ .id = "bytes", .from = BYTES_AT(struct record, bytes) },
	{ .id = "share", .from = SHARE_AT(struct record, bytes, whole) },
	{ .id = "text", .from = TEXT_AT(STYLE_NORMAL, struct record, text) },
	{ .id = "node", .from = NODE_AT(struct record, node) },
	{ 0 },
};

static const struct made made = { records, 2 };

static const void *
hold(const struct facts *f)
{
	(void)f;
	return &made;
}

static void
expect_records(const struct row_source *rows, const struct cells *in)
{
	const struct table t = { .name = "records", .columns = columns, .rows = rows };
	struct value v;
	struct row row;

	assert_int_equal(table_rows_count(&t, in), 2);
	table_row(&t, in, 0, &row);
	assert_int_equal(row.kind, ROW_PLAIN);
	assert_int_equal(row.node, 2);
	assert_int_equal(row.type, heap_type_of(in->facts->heap, 2));
	table_cell(&t, in, &columns[0], &row, &v);
	assert_int_equal(v.number, 1);
	table_cell(&t, in, &columns[4], &row, &v);
	assert_int_equal(v.number, heap_address(in->facts->heap, 2));
	table_row(&t, in, 1, &row);
	assert_int_equal(row.node, NODE_NONE);
	assert_int_equal(row.data, 1);
	assert_int_equal(row.key, 1);
	table_cell(&t, in, &columns[0], &row, &v);
	assert_int_equal(v.kind, VALUE_BLANK);
	table_cell(&t, in, &columns[1], &row, &v);
	assert_int_equal(v.number, 30);
	table_cell(&t, in, &columns[2], &row, &v);
	assert_int_equal(v.number, 30);
	assert_int_equal(v.whole, 40);
	table_cell(&t, in, &columns[3], &row, &v);
	assert_int_equal(v.kind, VALUE_BLANK);
}

TEST(records_of_an_array)
{
	static const struct row_source in_made = { ROWS_IN(struct made, items, count),
						   ROW_NODE(struct record, node) };
	static const struct row_source in_heap = { ROWS_IN(struct made, items, count),
						   ROW_NODE(struct record, node), .holder = hold };
	static const struct row_source inside = { ROWS_INSIDE(struct inside, items, count),
						  ROW_NODE(struct record, node) };
	const struct inside own = { 2, { records[0], records[1] } };
	const struct heap *h = heap_of_graph(graph_list(5));
	const struct facts f = { .heap = h, .types = h->types, .types_count = h->types_count };

	expect_records(&in_made, &(struct cells){ &f, &made });
	expect_records(&in_heap, &(struct cells){ &f, NULL });
	expect_records(&inside, &(struct cells){ &f, &own });
	heap_free(h);
}

static uint32_t
three(const struct cells *in)
{
	(void)in;
	return 3;
}

static void
row_of_number(const struct cells *in, const void *record, struct row *out)
{
	uint64_t item = out->data;

	(void)in;
	assert_null(record);
	*out = row_of(ROW_NOTE);
	out->key = item + 7;
}

TEST(rows_without_a_record)
{
	static const struct row_source rows = { .count = three, .row = row_of_number };
	const struct table t = { .name = "numbers", .columns = columns, .rows = &rows };
	const struct facts f = { 0 };
	const struct cells in = { &f, NULL };
	struct value v;
	struct row row;

	assert_true(table_lists_rows(&t));
	assert_false(table_makes_rows(&t));
	assert_int_equal(table_rows_count(&t, &in), 3);
	table_row(&t, &in, 2, &row);
	assert_int_equal(row.kind, ROW_NOTE);
	assert_int_equal(row.key, 9);
	table_cell(&t, &in, &columns[1], &row, &v);
	assert_int_equal(v.kind, VALUE_BLANK);
}
