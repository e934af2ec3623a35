#ifndef TESTS_MADE_MADE_MEMORY_H
#define TESTS_MADE_MADE_MEMORY_H

/*
 * Memory made up for tests: a list of stretches with their bytes. Everything between them is
 * absent. What was put last is there.
 */
#include "io/memory/memory.h"

struct made_memory;

struct made_memory *made_memory_new(enum memory_machine machine);
void made_memory_free(struct made_memory *mm);
/* As readers see it. Good until more is put; belongs to `mm`, do not close. */
const struct memory *made_memory_open(struct made_memory *mm);
/* False: memory_view() finds nothing, all is copied. At first it does. */
void made_memory_set_views(struct made_memory *mm, bool has_views);

/* A stretch of zeros, or of bytes; over what is there already, too. */
void made_memory_zeros(struct made_memory *mm, uint64_t address, size_t len);
void made_memory_put(struct made_memory *mm, uint64_t address, const void *bytes, size_t len);
void made_memory_u8(struct made_memory *mm, uint64_t address, uint8_t value);
void made_memory_u16(struct made_memory *mm, uint64_t address, uint16_t value);
void made_memory_u32(struct made_memory *mm, uint64_t address, uint32_t value);
void made_memory_u64(struct made_memory *mm, uint64_t address, uint64_t value);
/* Absent from now on. */
void made_memory_lose(struct made_memory *mm, uint64_t address, size_t len);

/* The stretches, by address; NULL behind the last. */
const uint8_t *made_memory_piece(const struct made_memory *mm, size_t i, uint64_t *address,
				 size_t *len);

/* In the order of addresses. `name` is kept as it is, not copied. */
void made_memory_map(struct made_memory *mm, uint64_t start, uint64_t end, uint64_t file_offset,
		     unsigned flags, const char *name);
/* In the place of the one with this number, if there is one. */
void made_memory_thread(struct made_memory *mm, int32_t tid, uint64_t sp, uint64_t pc);

#endif
