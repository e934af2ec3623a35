#include "model/heap/faults.h"
#include <string.h>

#define SWEPT   "it is dead: a collection in the background sweeps"
#define IN_HAND "the list was just being changed"
#define WRITTEN "a thread was just writing there"
#define EITHER                                                                 \
	"it is dead and not yet swept, or a thread was just writing there"

/* clang-format off */
static const struct {
	const char *name, *meaning, *excuse;
} kinds[FAULT_KIND_COUNT] = {
	[FAULT_NOT_ON_HEAP]     = { "ObjectNotOnTheHeap", "it should be an object, and is outside of all segments", NULL },
	[FAULT_NOT_ALIGNED]     = { "ObjectNotPointerAligned", "it should be an object, and is no multiple of 8", NULL },
	[FAULT_TOO_LARGE]       = { "ObjectTooLarge", "the object would end behind its segment: its length or method table was overwritten", NULL },
	[FAULT_METHOD_TABLE]    = { "InvalidMethodTable", "no method table where an object must have one: something wrote over it", NULL },
	[FAULT_THIN_LOCK]       = { "InvalidThinlock", "locked by a thread that does not exist", NULL },
	[FAULT_SYNC_MISMATCH]   = { "SyncBlockMismatch", "its sync block is that of another object", EITHER },
	[FAULT_SYNC_ZERO]       = { "SyncBlockZero", "its header says sync block 0, which none has", NULL },
	[FAULT_REF_NOT_ALIGNED] = { "ObjectReferenceNotPointerAligned", "a reference in it is no multiple of 8", SWEPT },
	[FAULT_REF]             = { "InvalidObjectReference", "a reference in it leads to where no object starts", SWEPT },
	[FAULT_REF_TO_FREE]     = { "FreeObjectReference", "a reference in it leads to free space: a collection did not see it", SWEPT },
	[FAULT_NO_METHOD_TABLE] = { "CouldNotReadMethodTable", "what should be its method table is not in memory", NULL },
	[FAULT_NO_OBJECT]       = { "CouldNotReadObject", "the memory of the object is not there", NULL },
	[FAULT_NO_GC_DESC]      = { "CouldNotReadGCDesc", "where its references are is damaged or not in memory", NULL },
	[FAULT_NO_CARD]         = { "CouldNotReadCardTable", "it refers to a younger object, and its card is not in memory", WRITTEN },
	[FAULT_CARD]            = { "CardNotSet", "it refers to a younger object, and its card does not say so: the next collection would free that one", EITHER },
	[FAULT_STRUCTURE]       = { "InvalidHeapStructure", "a record of the collector contradicts itself", NULL },
	[FAULT_CONTEXT]         = { "InvalidAllocationContext", "a thread's room for objects is not in a segment", NULL },
	[FAULT_HANDLE]          = { "InvalidHandle", "a handle leads to where no object starts", NULL },
	[FAULT_FINALIZABLE]     = { "InvalidFinalizable", "the finalizer queue leads to where no object starts", NULL },
	[FAULT_SYNC_INDEX]      = { "SyncBlockOutOfRange", "its header says a sync block that there is not", NULL },
	[FAULT_SYNC_OBJECT]     = { "InvalidSyncBlockObject", "a sync block leads to where no object starts", NULL },
	[FAULT_FREE_LIST]       = { "InvalidFreeList", "the next allocation from the list of free blocks would go wrong", IN_HAND },
	[FAULT_FREE_TWICE]      = { "DuplicateInFreeList", "a free block is on a list twice: two objects would get the same room", IN_HAND },
};
/* clang-format on */

const char *
fault_name(enum fault_kind kind)
{
	return kinds[kind].name;
}

const char *
fault_meaning(enum fault_kind kind)
{
	return kinds[kind].meaning;
}

const char *
fault_excuse(enum fault_kind kind)
{
	return kinds[kind].excuse;
}

bool
faults_add(struct faults *f, const struct fault *fault, struct error *err)
{
	struct fault *to;

	f->total++;
	f->excused += fault->is_excused;
	if (f->count == FAULTS_MAX)
		return true;
	if (!MAKE_ROOM(f->items, f->count + 1, f->room, err))
		return false;
	to = &f->items[f->count];
	*to = *fault;
	if (fault->text) {
		to->text = arena_strndup(&f->arena, fault->text,
					 strlen(fault->text), err);
		if (!to->text)
			return false;
	}
	f->count++;
	return true;
}

void
faults_clear(struct faults *f)
{
	memory_free(f->items);
	arena_clear(&f->arena);
	*f = (struct faults){ 0 };
}
