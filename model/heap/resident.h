#ifndef MODEL_HEAP_RESIDENT_H
#define MODEL_HEAP_RESIDENT_H

/*
 * The resident memory of a process when its heap was captured, by use: is it the managed heap at
 * all that takes the memory? Part of struct heap_info, a few numbers without pointers, and stored
 * in .heaptop files. Of a core it is the memory in the file.
 */
#include <stdint.h>

enum resident_kind {
	RESIDENT_MANAGED,   /* the collector's segments or regions */
	RESIDENT_COLLECTOR, /* its card table, mark array and the like */
	RESIDENT_CODE,      /* compiled code, and descriptions of types */
	RESIDENT_IMAGES,    /* files with code: libraries, assemblies */
	RESIDENT_STACKS,    /* stacks of threads */
	RESIDENT_FILES,     /* other mapped files, and shared memory */
	RESIDENT_MALLOC,    /* heaps of malloc() */
	RESIDENT_OTHER,     /* anonymous memory of unknown use */
	/* .heaptop stores these numbers: append new kinds here. */
	RESIDENT_KIND_COUNT
};

enum resident_detail {
	RESIDENT_UNKNOWN,
	/* Mappings may not be read: only the sums of anonymous memory, which is OTHER beyond the
	   objects, and of files. */
	RESIDENT_SUMS,
	RESIDENT_MAPPINGS,
	/* Bytes in a core, without pages of zeros, which may never have been touched; it may lack
	   pages of files. */
	RESIDENT_PRESENT,
	RESIDENT_DETAIL_COUNT
};

struct resident_part {
	uint64_t bytes;
	/* Segments, threads, files, heaps of malloc(), or mappings. */
	uint64_t count;
};

struct resident {
	uint64_t detail;        /* enum resident_detail; UNKNOWN: all else is 0 */
	uint64_t bytes;         /* the sum of all parts */
	uint64_t swapped_bytes; /* not resident, and in no part */
	/* The cgroup's count, which includes other processes in it and leaves out file cache that
	   is easily freed. 0: unknown, no limit. */
	uint64_t cgroup_bytes, cgroup_limit;
	struct resident_part parts[RESIDENT_KIND_COUNT];
};

/* No process has more; larger numbers in a file are damaged. */
#define RESIDENT_BYTES_MAX (UINT64_C(1) << 56)

#endif
