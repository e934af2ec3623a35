#include "io/clr/frames.h"
#include "io/clr/frame_names.h"
#include "io/clr/frame_scan.h"
#include "io/runtime/stack_walk.h"
#include "io/runtime/threads.h"
#include <inttypes.h>

struct reading {
	struct clr_frame_names names;
	struct content_frame *items; /* memory_free() */
	uint32_t count, max;
	size_t room;
};

static bool
add(struct reading *r, const struct content_frame *frame)
{
	return APPEND(r->items, r->count, r->room, r->names.err, *frame);
}

/* Copies the frames and the reason into the arena. */
static bool
finish(const struct reading *r, const char *why, struct content_frames *out)
{
	struct arena *a = r->names.arena;
	struct error *err = r->names.err;

	out->count = r->count;
	out->items = arena_array(a, struct content_frame, r->count + 1, err);
	out->why = arena_printf(a, err, "%s", why);
	if (!out->items || !out->why)
		return false;
	if (r->count)
		memcpy(out->items, r->items, r->count * sizeof(*r->items));
	return true;
}

/* --- frames that were walked ---------------------------------------------- */

static bool
name_unknown(const struct reading *r, const char *what, struct content_frame *out)
{
	if (!clr_frame_name_place(&r->names, out))
		return false;
	out->text = out->full =
	    arena_printf(r->names.arena, r->names.err, "%s at %s", what, out->text);
	return out->text != NULL;
}

/* The method that a transition leads to is known in part. */
static bool
name_transition(struct reading *r, const struct clr_chain_frame *chain, struct content_frame *out)
{
	const char *kind = clr_frame_kind_name(chain->kind);
	struct error *err = r->names.err;
	struct arena *a = r->names.arena;

	if (!clr_frame_name_method(&r->names, chain->record, out))
		return false;
	if (chain->kind == CLR_FRAME_UNKNOWN)
		out->text = arena_printf(a, err, "[unknown Frame 0x%" PRIx64 "]", chain->word);
	else if (*out->text)
		out->text = arena_printf(a, err, "[%s] %s", kind, out->text);
	else
		out->text = arena_printf(a, err, "[%s]", kind);
	out->full = out->text;
	return out->text != NULL;
}

static bool
name_frame(struct reading *r, const struct clr_stack_frame *f, struct content_frame *out)
{
	switch (f->kind) {
	case CLR_STACK_MANAGED:
		out->kind = CONTENT_FRAME_MANAGED;
		return clr_frame_name_method(&r->names, f->code.record, out) &&
		       (*out->text || name_unknown(r, "unknown method", out));
	case CLR_STACK_STUB:
		out->kind = CONTENT_FRAME_STUB;
		return name_unknown(r, "code of the runtime", out);
	case CLR_STACK_TRANSITION:
		out->kind = CONTENT_FRAME_TRANSITION;
		out->sp = f->chain.address;
		return name_transition(r, &f->chain, out);
	case CLR_STACK_NATIVE:
		break;
	}
	out->kind = CONTENT_FRAME_NATIVE;
	return clr_frame_name_place(&r->names, out);
}

static bool
walk(struct reading *r, const struct clr_thread *thread, const struct memory_thread *os,
     struct content_frames *out)
{
	const struct clr_runtime *rt = r->names.runtime;
	struct clr_stack_walk w;
	struct clr_stack_frame f;
	const char *why;

	if (!clr_stack_walk_begin(&w, rt, rt->reader, thread, os))
		return finish(r, w.why, out);
	while (r->count < r->max && clr_stack_walk_next(&w, &f)) {
		struct content_frame frame = { .ip = f.state.ip, .sp = f.state.value[X64_RSP] };

		if (!name_frame(r, &f, &frame) || !add(r, &frame))
			return false;
	}
	why = r->count == r->max ? "there are more calls" : w.is_complete ? "" : w.why;
	return finish(r, why, out);
}

/* --- frames that were found ----------------------------------------------- */

/* Dynamic methods are left out. */
static bool
add_found(void *context, uint64_t ip, uint64_t sp, uint64_t record)
{
	struct reading *r = context;
	struct content_frame frame = { .kind = CONTENT_FRAME_FOUND, .ip = ip, .sp = sp };

	if (r->count == r->max || !clr_frame_name_method(&r->names, record, &frame))
		return false;
	return !*frame.type || add(r, &frame);
}

static bool
scan(struct reading *r, const struct memory_thread *os, struct content_frames *out)
{
	clr_frame_scan(r->names.runtime, os, add_found, r);
	return r->names.err->kind == ERROR_NONE &&
	       finish(r, "the stack is not walked on this machine: these are words behind calls",
		      out);
}

/* --- both ----------------------------------------------------------------- */

bool
clr_frames_read(const struct clr_runtime *rt, const struct clr_names *n, uint64_t os_id,
		uint32_t max, struct content_frames *out, struct arena *a, struct error *err)
{
	struct reading r = { .names = { .runtime = rt, .names = n, .arena = a, .err = err },
			     .max = max };
	const struct memory_thread *os = os_id ? memory_thread_find(rt->memory, os_id) : NULL;
	const struct clr_thread *thread =
	    os_id ? clr_thread_find(rt, CLR_THREAD_BY_OS_ID, os_id) : NULL;
	bool is_good;

	*out = (struct content_frames){ .why = "" };
	if (!os)
		is_good = finish(&r, "its registers are unknown", out);
	else if (rt->memory->machine == MEMORY_ARM64)
		is_good = scan(&r, os, out);
	else if (!thread)
		is_good = finish(&r, "only threads of the runtime are walked", out);
	else
		is_good = walk(&r, thread, os, out);
	memory_free(r.items);
	return is_good;
}

bool
clr_frame_at(const struct clr_runtime *rt, const struct clr_names *n, uint64_t address,
	     struct content_frame *out, struct arena *a, struct error *err)
{
	struct clr_frame_names names = { .runtime = rt, .names = n, .arena = a, .err = err };
	struct clr_code code;

	*out = (struct content_frame){ .ip = address };
	if (!clr_code_find(rt, rt->reader, address, &code))
		return error_set(err, ERROR_USAGE, "0x%" PRIx64 ": %s", address, code.why);
	if (!clr_frame_name_method(&names, code.record, out))
		return false;
	return *out->text ||
	       error_set(err, ERROR_USAGE, "the method at 0x%" PRIx64 " has no name", address);
}
