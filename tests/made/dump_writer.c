#include "tests/made/dump_writer.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

void
blob_free(struct blob *b)
{
	free(b->data);
	*b = (struct blob){ 0 };
}

void
blob_put(struct blob *b, const void *data, size_t len)
{
	if (b->room - b->len < len) {
		b->room = (b->len + len) * 2 + 64;
		b->data = realloc(b->data, b->room);
		assert_non_null(b->data);
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

void
blob_u8(struct blob *b, uint8_t value)
{
	blob_put(b, &value, 1);
}

static void
blob_le(struct blob *b, uint64_t value, unsigned len)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < len; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	blob_put(b, bytes, len);
}

void
blob_i32(struct blob *b, int64_t value)
{
	blob_le(b, (uint64_t)value, 4);
}

void
blob_i64(struct blob *b, int64_t value)
{
	blob_le(b, (uint64_t)value, 8);
}

static void
blob_f32(struct blob *b, float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	blob_le(b, bits, 4);
}

/* Units of UTF-16 in bytes that hold each on its own. */
static int32_t
units_of(const char *text)
{
	int32_t units = 0;

	for (; *text; text++)
		units += ((unsigned char)*text & 0xc0) != 0x80;
	return units;
}

void
blob_string(struct blob *b, const char *text)
{
	blob_i32(b, text ? units_of(text) : -1);
	if (text)
		blob_put(b, text, strlen(text));
}

void
blob_ci(struct blob *b, int32_t value)
{
	unsigned groups = 1;

	while (groups < 5 && (value < -(INT64_C(1) << (7 * groups - 1)) ||
			      value >= INT64_C(1) << (7 * groups - 1)))
		groups++;
	while (groups--) {
		uint8_t group = (uint8_t)((int64_t)value >> 7 * groups & 0x7f);

		blob_u8(b, groups ? group | 0x80 : group);
	}
}

void
blob_patch(struct blob *b, size_t at, const void *data, size_t len)
{
	assert_true(at <= b->len && len <= b->len - at);
	memcpy(b->data + at, data, len);
}

bool
blob_read_file(struct blob *b, const char *path)
{
	FILE *in = fopen(path, "rb");
	uint8_t buffer[4096];
	size_t len;

	if (!in)
		return false;
	while ((len = fread(buffer, 1, sizeof(buffer), in)) > 0)
		blob_put(b, buffer, len);
	fclose(in);
	return true;
}

/* --- the container --- */

struct writing {
	const struct dump *dump;
	struct blob *out;
	struct dump_map *map;
	unsigned label_bytes, count_bytes;
	size_t segment_type, module_type; /* labels; 0: not written yet */
	size_t modules[8];                /* labels */
	uint64_t forwards[4];
	uint32_t forwards_count;
};

static void
put_label(struct writing *w, uint64_t label)
{
	blob_le(w->out, label, w->label_bytes);
}

static void
put_begin(struct writing *w, const char *type, int32_t version, int32_t oldest_reader)
{
	blob_put(w->out, "\4\4\1", 3);
	blob_i32(w->out, version);
	blob_i32(w->out, oldest_reader);
	blob_string(w->out, type);
	blob_u8(w->out, 6);
}

/* The second object of a type refers to the first one's. */
static void
put_begin_again(struct writing *w, size_t *label, const char *type, int32_t version)
{
	if (*label) {
		blob_put(w->out, "\4\2", 2);
		put_label(w, *label);
		return;
	}
	*label = w->out->len + 1;
	put_begin(w, type, version, version);
}

static uint32_t
put_forward(struct writing *w)
{
	blob_i32(w->out, w->forwards_count);
	return w->forwards_count++;
}

static void
put_tail(struct writing *w)
{
	size_t table = w->out->len + 1, trailer;

	blob_u8(w->out, 6);
	blob_i32(w->out, w->forwards_count);
	for (uint32_t i = 0; i < w->forwards_count; i++)
		put_label(w, w->forwards[i]);
	trailer = w->out->len;
	put_label(w, table);
	put_label(w, trailer);
}

/* --- the graph --- */

static struct dump_node
dump_node(const struct dump *d, uint32_t index)
{
	struct dump_node node = { .size = DUMP_TYPE_SIZE };

	if (!d->node)
		return d->nodes[index];
	d->node(d->node_context, index, &node);
	return node;
}

static int64_t
node_size(const struct dump *d, const struct dump_node *node)
{
	return node->size == DUMP_TYPE_SIZE ? d->types[node->type].size : node->size;
}

static void
put_record(const struct dump *d, uint32_t index, const struct dump_node *node, struct blob *records)
{
	bool is_explicit = node_size(d, node) != d->types[node->type].size;

	blob_ci(records, (int32_t)(node->type * 2 + is_explicit));
	if (is_explicit)
		blob_ci(records, (int32_t)node->size);
	blob_ci(records, (int32_t)node->refs_count);
	for (uint32_t i = 0; i < node->refs_count; i++)
		blob_ci(records, (int32_t)(node->refs[i] - index));
}

static void
put_count(struct writing *w, uint64_t count)
{
	blob_le(w->out, count, w->count_bytes);
}

static void
put_types(struct writing *w)
{
	const struct dump *d = w->dump;

	w->map->types = w->out->len;
	blob_i32(w->out, d->types_count);
	for (uint32_t i = 0; i < d->types_count; i++) {
		blob_string(w->out, d->types[i].name);
		blob_i32(w->out, d->types[i].size);
		blob_string(w->out, d->types[i].module);
	}
}

static void
put_module(struct writing *w, int module)
{
	size_t *label = &w->modules[module];
	char path[32];

	if (!module) {
		blob_u8(w->out, 1);
		return;
	}
	if (*label) {
		blob_u8(w->out, 2);
		put_label(w, *label);
		return;
	}
	*label = w->out->len;
	put_begin_again(w, &w->module_type, "Graphs.Module", 0);
	snprintf(path, sizeof(path), "/app/module%d", module);
	blob_string(w->out, path);
	blob_i64(w->out, 0x400000);
	blob_le(w->out, 0x1000, w->dump->module_size_bytes ? w->dump->module_size_bytes : 8);
	blob_i64(w->out, INT64_C(638000000000000000));
	blob_string(w->out, "app.pdb");
	blob_put(w->out, "0123456789abcdef", 16);
	blob_i32(w->out, 1);
	blob_u8(w->out, 6);
}

static void
put_deferred(struct writing *w)
{
	const struct dump *d = w->dump;
	uint32_t forward;

	if (!d->deferred)
		return;
	forward = put_forward(w);
	blob_i32(w->out, d->deferred_count);
	for (uint32_t i = 0; i < d->deferred_count; i++) {
		blob_i32(w->out, d->deferred[i].id);
		put_module(w, d->deferred[i].module);
		blob_string(w->out, d->deferred[i].suffix);
	}
	blob_u8(w->out, 6);
	w->forwards[forward] = w->out->len;
}

static void
put_tables(struct writing *w)
{
	const struct dump *d = w->dump;
	struct blob records = { 0 };

	blob_put(&records, "\0\0", 2);
	w->map->nodes_count = w->out->len;
	put_count(w, d->nodes_count);
	w->map->offsets = w->out->len;
	for (uint32_t i = 0; i < d->nodes_count; i++) {
		struct dump_node node = dump_node(d, i);

		blob_i32(w->out, node.is_undefined ? 0 : (int64_t)records.len);
		if (!node.is_undefined)
			put_record(d, i, &node, &records);
	}
	w->map->records_len = w->out->len;
	blob_i32(w->out, (int64_t)records.len);
	w->map->records = w->out->len;
	blob_put(w->out, records.data, records.len);
	blob_free(&records);
	put_deferred(w);
	put_count(w, d->nodes_count);
	w->map->addresses = w->out->len;
	for (uint32_t i = 0; i < d->nodes_count; i++)
		blob_i64(w->out, (int64_t)dump_node(d, i).address);
	w->map->graph_end = w->out->len;
}

static void
put_graph(struct writing *w)
{
	const struct dump *d = w->dump;
	int64_t total = 0;

	for (uint32_t i = 0; i < d->nodes_count; i++) {
		struct dump_node node = dump_node(d, i);

		if (!node.is_undefined)
			total += node_size(d, &node);
	}
	put_begin(w, "Graphs.MemoryGraph", 1, d->deferred ? 1 : 0);
	blob_i64(w->out, d->total == DUMP_TYPE_SIZE ? total : d->total);
	blob_i32(w->out, d->root);
	put_types(w);
	put_tables(w);
	blob_put(w->out, "\10\1\6", 3);
}

/* --- around it --- */

static int64_t
segments_bytes(const struct dump *d)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < d->segments_count; i++)
		bytes += d->segments[i].end - d->segments[i].start;
	return (int64_t)bytes;
}

static void
put_segments(struct writing *w)
{
	const struct dump *d = w->dump;

	blob_i32(w->out, d->segments_count);
	for (uint32_t i = 0; i < d->segments_count; i++) {
		const struct dump_segment *segment = &d->segments[i];

		put_begin_again(w, &w->segment_type, "GCHeapDumpSegment", 1);
		blob_i64(w->out, (int64_t)segment->start);
		blob_i64(w->out, (int64_t)segment->end);
		for (int gen = 0; gen < 5; gen++)
			blob_i64(w->out, (int64_t)segment->ends[gen]);
		blob_u8(w->out, 6);
	}
}

static void
put_origin(struct writing *w)
{
	const struct dump *d = w->dump;

	blob_string(w->out, d->log);
	blob_i64(w->out, d->ticks);
	blob_string(w->out, d->machine);
	blob_string(w->out, d->process);
	blob_i32(w->out, d->pid);
	blob_i64(w->out, d->commit);
	blob_i64(w->out, d->working_set);
}

static void
put_interop(struct writing *w)
{
	uint32_t forward;

	blob_u8(w->out, 12);
	forward = put_forward(w);
	if (!w->dump->has_interop) {
		blob_u8(w->out, 1);
	} else {
		static const uint8_t zeros[40 + 32 + 33 + 16] = { 0 };

		put_begin(w, "InteropInfo", 0, 0);
		blob_i32(w->out, 2);
		for (int i = 0; i < 4; i++)
			blob_i32(w->out, 1);
		blob_put(w->out, zeros, sizeof(zeros));
		blob_string(w->out, "combase.dll");
		blob_u8(w->out, 6);
	}
	w->forwards[forward] = w->out->len;
}

static void
put_version_9(struct writing *w)
{
	const struct dump *d = w->dump;

	blob_u8(w->out, 1);
	blob_f32(w->out, d->count_multiplier > 0 ? d->count_multiplier : 1);
	blob_f32(w->out, d->size_multiplier > 0 ? d->size_multiplier : 1);
	if (d->has_javascript) {
		put_begin(w, "JSHeapInfo", 0, 0);
		blob_u8(w->out, 6);
	} else {
		blob_u8(w->out, 1);
	}
	if (d->segments) {
		put_begin(w, "DotNetHeapInfo", 0, 0);
		blob_i64(w->out, segments_bytes(d));
		put_segments(w);
		blob_u8(w->out, 6);
	} else {
		blob_u8(w->out, 1);
	}
	put_origin(w);
	blob_i32(w->out, d->multipliers_count);
	for (uint32_t i = 0; i < d->multipliers_count; i++)
		blob_f32(w->out, d->multipliers[i]);
	put_interop(w);
	blob_u8(w->out, 13);
	blob_string(w->out, d->tool);
}

static void
put_version_4(struct writing *w)
{
	for (int i = 0; i < 3; i++)
		blob_i64(w->out, 1000 + i);
	blob_u8(w->out, 1);
	if (w->dump->version >= 5)
		put_origin(w);
	if (w->dump->version >= 6)
		put_segments(w);
	if (w->dump->version >= 7)
		blob_u8(w->out, 1);
}

void
dump_write(const struct dump *d, struct blob *out, struct dump_map *map)
{
	struct dump_map ignored;
	struct writing w = {
		.dump = d,
		.out = out,
		.map = map ? map : &ignored,
		.label_bytes = d->label_bytes ? d->label_bytes : 4,
		.count_bytes = d->count_bytes ? d->count_bytes : 4,
	};

	out->len = 0;
	blob_i32(out, 20);
	blob_put(out, "!FastSerialization.1", 20);
	if (d->version) {
		put_begin(&w, "GCHeapDump", d->version, d->oldest_reader);
		put_graph(&w);
		if (d->version >= 9)
			put_version_9(&w);
		else
			put_version_4(&w);
		blob_u8(out, 6);
	} else {
		put_graph(&w);
	}
	w.map->end = out->len;
	put_tail(&w);
}

/* --- the examples --- */

static const char coreclr[] = "/usr/share/dotnet/System.Private.CoreLib.dll";
static const struct dump_type tiny_types[] = {
	{ "UNDEFINED", 0, NULL },
	{ "MyApp.Node", 32, "/app/MyApp.dll" },
	{ "System.String", 28, coreclr },
	{ "[.NET Roots]", 0, NULL },
	{ "[static vars]", 0, NULL },
	{ "[static var MyApp.Node.s_head]", 0, NULL },
	/* from here on only in tiny-full */
	{ "System.Byte[] (Bytes > 100K)", 131096, coreclr },
	{ "\xc3\x89t\xc3\xa9.\xe6\x97\xa5\xe6\x9c\xac\xed\xa0\xbd\xed\xb8\x80", 24,
	  "/app/MyApp.dll" },
};
/* clang-format off */
static const struct dump_node tiny_nodes[] = {
	{ 3, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 1 }, 1, false },
	{ 4, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 2 }, 1, false },
	{ 5, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 3 }, 1, false },
	{ 1, DUMP_TYPE_SIZE, 0x7f3c00001000, (const uint32_t[]){ 4, 5 }, 2, false },
	{ 1, DUMP_TYPE_SIZE, 0x7f3c00001020, (const uint32_t[]){ 3 }, 1, false },
	{ 2, 300,            0x7f3c00001040, NULL, 0, false },
};
static const struct dump_node tiny_full_nodes[] = {
	{ 3, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 1 }, 1, false },
	{ 4, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 2 }, 1, false },
	{ 5, DUMP_TYPE_SIZE, 0, (const uint32_t[]){ 3 }, 1, false },
	{ 1, DUMP_TYPE_SIZE, 0x7f3c00001000, (const uint32_t[]){ 4, 5, 6 }, 3, false },
	{ 1, DUMP_TYPE_SIZE, 0x7f3c00001020, (const uint32_t[]){ 3 }, 1, false },
	{ 2, 300,            0x7f3c00001040, NULL, 0, false },
	{ 6, DUMP_TYPE_SIZE, 0x7f3c10000020, NULL, 0, false },
	{ 7, DUMP_TYPE_SIZE, 0x7f3c00001180, (const uint32_t[]){ 7, 7 }, 2, false },
};
static const struct dump_segment tiny_full_segments[] = {
	{ 0x7f3c00001000, 0x7f3c00002000,
	  { 0x7f3c00002000, 0x7f3c00001040, 0x7f3c00001020, 0, 0 } },
	{ 0x7f3c10000000, 0x7f3c10100000,
	  { 0, 0, 0, 0x7f3c10100000, 0 } },
};
/* clang-format on */
static const float tiny_full_multipliers[] = { 1, 2, 3.5F, 1, 1, 1, 1, 1 };

const struct dump dump_tiny = {
	.version = 10,
	.oldest_reader = 8,
	.types = tiny_types,
	.types_count = 6,
	.nodes = tiny_nodes,
	.nodes_count = 6,
	.tool = "heaptop",
	.total = DUMP_TYPE_SIZE,
};
const struct dump dump_tiny_full = {
	.version = 10,
	.oldest_reader = 8,
	.types = tiny_types,
	.types_count = 8,
	.nodes = tiny_full_nodes,
	.nodes_count = 8,
	.segments = tiny_full_segments,
	.segments_count = 2,
	.log = "line one\r\nline two\r\n",
	.ticks = INT64_C(638400000000000000),
	.machine = "build-7",
	.process = "MyApp",
	.pid = 4242,
	.commit = INT64_C(1) << 31,
	.working_set = 123456789,
	.count_multiplier = 2,
	.size_multiplier = 1.5F,
	.multipliers = tiny_full_multipliers,
	.multipliers_count = 8,
	.tool = "heaptop",
	.total = DUMP_TYPE_SIZE,
};
