#ifndef TESTS_MADE_DUMP_WRITER_H
#define TESTS_MADE_DUMP_WRITER_H

/*
 * Writes .gcdump files of every kind for tests, good ones and bad ones. It shares nothing with the
 * reader. What fails fails the test.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow. */
struct blob {
	uint8_t *data;
	size_t len, room;
};

void blob_free(struct blob *b);
void blob_put(struct blob *b, const void *data, size_t len);
void blob_u8(struct blob *b, uint8_t value);
void blob_i32(struct blob *b, int64_t value);
void blob_i64(struct blob *b, int64_t value);
/* ASCII, or bytes that are already as the format wants; NULL: null. */
void blob_string(struct blob *b, const char *text);
/* A compressed integer in as few bytes as it needs. */
void blob_ci(struct blob *b, int32_t value);
/* Overwrites. */
void blob_patch(struct blob *b, size_t at, const void *data, size_t len);
bool blob_read_file(struct blob *b, const char *path);

struct dump_type {
	const char *name; /* NULL: deferred */
	int32_t size;
	const char *module;
};

struct dump_node {
	uint32_t type;
	int64_t size; /* DUMP_TYPE_SIZE: that of the type */
	uint64_t address;
	const uint32_t *refs; /* nodes */
	uint32_t refs_count;
	bool is_undefined;
};
#define DUMP_TYPE_SIZE INT64_MIN

struct dump_segment {
	uint64_t start, end, ends[5];
};

struct dump_deferred {
	int32_t id;
	int module; /* 0: none, else 1, 2, … */
	const char *suffix;
};

struct dump {
	int32_t version, oldest_reader;    /* 0: the graph alone */
	unsigned label_bytes, count_bytes; /* 0: 4 */
	const struct dump_type *types;
	uint32_t types_count;
	const struct dump_node *nodes; /* or a function that gives them */
	void (*node)(void *context, uint32_t index, struct dump_node *node);
	void *node_context;
	uint32_t nodes_count;
	int32_t root;
	const struct dump_deferred *deferred;
	uint32_t deferred_count;
	unsigned module_size_bytes; /* 0: 8 */
	const struct dump_segment *segments;
	uint32_t segments_count;
	const char *log, *machine, *process, *tool;
	int64_t ticks, commit, working_set;
	int32_t pid;
	float count_multiplier, size_multiplier; /* 0: 1 */
	const float *multipliers;
	uint32_t multipliers_count;
	bool has_interop, has_javascript;
	int64_t total; /* DUMP_TYPE_SIZE: the right one */
};

/* The dump of all examples: three objects, one static variable. */
extern const struct dump dump_tiny;
extern const struct dump dump_tiny_full;

/* Where the tables ended up, for tests that damage them. */
struct dump_map {
	size_t types, nodes_count, offsets, records_len, records, addresses, graph_end, end;
};
void dump_write(const struct dump *d, struct blob *out, struct dump_map *map);

#endif
