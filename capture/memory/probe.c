#include "capture/memory/probe.h"
#include "capture/memory/freeze.h"
#include "capture/memory/process_memory.h"
#include "capture/process/process.h"
#include "io/base/input.h"
#include "io/formats/foreign.h"
#include "io/runtime/presence.h"
#include "io/memory/core.h"
#include <inttypes.h>

/* --- the core ------------------------------------------------------------- */

static void
print_core(const struct memory *m, FILE *to)
{
	const struct core_facts *f = core_facts(m);
	static const char *const states[] = {
		[CORE_FILE_SAME] = "the same build",
		[CORE_FILE_UNVERIFIED] = "build unknown",
		[CORE_FILE_OTHER] = "another build, not used",
		[CORE_FILE_MISSING] = "missing, or not a module",
	};
	enum core_file_state state;
	const char *path;

	fprintf(to, "core_bytes %" PRIu64 "\n", f->bytes);
	fprintf(to, "core_memory_bytes %" PRIu64 "\n", f->present_bytes);
	fprintf(to, "core_segments %u\n", f->segments_count);
	if (f->cut_bytes)
		fprintf(to, "core_cut_bytes %" PRIu64 "\n", f->cut_bytes);
	if (f->is_createdump)
		fprintf(to, "core_writer createdump\n");
	for (size_t i = 0; (path = core_file(m, i, &state)); i++) {
		if (state != CORE_FILE_UNUSED)
			fprintf(to, "file %s (%s)\n", path, states[state]);
	}
}

/* --- the runtime ---------------------------------------------------------- */

static void
print_version(const struct clr_runtime *rt, FILE *to)
{
	static const char *const froms[] = {
		[CLR_VERSION_TEXT] = "a text in it",
		[CLR_VERSION_INFO] = "its exported version",
		[CLR_VERSION_PATH] = "the name of its folder",
		[CLR_VERSION_TABLE] = "the size of its table",
	};

	if (rt->version_from == CLR_VERSION_TABLE)
		fprintf(to, "version %u", rt->version[0]);
	else
		fprintf(to, "version %u.%u.%u", rt->version[0], rt->version[1], rt->version[2]);
	fprintf(to, " (from %s)\n", rt->native ? "its description" : froms[rt->version_from]);
}

static const char *
descriptor_place(const struct clr_runtime *rt)
{
	return rt->descriptor_source == CLR_DESCRIPTOR_IN_FILE ? "in its file" : "in memory";
}

/* Type fields come before the collector's, see io/runtime/layout.h. */
static void
count_fields(const struct clr_layout *l, enum clr_field from, enum clr_field to,
	     unsigned *described, unsigned *built_in)
{
	*described = *built_in = 0;
	for (unsigned i = from; i < to; i++) {
		*described += l->is_described[i];
		*built_in += clr_has(l, (enum clr_field)i) && !l->is_described[i];
	}
}

/* Prints where the layout of the runtime's structures is known from. */
static void
print_layout(const struct clr_runtime *rt, FILE *to)
{
	const struct clr_layout *l = &rt->layout;
	unsigned described, built_in;

	count_fields(l, 0, CLR_GENERATION_CONTEXT, &described, &built_in);
	fprintf(to, "layout of types");
	if (described)
		fprintf(to, " %u fields described by the runtime %s%s", described,
			descriptor_place(rt), built_in ? "," : "");
	if (built_in)
		fprintf(to, " %u built in for .NET %d%s", built_in, l->version,
			l->is_guess ? " on x64: a guess for this machine" : "");
	fprintf(to, "\nlayout of variables ");
	if (rt->native)
		fprintf(to, "described by the runtime in memory\n");
	else if (rt->described_globals)
		fprintf(to, "%u described by the runtime %s\n", rt->described_globals,
			descriptor_place(rt));
	else
		fprintf(to, "beside the collector's, as " CLR_VERSIONS_SPAN "\n");
}

/* The collector describes few of its own fields. */
static void
print_collector_layout(const struct clr_heaps *h, FILE *to)
{
	bool is_measured = h->major == 2 && (h->minor < 2 || h->minor == 4) &&
			   h->runtime->layout.facts->is_collector_measured;
	unsigned described, built_in;

	count_fields(&h->runtime->layout, CLR_GENERATION_CONTEXT, CLR_FIELDS_COUNT, &described,
		     &built_in);
	fprintf(to, "layout of the collector");
	if (described)
		fprintf(to, " %u fields described by itself, else", described);
	fprintf(to, " %s for " CLR_VERSIONS_SPAN ", its variables %s%s\n",
		is_measured ? "built in" : "a guess, built in",
		h->runtime->native ? "described by the runtime" : "recognised by their contents",
		h->is_server ? ", offsets in a heap described by it" : "");
}

static void
print_runtime(const struct clr_runtime *rt, FILE *to)
{
	fprintf(to, "runtime %s\n", rt->path[0] ? rt->path : "in a file without a name");
	if (rt->runtimes_count > 1)
		fprintf(to, "runtimes %u\n", rt->runtimes_count);
	print_version(rt, to);
	fprintf(to, "flavour %s\n",
		rt->native           ? "Native AOT"
		: rt->is_single_file ? "single file"
				     : "folder");
	fprintf(to, "machine %s\n", rt->memory->machine == MEMORY_ARM64 ? "arm64" : "x64");
	fprintf(to, "runtime_base 0x%" PRIx64 "\n", rt->base);
	if (rt->native)
		fprintf(to, "description 0x%" PRIx64 "\ncollector_variables 0x%" PRIx64 "\n",
			rt->dac_table, rt->gc_vars);
	else
		fprintf(to,
			"table 0x%" PRIx64 ", %u slots\ncollector_variables 0x%" PRIx64
			", slot %u\n",
			rt->dac_table, rt->dac_slots_count, rt->gc_vars, rt->gc_slot);
	print_layout(rt, to);
}

static void
print_threads(const struct clr_runtime *rt, FILE *to)
{
	fprintf(to, "threads %zu of the process", rt->memory->threads_count);
	if (!rt->are_threads_known) {
		fprintf(to, ", managed ones unknown\n");
		return;
	}
	fprintf(to, ", %zu managed\n", rt->threads_count);
	fprintf(to, "\n%8s %8s %10s %16s %18s\n", "Thread", "System", "State", "Address",
		"Allocates at");
	for (size_t i = 0; i < rt->threads_count; i++) {
		const struct clr_thread *t = &rt->threads[i];

		fprintf(to, "%8u %8" PRIu64 " %10x %16" PRIx64, t->id, t->os_id, t->state,
			t->address);
		if (t->alloc_pointer)
			fprintf(to, " %16" PRIx64 "+%" PRIu64, t->alloc_pointer,
				t->alloc_limit - t->alloc_pointer);
		fprintf(to, "\n");
	}
}

/* --- the heaps ------------------------------------------------------------ */

static void
print_collector(const struct clr_heaps *h, FILE *to)
{
	static const char *const states[] = { "marking in the background",
					      "sweeping in the background", "at rest" };
	struct clr_free_regions unused = clr_heaps_free(h);

	fprintf(to, "gc %s, %s\n", h->is_server ? "server" : "workstation",
		h->has_regions ? "regions" : "segments");
	if (h->runtime->gc_library)
		fprintf(to, "gc_library %s\n", h->runtime->gc_library);
	fprintf(to, "gc_variables_version %u.%u\n", h->major, h->minor);
	print_collector_layout(h, to);
	fprintf(to, "gc_state %s\n",
		h->invalid_count ? "objects are being moved: not walkable"
		: h->state < 3   ? states[h->state]
				 : "unknown");
	if (h->adaptation >= 0)
		fprintf(to, "gc_adaptation %" PRId32 "\n", h->adaptation);
	fprintf(to, "heaps %u\n", h->heaps_count);
	fprintf(to, "ranges %zu\n", h->ranges_count);
	if (unused.count)
		fprintf(to, "free_regions %" PRIu64 ", %" PRIu64 " bytes committed\n", unused.count,
			unused.committed);
}

static void
print_ranges(const struct clr_heaps *h, FILE *to)
{
	fprintf(to, "\n%4s %-10s %16s %16s %16s %12s %12s\n", "Heap", "Generation", "Start", "End",
		"Committed to", "Bytes", "Behind it");
	for (size_t i = 0; i < h->ranges_count; i++) {
		const struct clr_range *r = &h->ranges[i];

		fprintf(to,
			"%4u %-10s %16" PRIx64 " %16" PRIx64 " %16" PRIx64 " %12" PRIu64
			" %12" PRIu64 "\n",
			r->heap,
			r->is_ephemeral && !h->has_regions
			    ? "ephemeral"
			    : generation_name((enum generation)r->generation),
			r->start, r->end, r->committed, r->end - r->start, r->committed - r->end);
	}
}

static void
print_doubts(const struct clr_doubts *doubts, FILE *to)
{
	for (size_t i = 0; i < doubts->count; i++)
		fprintf(to, "doubt %s\n", doubts->texts[i]);
}

/* --- all ------------------------------------------------------------------ */

struct found {
	struct clr_runtime *runtime;
	struct clr_heaps *heaps;
};

static bool
found_open(struct found *f, const struct memory *m, struct error *err)
{
	f->heaps = NULL;
	f->runtime = clr_runtime_open(m, err);
	if (f->runtime)
		f->heaps = clr_heaps_open(f->runtime, err);
	return f->heaps != NULL;
}

static void
found_close(struct found *f)
{
	clr_heaps_close(f->heaps);
	clr_runtime_close(f->runtime);
}

/* Prints what was found, even if the heaps were not. */
static void
found_print(const struct found *f, FILE *to)
{
	if (!f->runtime)
		return;
	print_runtime(f->runtime, to);
	if (f->heaps)
		print_collector(f->heaps, to);
	print_doubts(&f->runtime->doubts, to);
	if (f->heaps)
		print_doubts(&f->heaps->doubts, to);
	print_threads(f->runtime, to);
	if (f->heaps)
		print_ranges(f->heaps, to);
}

bool
probe_core(const char *path, const char *sysroot, uint32_t runtime, FILE *to,
	   struct progress *progress, struct error *err)
{
	struct found found;
	struct memory *m = NULL;
	struct input in;
	bool is_good;

	if (!input_begin(&in, path, progress, err))
		return false;
	if (foreign_name(in.head, in.head_len))
		foreign_refuse(in.head, in.head_len, err);
	else
		m = core_open(&in, sysroot, progress, err);
	input_close(&in);
	if (!m)
		return false;
	m->runtime_wanted = runtime;
	is_good = found_open(&found, m, err);
	print_core(m, to);
	found_print(&found, to);
	is_good = is_good && clr_presence_check(found.heaps, NULL, err) && core_is_intact(m, err);
	found_close(&found);
	memory_close(m);
	return is_good;
}

bool
probe_process(const char *proc, int32_t pid, uint32_t runtime, FILE *to, struct progress *progress,
	      struct error *err)
{
	struct freeze freeze;
	struct found found = { 0 };
	struct memory *m;
	bool is_good = false;
	struct process p;

	if (!process_look(&p, proc, pid, err))
		return false;
	if (p.waits) {
		*err = p.trouble;
		return false;
	}
	if (!freeze_start(&freeze, proc, pid, progress, err))
		return false;
	m = process_memory_open(proc, &freeze, err);
	if (m)
		m->runtime_wanted = runtime;
	if (m)
		is_good = found_open(&found, m, err);
	/* The rest needs no memory of the process but counts of free regions.
	 */
	freeze_end(&freeze);
	is_good = is_good && freeze_check(&freeze, err);
	if (m)
		fprintf(to, "process %" PRId32 "\nstopped_ms %.2f\n", pid,
			(double)(freeze.ended_ns - freeze.began_ns) / 1e6);
	found_print(&found, to);
	found_close(&found);
	memory_close(m);
	freeze_clear(&freeze);
	return is_good;
}
