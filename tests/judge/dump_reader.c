#include "tests/judge/dump_reader.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

struct reading {
	const uint8_t *data;
	size_t len, at;
	uint32_t segment_type; /* label */
};

static const uint8_t *
take(struct reading *r, size_t len)
{
	const uint8_t *at = r->data + r->at;

	assert_true(len <= r->len - r->at);
	r->at += len;
	return at;
}

static uint64_t
number(struct reading *r, unsigned len)
{
	const uint8_t *at = take(r, len);
	uint64_t value = 0;

	for (unsigned i = 0; i < len; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static uint32_t
u32(struct reading *r)
{
	return (uint32_t)number(r, 4);
}

static uint64_t
u64(struct reading *r)
{
	return number(r, 8);
}

static float
f32(struct reading *r)
{
	uint32_t bits = u32(r);
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void
tag(struct reading *r, uint8_t wanted)
{
	assert_int_equal(*take(r, 1), wanted);
}

static void *
room(size_t count, size_t size)
{
	void *memory = calloc(count + 1, size);

	assert_non_null(memory);
	return memory;
}

/* The bytes as they are: units of 1 to 3 bytes. */
static char *
string(struct reading *r)
{
	int32_t units = (int32_t)u32(r);
	size_t start = r->at;
	char *text;

	if (units < 0) {
		assert_int_equal(units, -1);
		return NULL;
	}
	for (; units; units--) {
		uint8_t first = *take(r, 1);

		if (first >= 0x80)
			take(r, first < 0xe0 ? 1 : 2);
	}
	text = room(r->at - start + 1, 1);
	memcpy(text, r->data + start, r->at - start);
	return text;
}

static void
begin(struct reading *r, const char *name, uint32_t version, uint32_t oldest)
{
	char *found;

	tag(r, 4);
	tag(r, 4);
	tag(r, 1);
	assert_int_equal(u32(r), version);
	assert_int_equal(u32(r), oldest);
	found = string(r);
	assert_string_equal(found, name);
	free(found);
	tag(r, 6);
}

/* --- the graph --- */

static int32_t
compressed(struct reading *r)
{
	size_t start = r->at;
	uint32_t byte = *take(r, 1);
	uint32_t value = byte & 0x40 ? UINT32_MAX << 7 | (byte & 0x7f) : (byte & 0x7f);
	uint32_t first = byte;

	while (byte & 0x80) {
		byte = *take(r, 1);
		value = value << 7 | (byte & 0x7f);
		/* The sign and nothing else would be a byte too many. */
		if (r->at == start + 2)
			assert_false((first == 0x80 && !(byte & 0x40)) ||
				     (first == 0xff && (byte & 0x40)));
		assert_true(r->at - start <= 5);
	}
	return (int32_t)value;
}

static void
read_record(struct reading *r, struct read_dump *d, uint32_t index)
{
	struct read_node *n = &d->nodes[index];
	int32_t head = compressed(r), count;

	assert_true(head >= 0 && (uint32_t)head / 2 < d->types_count);
	n->type = (uint32_t)head / 2;
	n->size = d->types[n->type].size;
	if (head & 1) {
		n->size = compressed(r);
		assert_int_not_equal(n->size, d->types[n->type].size);
	}
	assert_true(n->size >= 0);
	count = compressed(r);
	assert_true(count >= 0);
	n->refs_count = (uint32_t)count;
	n->refs = room(n->refs_count, sizeof(*n->refs));
	for (uint32_t i = 0; i < n->refs_count; i++) {
		n->refs[i] = index + (uint32_t)compressed(r);
		assert_true(n->refs[i] < d->nodes_count);
	}
}

/* Every byte of the records belongs to one node. */
static void
read_records(struct reading *r, struct read_dump *d)
{
	uint32_t len = u32(r), described = 0;
	struct reading records = { take(r, len), len, 0, 0 };
	uint32_t *at = room(len, sizeof(*at)); /* node + 1 */
	int64_t total = 0;

	for (uint32_t i = 0; i < d->nodes_count; i++) {
		assert_true(d->nodes[i].offset < len);
		if (d->nodes[i].offset) {
			assert_int_equal(at[d->nodes[i].offset], 0);
			at[d->nodes[i].offset] = i + 1;
			described++;
		}
	}
	assert_memory_equal(take(&records, 2), "\0", 2);
	while (records.at < records.len) {
		uint32_t node = at[records.at];

		assert_int_not_equal(node, 0);
		read_record(&records, d, node - 1);
		total += d->nodes[node - 1].size;
		described--;
	}
	assert_int_equal(described, 0);
	assert_int_equal(d->total, total);
	free(at);
}

static void
read_graph(struct reading *r, struct read_dump *d)
{
	begin(r, "Graphs.MemoryGraph", 1, 0);
	d->total = (int64_t)u64(r);
	assert_int_equal(u32(r), 0); /* the root */
	d->types_count = u32(r);
	d->types = room(d->types_count, sizeof(*d->types));
	for (uint32_t i = 0; i < d->types_count; i++) {
		d->types[i].name = string(r);
		assert_non_null(d->types[i].name);
		d->types[i].size = (int32_t)u32(r);
		d->types[i].module = string(r);
	}
	assert_string_equal(d->types[0].name, "UNDEFINED");
	d->nodes_count = u32(r);
	d->nodes = room(d->nodes_count, sizeof(*d->nodes));
	for (uint32_t i = 0; i < d->nodes_count; i++)
		d->nodes[i].offset = u32(r);
	read_records(r, d);
	assert_int_equal(u32(r), d->nodes_count);
	for (uint32_t i = 0; i < d->nodes_count; i++)
		d->nodes[i].address = u64(r);
	tag(r, 8);
	d->is_64bit = *take(r, 1) != 0;
	tag(r, 6);
}

/* --- around it --- */

static void
read_segment(struct reading *r, struct read_segment *s)
{
	size_t label = r->at + 1;

	if (!r->segment_type) {
		begin(r, "GCHeapDumpSegment", 1, 1);
		r->segment_type = (uint32_t)label;
	} else {
		tag(r, 4);
		tag(r, 2);
		assert_int_equal(u32(r), r->segment_type);
	}
	s->start = u64(r);
	s->end = u64(r);
	for (int i = 0; i < 5; i++)
		s->ends[i] = u64(r);
	tag(r, 6);
}

static void
read_segments(struct reading *r, struct read_dump *d)
{
	uint64_t bytes = 0, declared;

	if (r->data[r->at] == 1) {
		tag(r, 1);
		return;
	}
	begin(r, "DotNetHeapInfo", 0, 0);
	declared = u64(r);
	d->segments_count = u32(r);
	d->segments = room(d->segments_count, sizeof(*d->segments));
	for (uint32_t i = 0; i < d->segments_count; i++) {
		read_segment(r, &d->segments[i]);
		bytes += d->segments[i].end - d->segments[i].start;
	}
	assert_int_equal(declared, bytes);
	tag(r, 6);
}

static void
read_tail(struct reading *r, size_t forward)
{
	size_t table, trailer;

	tag(r, 6);
	table = r->at;
	assert_int_equal(u32(r), 1);
	assert_int_equal(u32(r), forward);
	trailer = r->at;
	assert_int_equal(u32(r), table);
	assert_int_equal(u32(r), trailer);
	assert_int_equal(r->at, r->len);
}

struct read_dump *
dump_read(const uint8_t *data, size_t len)
{
	struct reading r = { data, len, 0, 0 };
	struct read_dump *d = room(1, sizeof(*d));
	size_t forward;

	assert_memory_equal(take(&r, 24), "\x14\0\0\0!FastSerialization.1", 24);
	begin(&r, "GCHeapDump", 10, 8);
	read_graph(&r, d);
	assert_int_equal(*take(&r, 1), d->is_64bit);
	d->count_multiplier = f32(&r);
	d->size_multiplier = f32(&r);
	tag(&r, 1);
	read_segments(&r, d);
	d->log = string(&r);
	d->ticks = (int64_t)u64(&r);
	d->machine = string(&r);
	d->process = string(&r);
	d->pid = (int32_t)u32(&r);
	d->commit = (int64_t)u64(&r);
	d->working_set = (int64_t)u64(&r);
	d->multipliers_count = u32(&r);
	d->multipliers = room(d->multipliers_count, sizeof(float));
	for (uint32_t i = 0; i < d->multipliers_count; i++)
		d->multipliers[i] = f32(&r);
	tag(&r, 12);
	assert_int_equal(u32(&r), 0);
	tag(&r, 1);
	forward = r.at;
	tag(&r, 13);
	d->tool = string(&r);
	tag(&r, 6);
	read_tail(&r, forward);
	return d;
}

void
dump_read_free(struct read_dump *d)
{
	for (uint32_t i = 0; i < d->types_count; i++) {
		free(d->types[i].name);
		free(d->types[i].module);
	}
	for (uint32_t i = 0; i < d->nodes_count; i++)
		free(d->nodes[i].refs);
	free(d->types);
	free(d->nodes);
	free(d->segments);
	free(d->multipliers);
	free(d->log);
	free(d->machine);
	free(d->process);
	free(d->tool);
	free(d);
}

uint32_t
dump_read_find(const struct read_dump *d, const char *path)
{
	uint32_t node = 0;

	while (*path) {
		const struct read_node *n = &d->nodes[node];
		size_t len = strcspn(path, "|");
		uint32_t found = UINT32_MAX;

		for (uint32_t i = 0; i < n->refs_count; i++) {
			const struct read_node *child = &d->nodes[n->refs[i]];
			const char *name = d->types[child->type].name;

			if (!child->address && strlen(name) == len && !memcmp(name, path, len))
				found = n->refs[i];
		}
		if (found == UINT32_MAX)
			return found;
		node = found;
		path += len;
		path += *path == '|';
	}
	return node;
}
