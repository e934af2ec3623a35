#include "model/heap/faults.h"
#include <string.h>

#define SWEPT   "the object is dead and a background collection is sweeping it"
#define IN_HAND "the list was being changed when the process was stopped"
#define WRITTEN "a thread was writing there when the process was stopped"
#define EITHER  "the object is dead and not yet swept, or a thread was writing there"

/* clang-format off */
static const struct {
	const char *name, *meaning, *excuse;
} kinds[FAULT_KIND_COUNT] = {
	[FAULT_NOT_ON_HEAP]     = { "ObjectNotOnTheHeap", "the address of an object is outside all segments", NULL },
	[FAULT_NOT_ALIGNED]     = { "ObjectNotPointerAligned", "the address of an object is not a multiple of 8", NULL },
	[FAULT_TOO_LARGE]       = { "ObjectTooLarge", "the object would end past its segment: its length or method table was overwritten", NULL },
	[FAULT_METHOD_TABLE]    = { "InvalidMethodTable", "the object does not begin with a method table: it was overwritten", NULL },
	[FAULT_THIN_LOCK]       = { "InvalidThinlock", "it is locked by a thread that does not exist", NULL },
	[FAULT_SYNC_MISMATCH]   = { "SyncBlockMismatch", "its sync block belongs to another object", EITHER },
	[FAULT_SYNC_ZERO]       = { "SyncBlockZero", "its header names sync block 0, which is never used", NULL },
	[FAULT_REF_NOT_ALIGNED] = { "ObjectReferenceNotPointerAligned", "a reference in it is not a multiple of 8", SWEPT },
	[FAULT_REF]             = { "InvalidObjectReference", "a reference in it leads to an address where no object starts", SWEPT },
	[FAULT_REF_TO_FREE]     = { "FreeObjectReference", "a reference in it leads to free space: a collection missed the reference", SWEPT },
	[FAULT_NO_METHOD_TABLE] = { "CouldNotReadMethodTable", "its method table is not in memory", NULL },
	[FAULT_NO_OBJECT]       = { "CouldNotReadObject", "the object is not in memory", NULL },
	[FAULT_NO_GC_DESC]      = { "CouldNotReadGCDesc", "the layout of its references is damaged or not in memory", NULL },
	[FAULT_NO_CARD]         = { "CouldNotReadCardTable", "it refers to a younger object, and its card is not in memory", WRITTEN },
	[FAULT_CARD]            = { "CardNotSet", "it refers to a younger object, and its card is not set: the next collection would free that object", EITHER },
	[FAULT_STRUCTURE]       = { "InvalidHeapStructure", "a record of the collector contradicts itself", NULL },
	[FAULT_CONTEXT]         = { "InvalidAllocationContext", "a thread's allocation context is outside all segments", NULL },
	[FAULT_HANDLE]          = { "InvalidHandle", "a handle leads to an address where no object starts", NULL },
	[FAULT_FINALIZABLE]     = { "InvalidFinalizable", "the finalizer queue leads to an address where no object starts", NULL },
	[FAULT_SYNC_INDEX]      = { "SyncBlockOutOfRange", "its header names a sync block that does not exist", NULL },
	[FAULT_SYNC_OBJECT]     = { "InvalidSyncBlockObject", "a sync block leads to an address where no object starts", NULL },
	[FAULT_FREE_LIST]       = { "InvalidFreeList", "a free list is damaged: allocating from it would corrupt the heap", IN_HAND },
	[FAULT_FREE_TWICE]      = { "DuplicateInFreeList", "a free block is listed twice: two objects would get the same memory", IN_HAND },
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
		to->text = arena_strndup(&f->arena, fault->text, strlen(fault->text), err);
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

bool
faults_matter(const struct faults *f)
{
	return f->total > f->excused;
}
