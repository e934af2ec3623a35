#include "io/gcdump/roots.h"
#include "model/heap/names.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/*
 * Names of pseudo-nodes, without the brackets, in any case. Writers: D dotnet-gcdump, P PerfView
 * from events, M PerfView from memory, O older PerfView, H heapview.
 */
enum match {
	IS,           /* the whole name */
	BEGINS,       /* followed by something irrelevant */
	BEGINS_FIELD, /* followed by a variable's type and name */
	ENDS_FIELD,   /* after a variable's type and name */
	ENDS_NAME,    /* after a name */
};
enum { KIND_OF_PARENT = ROOT_KIND_COUNT };

struct root_name {
	const char *text;
	uint8_t match; /* enum match */
	uint8_t kind;  /* enum root_kind, KIND_OF_PARENT */
	bool is_pinned;
};

/* clang-format off */
static const struct root_name root_names[] = {
	{ "static var ",            BEGINS_FIELD, ROOT_STATIC,        false }, /* D P M */
	{ "static vars",            BEGINS,       ROOT_STATIC,        false }, /* D P M O */
	{ " [static var]",          ENDS_FIELD,   ROOT_STATIC,        false }, /* O */
	{ " (static var)",          ENDS_NAME,    ROOT_STATIC,        false }, /* native */
	{ "thread static var ",     BEGINS_FIELD, ROOT_THREAD_STATIC, false },
	{ "thread static vars",     BEGINS,       ROOT_THREAD_STATIC, false }, /* D P */
	{ "threadStatic vars",      BEGINS,       ROOT_THREAD_STATIC, false }, /* O */
	{ " [threadStatic var]",    ENDS_FIELD,   ROOT_THREAD_STATIC, false }, /* O */
	{ " [thread static var]",   ENDS_FIELD,   ROOT_THREAD_STATIC, false }, /* O */
	{ "local vars",             BEGINS,       ROOT_STACK,         false }, /* D P M O */
	{ " [local var]",           ENDS_NAME,    ROOT_STACK,         false }, /* O */
	{ "Pinned local vars",      BEGINS,       ROOT_STACK,         true  }, /* M O */
	{ "COM/WinRT Objects",      IS,           ROOT_REF_COUNTED,   false }, /* D P M O */
	{ "RefCountedHandle",       IS,           ROOT_REF_COUNTED,   false },
	{ "RefCounted handles",     IS,           ROOT_REF_COUNTED,   false },
	{ "RefCount handles",       IS,           ROOT_REF_COUNTED,   false },
	{ "finalizer Handles",      IS,           ROOT_FINALIZER,     false }, /* D O */
	{ "FinalizerQueue",         IS,           ROOT_FINALIZER,     false }, /* P M */
	{ "finalizer queue",        IS,           ROOT_FINALIZER,     false },
	{ "pinning Handles",        IS,           ROOT_PINNED,        true  }, /* D */
	{ "PinnedHandle",           IS,           ROOT_PINNED,        true  }, /* P M */
	{ "Pinned handles",         IS,           ROOT_PINNED,        true  }, /* O */
	{ "AsyncPinnedHandle",      IS,           ROOT_ASYNC_PINNED,  true  }, /* M */
	{ "AsyncPinned handles",    IS,           ROOT_ASYNC_PINNED,  true  }, /* O */
	{ "strong Handles",         IS,           ROOT_STRONG,        false }, /* D O */
	{ "StrongHandle",           IS,           ROOT_STRONG,        false }, /* P M */
	{ "SizedRefHandle",         IS,           ROOT_SIZED_REF,     false }, /* M */
	{ "SizedRef handles",       IS,           ROOT_SIZED_REF,     false }, /* O */
	{ "Dependent Handles",      IS,           ROOT_DEPENDENT,     false }, /* D P */
	{ "DependentHandle",        IS,           ROOT_DEPENDENT,     false },
	{ "other Handles",          IS,           ROOT_OTHER,         false }, /* D P */
	{ "frozen objects",         IS,           ROOT_FROZEN,        false }, /* ours */
	{ "None",                   IS,           ROOT_OTHER,         false }, /* M */
	{ "other roots",            IS,           ROOT_OTHER,         false }, /* D P */
	/* .NET Roots, MonoVM Roots, Java Roots, JS Roots, GC Heaps and appdomain X have no kind of
	   their own: the parent's applies. */
};
/* clang-format on */
enum { ROOT_NAMES_COUNT = sizeof(root_names) / sizeof(root_names[0]) };

/* Longer texts are truncated: one type may name a million roots. */
enum { ROOT_TEXT_MAX = 1000 };

/* The meaning of a type's name for the roots below. */
struct root_class {
	const char *name, *label; /* label NULL: not parsed yet */
	/* A variable has its type, as written before its name, and both as displayed; other roots
	   NULL. See walk_has_owners(). */
	const char *owner, *full_name;
	uint8_t kind;
	bool is_pinned;
};

static bool
text_begins(const char *text, size_t len, const char *start)
{
	size_t start_len = strlen(start);

	return len >= start_len && !strncasecmp(text, start, start_len);
}

static bool
text_ends(const char *text, size_t len, const char *end)
{
	size_t end_len = strlen(end);

	return len > end_len && !strncasecmp(text + len - end_len, end, end_len);
}

static bool
is_bracketed(const char *name)
{
	return name[0] == '[' && name[1] != ']';
}

bool
gcdump_name_is_pseudo(const char *name)
{
	size_t len = strlen(name);

	if (is_bracketed(name))
		return true;
	for (size_t i = 0; i < ROOT_NAMES_COUNT; i++) {
		const struct root_name *row = &root_names[i];

		if (row->match >= ENDS_FIELD && text_ends(name, len, row->text))
			return true;
	}
	return false;
}

const char *
gcdump_cut_text(const char *text, size_t len, size_t max, struct arena *a, struct error *err)
{
	if (len > max) {
		len = max;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	return arena_strndup(a, text, len, err);
}

static bool
row_matches(const struct root_name *row, const char *text, size_t len)
{
	switch (row->match) {
	case IS:
		return len == strlen(row->text) && text_begins(text, len, row->text);
	case BEGINS:
	case BEGINS_FIELD:
		return text_begins(text, len, row->text);
	default:
		return text_ends(text, len, row->text);
	}
}

/*
 * Reduces `text` to the root's name, if it has one; returns the length of the type before it,
 * including a dot or plus.
 */
static size_t
row_cut_name(const struct root_name *row, const char **text, size_t *len)
{
	size_t skip = 0;

	if (row->match == IS || row->match == BEGINS) {
		*len = 0;
		return 0;
	}
	if (row->match == BEGINS_FIELD)
		skip = strlen(row->text);
	else
		*len -= strlen(row->text);
	*text += skip;
	*len -= skip;
	return row->match == ENDS_NAME ? 0 : name_field_start(*text, *len);
}

/* Shortens "lambdas in A.lambda 1_0" to "A.lambda 1_0". */
static const char *
owner_of_lambdas(const char *owner)
{
	static const char *const starts[] = { "lambdas in ", "cached delegates in " };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (!strncmp(owner, starts[i], strlen(starts[i])))
			return owner + strlen(starts[i]);
	return owner;
}

/*
 * "Ns.Application.<Current>k__BackingField" gives the name "Current" and the full name
 * "Application.Current".
 */
static bool
class_name_field(struct root_class *class, const char *text, size_t len, size_t owner_len,
		 struct arena *a, struct error *err)
{
	struct display_name owner;
	const char *field =
	    gcdump_cut_text(text + owner_len, len - owner_len, ROOT_TEXT_MAX, a, err);
	char *full;
	size_t size;

	class->name = field ? name_field(field, a, err) : NULL;
	if (!class->name || !owner_len)
		return class->name != NULL;
	class->owner = arena_strndup(a, text, owner_len - 1, err);
	if (!class->owner || !name_display(class->owner, a, &owner, err))
		return false;
	owner.brief = owner_of_lambdas(owner.brief);
	size = strlen(owner.brief) + strlen(class->name) + 2;
	full = arena_array(a, char, size, err);
	if (!full)
		return false;
	snprintf(full, size, "%s.%s", owner.brief, class->name);
	class->full_name = gcdump_cut_text(full, size - 1, ROOT_TEXT_MAX, a, err);
	return class->full_name != NULL;
}

static bool
class_init(struct root_class *class, const char *text, struct arena *a, struct error *err)
{
	size_t len = strlen(text), name_len = 0, owner_len = 0;
	const char *name = "";

	class->kind = KIND_OF_PARENT;
	if (is_bracketed(text)) {
		text++;
		len--;
		if (len && text[len - 1] == ']')
			len--;
	}
	for (size_t i = 0; i < ROOT_NAMES_COUNT; i++) {
		const struct root_name *row = &root_names[i];

		if (!row_matches(row, text, len))
			continue;
		class->kind = row->kind;
		class->is_pinned = row->is_pinned;
		name = text;
		name_len = len;
		owner_len = row_cut_name(row, &name, &name_len);
		break;
	}
	if (!class_name_field(class, name, name_len, owner_len, a, err))
		return false;
	class->label = gcdump_cut_text(text, len, ROOT_TEXT_MAX, a, err);
	return class->label != NULL;
}

/* --- the walk --- */

/* A pseudo-node to visit, with the meaning of its parent. */
struct pending {
	uint32_t node;
	uint32_t name_type; /* the type whose class has the name */
	uint8_t kind;
	bool is_pinned;
};

struct walk {
	const struct gcdump_graph *graph;
	const node_id *ids;
	struct heap_builder *builder;
	struct progress *progress;
	struct root_class *classes; /* by type */
	uint8_t *visited;           /* a bit a node */
	struct pending *queue;      /* first in, first out */
	size_t queue_at, queue_count, queue_room;
	uint64_t since_progress;
	/* The first walk only finds out whether a variable's name follows the type of its object,
	   or the type that declares it. */
	bool is_surveying, has_owners;
	uint64_t fields_count, own_types_count;
};

static bool
walk_push(struct walk *w, struct pending p, struct error *err)
{
	uint8_t bit = (uint8_t)(1U << (p.node & 7));

	if (w->visited[p.node >> 3] & bit)
		return true;
	w->visited[p.node >> 3] |= bit;
	return APPEND(w->queue, w->queue_count, w->queue_room, err, p);
}

static const struct root_class *
walk_class(struct walk *w, uint32_t type, struct error *err)
{
	struct root_class *class = &w->classes[type];
	const struct type *types = heap_builder_types(w->builder);

	if (!class->label && !class_init(class, types[w->graph->types[type].id].raw,
					 heap_builder_arena(w->builder), err))
		return NULL;
	return class;
}

static bool
walk_tick(struct walk *w, struct error *err)
{
	enum { TICKS = 1 << 16 };

	if (++w->since_progress % TICKS == 0 && !progress_add(w->progress, TICKS))
		return error_cancelled(err);
	return true;
}

/* The name of roots below the node. */
static const char *
walk_name(const struct walk *w, const struct pending *now)
{
	const struct root_class *class;

	if (now->name_type == UINT32_MAX)
		return "";
	class = &w->classes[now->name_type];
	return w->has_owners && class->full_name ? class->full_name : class->name;
}

/* Compares the type before a variable's name with that of its object. */
static void
walk_compare(struct walk *w, const struct pending *now, uint32_t type)
{
	const struct type *types = heap_builder_types(w->builder);
	const char *raw = types[w->graph->types[type].id].raw;
	const char *owner;
	size_t len = name_folded_len(raw, strlen(raw));

	if (now->name_type == UINT32_MAX)
		return;
	owner = w->classes[now->name_type].owner;
	if (!owner)
		return;
	w->fields_count++;
	w->own_types_count += strlen(owner) == len && !strncmp(owner, raw, len);
}

static bool
walk_child(struct walk *w, uint32_t child, const struct pending *now, const char *label,
	   struct error *err)
{
	struct losses *losses = &heap_builder_info(w->builder)->losses;
	struct gcdump_node node = { 0 };
	enum gcdump_kind kind;
	struct pending next = *now;

	if (child >= w->graph->nodes_count) {
		losses->damaged_refs += !w->is_surveying;
		return true;
	}
	kind = gcdump_graph_node(w->graph, child, &node);
	switch (kind) {
	case GCDUMP_PSEUDO:
		next.node = child;
		return walk_push(w, next, err);
	case GCDUMP_DAMAGED:
		losses->damaged_refs += !w->is_surveying;
		return true;
	default:
		if (w->is_surveying && kind == GCDUMP_OBJECT)
			walk_compare(w, now, node.type);
		if (w->is_surveying)
			return true;
		return heap_builder_root(w->builder, w->ids[child], now->kind, now->is_pinned,
					 walk_name(w, now), label, err);
	}
}

/* Applies the node's own name to the meaning of its parent. */
static void
pending_refine(struct pending *p, uint32_t type, const struct root_class *class)
{
	if (class->kind == KIND_OF_PARENT)
		return;
	/* "[thread static vars]" has children "[static var …]". */
	if (class->kind != ROOT_STATIC || p->kind != ROOT_THREAD_STATIC)
		p->kind = class->kind;
	p->is_pinned = class->is_pinned;
	p->name_type = *class->name ? type : UINT32_MAX;
}

bool
gcdump_root_meaning(struct gcdump_meaning *m, const char *node_name, struct arena *a,
		    struct error *err)
{
	struct pending p = { .kind = (uint8_t)m->kind,
			     .is_pinned = m->is_pinned,
			     .name_type = UINT32_MAX };
	struct root_class class = { 0 };

	if (!class_init(&class, node_name, a, err))
		return false;
	pending_refine(&p, 0, &class);
	m->kind = p.kind;
	m->is_pinned = p.is_pinned;
	if (class.kind == KIND_OF_PARENT)
		return true;
	m->name = class.name;
	m->full_name = class.full_name;
	return true;
}

static bool
walk_node(struct walk *w, struct pending now, struct error *err)
{
	struct losses *losses = &heap_builder_info(w->builder)->losses;
	const struct root_class *class;
	struct gcdump_node node;
	int32_t delta;

	if (gcdump_graph_node(w->graph, now.node, &node) != GCDUMP_PSEUDO)
		return true;
	class = walk_class(w, node.type, err);
	if (!class)
		return false;
	pending_refine(&now, node.type, class);
	for (uint32_t i = 0; i < node.refs_count; i++) {
		if (!bytes_run_next(&node.refs, &delta)) {
			if (!w->is_surveying)
				losses->damaged_refs += node.refs_count - i;
			break;
		}
		if (!walk_child(w, now.node + (uint32_t)delta, &now, class->label, err) ||
		    !walk_tick(w, err))
			return false;
	}
	return true;
}

static bool
walk_from(struct walk *w, uint32_t node, struct error *err)
{
	struct pending start = { .node = node, .name_type = UINT32_MAX, .kind = ROOT_OTHER };

	if (!walk_push(w, start, err))
		return false;
	while (w->queue_at < w->queue_count) {
		if (!walk_node(w, w->queue[w->queue_at++], err) || !walk_tick(w, err))
			return false;
	}
	w->queue_at = w->queue_count = 0;
	return true;
}

/* Without a root node, any pseudo-node may be the start. */
static bool
walk_from_all(struct walk *w, struct error *err)
{
	struct gcdump_node node;

	/* The warning of a truncated file suffices. */
	if (!w->graph->is_cut && !w->is_surveying &&
	    !heap_builder_warning(w->builder, err,
				  "the file's root node %" PRId32
				  " does not group roots: all nodes that look like roots are used",
				  w->graph->root))
		return false;
	for (uint32_t i = 0; i < w->graph->nodes_count; i++) {
		if (!walk_tick(w, err))
			return false;
		if (gcdump_graph_node(w->graph, i, &node) == GCDUMP_PSEUDO && !walk_from(w, i, err))
			return false;
	}
	return true;
}

static bool
walk_all(struct walk *w, struct error *err)
{
	uint32_t root = (uint32_t)w->graph->root;
	struct gcdump_node node;
	enum gcdump_kind kind = GCDUMP_UNDEFINED;

	progress_begin(w->progress, "reading roots", "objects", 0);
	if (root < w->graph->nodes_count)
		kind = gcdump_graph_node(w->graph, root, &node);
	if (kind == GCDUMP_PSEUDO)
		return walk_from(w, root, err);
	if (kind == GCDUMP_OBJECT && w->is_surveying)
		return true;
	if (kind == GCDUMP_OBJECT)
		return heap_builder_root(w->builder, w->ids[root], ROOT_OTHER, false, "",
					 "root of the graph", err);
	return walk_from_all(w, err);
}

/*
 * Files made from events of CoreCLR have the type of the object before a static variable's name,
 * which is redundant and would be mistaken for the declaring class. Other files have the class. For
 * singletons both are the same, so nearly all variables must agree.
 */
static bool
walk_has_owners(struct walk *w, struct error *err)
{
	w->is_surveying = true;
	if (!walk_all(w, err))
		return false;
	w->is_surveying = false;
	memset(w->visited, 0, (size_t)w->graph->nodes_count / 8 + 1);
	w->has_owners = w->own_types_count * 10 < w->fields_count * 9;
	return true;
}

bool
gcdump_roots_read(const struct gcdump_graph *g, const node_id *ids, struct heap_builder *b,
		  struct progress *progress, struct error *err)
{
	struct walk w = { .graph = g, .ids = ids, .builder = b, .progress = progress };
	bool is_good;

	w.classes = memory_new(g->types_count, sizeof(*w.classes), err);
	w.visited = memory_new((size_t)g->nodes_count / 8 + 1, 1, err);
	is_good = w.classes && w.visited && walk_has_owners(&w, err) && walk_all(&w, err);
	memory_free(w.classes);
	memory_free(w.visited);
	memory_free(w.queue);
	return is_good;
}
