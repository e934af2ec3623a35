#include "model/analysis/resident.h"
#include "model/base/less.h"
#include "model/heap/memory.h"
#include "model/base/arena.h"
#include "model/base/format.h"
#include <stdio.h>

/* clang-format off */
static const struct kind {
	const char *id, *meaning;
	/* Sentences name it so: "640 MiB native heap in 12 arenas". */
	const char *name, *counted; /* NULL: the count is not named */
	bool is_native;
} kinds[RESIDENT_KIND_COUNT] = {
	[RESIDENT_MANAGED]   = { "managed", "the GC's segments or regions; :segments", "managed", NULL, false },
	[RESIDENT_COLLECTOR] = { "collector", "the GC's tables: cards, marks", "tables of the collector", NULL, false },
	[RESIDENT_CODE]      = { "code", "compiled code, loader heaps", "code and loader heaps", NULL, true },
	[RESIDENT_IMAGES]    = { "images", "libraries, assemblies; :modules", "images", NULL, false },
	[RESIDENT_STACKS]    = { "stacks", "stacks of threads; :threads", "stacks of", "thread", true },
	[RESIDENT_FILES]     = { "files", "mapped files, shared memory", "in", "mapped file", true },
	[RESIDENT_MALLOC]    = { "malloc", "arenas of 64 MiB, and [heap]", "native heap in", "arena", true },
	[RESIDENT_OTHER]     = { "other", "large blocks, other allocators", "other anonymous memory in", "mapping", true },
};
/* clang-format on */

struct resident
resident_of(const struct heap *h)
{
	struct resident r = h->info.resident;
	struct resident_part *other = &r.parts[RESIDENT_OTHER];

	if (r.detail == RESIDENT_SUMS) {
		r.parts[RESIDENT_MANAGED].bytes =
		    h->bytes_count < other->bytes ? h->bytes_count : other->bytes;
		other->bytes -= r.parts[RESIDENT_MANAGED].bytes;
	}
	return r;
}

/* Sums do not tell mapped files from images, and images are most of them. */
static bool
is_native(const struct resident *r, int kind)
{
	return kinds[kind].is_native && !(r->detail == RESIDENT_SUMS && kind == RESIDENT_FILES);
}

uint64_t
resident_native(const struct resident *r)
{
	uint64_t bytes = 0;

	for (int i = 0; i < RESIDENT_KIND_COUNT; i++)
		bytes += is_native(r, i) ? r->parts[i].bytes : 0;
	return bytes;
}

uint64_t
resident_idle(const struct heap *h)
{
	const struct heap_malloc *m = h->memory ? &h->memory->malloc : NULL;
	uint64_t idle;

	if (!m || !m->arenas_count)
		return 0;
	idle = less(h->info.resident.parts[RESIDENT_MALLOC].bytes, m->system_bytes - m->free_bytes);
	return idle < m->free_bytes ? idle : m->free_bytes;
}

/* Returns the largest native part that is smaller than part `than`. */
static enum resident_kind
next_largest(const struct resident *r, enum resident_kind than)
{
	enum resident_kind best = RESIDENT_KIND_COUNT;

	for (int i = 0; i < RESIDENT_KIND_COUNT; i++) {
		uint64_t bytes = r->parts[i].bytes;

		if (!is_native(r, i) || !bytes)
			continue;
		if (than != RESIDENT_KIND_COUNT &&
		    (bytes > r->parts[than].bytes ||
		     (bytes == r->parts[than].bytes && i <= (int)than)))
			continue;
		if (best == RESIDENT_KIND_COUNT || bytes > r->parts[best].bytes)
			best = (enum resident_kind)i;
	}
	return best;
}

/* Returns the largest native part. */
static enum resident_kind
largest_native(const struct resident *r)
{
	return next_largest(r, RESIDENT_KIND_COUNT);
}

/* --- sentences ----------------------------------------------------------- */

enum { PART_BYTES = 96 };

static const char *
part_text(const struct resident *r, enum resident_kind kind, char out[PART_BYTES])
{
	const struct resident_part *p = &r->parts[kind];
	char size[FORMAT_BYTES], count[FORMAT_BYTES];

	if (kinds[kind].counted && p->count)
		snprintf(out, PART_BYTES, "%s %s %s %s%s", format_size(p->bytes, size),
			 kinds[kind].name, format_count(p->count, count), kinds[kind].counted,
			 p->count == 1 ? "" : "s");
	else
		snprintf(out, PART_BYTES, "%s %s", format_size(p->bytes, size),
			 kinds[kind].counted ? kinds[kind].id : kinds[kind].name);
	return out;
}

const char *
resident_native_text(const struct resident *r, char out[RESIDENT_TEXT_BYTES])
{
	enum resident_kind first = largest_native(r), second;
	char a[PART_BYTES], b[PART_BYTES];

	out[0] = '\0';
	if (first == RESIDENT_KIND_COUNT)
		return out;
	second = next_largest(r, first);
	if (second == RESIDENT_KIND_COUNT)
		snprintf(out, RESIDENT_TEXT_BYTES, "%s", part_text(r, first, a));
	else
		snprintf(out, RESIDENT_TEXT_BYTES, "%s, %s", part_text(r, first, a),
			 part_text(r, second, b));
	return out;
}

const char *
resident_text(const struct heap *h, char out[RESIDENT_TEXT_BYTES])
{
	struct resident r = resident_of(h);
	uint64_t managed = r.parts[RESIDENT_MANAGED].bytes;
	char all[FORMAT_BYTES], size[FORMAT_BYTES], share[FORMAT_BYTES], images[PART_BYTES],
	    native[RESIDENT_TEXT_BYTES];

	out[0] = '\0';
	if (r.detail == RESIDENT_UNKNOWN)
		return out;
	snprintf(
	    out, RESIDENT_TEXT_BYTES, "%s %s: %s managed (%s), %.*s, %s", format_size(r.bytes, all),
	    r.detail == RESIDENT_PRESENT ? "in the core" : "resident", format_size(managed, size),
	    format_share(managed, r.bytes, share), RESIDENT_TEXT_BYTES - 200,
	    resident_native_text(&r, native),
	    part_text(&r, r.detail == RESIDENT_SUMS ? RESIDENT_FILES : RESIDENT_IMAGES, images));
	return out;
}

/* --- rows ---------------------------------------------------------------- */

static struct resident_row *
add(struct resident_rows *rows, const char *id, const char *meaning, uint64_t bytes)
{
	struct resident_row *row = &rows->items[rows->count++];

	*row = (struct resident_row){ .id = id,
				      .meaning = meaning,
				      .bytes = bytes,
				      .count = UINT64_MAX,
				      .before = UINT64_MAX };
	return row;
}

/* Objects that were swapped out are not resident: no part exceeds the whole. */
static void
add_managed(struct resident_rows *rows, const struct facts *f, uint64_t bytes)
{
	uint64_t live = f->reach->reachable_bytes;
	uint64_t dead = less(f->heap->bytes_count, live);

	live = live < bytes ? live : bytes;
	dead = dead < bytes - live ? dead : bytes - live;
	add(rows, "live", "of managed: a root reaches them", live);
	add(rows, "dead", "of managed: no root reaches them", dead);
	add(rows, "kept", "of managed: no objects, kept by the GC", bytes - live - dead);
}

bool
resident_rows_make(struct resident_rows *rows, const struct facts *f, struct error *err)
{
	const struct resident r = resident_of(f->heap);
	const struct resident *before = f->earlier;

	*rows = (struct resident_rows){ 0 };
	rows->items = memory_new(RESIDENT_KIND_COUNT + 3, sizeof *rows->items, err);
	if (!rows->items || r.detail == RESIDENT_UNKNOWN)
		return rows->items != NULL;
	for (int i = 0; i < RESIDENT_KIND_COUNT; i++) {
		struct resident_row *row =
		    add(rows, kinds[i].id, kinds[i].meaning, r.parts[i].bytes);

		row->count = r.detail == RESIDENT_SUMS && i != RESIDENT_STACKS ? UINT64_MAX
									       : r.parts[i].count;
		if (before)
			row->before = before->parts[i].bytes;
		if (i == RESIDENT_MANAGED)
			add_managed(rows, f, row->bytes);
	}
	for (uint32_t i = 0; i < rows->count; i++)
		rows->items[i].whole = r.bytes;
	return true;
}
