#ifndef MODEL_HEAP_FAULTS_H
#define MODEL_HEAP_FAULTS_H

/*
 * Faults in a heap that was read from memory, named as in ClrMD and SOS's verifyheap, and some that
 * those do not look for. All are counted; the first FAULTS_MAX are kept.
 */
#include "model/base/arena.h"

enum fault_kind {
	/* faults that ClrMD also reports */
	FAULT_NOT_ON_HEAP,
	FAULT_NOT_ALIGNED,
	FAULT_TOO_LARGE,
	FAULT_METHOD_TABLE,
	FAULT_THIN_LOCK,
	FAULT_SYNC_MISMATCH,
	FAULT_SYNC_ZERO,
	FAULT_REF_NOT_ALIGNED,
	FAULT_REF,
	FAULT_REF_TO_FREE,
	FAULT_NO_METHOD_TABLE,
	FAULT_NO_OBJECT,
	FAULT_NO_GC_DESC,
	FAULT_NO_CARD,
	/* heaptop's own */
	FAULT_CARD,
	FAULT_STRUCTURE,
	FAULT_CONTEXT,
	FAULT_HANDLE,
	FAULT_FINALIZABLE,
	FAULT_SYNC_INDEX,
	FAULT_SYNC_OBJECT,
	FAULT_FREE_LIST,
	FAULT_FREE_TWICE,
	FAULT_KIND_COUNT
};

struct fault {
	uint64_t address;       /* address of the object or record; 0: none */
	uint64_t offset;        /* offset of the reference within its object */
	uint64_t value;         /* the wrong value; 0: the kind is enough */
	uint64_t before, after; /* neighbouring objects; 0: none */
	const char *text;       /* details, in the arena; or NULL */
	uint8_t kind;           /* enum fault_kind */
	bool is_excused;        /* may be harmless: fault_excuse() */
};

enum { FAULTS_MAX = 10000 };
struct faults { /* all zero at first */
	struct fault *items;
	size_t count, room;
	uint64_t total, excused; /* excused ones are in both */
	/* Numbers of items checked. */
	uint64_t objects_count, refs_count, handles_count, finalizables_count;
	uint64_t cards_count;           /* references to younger objects */
	uint64_t listed_count;          /* free blocks on lists */
	uint64_t syncs_count;           /* entries of the table */
	uint64_t unchecked_syncs;       /* sync blocks whose table was not found */
	bool has_cards, has_free_lists; /* found and checked */
	struct arena arena;
};

/* Copies the fault and its text; only counts it if FAULTS_MAX are kept
   already. */
bool faults_add(struct faults *f, const struct fault *fault, struct error *err) MUST_USE;
void faults_clear(struct faults *f);
/* Returns true if a fault is not excused. */
bool faults_matter(const struct faults *f);
const char *fault_name(enum fault_kind kind);    /* "InvalidThinlock" */
const char *fault_meaning(enum fault_kind kind); /* a sentence, no full stop */
/* Returns when the fault is harmless, to follow "harmless if"; NULL: never. */
const char *fault_excuse(enum fault_kind kind);

#endif
