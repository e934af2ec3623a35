#include "model/sql/tree.h"
#include "model/base/arena.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	BUFFERED_PAGES = 128,
	/* SQLite locks a byte in this page, which is never used. */
	LOCKED_PAGE = (1 << 30) / TREE_PAGE_BYTES + 1,
	PAGES_AT = 28, /* in the header of the file */
	LEAF = 10,     /* kinds of pages of keys */
	INTERIOR = 2,
	LEAF_HEADER = 8,
	INTERIOR_HEADER = 12,
	CELLS_MAX = TREE_PAGE_BYTES / 6,
	CELL_BYTES = TREE_KEY_BYTES + 16,
};

/* One page that is being filled. A key that has no more room is in `next`, with the page below it
   that has the keys before it: if another key follows, it goes to the level above. */
struct tree_level {
	unsigned count, used; /* cells, and their bytes */
	unsigned next_len;    /* 0: none */
	uint16_t starts[CELLS_MAX + 1];
	uint8_t cells[TREE_PAGE_BYTES], next[CELL_BYTES];
};

static void
put2(uint8_t *at, unsigned n)
{
	at[0] = (uint8_t)(n >> 8);
	at[1] = (uint8_t)n;
}

static void
put4(uint8_t *at, uint32_t n)
{
	put2(at, n >> 16);
	put2(at + 2, n & 0xffff);
}

static uint32_t
get4(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Store a number below 1 << 14; returns its length. */
static unsigned
put_varint(uint8_t *at, unsigned n)
{
	if (n < 0x80) {
		at[0] = (uint8_t)n;
		return 1;
	}
	at[0] = (uint8_t)(n >> 7 | 0x80);
	at[1] = n & 0x7f;
	return 2;
}

/* --- pages ---------------------------------------------------------------- */

static bool
write_at(int fd, const uint8_t *from, size_t len, uint64_t at, struct error *err)
{
	while (len) {
		ssize_t put = pwrite(fd, from, len, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return error_sys(err, put < 0 ? errno : EIO, "cannot write the database");
		from += put;
		at += (uint64_t)put;
		len -= (size_t)put;
	}
	return true;
}

bool
sql_pages_begin(struct sql_pages *p, int fd, struct progress *progress, struct error *err)
{
	struct stat st;

	*p = (struct sql_pages){ .fd = fd, .progress = progress };
	if (fstat(fd, &st))
		return error_sys(err, errno, "cannot read the database");
	p->next = (uint32_t)(st.st_size / TREE_PAGE_BYTES) + 1;
	p->buffer = memory_new(BUFFERED_PAGES, TREE_PAGE_BYTES, err);
	return p->buffer != NULL;
}

void
sql_pages_clear(struct sql_pages *p)
{
	memory_free(p->buffer);
	p->buffer = NULL;
}

static bool
flush(struct sql_pages *p, struct error *err)
{
	size_t len = (size_t)p->count * TREE_PAGE_BYTES;
	uint64_t at = (uint64_t)(p->next - 1 - p->count) * TREE_PAGE_BYTES;

	p->count = 0;
	if (!progress_add(p->progress, len))
		return error_cancelled(err);
	return write_at(p->fd, p->buffer, len, at, err);
}

bool
sql_pages_end(struct sql_pages *p, struct error *err)
{
	uint8_t count[4];

	put4(count, p->next - 1);
	return flush(p, err) && write_at(p->fd, count, sizeof count, PAGES_AT, err);
}

/* Return the next page, to be filled at once; NULL sets `err`. */
static uint8_t *
next_page(struct sql_pages *p, uint32_t *number, struct error *err)
{
	for (;;) {
		uint8_t *page;

		if (p->next == UINT32_MAX - 1) {
			error_set(err, ERROR_USAGE, "the database would be too large");
			return NULL;
		}
		if (p->count == BUFFERED_PAGES && !flush(p, err))
			return NULL;
		page = p->buffer + (size_t)p->count++ * TREE_PAGE_BYTES;
		memset(page, 0, TREE_PAGE_BYTES);
		*number = p->next++;
		if (*number != LOCKED_PAGE)
			return page;
	}
}

/* --- keys ----------------------------------------------------------------- */

void
sql_key_integer(struct sql_key *k, int64_t n)
{
	static const struct {
		uint8_t type, bytes;
	} sizes[] = { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 }, { 5, 6 } };
	uint8_t type = 6, bytes = 8;

	if (n == 0 || n == 1) {
		k->types[k->types_len++] = n ? 9 : 8;
		return;
	}
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		int64_t limit = (int64_t)1 << (8 * sizes[i].bytes - 1);

		if (n >= -limit && n < limit) {
			type = sizes[i].type;
			bytes = sizes[i].bytes;
			break;
		}
	}
	k->types[k->types_len++] = type;
	for (unsigned shift = 8U * bytes; shift; shift -= 8)
		k->values[k->values_len++] = (uint8_t)((uint64_t)n >> (shift - 8));
}

void
sql_key_null(struct sql_key *k)
{
	k->types[k->types_len++] = 0;
}

void
sql_key_text(struct sql_key *k, const char *text, size_t len)
{
	enum { TEXT = 13 };

	k->types_len += put_varint(k->types + k->types_len, (unsigned)(2 * len + TEXT));
	memcpy(k->values + k->values_len, text, len);
	k->values_len += (unsigned)len;
}

/* --- trees ---------------------------------------------------------------- */

bool
sql_tree_begin(struct sql_tree *t, struct sql_pages *pages, struct error *err)
{
	t->pages = pages;
	t->levels = memory_new(TREE_DEPTH_MAX, sizeof *t->levels, err);
	return t->levels != NULL;
}

void
sql_tree_clear(struct sql_tree *t)
{
	memory_free(t->levels);
	t->levels = NULL;
}

/* Cells above the leaves begin with the number of the page below. */
static unsigned
child_bytes(unsigned depth)
{
	return depth ? 4 : 0;
}

/* Lay a page out: header, places of the cells, cells. `right` is the page below after the last
   key. */
static void
fill_page(const struct tree_level *l, unsigned depth, uint32_t right, uint8_t *page)
{
	unsigned header = depth ? INTERIOR_HEADER : LEAF_HEADER;
	unsigned first = TREE_PAGE_BYTES - l->used;

	page[0] = depth ? INTERIOR : LEAF;
	put2(page + 3, l->count);
	put2(page + 5, first);
	if (depth)
		put4(page + 8, right);
	for (unsigned i = 0; i < l->count; i++)
		put2(page + header + 2 * (size_t)i, first + l->starts[i]);
	memcpy(page + first, l->cells, l->used);
}

/* Write a level's page and begin its next one. */
static bool
end_page(struct sql_tree *t, unsigned depth, uint32_t right, uint32_t *number, struct error *err)
{
	struct tree_level *l = &t->levels[depth];
	uint8_t *page = next_page(t->pages, number, err);

	if (!page)
		return false;
	fill_page(l, depth, right, page);
	l->count = l->used = 0;
	return true;
}

static bool
has_room(const struct tree_level *l, unsigned depth, unsigned len)
{
	unsigned header = depth ? INTERIOR_HEADER : LEAF_HEADER;

	return l->count < CELLS_MAX &&
	       header + 2 * (l->count + 1) + l->used + len <= TREE_PAGE_BYTES;
}

static void
append(struct tree_level *l, const uint8_t *cell, unsigned len)
{
	l->starts[l->count++] = (uint16_t)l->used;
	memcpy(l->cells + l->used, cell, len);
	l->used += len;
}

static bool add_cell(struct sql_tree *t, unsigned depth, const uint8_t *cell, unsigned len,
		     struct error *err);

/* Move a cell of a level to the one above; the page before it is `left`. */
static bool
promote(struct sql_tree *t, unsigned depth, uint32_t left, const uint8_t *cell, unsigned len,
	struct error *err)
{
	unsigned skipped = child_bytes(depth);
	uint8_t above[CELL_BYTES];

	put4(above, left);
	memcpy(above + 4, cell + skipped, len - skipped);
	return add_cell(t, depth + 1, above, len - skipped + 4, err);
}

static bool
add_cell(struct sql_tree *t, unsigned depth, const uint8_t *cell, unsigned len, struct error *err)
{
	struct tree_level *l = &t->levels[depth];
	uint32_t number;

	if (depth == TREE_DEPTH_MAX)
		return error_set(err, ERROR_USAGE, "too many keys");
	if (l->next_len) {
		if (!end_page(t, depth, depth ? get4(l->next) : 0, &number, err) ||
		    !promote(t, depth, number, l->next, l->next_len, err))
			return false;
		l->next_len = 0;
	}
	if (has_room(l, depth, len)) {
		append(l, cell, len);
	} else {
		memcpy(l->next, cell, len);
		l->next_len = len;
	}
	return true;
}

bool
sql_tree_add(struct sql_tree *t, const struct sql_key *k, struct error *err)
{
	unsigned header = k->types_len + 1, at;
	uint8_t cell[CELL_BYTES];

	at = put_varint(cell, header + k->values_len);
	cell[at++] = (uint8_t)header;
	memcpy(cell + at, k->types, k->types_len);
	at += k->types_len;
	memcpy(cell + at, k->values, k->values_len);
	return add_cell(t, 0, cell, at + k->values_len, err);
}

/* Give the last key, which has no room, a page of its own: the key before it goes to the level
   above. */
static bool
split_last(struct sql_tree *t, unsigned depth, struct error *err)
{
	struct tree_level *l = &t->levels[depth];
	uint8_t last[CELL_BYTES];
	unsigned start = l->starts[--l->count], len = l->used - start;
	uint32_t number;

	memcpy(last, l->cells + start, len);
	l->used = start;
	if (!end_page(t, depth, depth ? get4(last) : 0, &number, err) ||
	    !promote(t, depth, number, last, len, err))
		return false;
	append(l, l->next, l->next_len);
	l->next_len = 0;
	return true;
}

static bool
write_root(struct sql_tree *t, unsigned depth, uint32_t right, uint32_t root, struct error *err)
{
	uint8_t page[TREE_PAGE_BYTES] = { 0 };

	fill_page(&t->levels[depth], depth, right, page);
	return write_at(t->pages->fd, page, sizeof page, (uint64_t)(root - 1) * TREE_PAGE_BYTES,
			err);
}

bool
sql_tree_end(struct sql_tree *t, uint32_t root, struct error *err)
{
	uint32_t right = 0;

	for (unsigned depth = 0; depth + 1 < TREE_DEPTH_MAX; depth++) {
		const struct tree_level *above = &t->levels[depth + 1];

		if (t->levels[depth].next_len && !split_last(t, depth, err))
			return false;
		if (!above->count && !above->next_len)
			return write_root(t, depth, right, root, err);
		if (!end_page(t, depth, right, &right, err))
			return false;
	}
	return error_set(err, ERROR_USAGE, "too many keys");
}
