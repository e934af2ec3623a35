#include "model/analysis/finding_id.h"
#include "model/graph/root_index.h"
#include "model/base/text.h"
#include "model/heap/framework.h"
#include <stdio.h>
#include <string.h>

enum { LONG_BYTES = 4096, OTHER = 1, PUBLISHER = 2, STATIC = 4, NAME = 8 };

/* The parts of an id after the kind. No type where the finding names the one with the most bytes of
   many: the same backlog would have another id soon. */
static const struct {
	bool has_no_type; /* which type it names depends on amounts */
	unsigned also;    /* parts after `type` */
} parts[FINDING_KIND_COUNT] = {
	[FINDING_DOMINATOR] = { true, OTHER | STATIC },
	[FINDING_COLLECTION] = { false, OTHER | STATIC },
	[FINDING_EVENT] = { false, OTHER | PUBLISHER | STATIC },
	[FINDING_CONTEXT] = { false, STATIC },
	[FINDING_FINALIZER] = { true, 0 },
	[FINDING_DEPENDENT] = { true, 0 },
	[FINDING_PINNED] = { true, 0 },
	[FINDING_THREAD_STATIC] = { true, NAME },
	[FINDING_FRAGMENTATION] = { true, 0 },
	[FINDING_UNROOTED] = { true, 0 },
	[FINDING_DUPLICATE_STRINGS] = { true, NAME },
	[FINDING_LARGE_STRINGS] = { true, 0 },
};

static void
add(char out[LONG_BYTES], const char *before, const char *text)
{
	size_t len = strlen(out);

	snprintf(out + len, LONG_BYTES - len, "%s%s", before, text);
}

static void
add_type(char out[LONG_BYTES], const struct facts *facts, type_id type)
{
	if (type != TYPE_NONE)
		add(out, ":", facts->heap->types[type].name);
}

/* Adds the name without its class, which not all sources know. A variable of the framework depends
   on what the process was doing, and is left out. */
static void
add_static(char out[LONG_BYTES], const struct facts *facts, node_id subject)
{
	const struct root *root = NULL;
	const char *dot;

	if (subject != NODE_NONE && facts->roots)
		root = root_index_find(facts->roots, subject);
	if (!root || root->kind != ROOT_STATIC || !*root->name ||
	    framework_declares(root->name, ""))
		return;
	dot = strrchr(root->name, '.');
	add(out, ":static ", dot ? dot + 1 : root->name);
}

const char *
finding_id(const struct facts *facts, const struct finding *f, char out[FINDING_ID_BYTES])
{
	static const char *const generations[GEN_COUNT] = {
		/* Each collection moves what survives from one to the other. */
		[GEN_0] = ":young", [GEN_1] = ":young", [GEN_2] = ":gen2",
		[GEN_LOH] = ":loh", [GEN_POH] = ":poh",
	};
	unsigned also = parts[f->kind].also;
	char id[LONG_BYTES] = "";

	add(id, finding_kinds[f->kind].id, "");
	if (!parts[f->kind].has_no_type)
		add_type(id, facts, f->type);
	if (also & OTHER)
		add_type(id, facts, f->other_type);
	if (also & PUBLISHER)
		add_type(id, facts, heap_type_of(facts->heap, f->subject));
	if (also & STATIC)
		add_static(id, facts, f->subject);
	if (also & NAME && f->name && *f->name)
		add(id, ":", f->name);
	if (f->kind == FINDING_FRAGMENTATION)
		add(id, generations[f->generation], "");
	return text_fit(id, FINDING_ID_BYTES, out, FINDING_ID_BYTES);
}
