/* gcdump_report() prints the lines of `dotnet-gcdump report`, of whole files and of others. */
#include "tests/made/dump_writer.h"
#include "tests/drive/heaps.h"
#include "tests/drive/run_tests.h"
#include "tests/drive/written.h"
#include "io/gcdump/gcdump.h"
#include "io/gcdump/report.h"
#include <string.h>

static void
expect_report(const struct heap *h, const void *wanted, size_t len)
{
	struct blob found = { 0 };

	written(h, gcdump_report, &found);
	if (found.len != len || memcmp(found.data, wanted, len) != 0)
		fail_msg("%.*s", (int)found.len, (char *)found.data);
	blob_free(&found);
	heap_free(h);
}

/* --- real files ------------------------------------------------------------
 */

TEST(test_real_files)
{
	for (size_t i = 0; i < REAL_DUMPS; i++) {
		struct blob wanted = { 0 };
		const struct heap *h = heap_of_file(real_dumps[i]);
		char path[128];

		snprintf(path, sizeof(path), "%.*s.report.txt",
			 (int)(strstr(real_dumps[i], ".gcdump") - real_dumps[i]), real_dumps[i]);
		assert_true(blob_read_file(&wanted, path));
		expect_report(h, wanted.data, wanted.len);
		blob_free(&wanted);
	}
}

/* --- small ones --------------------------------------------------------------
 */

static const char tiny_report[] =
    "            364  GC Heap bytes\n"
    "              6  GC Heap objects\n"
    "\n"
    "   Object Bytes     Count  Type\n"
    "             32         2  MyApp.Node  [MyApp.dll]\n"
    "             28         1  System.String  [System.Private.CoreLib.dll]\n";

/* As the specification has it. */
TEST(test_tiny)
{
	struct blob dump = { 0 };

	dump_write(&dump_tiny, &dump, NULL);
	expect_report(read_gcdump(dump.data, dump.len), tiny_report, sizeof(tiny_report) - 1);
	blob_free(&dump);
}

/* The report of a cut file is that of the file that would be written anew. */
TEST(test_cut)
{
	struct blob dump = { 0 }, found = { 0 };
	struct dump_map map;
	const struct heap *h;

	dump_write(&dump_tiny, &dump, &map);
	h = read_gcdump(dump.data, map.graph_end - 4);
	written(h, gcdump_report, &found);
	blob_u8(&found, 0);
	assert_non_null(strstr((char *)found.data, "            300         1  System.String  ["));
	blob_free(&dump);
	blob_free(&found);
	heap_free(h);
}

/* Numbers in the file may be longer than they need to be. */
TEST(test_long_numbers)
{
	struct blob dump = { 0 };
	struct dump_map map;

	dump_write(&dump_tiny, &dump, &map);
	/* The size of the string, 300, in three bytes instead of two. */
	dump.data[map.records + 0x11] = 0x05;
	blob_patch(&dump, map.records + 0x12, "\x80\x82\x2c", 3);
	dump.data[map.offsets + 5 * 4] = 0x11;
	dump.data[map.records + 0x0f] = 0x02; /* node 4 refers to nothing */
	dump.data[map.records + 0x10] = 0x00;
	blob_patch(&dump, map.records + 0x15, "\0", 1);
	expect_report(read_gcdump(dump.data, dump.len), tiny_report, sizeof(tiny_report) - 1);
	blob_free(&dump);
}

/* Each node counts for its own row, objects or not, but for those that were only mentioned. */
TEST(test_every_node)
{
	static const struct dump_type types[] = {
		{ "UNDEFINED", 8, NULL },
		{ "A", 24, "/a/a.dll" },
		{ "A", 32, "/a/a.dll" }, /* a second time */
		{ "A (Bytes > 1K)", 2000, "/a/a.dll" },
		{ "[.NET Roots]", 16, NULL },
		{ "[none]", 16, NULL },
		{ "B", 0, NULL },
	};
	static const struct {
		uint32_t type;
		int64_t size;
		bool is_undefined;
	} rows[] = {
		{ 4, 0, false },
		{ 1, DUMP_TYPE_SIZE, false },
		{ 2, DUMP_TYPE_SIZE, false },
		{ 1, 32, false },
		{ 3, 5000, false },
		{ 1, 5000, false }, /* larger than its row is for */
		{ 0, DUMP_TYPE_SIZE, false },
		{ 0, DUMP_TYPE_SIZE, true },
		{ 6, 100, false },
	};
	static const char wanted[] = "         12,345  GC Heap bytes\n"
				     "              9  GC Heap objects\n"
				     "\n"
				     "   Object Bytes     Count  Type\n"
				     "          2,000         1  A (Bytes > 1K)  [a.dll]\n"
				     "             32         1  A  [a.dll]\n"
				     "             24         3  A  [a.dll]\n"
				     "             16         1  [.NET Roots]\n"
				     "              8         1  UNDEFINED\n";
	struct dump_node nodes[COUNT_OF(rows)] = { { 0 } };
	struct dump d = dump_tiny;
	struct blob dump = { 0 };

	for (uint32_t i = 0; i < COUNT_OF(rows); i++)
		nodes[i] = (struct dump_node){ .type = rows[i].type,
					       .size = rows[i].size,
					       .is_undefined = rows[i].is_undefined,
					       .address = i ? 0x10000 + 8 * i : 0 };
	d.types = types;
	d.types_count = COUNT_OF(types);
	d.nodes = nodes;
	d.nodes_count = COUNT_OF(nodes);
	d.total = 12345;
	dump_write(&d, &dump, NULL);
	expect_report(read_gcdump(dump.data, dump.len), wanted, sizeof(wanted) - 1);
	blob_free(&dump);
}
