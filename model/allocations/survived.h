#ifndef MODEL_ALLOCATIONS_SURVIVED_H
#define MODEL_ALLOCATIONS_SURVIVED_H

/*
 * Follows samples of allocations through garbage collections: each one lives until a collection
 * finds it dead. The runtime reports the surviving ranges of the generations that a collection
 * condemns ("plugs": objects that lie next to each other) and where they are moved. Events are read
 * by io/events/gc_survivors.h.
 *
 * A sample of a condemned generation that lies in no plug is dead. A background collection reports
 * its survivors when the program has already reused what it freed, so that another object may lie
 * there. A sample is therefore also dead if
 *
 * - its plug ends before it does,
 * - a plug that is not its own moves onto it,
 * - a newer sample overlaps it, or
 * - its region was freed, or became younger, between two collections.
 *
 * What remains is SURVIVED_UNCONFIRMED until a blocking collection of generation 2; large objects
 * stay so.
 *
 * Nothing says what the program itself places where a background collection has freed: pinned
 * objects, and objects of generation 0 (survived_doubt()). Later collections find the new object
 * alive there. So such samples are SURVIVED_UNKNOWN until they are found dead, and only a heap that
 * has an object of this type and size at the address tells. Measured beside heap walks: 1 in 70 of
 * generation 0 is another object, and 1 in 750 pinned ones. A large object that reuses a place is
 * mostly sampled itself, and seen so. In generations 1 and 2 only collections reuse places, and
 * report it, so that their samples are exact: of 2,704 in generation 1 none was another object.
 *
 * "Alive" means not found dead yet: garbage in generation 2 counts until that generation is
 * collected.
 *
 * Live samples take 64 bytes each, dead ones nothing. A collection of young generations takes time
 * linear in the young samples and in its ranges; a full or background one in all samples; new and
 * moved samples are sorted. A stream whose plugs overlap, or with endless collections of nothing,
 * would take the square of its length: when the steps are many times what real ones take, all
 * samples are lost, as if events were missing.
 */
#include "model/base/error.h"
#include <stddef.h>

enum {
	SURVIVED_SAMPLES_MAX = 1 << 18, /* alive; further ones are lost */
	SURVIVED_REGIONS_MAX = 1 << 20,
	/* As in the events: gen0, gen1, gen2, large, pinned. */
	SURVIVED_GENERATION_OLDEST = 2,
	SURVIVED_GENERATION_LARGE,
	SURVIVED_GENERATION_UNKNOWN = UINT8_MAX,
};

enum survived_state {
	SURVIVED_NEW, /* no collection has judged it */
	SURVIVED_ALIVE,
	SURVIVED_UNCONFIRMED, /* only a background collection has found it */
	SURVIVED_UNKNOWN,     /* another object may lie in its place */
	SURVIVED_DEAD,
	SURVIVED_LOST, /* events are missing: its address is unknown */
};

struct survived_collection {
	uint64_t time; /* as that of samples */
	uint32_t number;
	uint8_t generation; /* condemned */
	bool is_background;
};

struct survived_sample {
	uint64_t address; /* now; the last one known of a dead sample */
	uint64_t size;
	uint64_t time;   /* of its allocation, in any unit */
	uint64_t weight; /* the caller's: the bytes that it stands for */
	uint32_t owner;  /* the caller's: the site and type */
	/* The last collection that judged it; not of a new one. */
	uint32_t judge_number;
	uint64_t judge_time;
	uint8_t judge_generation;
	uint8_t state;      /* enum survived_state */
	uint8_t generation; /* where it lies; or SURVIVED_GENERATION_UNKNOWN */
	/* A background collection has judged it at any time. */
	bool was_background;
	bool is_doubtful; /* see survived_doubt() */
	/* Within a collection. */
	bool is_found, is_overwritten, is_condemned;
	uint64_t next_address;
};

/* The functions may be NULL. */
struct survived_sink {
	/* Receives each sample when it dies or is lost, before it is
	   forgotten. */
	void (*gone)(void *context, const struct survived_sample *sample);
	/* Called when a collection has judged. False sets `err`. */
	bool (*judged)(void *context, const struct survived_collection *c, struct error *err);
	/* Called when all samples were lost: following starts again. */
	void (*restarted)(void *context);
	void *context;
};

struct survived_region {
	uint64_t start, length; /* reserved, not used */
	uint8_t generation;
};

/* Objects that survived together. */
struct survived_plug {
	uint64_t from, to, length; /* to == from: not moved */
};

struct survived;

struct survived *survived_new(struct survived_sink sink, struct error *err) MUST_USE;
void survived_free(struct survived *s); /* NULL is allowed */
/*
 * Adds a sample: time, address, size, weight and owner. Everything is given in the order of time.
 * Beyond SURVIVED_SAMPLES_MAX it goes to the sink as lost.
 */
bool survived_add(struct survived *s, const struct survived_sample *sample,
		  struct error *err) MUST_USE;

/* ---- one collection, in this order ----------------------------------------
 */

/*
 * The regions when a collection begins, of any kind: which generation each sample is in. Sorts
 * `regions`.
 */
bool survived_begin(struct survived *s, struct survived_region *regions, size_t count,
		    struct error *err) MUST_USE;
/*
 * Begins the report of the collection's survivors: a background collection's may come after others
 * have begun and ended.
 */
bool survived_judge(struct survived *s, const struct survived_collection *c,
		    struct error *err) MUST_USE;
/* Survivors, in several calls, fastest if each has them by rising `from`. */
void survived_plugs(struct survived *s, const struct survived_plug *plugs, size_t count);
/* The end of the report; `regions` of a blocking collection as it leaves them. Without regions the
   generations stay. Sorts `regions`. */
bool survived_end(struct survived *s, struct survived_region *regions, size_t count,
		  struct error *err) MUST_USE;

/* Events are missing: all samples are lost, and following starts again. */
void survived_lose(struct survived *s);

/*
 * A background collection has finished marking. It now frees objects of generation 0, whose places
 * the program reuses before survivors are reported.
 */
void survived_doubt(struct survived *s);

/* ---- results --------------------------------------------------------------
 */

/* Live samples, in no order. Valid until the next call of another function. */
const struct survived_sample *survived_samples(const struct survived *s, size_t *count);

struct survived_totals {
	uint64_t added, dead, lost;
	uint64_t collections, background_collections; /* that judged */
	uint64_t full_collections;                    /* blocking, of all generations */
};
const struct survived_totals *survived_totals(const struct survived *s);

#endif
