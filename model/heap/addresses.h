#ifndef MODEL_HEAP_ADDRESSES_H
#define MODEL_HEAP_ADDRESSES_H

/*
 * Address ⇄ id. One bit for each granule (8 bytes; fewer if the addresses ask
 * for it) of the pages that hold objects, with a count of set bits before each
 * 128: the id of an object is the number of objects at lower addresses.
 * About 1.4 bytes an object in an ordinary heap; the page size is chosen for
 * the least memory, so that scattered addresses cost at most about 150 (600 if
 * one of them is odd).
 * Finding an id costs 4–6 ns, an address about 100 ns.
 *
 * Filled in three steps: survey every address, plan, place every address, seal.
 * Whoever sees the addresses only once, and one by one, notes them instead of
 * surveying: at 72 bytes for each 4 KiB with objects, mostly nothing is left to
 * place then.
 */
#include "model/base/arena.h"

typedef uint32_t node_id;
#define NODE_NONE UINT32_MAX

struct addresses;

struct addresses *addresses_new(struct error *err) MUST_USE;
void addresses_free(struct addresses *m);

bool addresses_survey(struct addresses *m, uint64_t address,
		      struct error *err) MUST_USE;
/* Surveys, and remembers it. About 3 ns if they come in order. */
bool addresses_note(struct addresses *m, uint64_t address,
		    struct error *err) MUST_USE;
bool addresses_plan(struct addresses *m, struct error *err) MUST_USE;
/*
 * Since addresses_plan(): all were noted, lie on 8 bytes and are different
 * ones, so all are placed. Else none is, and each must be.
 */
bool addresses_are_placed(const struct addresses *m);
/* False if it was placed before: two objects cannot share an address. */
bool addresses_place(struct addresses *m, uint64_t address);
/*
 * An address for an object that has none or shares one: from MADE_UP_ADDRESS
 * on, above every real one. Before sealing; neither surveyed nor placed.
 */
#define MADE_UP_ADDRESS UINT64_C(0xfffffff000000000)
enum { MADE_UP_STEP = 8 };
uint64_t addresses_make_up(struct addresses *m);
/* Ids exist from here on; fails if there are more than 2^32 - 2. */
bool addresses_seal(struct addresses *m, struct error *err) MUST_USE;

/*
 * What it is made of, for files that keep it: pages in order, and one bit a
 * granule for each. Borrowed.
 */
struct addresses_parts {
	uint32_t granule_shift, page_shift;
	uint32_t pages_count, made_up_count;
	const uint64_t *numbers; /* of the pages: address >> page_shift */
	uint64_t *words;         /* words_count, pages_count times the same */
	uint64_t words_count;
};
void addresses_parts(const struct addresses *m, struct addresses_parts *parts);
/* The words of a page of that size, or 0: nobody makes such ones. */
uint64_t addresses_words_per_page(uint32_t granule_shift, uint32_t page_shift);
/*
 * The other way round, in place of survey, plan and place: copies the numbers,
 * makes room for the words and puts them into `parts`, to be filled; then seal.
 * False: these cannot be parts of any.
 */
bool addresses_restore(struct addresses *m, struct addresses_parts *parts,
		       struct error *err) MUST_USE;

uint32_t addresses_count(const struct addresses *m);
uint64_t addresses_bytes(const struct addresses *m);
/* NODE_NONE where no object starts at exactly this address. */
node_id addresses_find(const struct addresses *m, uint64_t address);
/*
 * The same, for many that are often on one page: what is remembered is the
 * caller's, one a thread, all zero at first.
 */
struct addresses_page {
	uint64_t number; /* + 1 */
	uint64_t first_word;
};
node_id addresses_find_near(const struct addresses *m, uint64_t address,
			    struct addresses_page *last);
/* How many objects are at lower addresses. */
uint32_t addresses_rank(const struct addresses *m, uint64_t address);
/* `id` must be below addresses_count(). */
uint64_t addresses_of(const struct addresses *m, node_id id);

/* One after another in the order of ids, from `first` on; some 2 ns each. */
struct addresses_scan {
	const struct addresses *addresses;
	uint64_t word, bits; /* of the word: those still to come */
	uint64_t base;       /* address of its first bit */
	node_id next;
};
void addresses_scan_init(struct addresses_scan *s, const struct addresses *m,
			 node_id first);
/* False: that was the last. */
bool addresses_scan_next(struct addresses_scan *s, uint64_t *address);

#endif
