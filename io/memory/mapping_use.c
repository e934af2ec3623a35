#include "io/memory/mapping_use.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include "model/base/text.h"
#include <string.h>

/*
 * glibc maps a heap of malloc() for threads as 64 MiB at a multiple of 64 MiB, the unused end
 * without access. A thread's stack has a guard without access below it.
 */
#define ARENA_BYTES (UINT64_C(64) << 20)
#define GUARD_MAX   (UINT64_C(64) << 10)
#define STACK_MIN   (UINT64_C(8) << 10)
#define STACK_MAX   (UINT64_C(64) << 20)
#define STACK_USUAL (UINT64_C(8) << 20)
#define PAGE_BYTES  (UINT64_C(4) << 10)

enum { UNDECIDED = RESIDENT_KIND_COUNT, JOINS = 1 << 4 };

struct sums {
	const struct mapping_list *list;
	struct resident *out;
	/* The range that holds all memory of a kind, or NULL. */
	const struct mapping_clue *reserved[RESIDENT_KIND_COUNT];
	uint8_t *kinds; /* of each mapping; JOINS: its clue joins */
};

bool
mapping_clues_add(struct mapping_clues *c, struct mapping_clue clue, struct error *err)
{
	return clue.start >= clue.end || APPEND(c->items, c->count, c->room, err, clue);
}

void
mapping_clues_clear(struct mapping_clues *c)
{
	memory_free(c->items);
	*c = (struct mapping_clues){ 0 };
}

/* --- single mappings ------------------------------------------------------ */

static const struct memory_mapping *
map_at(const struct mapping_list *list, size_t i)
{
	return &list->items[i].map;
}

/* Memory of no file; the kernel may show a name that glibc has given it. */
static bool
is_anonymous(const struct memory_mapping *m)
{
	return !(m->flags & MEMORY_FILE) && (!*m->name || !strncmp(m->name, "[anon", 5));
}

static bool
is_reserved(const struct memory_mapping *m)
{
	return is_anonymous(m) && !(m->flags & (MEMORY_READ | MEMORY_WRITE | MEMORY_EXECUTE));
}

/* The runtime maps assemblies without making all of them executable. */
static bool
has_image_name(const char *name)
{
	size_t len = strlen(name);

	if (text_ends(name, len, " (deleted)"))
		len -= strlen(" (deleted)");
	return text_ends(name, len, ".dll") || text_ends(name, len, ".exe") ||
	       text_ends(name, len, ".so") || strstr(name, ".so.");
}

/* The end of the mappings from `i` on that are of one file. */
static size_t
file_end(const struct mapping_list *list, size_t i)
{
	size_t end = i + 1;

	while (end < list->count && map_at(list, end)->flags & MEMORY_FILE &&
	       !strcmp(map_at(list, end)->name, map_at(list, i)->name))
		end++;
	return end;
}

static uint8_t
kind_of_file(const struct mapping_list *list, size_t from, size_t end)
{
	const char *name = map_at(list, from)->name;

	/* The file in which the runtime writes code at a second address. */
	if (strstr(name, "doublemapper"))
		return RESIDENT_CODE;
	if (has_image_name(name))
		return RESIDENT_IMAGES;
	for (size_t i = from; i < end; i++)
		if (map_at(list, i)->flags & MEMORY_EXECUTE)
			return RESIDENT_IMAGES;
	return RESIDENT_FILES;
}

static uint8_t
kind_by_name(const struct memory_mapping *m)
{
	if (strstr(m->name, "stack"))
		return RESIDENT_STACKS;
	if (!strcmp(m->name, "[heap]") || strstr(m->name, "malloc"))
		return RESIDENT_MALLOC;
	if (*m->name && !is_anonymous(m)) /* [vdso] */
		return RESIDENT_IMAGES;
	return m->flags & MEMORY_EXECUTE ? RESIDENT_CODE : UNDECIDED;
}

static uint64_t
next_multiple(uint64_t address)
{
	uint64_t rest = address % ARENA_BYTES;

	return rest && address < UINT64_MAX - ARENA_BYTES ? address - rest + ARENA_BYTES : address;
}

/* Does nothing but reserved memory follow a mapping up to `end`? */
static bool
is_reserved_to(const struct mapping_list *list, size_t i, uint64_t end)
{
	const struct memory_mapping *m = map_at(list, i);
	const struct memory_mapping *next = i + 1 < list->count ? map_at(list, i + 1) : NULL;

	if (m->end == end)
		return true;
	if (!list->has_reserved)
		return !next || next->start >= end;
	return next && next->start == m->end && next->end >= end && is_reserved(next);
}

/*
 * Bytes at the end of a mapping that are heaps of malloc(): the kernel joins them with memory
 * mapped right below. `is_joined`: something else is known to be in the mapping.
 */
static uint64_t
arena_bytes(const struct mapping_list *list, size_t i, bool is_joined)
{
	const struct memory_mapping *m = map_at(list, i);
	uint64_t end = next_multiple(m->end), start = end - ARENA_BYTES;
	bool is_alone = m->start % ARENA_BYTES == 0 && !is_joined;

	if (!(m->flags & MEMORY_WRITE) || !is_anonymous(m) || end < ARENA_BYTES ||
	    !is_reserved_to(list, i, end))
		return 0;
	/* A full one looks like any memory, except for its place. */
	if (is_alone && (end > m->end || m->end - m->start == ARENA_BYTES))
		return m->end - m->start;
	return (list->has_reserved || is_joined) && end > m->end && start > m->start
		   ? m->end - start
		   : 0;
}

/* Looks like a stack, above its guard. */
static bool
has_guard(const struct mapping_list *list, size_t i)
{
	const struct memory_mapping *m = map_at(list, i);
	const struct memory_mapping *guard = i ? map_at(list, i - 1) : NULL;
	uint64_t len = m->end - m->start;

	return guard && guard->end == m->start && is_reserved(guard) &&
	       guard->end - guard->start <= GUARD_MAX && is_anonymous(m) &&
	       m->flags & MEMORY_WRITE && len >= STACK_MIN && len <= STACK_MAX;
}

/* --- clues ---------------------------------------------------------------- */

/* Gives this kind to the undecided mappings that a clue of the kind touches. */
static void
follow_clues(struct sums *s, const struct mapping_clues *clues, uint8_t kind)
{
	size_t at = 0;

	for (size_t i = 0; i < s->list->count; i++) {
		const struct memory_mapping *m = map_at(s->list, i);
		const struct mapping_clue *clue;

		while (at < clues->count &&
		       (clues->items[at].kind != kind || clues->items[at].end <= m->start))
			at++;
		if (at == clues->count)
			return;
		clue = &clues->items[at];
		if (clue->start < m->end && s->kinds[i] == UNDECIDED)
			s->kinds[i] = kind | (clue->flags & CLUE_JOINS ? JOINS : 0);
	}
}

/* Fills the memory between two mappings whose clues join. */
static void
join(struct sums *s)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < s->list->count; i++) {
		const struct memory_mapping *m = map_at(s->list, i);

		if (last != SIZE_MAX &&
		    (m->start != map_at(s->list, i - 1)->end || !is_anonymous(m)))
			last = SIZE_MAX;
		if (!(s->kinds[i] & JOINS))
			continue;
		for (size_t k = last; last != SIZE_MAX && ++k < i;)
			if (s->kinds[k] == UNDECIDED)
				s->kinds[k] = s->kinds[last];
		last = i;
	}
	for (size_t i = 0; i < s->list->count; i++)
		s->kinds[i] &= (uint8_t)~JOINS;
}

/* --- sums ----------------------------------------------------------------- */

static void
add(struct sums *s, uint8_t kind, uint64_t bytes, uint64_t count)
{
	s->out->parts[kind].bytes += bytes;
	s->out->parts[kind].count += count;
	s->out->bytes += bytes;
}

/* Returns the resident bytes of a part of a mapping, by its length. */
static uint64_t
bytes_of_part(const struct used_mapping *m, uint64_t part)
{
	uint64_t len = m->map.end - m->map.start;
	uint64_t bytes = (uint64_t)((double)m->bytes * (double)part / (double)len);

	return part < len && bytes < m->bytes ? bytes : m->bytes;
}

/* Adds a mapping of a kind. The kernel joins the memory that the collector has reserved with what
 * is mapped right beside it; that part is of unknown use. */
static void
add_kind(struct sums *s, uint8_t kind, const struct used_mapping *m)
{
	const struct mapping_clue *r = s->reserved[kind];
	uint64_t from = m->map.start, end = m->map.end, bytes = m->bytes;

	if (r && r->start < end && r->end > from) {
		uint64_t first = r->start & ~(PAGE_BYTES - 1);
		uint64_t rest = end - r->end;

		from = from > first ? from : first;
		end -= r->end < end ? rest & ~(PAGE_BYTES - 1) : 0;
		bytes = bytes_of_part(m, end - from);
	}
	add(s, kind, bytes, kind != RESIDENT_MANAGED && !is_reserved(&m->map));
	if (bytes < m->bytes)
		add(s, RESIDENT_OTHER, m->bytes - bytes, 1);
}

/* Adds a stack, or memory of unknown use; its end may be heaps of malloc(). */
static void
add_anonymous(struct sums *s, size_t i, bool is_stack)
{
	const struct used_mapping *m = &s->list->items[i];
	uint64_t len = m->map.end - m->map.start;
	uint64_t arena = arena_bytes(s->list, i, is_stack), bytes = m->bytes;

	if (arena) {
		uint64_t part = bytes_of_part(m, arena);

		add(s, RESIDENT_MALLOC, part, (arena + ARENA_BYTES - 1) / ARENA_BYTES);
		bytes -= part;
		if (arena == len)
			return;
	}
	/* A core joins a stack with what is mapped right above it. */
	if (is_stack && !s->list->has_reserved && bytes > STACK_USUAL) {
		add(s, RESIDENT_OTHER, bytes - STACK_USUAL, 1);
		bytes = STACK_USUAL;
	}
	if (is_stack || (!arena && has_guard(s->list, i)))
		add(s, RESIDENT_STACKS, bytes, 0);
	else
		add(s, RESIDENT_OTHER, bytes, !is_reserved(&m->map));
}

static void
add_mapping(struct sums *s, size_t i)
{
	const struct used_mapping *m = &s->list->items[i];
	uint8_t kind = s->kinds[i];

	if (kind == UNDECIDED)
		kind = kind_by_name(&m->map);
	if (kind == UNDECIDED || kind == RESIDENT_STACKS)
		add_anonymous(s, i, kind == RESIDENT_STACKS);
	else
		add_kind(s, kind, m);
}

/* Adds the mappings of one file, which count as one. */
static size_t
add_file(struct sums *s, size_t i)
{
	size_t end = file_end(s->list, i);
	uint8_t kind = kind_of_file(s->list, i, end);

	for (size_t at = i; at < end; at++)
		add(s, s->kinds[at] == RESIDENT_MANAGED ? RESIDENT_MANAGED : kind,
		    s->list->items[at].bytes, at == i);
	return end;
}

static void
sum_up(struct sums *s)
{
	for (size_t i = 0; i < s->list->count;)
		if (map_at(s->list, i)->flags & MEMORY_FILE)
			i = add_file(s, i);
		else
			add_mapping(s, i++);
}

bool
mapping_use_sum(struct resident *out, const struct mapping_list *list, struct mapping_clues *clues,
		struct error *err)
{
	struct sums s = { .list = list, .out = out };

	*out = list->known;
	s.kinds = memory_new(list->count + 1, sizeof(*s.kinds), err);
	if (!s.kinds)
		return false;
	if (clues->count)
		SORT_BY(clues->items, clues->count, start);
	memset(s.kinds, UNDECIDED, list->count);
	for (size_t i = 0; i < clues->count; i++)
		if (clues->items[i].flags & CLUE_RESERVED)
			s.reserved[clues->items[i].kind] = &clues->items[i];
	for (int kind = 0; kind < RESIDENT_KIND_COUNT; kind++)
		follow_clues(&s, clues, (uint8_t)kind);
	join(&s);
	sum_up(&s);
	for (size_t i = 0; i < clues->count; i++)
		out->parts[RESIDENT_MANAGED].count += clues->items[i].kind == RESIDENT_MANAGED &&
						      !(clues->items[i].flags & CLUE_RESERVED);
	memory_free(s.kinds);
	return true;
}
