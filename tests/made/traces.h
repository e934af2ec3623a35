#ifndef TESTS_MADE_TRACES_H
#define TESTS_MADE_TRACES_H

/*
 * Writes .nettrace streams for tests, good ones and bad ones, and heap walks
 * in them. It shares nothing with the reader. What fails fails the test.
 */
#include "io/pe/pe.h"
#include "tests/made/dump_writer.h"

enum trace_format { TRACE_4, TRACE_4_PLAIN, TRACE_6, TRACE_6_PLAIN };

/* Kinds of events that every trace announces, by their number in the stream. */
enum trace_kind {
	KIND_GC_START = 1,
	KIND_GC_END,
	KIND_TYPES,
	KIND_ROOTS,
	KIND_DEPENDENTS,
	KIND_OBJECTS,
	KIND_REFS,
	KIND_RANGE,
	KIND_STATICS,
	KIND_CCWS,
	KIND_RCWS,
	KIND_SUSPEND,
	KIND_RESTART,
	KIND_SUSPENDED,
	KIND_SURVIVING,
	KIND_MOVED,
	KIND_MARK,
	KIND_MODULE,       /* rundown */
	KIND_MODULE_BUILD, /* rundown */
	KIND_METHOD,       /* rundown */
	KIND_PROCESS,
	KIND_TICK_1, /* AllocationTick of this version */
	KIND_TICK_3,
	KIND_OTHER, /* another provider, id 18 */
	KIND_COUNT
};

struct trace {
	struct blob out;
	enum trace_format format;
	unsigned pointer_bytes;
	uint64_t thread, time;
	uint32_t sequence; /* of the last event */
	/* The block of events that is being filled. */
	struct blob block;
	uint32_t row_sequence; /* of the row before */
	uint64_t row_time;
	bool has_block;
	bool is_losing; /* events are numbered, but do not arrive */
	bool is_mixed;  /* older events may follow, and that is said */
};

void trace_begin(struct trace *t, enum trace_format format, unsigned pointer_bytes);
void trace_free(struct trace *t);
void trace_event(struct trace *t, unsigned kind, const struct blob *payload);
/* Writes the block; the next event begins another. */
void trace_flush(struct trace *t);
/* A sequence point: this thread has used numbers up to this one. */
void trace_point(struct trace *t, uint64_t thread, uint32_t sequence);
/* An object (format 4) or block (6) of any name (or kind) and content. */
void trace_block(struct trace *t, const char *name, unsigned kind, const void *data, size_t len);
/* A sequence point for the thread, and the end. */
void trace_end(struct trace *t);

/* Little endian. */
void blob_u16(struct blob *b, uint16_t value);
void blob_u32(struct blob *b, uint32_t value);
void blob_u64(struct blob *b, uint64_t value);
void blob_pointer(struct blob *b, const struct trace *t, uint64_t value);
/* UTF-16 of ASCII with a zero at the end. */
void blob_text16(struct blob *b, const char *text);

/* --- walks --- */

void trace_gc_start(struct trace *t, uint32_t number, uint32_t generation);
void trace_gc_end(struct trace *t, uint32_t number, uint32_t generation);
void trace_range(struct trace *t, uint8_t generation, uint64_t start, uint64_t used);
void trace_type(struct trace *t, uint64_t id, uint64_t module, uint32_t token, const char *name);
/* As Native AOT has them: by their place in the program, without a name. */
void trace_native_type(struct trace *t, uint64_t id, uint64_t module, uint32_t offset);
void trace_module(struct trace *t, uint64_t id, const char *path);
void trace_process(struct trace *t, const char *command_line);
/* The same in full, with the build it is of. */
void trace_module_build(struct trace *t, uint64_t id, const char *path,
			const struct pe_build *build);

/* Fills events of one series, so many records each. */
struct bulk_writer {
	struct trace *trace;
	unsigned kind;
	uint32_t index, count, full;
	uint32_t cut_count; /* records at the end that are announced only */
	struct blob records;
};
void bulk_begin(struct bulk_writer *b, struct trace *t, unsigned kind, uint32_t full);
void bulk_flush(struct bulk_writer *b); /* sends what there is */
void bulk_object(struct bulk_writer *b, uint64_t address, uint64_t size, uint64_t type,
		 uint64_t refs_count);
void bulk_ref(struct bulk_writer *b, uint64_t target);
void bulk_root(struct bulk_writer *b, uint64_t object, uint8_t kind, uint32_t flags, uint64_t id);
void bulk_dependent(struct bulk_writer *b, uint64_t key, uint64_t value);
/* Sends the rest and frees. */
void bulk_end(struct bulk_writer *b);

#endif
