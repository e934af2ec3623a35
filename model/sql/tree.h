#ifndef MODEL_SQL_TREE_H
#define MODEL_SQL_TREE_H

/*
 * Writes a b-tree of keys in the file format of SQLite (fileformat2.html, 1.6): an index, or a
 * table WITHOUT ROWID. Keys come in their order, so each page is written once and full, about 30 ns
 * a key; by INSERT it is 10 to 20 times that.
 */
#include "model/base/progress.h"
#include <stddef.h>

enum {
	TREE_PAGE_BYTES = 4096,
	TREE_KEY_BYTES = 1002, /* longer ones would need pages of their own */
	TREE_DEPTH_MAX = 12,
};

/* Pages at the end of a file, which no connection has open. */
struct sql_pages {
	int fd;
	uint32_t next;   /* number of the next page; the first page has 1 */
	uint32_t count;  /* in the buffer */
	uint8_t *buffer; /* owned */
	struct progress *progress;
};
/* Opens the end of a database. */
bool sql_pages_begin(struct sql_pages *p, int fd, struct progress *progress,
		     struct error *err) MUST_USE;
/* Writes what is buffered, and the new number of pages. */
bool sql_pages_end(struct sql_pages *p, struct error *err) MUST_USE;
void sql_pages_clear(struct sql_pages *p);

/* A key: columns are appended in their order. */
struct sql_key {
	uint8_t types[64], values[TREE_KEY_BYTES];
	unsigned types_len, values_len;
};
static inline void
sql_key_clear(struct sql_key *k)
{
	k->types_len = k->values_len = 0;
}
void sql_key_integer(struct sql_key *k, int64_t n);
void sql_key_null(struct sql_key *k);
/* At most SQL_KEY_TEXT_BYTES. */
void sql_key_text(struct sql_key *k, const char *text, size_t len);
enum { SQL_KEY_TEXT_BYTES = 900 };

struct sql_tree {
	struct sql_pages *pages;
	struct tree_level *levels; /* owned; leaves first */
};
bool sql_tree_begin(struct sql_tree *t, struct sql_pages *pages, struct error *err) MUST_USE;
bool sql_tree_add(struct sql_tree *t, const struct sql_key *k, struct error *err) MUST_USE;
/* Completes the tree, whose root becomes this page. */
bool sql_tree_end(struct sql_tree *t, uint32_t root, struct error *err) MUST_USE;
void sql_tree_clear(struct sql_tree *t);

#endif
