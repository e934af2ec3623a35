#ifndef MODEL_HEAP_ADDRESSES_H
#define MODEL_HEAP_ADDRESSES_H

/*
 * Maps addresses to ids and back. One bit for each granule (8 bytes, fewer if addresses require it)
 * of the pages that hold objects, and a count of set bits before every 128: the id of an object is
 * the number of objects at lower addresses. About 1.4 bytes an object in an ordinary heap. The page
 * size is chosen for the least memory, so that scattered addresses cost at most about 150 bytes
 * each (600 if one of them is odd). Address to id takes 4–6 ns, id to address about 100 ns.
 *
 * Filled in four steps: survey every address, plan, place every address, seal. A caller that sees
 * each address only once notes it instead of surveying it, at 72 bytes for each 4 KiB with objects;
 * then usually nothing is left to place.
 */
#include "model/base/arena.h"

typedef uint32_t node_id;
#define NODE_NONE UINT32_MAX

struct addresses;

struct addresses *addresses_new(struct error *err) MUST_USE;
void addresses_free(struct addresses *m);

bool addresses_survey(struct addresses *m, uint64_t address, struct error *err) MUST_USE;
/* Surveys the address and remembers it. About 3 ns in ascending order. */
bool addresses_note(struct addresses *m, uint64_t address, struct error *err) MUST_USE;
bool addresses_plan(struct addresses *m, struct error *err) MUST_USE;
/* After addresses_plan(): true if all addresses were noted, are multiples of 8 and distinct. All
   are then placed; otherwise none is. */
bool addresses_are_placed(const struct addresses *m);
/* Returns false if the address is placed already: objects cannot share one. */
bool addresses_place(struct addresses *m, uint64_t address);
/*
 * An address for an object that has none or shares one: MADE_UP_ADDRESS or above, higher than every
 * real one. Call before sealing; do not survey or place it.
 */
#define MADE_UP_ADDRESS UINT64_C(0xfffffff000000000)
enum { MADE_UP_STEP = 8 };
uint64_t addresses_make_up(struct addresses *m);
/* Assigns ids; fails if there are more than 2^32 - 2 objects. */
bool addresses_seal(struct addresses *m, struct error *err) MUST_USE;

/* The contents, for files that store them: pages in order, with one bit per granule. Borrowed. */
struct addresses_parts {
	uint32_t granule_shift, page_shift;
	uint32_t pages_count, made_up_count;
	const uint64_t *numbers; /* numbers of the pages: address >> page_shift */
	uint64_t *words;         /* pages_count * words per page */
	uint64_t words_count;
};
void addresses_parts(const struct addresses *m, struct addresses_parts *parts);
/* Returns the words per page, or 0 if addresses_plan() never chooses these shifts. */
uint64_t addresses_words_per_page(uint32_t granule_shift, uint32_t page_shift);
/*
 * Replaces survey, plan and place: copies the page numbers, allocates the words and stores them in
 * `parts` for the caller to fill; then seal. False if the parts contradict each other.
 */
bool addresses_restore(struct addresses *m, struct addresses_parts *parts,
		       struct error *err) MUST_USE;

uint32_t addresses_count(const struct addresses *m);
uint64_t addresses_bytes(const struct addresses *m);
/* Returns NODE_NONE if no object starts at exactly this address. */
node_id addresses_find(const struct addresses *m, uint64_t address);
/* The same, faster for addresses that are often on one page. `last` belongs to the caller, one a
   thread, all zero at first. */
struct addresses_page {
	uint64_t number; /* page number plus 1 */
	uint64_t first_word;
};
node_id addresses_find_near(const struct addresses *m, uint64_t address,
			    struct addresses_page *last);
/* Returns the number of objects at lower addresses. */
uint32_t addresses_rank(const struct addresses *m, uint64_t address);
/* `id` must be below addresses_count(). */
uint64_t addresses_of(const struct addresses *m, node_id id);

/* Iterates over the addresses in id order from `first` on; about 2 ns each. */
struct addresses_scan {
	const struct addresses *addresses;
	uint64_t word, bits; /* bits of the word not yet visited */
	uint64_t base;       /* address of its first bit */
	node_id next;
};
void addresses_scan_init(struct addresses_scan *s, const struct addresses *m, node_id first);
/* Returns false after the last address. */
bool addresses_scan_next(struct addresses_scan *s, uint64_t *address);

#endif
