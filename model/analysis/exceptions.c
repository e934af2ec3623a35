#include "model/analysis/exceptions.h"
#include "model/base/hash.h"
#include "model/base/text.h"
#include "model/heap/contents.h"
#include "model/heap/framework.h"
#include <stdlib.h>
#include <string.h>

enum {
	MESSAGE_UNITS = 200,
	FRAMES_ASKED = 16,
	/* The runtime's array of a stack: the number of calls and a thread, then the calls. */
	STACK_HEADER_BYTES = 16,
	CALL_BYTES = 32,
	ARRAY_HEADER_BYTES = 16,
	LOOK_EVERY = 65536,
	TEXTS_KNOWN = 256,
};

bool
type_is_exception(const struct heap *h, const struct type *t)
{
	if (h->memory)
		return t->flags & TYPE_EXCEPTION;
	return !(t->flags & TYPE_ARRAY) && text_ends(t->raw, strcspn(t->raw, "<`"), "Exception");
}

/* Returns the array with the calls, which an array of objects may have first. */
static bool
calls_of(const struct heap *h, node_id n, node_id *calls, struct error *err)
{
	struct refs refs;

	*calls = NODE_NONE;
	if (!contents_reference(h, n, "_stackTrace", calls, err) || *calls == NODE_NONE)
		return err->kind == ERROR_NONE;
	if (!(heap_type(h, *calls)->flags & TYPE_HAS_REFS))
		return true;
	refs = heap_refs(h, *calls);
	if (!refs_next(&refs, calls))
		*calls = NODE_NONE;
	return true;
}

/* Names the call at an address of code, and returns whether its class is the application's. */
static bool
name_call(const struct heap *h, uint64_t ip, const char **name, struct arena *a)
{
	const struct heap_memory *m = h->memory;
	struct content_frame frame;
	struct error ignored = { 0 };

	*name = "";
	if (!m->contents->code || !m->contents->code(m->source, ip - 1, &frame, a, &ignored) ||
	    frame.kind != CONTENT_FRAME_MANAGED)
		return false;
	*name = frame.text;
	return *frame.type && !framework_declares(frame.type, frame.module);
}

/* Finds the method that threw it. */
static void
read_stack(const struct heap *h, node_id calls, struct exception *out, struct arena *a)
{
	uint64_t at = heap_address(h, calls) + ARRAY_HEADER_BYTES, bytes = heap_size(h, calls);
	int64_t count, ip;

	if (bytes < ARRAY_HEADER_BYTES + STACK_HEADER_BYTES ||
	    !contents_read_integer(h, at, LITERAL_UINT32, &count))
		return;
	for (int64_t i = 0; i < count && i < FRAMES_ASKED; i++) {
		uint64_t call = STACK_HEADER_BYTES + (uint64_t)i * CALL_BYTES;
		const char *name;
		bool is_own;

		if (call + CALL_BYTES > bytes - ARRAY_HEADER_BYTES ||
		    !contents_read_integer(h, at + call, LITERAL_INT64, &ip) || !ip)
			return;
		is_own = name_call(h, (uint64_t)ip, &name, a);
		if (!*out->method || is_own)
			out->method = name;
		if (is_own)
			return;
	}
}

bool
exception_read(const struct heap *h, node_id n, struct exception *out, struct arena *a,
	       struct error *err)
{
	const struct heap_memory *m = h->memory;
	node_id text, calls;
	uint32_t units;

	*out = (struct exception){
		.node = n, .type = heap_type_of(h, n), .message = "", .method = "", .count = 1
	};
	if (!contents_have_fields(h))
		return true;
	if (contents_reference(h, n, "_message", &text, err) && text != NODE_NONE &&
	    !m->contents->text(m->source, text, MESSAGE_UNITS, &out->message, &units, a, err)) {
		out->message = "";
		error_clear(err); /* it is absent */
	}
	if (err->kind != ERROR_NONE || !calls_of(h, n, &calls, err))
		return false;
	out->is_thrown = calls != NODE_NONE;
	if (out->is_thrown)
		read_stack(h, calls, out, a);
	return true;
}

/* --- the pass -------------------------------------------------------------- */

/* Exceptions are read into `scratch`, which is emptied for each. Texts that are kept are few, and
   the last ones of a hash are used again. */
struct gathering {
	struct exceptions *out;
	const struct heap *heap;
	const struct reach *reach;
	struct arena scratch;
	const char *texts[TEXTS_KNOWN]; /* by hash; or NULL */
};

/* Returns a text that stays. */
static const char *
keep_text(struct gathering *g, const char *text, struct error *err)
{
	const char **known = &g->texts[hash_text(HASH_START, text) % TEXTS_KNOWN];

	if (!*text)
		return "";
	if (!*known || strcmp(*known, text) != 0)
		*known = arena_strndup(&g->out->texts, text, strlen(text), err);
	return *known;
}

static bool
add_exception(struct gathering *g, node_id n, struct error *err)
{
	struct arena_mark mark = arena_mark(&g->scratch);
	struct exception e;
	bool ok = exception_read(g->heap, n, &e, &g->scratch, err);

	if (ok) {
		e.message = keep_text(g, e.message, err);
		e.method = e.message ? keep_text(g, e.method, err) : NULL;
		e.live_count = g->reach->distance[n] != DISTANCE_UNREACHABLE;
		ok = e.method && APPEND(g->out->items, g->out->count, g->out->room, err, e);
	}
	arena_reset(&g->scratch, mark);
	return ok;
}

static bool
gather(struct gathering *g, const bool *is_wanted, struct progress *progress, struct error *err)
{
	const struct heap *h = g->heap;

	progress_begin(progress, "looking for exceptions", "objects", h->nodes_count);
	for (node_id n = 0; n < h->nodes_count; n++) {
		if (n % LOOK_EVERY == 0 && !progress_add(progress, LOOK_EVERY))
			return error_cancelled(err);
		if (is_wanted[heap_type_of(h, n)] && !add_exception(g, n, err))
			return false;
	}
	return true;
}

/* Puts equal ones side by side, reachable ones first. */
static int
compare_kinds(const struct exception *a, const struct exception *b)
{
	int order = strcmp(a->message, b->message);

	if (a->type != b->type)
		return a->type < b->type ? -1 : 1;
	if (!order)
		order = strcmp(a->method, b->method);
	return order ? order : a->is_thrown - b->is_thrown;
}

static int
compare_found(const void *x, const void *y)
{
	const struct exception *a = x, *b = y;
	int order = compare_kinds(a, b);

	if (order)
		return order;
	if (a->live_count != b->live_count)
		return a->live_count > b->live_count ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Most frequent first; those that were thrown before those that the runtime only keeps ready. */
static int
compare_counts(const void *x, const void *y)
{
	const struct exception *a = x, *b = y;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->is_thrown != b->is_thrown)
		return a->is_thrown ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

static void
join_equal(struct exceptions *e)
{
	size_t kept = 0;

	if (e->count)
		qsort(e->items, e->count, sizeof *e->items, compare_found);
	for (size_t i = 0; i < e->count; i++) {
		struct exception *last = kept ? &e->items[kept - 1] : NULL;

		if (last && !compare_kinds(last, &e->items[i])) {
			last->count++;
			last->live_count += e->items[i].live_count;
		} else {
			e->items[kept++] = e->items[i];
		}
	}
	e->count = kept;
	if (e->count)
		qsort(e->items, e->count, sizeof *e->items, compare_counts);
}

bool
exceptions_find(const struct heap *h, const struct reach *reach, struct exceptions *out,
		struct progress *progress, struct error *err)
{
	bool *is_wanted = memory_new((size_t)h->types_count + 1, sizeof *is_wanted, err);
	struct gathering g = { .out = out, .heap = h, .reach = reach };
	bool ok = is_wanted != NULL;

	arena_init(&out->texts, 0);
	arena_init(&g.scratch, 0);
	out->has_values = contents_have_fields(h);
	for (type_id t = 0; ok && t < h->types_count; t++)
		is_wanted[t] = type_is_exception(h, &h->types[t]);
	ok = ok && gather(&g, is_wanted, progress, err);
	arena_clear(&g.scratch);
	memory_free(is_wanted);
	if (ok)
		join_equal(out);
	return ok;
}

void
exceptions_clear(struct exceptions *e)
{
	memory_free(e->items);
	arena_clear(&e->texts);
}
