#ifndef TESTS_JUDGE_DUMP_READER_H
#define TESTS_JUDGE_DUMP_READER_H

/*
 * Reads .gcdump files of version 10 as they should be written, and nothing else: a number in more
 * bytes than it needs, a record nobody refers to or a label that leads elsewhere fails the test. It
 * shares nothing with io/.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct read_type {
	char *name, *module; /* as the file has them; NULL: null */
	int32_t size;
};

struct read_node {
	uint32_t type, offset; /* 0: never described */
	int32_t size;
	uint64_t address;
	uint32_t *refs; /* nodes */
	uint32_t refs_count;
};

struct read_segment {
	uint64_t start, end, ends[5];
};

struct read_dump {
	int64_t total;
	uint32_t types_count, nodes_count, segments_count, multipliers_count;
	struct read_type *types;
	struct read_node *nodes;
	struct read_segment *segments;
	float *multipliers;
	bool is_64bit;
	float count_multiplier, size_multiplier;
	char *log, *machine, *process, *tool;
	int64_t ticks, commit, working_set;
	int32_t pid;
};

struct read_dump *dump_read(const uint8_t *data, size_t len);
void dump_read_free(struct read_dump *d);
/* Finds a pseudo-node of this name below the graph's root, which is node 0; "a/b" names one below
 * the other. UINT32_MAX: there is none. */
uint32_t dump_read_find(const struct read_dump *d, const char *path);

#endif
