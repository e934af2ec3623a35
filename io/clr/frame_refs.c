#include "io/clr/frame_refs.h"
#include "io/runtime/gc_live.h"
#include "model/base/arena.h"
#include <stdio.h>
#include <string.h>

enum { FIRST_RETURN_VERSION = 4 }; /* of GC info: .NET 10 */

struct reading {
	struct clr_frame_refs *out;
	struct clr_stack_walk walk;
	struct gc_info *info;
	unsigned version;
	uint32_t frame;
	/* The frame before, which this one has called, is known, or native code that left no
	 * Frame. */
	bool follows_known, follows_native;
	/* A thread that blocks collections stands in native code that could not be unwound. */
	bool lacks_frames;
	/* The handler whose method is still to come; 0: none. */
	uint64_t parent_start, parent_frame;
	struct error *err;
};

/* --- slots ---------------------------------------------------------------- */

static bool
add_slot(struct reading *g, struct clr_frame_slot slot)
{
	struct clr_frame_refs *out = g->out;

	slot.frame = g->frame;
	return !slot.value || APPEND(out->slots, out->slots_count, out->slots_room, g->err, slot);
}

/* Adds the registers that calls preserve, of code whose references are unknown. */
static bool
add_registers(struct reading *g, const struct x64_state *state)
{
	static const uint8_t preserved[] = { X64_RBX,     X64_RBP,     X64_R12,
					     X64_R12 + 1, X64_R12 + 2, X64_R15 };

	for (size_t i = 0; i < sizeof(preserved); i++) {
		unsigned number = preserved[i];
		uint64_t place = state->place[number];

		if (!add_slot(g, (struct clr_frame_slot){ .value = state->value[number],
							  .place = place ? place : number }))
			return false;
	}
	return true;
}

/* The address of a slot on the stack. */
static uint64_t
slot_address(const struct reading *g, const struct clr_stack_frame *f, const struct gc_slot *slot)
{
	uint64_t base = f->caller_sp;

	if (slot->place == GC_SLOT_FROM_STACK)
		base = f->state.value[X64_RSP];
	else if (slot->place == GC_SLOT_FROM_FRAME)
		base = f->state.value[g->info->frame_register];
	return base + (uint64_t)(int64_t)slot->offset;
}

/* Reads a live slot. False: absent. */
static bool
read_slot(const struct reading *g, const struct clr_stack_frame *f, const struct gc_slot *slot,
	  struct clr_frame_slot *out)
{
	unsigned number = (unsigned)slot->offset;

	*out = (struct clr_frame_slot){ .record = f->code.record,
					.is_known = true,
					.is_pinned = slot->is_pinned };
	if (slot->place != GC_SLOT_REGISTER) {
		out->place = slot_address(g, f, slot);
		return memory_u64(g->walk.reader, out->place, &out->value);
	}
	out->value = f->state.value[number];
	out->place = f->state.place[number] ? f->state.place[number] : number;
	return true;
}

/* Adds all live slots. *is_known: all of them are in memory. */
static bool
add_live(struct reading *g, const struct clr_stack_frame *f, bool *is_known)
{
	*is_known = true;
	for (uint32_t i = 0; i < g->info->slots_count; i++) {
		struct clr_frame_slot slot;

		if (!g->info->slots[i].is_live)
			continue;
		if (!read_slot(g, f, &g->info->slots[i], &slot))
			*is_known = false;
		else if (!add_slot(g, slot))
			return false;
	}
	return true;
}

/* --- frames --------------------------------------------------------------- */

/* The code of a handler begins elsewhere than its method. */
static bool
is_handler(const struct clr_stack_frame *f)
{
	return f->code.entry != f->code.start;
}

/* Finds the live slots of a frame. GC_UNKNOWN if its GC info cannot be that of the method. */
static enum gc_state
find_live(struct reading *g, const struct clr_stack_frame *f)
{
	struct gc_moment moment = { .offset = (uint32_t)f->code.offset,
				    .is_leaf = f->is_leaf,
				    .is_interrupted = f->is_interrupted };

	g->info->why = NULL;
	if (!f->code.gc_info || !f->caller_sp || f->code.offset > UINT32_MAX ||
	    !gc_info_read(g->info, g->walk.reader, f->code.gc_info, g->version) ||
	    f->code.entry_end - f->code.start > g->info->code_bytes)
		return GC_UNKNOWN;
	return gc_live_find(g->info, &moment);
}

/* Arguments on the stack belong to the frame that was called: if that is known, they are slots. */
static bool
add_stretch(struct reading *g, const struct clr_stack_frame *f)
{
	struct clr_frame_refs *out = g->out;
	uint64_t start = f->state.value[X64_RSP];
	struct clr_known_stretch stretch = { start, f->caller_sp };

	if (!g->follows_known && !f->is_leaf)
		stretch.start += g->info->outgoing_bytes;
	return stretch.start >= stretch.end ||
	       APPEND(out->stretches, out->stretches_count, out->stretches_room, g->err, stretch);
}

static bool
add_unknown(struct reading *g, const struct clr_stack_frame *f, const char *why)
{
	if (!g->out->unknown_frames++)
		g->out->unknown_why = why;
	g->follows_known = false;
	return add_registers(g, &f->state);
}

/*
 * A call where only untracked slots are live needs no safe point; nor does a call of a helper
 * during which no collection can begin, as of a write barrier: then tracked slots may be live, too.
 * Helpers leave no Frame.
 *
 * Before .NET 10, a call that does not return, as of a helper that throws, may be the last
 * instruction before code to which only jumps lead. A thread that was stopped there stands at the
 * safe point of that call, behind which nothing is live.
 */
static bool
is_known_state(const struct reading *g, const struct clr_stack_frame *f, enum gc_state state)
{
	if (g->version < FIRST_RETURN_VERSION && f->is_leaf && state == GC_SAFE_POINT)
		return false;
	if (state == GC_ELSEWHERE)
		return !f->is_leaf && (!g->follows_native || !g->info->tracked_count);
	return state == GC_SAFE_POINT || state == GC_INTERRUPTIBLE;
}

/* The reason after GC_UNKNOWN. */
static const char *
why_unknown(const struct reading *g, const struct clr_stack_frame *f)
{
	if (g->info->why)
		return g->info->why;
	return f->code.why ? f->code.why : "the GC info there is not the method's";
}

/* A leaf's registers are known where it can be interrupted; at a safe point rax may have the result
 * of a call. */
static bool
add_known(struct reading *g, const struct clr_stack_frame *f)
{
	enum gc_state state = find_live(g, f);
	bool is_known;

	if (state == GC_UNKNOWN)
		return add_unknown(g, f, why_unknown(g, f));
	if (!is_known_state(g, f, state))
		return add_unknown(g, f, "no collection can begin there");
	if (!add_live(g, f, &is_known))
		return false;
	if (!is_known)
		return add_unknown(g, f, "a reference is not in memory");
	if (f->is_leaf && !g->frame)
		g->out->has_known_registers = state == GC_INTERRUPTIBLE;
	if (!add_stretch(g, f))
		return false;
	g->follows_known = true;
	return true;
}

/* True up to the frame of the method whose handler was met. */
static bool
is_before_parent(struct reading *g, const struct clr_stack_frame *f)
{
	if (!g->parent_start)
		return false;
	if (f->code.start == g->parent_start && !is_handler(f) &&
	    f->state.value[X64_RBP] == g->parent_frame)
		g->parent_start = 0;
	return true;
}

static bool
add_managed(struct reading *g, const struct clr_stack_frame *f)
{
	bool is_good;

	g->out->frames++;
	if (is_before_parent(g, f) || f->is_interrupted) {
		is_good = add_unknown(g, f, "an exception is on its way there");
	} else {
		is_good = add_known(g, f);
		if (is_handler(f)) {
			g->parent_start = f->code.start;
			g->parent_frame = f->state.value[X64_RBP];
		}
	}
	g->follows_native = false;
	return is_good;
}

static bool
add_frame(struct reading *g, const struct clr_stack_frame *f)
{
	if (f->is_skipped)
		return true;
	if (f->kind == CLR_STACK_MANAGED)
		return add_managed(g, f);
	g->lacks_frames |=
	    g->follows_native && f->kind == CLR_STACK_TRANSITION && g->walk.is_cooperative;
	g->follows_known = false;
	g->follows_native = f->kind != CLR_STACK_TRANSITION;
	return add_registers(g, &f->state);
}

/* --- all together --------------------------------------------------------- */

static bool
read_frames(struct reading *g)
{
	struct clr_stack_frame f;

	for (; clr_stack_walk_next(&g->walk, &f); g->frame++)
		if (!add_frame(g, &f))
			return false;
	/* The native code that has called the first managed frame. */
	return add_registers(g, &g->walk.state);
}

static void
drop(struct clr_frame_refs *out, const char *why)
{
	out->slots_count = out->stretches_count = 0;
	out->has_known_registers = false;
	snprintf(out->why, sizeof(out->why), "%s", why);
}

bool
clr_frame_refs_read(struct clr_frame_refs *out, const struct clr_runtime *rt,
		    const struct clr_thread *thread, const struct memory_thread *os,
		    struct gc_info *info, struct error *err)
{
	struct reading g = {
		.out = out,
		.info = info,
		.version = rt->layout.facts->gc_info_version,
		.err = err,
	};

	memset(out, 0, sizeof(*out));
	if (clr_stack_walk_begin(&g.walk, rt, rt->reader, thread, os) && !read_frames(&g)) {
		clr_frame_refs_clear(out);
		return false;
	}
	if (!g.walk.is_complete)
		drop(out, g.walk.why);
	else if (g.lacks_frames)
		drop(out, "the native code at its top could not be unwound");
	return true;
}

void
clr_frame_refs_clear(struct clr_frame_refs *refs)
{
	memory_free(refs->slots);
	memory_free(refs->stretches);
	memset(refs, 0, sizeof(*refs));
}
