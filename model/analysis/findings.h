#ifndef MODEL_ANALYSIS_FINDINGS_H
#define MODEL_ANALYSIS_FINDINGS_H

/*
 * What a person who looks for a leak would look at first. Each finding stands
 * on objects that are there, and none says more than those show: field names
 * and values are mostly not known, so all is told from types, references and
 * roots; in heaps from memory also from what is in the objects. Unreachable
 * objects are never evidence.
 *
 * How much is much depends on the heap: `much` bytes are 1 % of those that
 * are reachable, at least 16 KiB; `many` objects are one in 5,000 of them, at
 * least 20. Below that nothing is told, so a small or healthy heap has no
 * findings.
 *
 * One look at every object and at the references of large arrays, about 13 ns
 * an object, with retained sizes 24; the evidence takes 4 bytes for each object
 * of it. Where there is memory some 200 ns more for each string, 100 for each
 * collection, a look at the bytes of large arrays, and what
 * model/analysis/strings.h takes while it runs. Run it on a worker.
 */
#include "model/graph/reach.h"
#include "model/graph/retained.h"

enum finding_kind {
	/*
	 * One object that holds 10 times `much` alone, at least 256 KiB.
	 * `subject` and evidence are that object, `other_type` its type,
	 * `count` the objects it holds, itself included; `type` most of them,
	 * `whole` how many. Only where dominators are known.
	 */
	FINDING_DOMINATOR,
	/*
	 * One array, which a collection owns, refers to half or more of all
	 * objects of a type; `many` and at least 100 of them, `much` together
	 * with the array, of which 32 bytes count for each; five times as much
	 * of what the runtime tells itself about types. `type` those objects,
	 * `subject` the collection, `other_type` its type, `whole` all objects
	 * of the type.
	 */
	FINDING_COLLECTION,
	/*
	 * One invocation list of a delegate has 50 or more handlers whose
	 * targets are of one type. `type` the targets, `other_type` the
	 * delegate, `subject` the publisher of the longest such list, `count`
	 * the handlers on `whole` publishers of its type.
	 */
	FINDING_EVENT,
	/*
	 * `many` timers, at least 100, or `much` of them. `type` what they
	 * carry or call; `subject` the first timer.
	 */
	FINDING_TIMER,
	/*
	 * `many` calls of one async method that have not completed; 50 times
	 * as many of methods of System and Microsoft. `type` the
	 * method, `whole` all its calls that are in the heap, `subject` the one
	 * task that all of them wait for, or NODE_NONE. `is_guess`: what
	 * completed calls refer to is not known, some may be such.
	 */
	FINDING_ASYNC,
	/*
	 * `many` objects, or `much`, wait for their finalizer and nothing else
	 * holds them; 50 times as many of types of System and Microsoft; or
	 * any, while the finalizer thread is busy. `type` most of them, `whole`
	 * how many those are; `name` the finalizer that the thread is in, "" if
	 * it is not known.
	 */
	FINDING_FINALIZER,
	/*
	 * The same of dependent handles, at least 1,000: values that live as
	 * long as their keys.
	 */
	FINDING_DEPENDENT,
	/* Tables of ConditionalWeakTable whose entries take `much`. `type` the
	   table, `count` entries that have room. */
	FINDING_WEAK_TABLE,
	/* `many` objects, at least 100, in generations 0 to 2 that handles pin:
	   the collector must leave gaps. As FINALIZER. */
	FINDING_PINNED,
	/*
	 * Large arrays of references, three quarters of them null: `much` is
	 * unused. `type` the arrays, `count` references of `whole` elements.
	 */
	FINDING_ARRAY,
	/*
	 * Assembly load contexts that could be unloaded, and what keeps them.
	 * `type` objects whose type lives there, or TYPE_NONE: there are none;
	 * `count` the contexts.
	 */
	FINDING_CONTEXT,
	/* What a thread static variable holds in all threads is `much`. `name`
	   the variable. */
	FINDING_THREAD_STATIC,
	/*
	 * From here on only where memory tells: heap->memory->contents.
	 *
	 * Strings with one text, all but one of which are `much`. `name` its
	 * beginning in quotes, `count` those strings, `whole` the bytes of all
	 * but one, `subject` the first, `other_type` what refers to most of
	 * them. And one more of the texts for which that is less, together:
	 * `count` strings that repeat a text, the evidence, `whole` such texts,
	 * no `subject`.
	 */
	FINDING_DUPLICATE_STRINGS,
	/* Strings of 85,000 bytes or more, `much` together. `subject` the
	   largest, `name` its beginning, `count` how many. */
	FINDING_LARGE_STRINGS,
	/*
	 * Lists, dictionaries and the like of one type that have no elements,
	 * or room for 16 or more and use less than a quarter: the empty ones
	 * and the room that is not used are `much`. `count` those, `whole` all
	 * of the type that are reachable; `unused_bytes` that room.
	 */
	FINDING_EMPTY_COLLECTIONS,
	/* Arrays of values, of 1 KiB or more, with nothing but zeros: `much` of
	   a type. `type` the arrays. */
	FINDING_ZERO_ARRAYS,
	/* Values in boxes, `much` of a type. `other_type` what refers to most
	   of them. */
	FINDING_BOXES,
	FINDING_KIND_COUNT
};

struct finding_kind_info {
	const char *id;       /* "collection": CSV, filters */
	const char *title;    /* "waiting async calls": what is looked for */
	const char *harmless; /* when this is no leak; a sentence */
	bool needs_contents;  /* only in heaps from memory */
};
extern const struct finding_kind_info finding_kinds[FINDING_KIND_COUNT];

struct finding {
	uint8_t kind; /* enum finding_kind; for the rest see there */
	bool is_guess;
	type_id type, other_type; /* TYPE_NONE: none, or several */
	node_id subject;          /* what to look at; or NODE_NONE */
	uint64_t count, whole;
	const char *name;
	const node_id *nodes; /* the evidence: ascending, each once, never
				 none */
	uint32_t nodes_count;
	uint64_t bytes;        /* sizes of the evidence */
	uint64_t unused_bytes; /* besides, in what it refers to; or 0 */
	/* What the evidence holds, and with a collection that as well; 0 where
	   dominators are not known. */
	struct retained_sum retained;
};

struct findings {
	struct finding *items; /* the most retained first, else bytes */
	uint32_t count;
	uint32_t left_out; /* smaller ones beyond FINDINGS_MAX of their kind */
	struct arena arena;
};
enum { FINDINGS_MAX = 50 };

struct findings_input {
	const struct heap *heap;
	const struct reverse *reverse;
	const struct reach *reach;
	const struct retained *retained; /* NULL: not known */
};
/* NULL sets `err`. */
struct findings *findings_find(const struct findings_input *in,
			       struct progress *progress,
			       struct error *err) MUST_USE;
void findings_free(struct findings *f); /* NULL is allowed */

#endif
