#include "tests/made/traces.h"
#include "tests/drive/run_tests.h"
#include <string.h>

static const char runtime[] = "Microsoft-Windows-DotNETRuntime";
static const char rundown[] = "Microsoft-Windows-DotNETRuntimeRundown";

static const struct {
	const char *provider;
	uint32_t id, version;
} kinds[KIND_COUNT] = {
	[KIND_GC_START] = { runtime, 1, 2 },
	[KIND_GC_END] = { runtime, 2, 1 },
	[KIND_TYPES] = { runtime, 15, 0 },
	[KIND_ROOTS] = { runtime, 16, 0 },
	[KIND_DEPENDENTS] = { runtime, 17, 0 },
	[KIND_OBJECTS] = { runtime, 18, 0 },
	[KIND_REFS] = { runtime, 19, 0 },
	[KIND_RANGE] = { runtime, 23, 0 },
	[KIND_STATICS] = { runtime, 38, 0 },
	[KIND_CCWS] = { runtime, 36, 0 },
	[KIND_RCWS] = { runtime, 37, 0 },
	[KIND_SUSPEND] = { runtime, 9, 1 },
	[KIND_RESTART] = { runtime, 3, 1 },
	[KIND_SUSPENDED] = { runtime, 8, 1 },
	[KIND_SURVIVING] = { runtime, 21, 0 },
	[KIND_MOVED] = { runtime, 22, 0 },
	[KIND_MARK] = { runtime, 202, 0 },
	[KIND_MODULE] = { rundown, 152, 1 },
	[KIND_MODULE_BUILD] = { rundown, 154, 2 },
	[KIND_METHOD] = { rundown, 144, 2 },
	[KIND_PROCESS] = { "Microsoft-DotNETCore-EventPipe", 1, 1 },
	[KIND_TICK_1] = { runtime, 10, 1 },
	[KIND_TICK_3] = { runtime, 10, 3 },
	[KIND_OTHER] = { "My-Provider", 18, 0 },
};

/* --- numbers --- */

static void
blob_number(struct blob *b, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		blob_u8(b, (uint8_t)(value >> (8 * i)));
}

void
blob_u16(struct blob *b, uint16_t value)
{
	blob_number(b, value, 2);
}

void
blob_u32(struct blob *b, uint32_t value)
{
	blob_number(b, value, 4);
}

void
blob_u64(struct blob *b, uint64_t value)
{
	blob_number(b, value, 8);
}

void
blob_pointer(struct blob *b, const struct trace *t, uint64_t value)
{
	blob_number(b, value, t->pointer_bytes);
}

void
blob_text16(struct blob *b, const char *text)
{
	for (; *text; text++)
		blob_u16(b, (uint8_t)*text);
	blob_u16(b, 0);
}

static void
blob_varint(struct blob *b, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		blob_u8(b, (uint8_t)(value | 0x80));
	blob_u8(b, (uint8_t)value);
}

static void
blob_text8(struct blob *b, const char *text)
{
	blob_varint(b, strlen(text));
	blob_put(b, text, strlen(text));
}

/* --- framing --- */

static bool
is_6(const struct trace *t)
{
	return t->format >= TRACE_6;
}

static bool
is_plain(const struct trace *t)
{
	return t->format == TRACE_4_PLAIN || t->format == TRACE_6_PLAIN;
}

static void
begin_object(struct trace *t, const char *name, uint32_t version)
{
	blob_put(&t->out, "\5\5\1", 3);
	blob_u32(&t->out, version);
	blob_u32(&t->out, version);
	blob_u32(&t->out, (uint32_t)strlen(name));
	blob_put(&t->out, name, strlen(name));
	blob_u8(&t->out, 6);
}

void
trace_block(struct trace *t, const char *name, unsigned kind, const void *data, size_t len)
{
	if (is_6(t)) {
		blob_u32(&t->out, (uint32_t)len | kind << 24);
		blob_put(&t->out, data, len);
		return;
	}
	begin_object(t, name, 2);
	blob_u32(&t->out, (uint32_t)len);
	while (t->out.len % 4)
		blob_u8(&t->out, 0);
	blob_put(&t->out, data, len);
	blob_u8(&t->out, 6);
}

static void
put_clock(struct blob *b)
{
	/* Saturday, 21 November 2026, 12:01:53.228 */
	static const uint16_t parts[] = { 2026, 11, 6, 21, 12, 1, 53, 228 };

	for (size_t i = 0; i < 8; i++)
		blob_u16(b, parts[i]);
	blob_u64(b, 1000000);
	blob_u64(b, 1000000000);
}

static void
begin_4(struct trace *t)
{
	blob_put(&t->out, "Nettrace", 8);
	blob_u32(&t->out, 20);
	blob_put(&t->out, "!FastSerialization.1", 20);
	begin_object(t, "Trace", 4);
	put_clock(&t->out);
	blob_u32(&t->out, t->pointer_bytes);
	blob_u32(&t->out, 4711);
	blob_u32(&t->out, 2);
	blob_u32(&t->out, 1000000);
	blob_u8(&t->out, 6);
}

static void
begin_6(struct trace *t)
{
	struct blob b = { 0 };

	blob_put(&t->out, "Nettrace", 8);
	blob_u32(&t->out, 0);
	blob_u32(&t->out, 6);
	blob_u32(&t->out, 0);
	put_clock(&b);
	blob_u32(&b, t->pointer_bytes);
	blob_u32(&b, 2);
	blob_text8(&b, "ProcessId");
	blob_text8(&b, "4711");
	blob_text8(&b, "HardwareThreadCount");
	blob_text8(&b, "2");
	trace_block(t, "", 1, b.data, b.len);
	blob_free(&b);
}

/* --- kinds --- */

/* What some call format 5: an opcode, and fields described anew. */
static void
put_tags(struct blob *b)
{
	struct blob field = { 0 };

	blob_u32(b, 1);
	blob_u8(b, 1);
	blob_u8(b, 9);
	blob_text16(&field, "Data");
	blob_u32(&field, 19); /* an array */
	blob_u32(&field, 6);  /* of bytes */
	blob_u32(b, 4 + 4 + (uint32_t)field.len);
	blob_u8(b, 2);
	blob_u32(b, 1);
	blob_u32(b, 4 + (uint32_t)field.len);
	blob_put(b, field.data, field.len);
	blob_free(&field);
}

static void
put_kind_4(struct blob *rows, unsigned kind, bool is_row_plain)
{
	struct blob b = { 0 };

	blob_u32(&b, kind);
	blob_text16(&b, kinds[kind].provider);
	blob_u32(&b, kinds[kind].id);
	blob_text16(&b, "");
	blob_u64(&b, 0x1980001);
	blob_u32(&b, kinds[kind].version);
	blob_u32(&b, 4);
	blob_u32(&b, 0);
	if (kind % 2)
		put_tags(&b);
	if (is_row_plain) {
		blob_u32(rows, (uint32_t)(76 + b.len));
		for (int i = 0; i < 18; i++)
			blob_u32(rows, 0);
		blob_u32(rows, (uint32_t)b.len);
		blob_put(rows, b.data, b.len);
		while (rows->len % 4)
			blob_u8(rows, 0);
	} else {
		/* As the runtime writes them: with writer and sequence. */
		blob_put(rows, "\xc6\xff\xff\xff\xff\x0f\0\xff\xff\xff\xff\x0f", 12);
		blob_varint(rows, 6950);
		blob_varint(rows, 7450);
		blob_varint(rows, b.len);
		blob_put(rows, b.data, b.len);
	}
	blob_free(&b);
}

static void
put_kind_6(struct blob *rows, unsigned kind)
{
	struct blob b = { 0 };

	blob_varint(&b, kind);
	blob_text8(&b, kinds[kind].provider);
	blob_varint(&b, kinds[kind].id);
	blob_text8(&b, "Name");
	blob_u16(&b, 1); /* fields */
	blob_u16(&b, 6);
	blob_text8(&b, "Data");
	blob_u8(&b, 6);
	blob_u16(&b, 2 + 9 + 2 + 5); /* options */
	blob_put(&b, "\1\2", 2);
	blob_u8(&b, 3);
	blob_u64(&b, 0x1980001);
	blob_put(&b, "\10\4\4\1x", 5);
	blob_u8(&b, 9);
	blob_u8(&b, (uint8_t)kinds[kind].version);
	blob_u16(rows, (uint16_t)b.len);
	blob_put(rows, b.data, b.len);
	blob_free(&b);
}

static void
put_block_head(struct trace *t, struct blob *b)
{
	blob_u16(b, 20);
	blob_u16(b, is_plain(t) ? 0 : 1);
	blob_u64(b, t->time);
	blob_u64(b, t->time);
}

void
trace_begin(struct trace *t, enum trace_format format, unsigned pointer_bytes)
{
	struct blob rows = { 0 };

	*t = (struct trace){
		.format = format, .pointer_bytes = pointer_bytes, .thread = 6853, .time = 2000000
	};
	if (is_6(t)) {
		begin_6(t);
		blob_u16(&rows, 4);
		blob_u32(&rows, 0);
	} else {
		begin_4(t);
		put_block_head(t, &rows);
	}
	for (unsigned kind = 1; kind < KIND_COUNT; kind++) {
		if (is_6(t))
			put_kind_6(&rows, kind);
		else
			put_kind_4(&rows, kind, is_plain(t));
	}
	trace_block(t, "MetadataBlock", 3, rows.data, rows.len);
	blob_free(&rows);
}

void
trace_free(struct trace *t)
{
	blob_free(&t->out);
	blob_free(&t->block);
}

/* --- events --- */

static void
put_row(struct trace *t, unsigned kind, const struct blob *payload)
{
	struct blob *b = &t->block;

	blob_u8(b, 0x01 | 0x02 | 0x04 | 0x08 | 0x80 | (t->is_mixed ? 0 : 0x40));
	blob_varint(b, kind);
	blob_varint(b, (uint32_t)(t->sequence - t->row_sequence - 1));
	blob_varint(b, t->thread);
	blob_varint(b, 0xffffffff);
	blob_varint(b, t->thread);
	blob_varint(b, 1);
	blob_varint(b, t->time - t->row_time);
	t->row_sequence = t->sequence;
	t->row_time = t->time;
	blob_varint(b, payload->len);
	blob_put(b, payload->data, payload->len);
}

static void
put_plain_row(struct trace *t, unsigned kind, const struct blob *payload)
{
	struct blob *b = &t->block;

	blob_u32(b, (uint32_t)((is_6(t) ? 52 : 80) + payload->len - 4));
	blob_u32(b, kind | (t->is_mixed ? 0x80000000 : 0));
	blob_u32(b, t->sequence);
	blob_u64(b, t->thread);
	blob_u64(b, t->thread);
	blob_u32(b, 0xffffffff);
	blob_u32(b, 1);
	blob_u64(b, t->time);
	if (is_6(t))
		blob_u32(b, 0);
	else
		blob_put(b, "0123456789abcdef0123456789abcdef", 32);
	blob_u32(b, (uint32_t)payload->len);
	blob_put(b, payload->data, payload->len);
	while (!is_6(t) && b->len % 4)
		blob_u8(b, 0);
}

void
trace_event(struct trace *t, unsigned kind, const struct blob *payload)
{
	t->sequence++;
	t->time += 10;
	if (t->is_losing)
		return;
	if (!t->has_block) {
		put_block_head(t, &t->block);
		t->row_sequence = 0;
		t->row_time = 0;
		t->has_block = true;
	}
	if (is_plain(t))
		put_plain_row(t, kind, payload);
	else
		put_row(t, kind, payload);
	if (t->block.len > 60000)
		trace_flush(t);
}

void
trace_flush(struct trace *t)
{
	if (!t->has_block)
		return;
	trace_block(t, "EventBlock", 2, t->block.data, t->block.len);
	t->block.len = 0;
	t->has_block = false;
}

void
trace_point(struct trace *t, uint64_t thread, uint32_t sequence)
{
	struct blob b = { 0 };

	trace_flush(t);
	blob_u64(&b, t->time);
	if (is_6(t))
		blob_u32(&b, 0);
	blob_u32(&b, 1);
	if (is_6(t)) {
		blob_varint(&b, thread);
		blob_varint(&b, sequence);
	} else {
		blob_u64(&b, thread);
		blob_u32(&b, sequence);
	}
	trace_block(t, "SPBlock", 4, b.data, b.len);
	blob_free(&b);
}

void
trace_end(struct trace *t)
{
	trace_point(t, t->thread, t->sequence);
	if (is_6(t))
		blob_u32(&t->out, 0);
	else
		blob_u8(&t->out, 1);
}

/* --- walks --- */

static void
send(struct trace *t, unsigned kind, struct blob *payload)
{
	trace_event(t, kind, payload);
	blob_free(payload);
}

void
trace_gc_start(struct trace *t, uint32_t number, uint32_t generation)
{
	struct blob b = { 0 };

	blob_u32(&b, number);
	blob_u32(&b, generation);
	blob_u32(&b, 1); /* induced */
	blob_u32(&b, 0); /* blocking */
	blob_u16(&b, 0);
	blob_u64(&b, 0);
	send(t, KIND_GC_START, &b);
}

void
trace_gc_end(struct trace *t, uint32_t number, uint32_t generation)
{
	struct blob b = { 0 };

	blob_u32(&b, number);
	blob_u32(&b, generation);
	blob_u16(&b, 0);
	send(t, KIND_GC_END, &b);
}

void
trace_range(struct trace *t, uint8_t generation, uint64_t start, uint64_t used)
{
	struct blob b = { 0 };

	blob_u8(&b, generation);
	blob_pointer(&b, t, start);
	blob_u64(&b, used);
	blob_u64(&b, used);
	blob_u16(&b, 0);
	send(t, KIND_RANGE, &b);
}

static void
put_type(struct trace *t, uint64_t id, uint64_t module, uint32_t token, uint32_t flags,
	 const char *name)
{
	struct blob b = { 0 };

	blob_u32(&b, 1);
	blob_u16(&b, 0);
	blob_u64(&b, id);
	blob_u64(&b, module);
	blob_u32(&b, token);
	blob_u32(&b, flags);
	blob_u8(&b, 0x12);
	blob_text16(&b, name);
	blob_u32(&b, 0);
	send(t, KIND_TYPES, &b);
}

void
trace_type(struct trace *t, uint64_t id, uint64_t module, uint32_t token, const char *name)
{
	put_type(t, id, module, token, 0, name);
}

void
trace_native_type(struct trace *t, uint64_t id, uint64_t module, uint32_t offset)
{
	put_type(t, id, module, offset, 0x10, "");
}

void
trace_module(struct trace *t, uint64_t id, const char *path)
{
	struct blob b = { 0 };

	blob_u64(&b, id);
	blob_u64(&b, 1);
	blob_u64(&b, 2);
	blob_u32(&b, 0);
	blob_u32(&b, 0);
	blob_text16(&b, path);
	blob_text16(&b, "");
	blob_u16(&b, 0);
	send(t, KIND_MODULE, &b);
}

void
trace_process(struct trace *t, const char *command_line)
{
	struct blob b = { 0 };

	blob_text16(&b, command_line);
	blob_text16(&b, "Linux");
	blob_text16(&b, "x64");
	send(t, KIND_PROCESS, &b);
}

void
trace_module_build(struct trace *t, uint64_t id, const char *path, const struct pe_build *build)
{
	struct blob b = { 0 };

	blob_u64(&b, id);
	blob_u64(&b, 1);
	blob_u32(&b, 0);
	blob_u32(&b, 0);
	blob_text16(&b, path);
	blob_text16(&b, "");
	blob_u16(&b, 0);
	blob_put(&b, build->guid, sizeof(build->guid));
	blob_u32(&b, build->age);
	blob_text16(&b, "test.pdb");
	send(t, KIND_MODULE_BUILD, &b);
}

void
bulk_begin(struct bulk_writer *b, struct trace *t, unsigned kind, uint32_t full)
{
	*b = (struct bulk_writer){ .trace = t, .kind = kind, .full = full };
}

void
bulk_flush(struct bulk_writer *b)
{
	struct blob event = { 0 };

	blob_u32(&event, b->index++);
	blob_u32(&event, b->count);
	blob_u16(&event, 0);
	if (b->count)
		b->records.len -= b->records.len / b->count * b->cut_count;
	blob_put(&event, b->records.data, b->records.len);
	send(b->trace, b->kind, &event);
	b->records.len = 0;
	b->count = 0;
}

/* A record is complete. */
static void
bulk_next(struct bulk_writer *b)
{
	if (++b->count == b->full)
		bulk_flush(b);
}

void
bulk_object(struct bulk_writer *b, uint64_t address, uint64_t size, uint64_t type,
	    uint64_t refs_count)
{
	blob_pointer(&b->records, b->trace, address);
	blob_u64(&b->records, size);
	blob_u64(&b->records, type);
	blob_u64(&b->records, refs_count);
	bulk_next(b);
}

void
bulk_ref(struct bulk_writer *b, uint64_t target)
{
	blob_pointer(&b->records, b->trace, target);
	blob_u32(&b->records, 0);
	bulk_next(b);
}

void
bulk_root(struct bulk_writer *b, uint64_t object, uint8_t kind, uint32_t flags, uint64_t id)
{
	blob_pointer(&b->records, b->trace, object);
	blob_u8(&b->records, kind);
	blob_u32(&b->records, flags);
	blob_pointer(&b->records, b->trace, id);
	bulk_next(b);
}

void
bulk_dependent(struct bulk_writer *b, uint64_t key, uint64_t value)
{
	blob_pointer(&b->records, b->trace, key);
	blob_pointer(&b->records, b->trace, value);
	blob_pointer(&b->records, b->trace, 0x1234);
	bulk_next(b);
}

void
bulk_end(struct bulk_writer *b)
{
	if (b->count || !b->index)
		bulk_flush(b);
	blob_free(&b->records);
}
