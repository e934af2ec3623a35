#include "model/faults.h"
#include <string.h>

/* clang-format off */
static const struct {
	const char *name, *meaning;
} kinds[FAULT_KIND_COUNT] = {
	[FAULT_NOT_ON_HEAP]     = { "ObjectNotOnTheHeap", "it should be an object, and is outside of all segments" },
	[FAULT_NOT_ALIGNED]     = { "ObjectNotPointerAligned", "it should be an object, and is no multiple of 8" },
	[FAULT_TOO_LARGE]       = { "ObjectTooLarge", "the object would end behind its segment: its length or method table was overwritten" },
	[FAULT_METHOD_TABLE]    = { "InvalidMethodTable", "no method table where an object must have one: something wrote over it" },
	[FAULT_THIN_LOCK]       = { "InvalidThinlock", "locked by a thread that does not exist" },
	[FAULT_SYNC_MISMATCH]   = { "SyncBlockMismatch", "its sync block is that of another object" },
	[FAULT_SYNC_ZERO]       = { "SyncBlockZero", "its header says sync block 0, which none has" },
	[FAULT_REF_NOT_ALIGNED] = { "ObjectReferenceNotPointerAligned", "a reference in it is no multiple of 8" },
	[FAULT_REF]             = { "InvalidObjectReference", "a reference in it leads to where no object starts" },
	[FAULT_REF_TO_FREE]     = { "FreeObjectReference", "a reference in it leads to free space: a collection did not see it" },
	[FAULT_NO_METHOD_TABLE] = { "CouldNotReadMethodTable", "what should be its method table is not in memory" },
	[FAULT_NO_OBJECT]       = { "CouldNotReadObject", "the memory of the object is not there" },
	[FAULT_NO_GC_DESC]      = { "CouldNotReadGCDesc", "where its references are is damaged or not in memory" },
	[FAULT_STRUCTURE]       = { "InvalidHeapStructure", "a record of the collector contradicts itself" },
	[FAULT_CONTEXT]         = { "InvalidAllocationContext", "a thread's room for objects is not in a segment" },
	[FAULT_HANDLE]          = { "InvalidHandle", "a handle leads to where no object starts" },
	[FAULT_FINALIZABLE]     = { "InvalidFinalizable", "the finalizer queue leads to where no object starts" },
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

bool
faults_add(struct faults *f, const struct fault *fault, struct error *err)
{
	struct fault *to;

	f->total++;
	f->excused += fault->is_excused;
	if (f->count == FAULTS_MAX)
		return true;
	if (!memory_make_room(&f->items, f->count, &f->room, sizeof *f->items,
			      err))
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
