#include "tests/made/made_calls.h"
#include "model/heap/literal.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>

#define SERVICES "System.Runtime.CompilerServices."
#define CORELIB  "/app/System.Private.CoreLib.dll"
#define OWN      "/app/app.dll"
#define BASE     UINT64_C(0x100000)
#define CODE     UINT64_C(0x900000)
#define TABLES   UINT64_C(0x800000)

enum { OBJECTS_MAX = 64, OBJECT_BYTES = 64, FIELDS = 3, FIELDS_AT = 16 };

struct made_field {
	const char *name;
	uint8_t kind, literal;
};
#define REFERENCE(name)                                                                            \
	{                                                                                          \
		name, CONTENT_REFERENCE, 0                                                         \
	}
#define NUMBER(name)                                                                               \
	{                                                                                          \
		name, CONTENT_VALUE, LITERAL_INT32                                                 \
	}
#define POINTER(name)                                                                              \
	{                                                                                          \
		name, CONTENT_VALUE, LITERAL_POINTER                                               \
	}
#define CALL_FIELDS                                                                                \
	{                                                                                          \
		REFERENCE("Next"), POINTER("ResumeInfo"), NUMBER("State")                          \
	}

static const struct {
	const char *name, *module;
	uint32_t table;
	struct made_field fields[FIELDS];
} kinds[CALL_KINDS] = {
	[CALL_ASK] = { SERVICES "Continuation<A.Shop+<Ask>d__1>", OWN, 1, CALL_FIELDS },
	[CALL_PAY] = { SERVICES "Continuation<A.Shop+<Pay>d__2>", OWN, 1, CALL_FIELDS },
	[CALL_UNKNOWN] = { SERVICES "Continuation", CORELIB, 1, CALL_FIELDS },
	[CALL_HELPER] = { SERVICES "RuntimeAsyncTaskContinuation",
			  CORELIB,
			  2,
			  { REFERENCE("Next"), REFERENCE("Task"), REFERENCE("RuntimeAsyncTask") } },
	[CALL_WAITER] = { SERVICES "AsyncHelpers+ValueTaskSourceContinuation",
			  CORELIB,
			  3,
			  { REFERENCE("Next"), REFERENCE("Source") } },
	[CALL_PROMISE] = { SERVICES "AsyncHelpers+RuntimeAsyncTask<System.Int32>",
			   CORELIB,
			   4,
			   { REFERENCE("m_stateObject"), REFERENCE("m_continuationObject"),
			     NUMBER("m_stateFlags") } },
	[CALL_TASK] = { "System.Threading.Tasks.Task",
			CORELIB,
			5,
			{ REFERENCE("m_continuationObject"), NUMBER("m_stateFlags") } },
	[CALL_SOURCE] = { "A.Source", OWN, 6, { REFERENCE("_continuationState") } },
	[CALL_OPAQUE] = { "A.Opaque", OWN, 7, { REFERENCE("_what") } },
	[CALL_LIST] = { "System.Collections.Generic.List<System.Object>",
			CORELIB,
			8,
			{ REFERENCE("_items") } },
	[CALL_ARRAY] = { "System.Object[]",
			 CORELIB,
			 9,
			 { REFERENCE("[0]"), REFERENCE("[1]"), REFERENCE("[2]") } },
	[CALL_DELEGATE] = { "System.Action", CORELIB, 10, { REFERENCE("_target") } },
};

struct made_calls {
	struct heap_stream *stream;
	struct error err;
	type_id types[CALL_KINDS];
	struct heap_table tables[CALL_KINDS];
	uint64_t words[OBJECTS_MAX][OBJECT_BYTES / 8];
	uint8_t kind_of[OBJECTS_MAX];
	uint64_t resume[OBJECTS_MAX][2];
	uint32_t count, resume_count;
	const struct heap *heap;
};

struct made_calls *
made_calls_new(void)
{
	struct made_calls *m = calloc(1, sizeof *m);
	struct heap_builder *b;

	assert_non_null(m);
	m->stream = heap_stream_new(&m->err);
	assert_non_null(m->stream);
	b = heap_stream_builder(m->stream);
	heap_builder_info(b)->is_64bit = true;
	for (int i = 0; i < CALL_KINDS; i++)
		m->types[i] = heap_builder_type(b, kinds[i].name, kinds[i].module, &m->err);
	heap_builder_type_flags(b, m->types[CALL_ARRAY], TYPE_ARRAY);
	return m;
}

uint64_t
made_calls_next(const struct made_calls *m, uint32_t later)
{
	return BASE + OBJECT_BYTES * (uint64_t)(m->count + later);
}

uint64_t
made_calls_put(struct made_calls *m, enum call_kind kind, uint64_t first, uint64_t second,
	       uint64_t third)
{
	const uint64_t fields[FIELDS] = { first, second, third };
	uint64_t address = made_calls_next(m, 0);
	/* A reference to itself, as types without any are passed over. */
	size_t refs_count = kind != CALL_ARRAY;

	assert_true(m->count < OBJECTS_MAX);
	m->kind_of[m->count] = (uint8_t)kind;
	m->words[m->count][0] = TABLES + 64 * kinds[kind].table;
	for (size_t i = 0; i < FIELDS; i++) {
		m->words[m->count][FIELDS_AT / 8 + i] = fields[i];
		refs_count += kinds[kind].fields[i].kind == CONTENT_REFERENCE && fields[i];
	}
	m->count++;
	assert_true(heap_stream_object(m->stream, address, m->types[kind], OBJECT_BYTES, refs_count,
				       &m->err));
	if (kind != CALL_ARRAY)
		assert_true(heap_stream_ref(m->stream, address, &m->err));
	for (size_t i = 0; i < FIELDS; i++)
		if (kinds[kind].fields[i].kind == CONTENT_REFERENCE && fields[i])
			assert_true(heap_stream_ref(m->stream, fields[i], &m->err));
	return address;
}

uint64_t
made_calls_resume(struct made_calls *m, uint64_t code)
{
	assert_true(m->resume_count < OBJECTS_MAX);
	m->resume[m->resume_count][1] = code;
	return CODE + 16 * (uint64_t)m->resume_count++;
}

void
made_calls_root(struct made_calls *m, uint64_t object, enum root_kind kind)
{
	assert_true(heap_stream_root(m->stream, object, kind, false, "", "", &m->err));
}

/* --- contents ------------------------------------------------------------- */

static bool
find_field(const void *source, node_id n, const char *name, struct content_field *out,
	   struct error *err)
{
	const struct made_calls *m = source;
	uint64_t at = (heap_address(m->heap, n) - BASE) / OBJECT_BYTES;
	const struct made_field *fields = kinds[m->kind_of[at]].fields;

	(void)err;
	for (uint32_t i = 0; i < FIELDS; i++)
		if (fields[i].name && !strcmp(fields[i].name, name)) {
			*out = (struct content_field){
				.address = heap_address(m->heap, n) + FIELDS_AT + 8 * i,
				.bytes = 8,
				.count = 1,
				.kind = fields[i].kind,
				.literal = fields[i].literal,
			};
			return true;
		}
	return false;
}

static bool
read_header(const void *source, node_id n, struct content_header *out, struct error *err)
{
	(void)source;
	(void)n;
	(void)err;
	*out = (struct content_header){ 0 };
	return true;
}

static size_t
copy(const void *from, uint64_t start, uint64_t size, uint64_t address, void *to, size_t len)
{
	if (address < start || address - start > size || len > size - (address - start))
		return 0;
	memcpy(to, (const char *)from + (address - start), len);
	return len;
}

static size_t
read_bytes(const void *source, uint64_t address, void *to, size_t len)
{
	const struct made_calls *m = source;

	return address >= CODE ? copy(m->resume, CODE, sizeof m->resume, address, to, len)
			       : copy(m->words, BASE, sizeof m->words, address, to, len);
}

static const struct contents_ops ops = { .field = find_field,
					 .header = read_header,
					 .bytes = read_bytes };

static int
compare_types(const void *a, const void *b)
{
	const struct heap_table *x = a, *y = b;

	return (x->type > y->type) - (x->type < y->type);
}

const struct heap *
made_calls_heap(struct made_calls *m)
{
	struct heap_memory *memory = heap_builder_memory(heap_stream_builder(m->stream), &m->err);

	assert_non_null(memory);
	for (int i = 0; i < CALL_KINDS; i++)
		m->tables[i] = (struct heap_table){
			.address = TABLES + 64 * kinds[i].table,
			.type = m->types[i],
		};
	qsort(m->tables, CALL_KINDS, sizeof m->tables[0], compare_types);
	memory->tables = m->tables;
	memory->tables_count = CALL_KINDS;
	memory->contents = &ops;
	memory->source = m;
	m->heap = heap_stream_finish(m->stream, NULL, &m->err);
	if (!m->heap)
		fail_msg("%s", m->err.message);
	return m->heap;
}

void
made_calls_free(struct made_calls *m)
{
	heap_free(m->heap);
	free(m);
}
