#ifndef MODEL_TABLE_TABLE_H
#define MODEL_TABLE_TABLE_H

/*
 * A table is declared once, as data, next to the code that computes its rows:
 * the columns, where each value is found in a row, and where the rows are
 * (struct row_source). Drawing, sorting, filters, totals, text, CSV, JSON, SQL
 * and completion all read this declaration.
 *
 * To add a column, add one row to the table's array:
 *
 *	{ "size", "Size", 11, DOWN, BYTES_AT(struct part, bytes), …
 *
 * The fifth member is the source of the value. In order of preference: a field
 * of the row's record (COUNT_AT and similar), a number returned by a function
 * (NUMBER, OBJECT), or a cell filled by a function (CELL). Columns about
 * objects that many tables share are in model/table/object_columns.h.
 */
#include "model/base/progress.h"
#include "model/table/facts.h"
#include "model/table/rows.h"
#include "model/table/value.h"
#include <stddef.h>

/* The data that a table's cells read. */
struct cells {
	const struct facts *facts;
	const void *rows; /* the table's own data */
};

enum { FILL = 0 };
enum { COLUMNS_MAX = 512 };       /* of a table */
enum sort { UNSORTED, UP, DOWN }; /* the first direction of sorting */

enum column_flag {
	COLUMN_MACHINE = 1 << 0, /* only in machine-readable output */
	COLUMN_SCREEN = 1 << 1,  /* only on the screen and in text */
	COLUMN_RANGES = 1 << 2,  /* only if generations are known */
	COLUMN_BLANK = 1 << 3,   /* …but always in CSV, perhaps blank */
	COLUMN_BY_TYPE = 1 << 4, /* the cell depends on row->type alone */
	/* Text output has it only if asked for, as its needs take long. */
	COLUMN_DEAR = 1 << 5,
	COLUMN_MEMORY = 1 << 6,  /* only for heaps read from memory */
	COLUMN_CAPTURE = 1 << 7, /* only for all other heaps */
	COLUMN_BAR = 1 << 8,     /* a share, with a bar if there is room */
	/* Objects, their bytes or share; rows have none in common, so totals can add them up. */
	COLUMN_ADDS = 1 << 9,
	COLUMN_DRAWN = 1 << 10, /* block characters: not for screen readers */
	COLUMN_RATE = 1 << 11,  /* bytes per second: not comparable */
	COLUMN_MIXED = 1 << 12, /* its cells have several kinds of values */
	/* Bytes are shown as a share of the heap. */
	COLUMN_OF_HEAP = 1 << 13,
	/* A text that goes to the lines below its row if it has no room beside it and all rows have
	   lines. It continues the name's sentence, or follows its title. */
	COLUMN_BELOW = 1 << 14,
	COLUMN_COMPARED = 1 << 15, /* only after a comparison of objects */
	COLUMN_SAMPLED = 1 << 16,  /* only with samples of allocations */
	/* Estimated bytes: each value chooses its own unit, as a column in bytes would show more
	   digits than are known. */
	COLUMN_ESTIMATE = 1 << 17,
	COLUMN_PAST = 1 << 18, /* only beside an earlier heap: facts.before */
};

/* Returns a number of an object; UINT64_MAX: none. */
typedef uint64_t object_number(const struct facts *f, node_id n);
/* Returns a number of a row; UINT64_MAX: none. */
typedef uint64_t column_number(const struct cells *in, const struct row *row);
typedef void column_cell(const struct cells *in, const struct row *row, struct value *out);
/* Fills the cell of one of several similar columns, number `at`. */
typedef void column_cell_at(const struct cells *in, const struct row *row, unsigned at,
			    struct value *out);

/* Returns the whole text of a cell that shows its beginning, in `a`; NULL: the cell shows all, or
   the text cannot be read. */
typedef const char *column_text(const struct cells *in, const struct row *row, struct arena *a);

/* Adds the text of a row: whole in an arena, for a screen in a buffer. */
typedef void column_sentence(const struct cells *in, const struct row *row, struct text *out);

enum source_kind {
	SOURCE_CELL,
	SOURCE_CELL_AT,
	SOURCE_FIELD,
	SOURCE_NUMBER,
	SOURCE_OBJECT, /* `cell`, if set, fills cells */
	SOURCE_SENTENCE,
};

/* The source of a column's value: see the macros below. */
struct value_source {
	unsigned char source; /* enum source_kind */
	unsigned char kind;   /* enum value_kind of its cells */
	unsigned char style;  /* enum style of a text */
	/* Bytes of a field; `offset` is its place in the record, `whole` the place of a share's
	   whole. */
	unsigned char size;
	bool is_exact;       /* bytes that are never shown in larger units */
	bool ones_are_blank; /* all bits set mean no value */
	bool zero_is_blank;  /* 0 means no value */
	bool is_node;        /* a node_id, shown as the object's address */
	bool is_array;       /* a text stored in the record itself */
	unsigned short offset, whole;
	unsigned short at; /* argument of cell_at */
	union {
		const char *const *words; /* indexed by the field */
		column_number *number;
		object_number *object;
		column_cell_at *cell_at;
		column_text *whole_text; /* for SOURCE_CELL; or NULL */
		column_sentence *sentence;
	};
	column_cell *cell;
};

#define FIELD_OF(record, field)                                                                    \
	.source = SOURCE_FIELD, .size = sizeof(((const record *)0)->field),                        \
	.offset = offsetof(record, field)
/* A field of the row's record, an unsigned number of 1, 2, 4 or 8 bytes. */
#define COUNT_AT(record, field)                                                                    \
	{                                                                                          \
		.kind = VALUE_COUNT, FIELD_OF(record, field)                                       \
	}
#define BYTES_AT(record, field)                                                                    \
	{                                                                                          \
		.kind = VALUE_BYTES, FIELD_OF(record, field)                                       \
	}
/* Bytes that are never shown in a larger unit. */
#define EXACT_BYTES_AT(record, field)                                                              \
	{                                                                                          \
		.kind = VALUE_BYTES, FIELD_OF(record, field), .is_exact = true                     \
	}
/* A number that is blank if 0. */
#define NONZERO_AT(value_kind, record, field)                                                      \
	{                                                                                          \
		.kind = value_kind, FIELD_OF(record, field), .zero_is_blank = true                 \
	}
#define ADDRESS_AT(record, field) NONZERO_AT(VALUE_ADDRESS, record, field)
/* The address of the object whose node_id is in the field; NODE_NONE: blank. */
#define NODE_AT(record, field)                                                                     \
	{                                                                                          \
		.kind = VALUE_ADDRESS, FIELD_OF(record, field), .is_node = true                    \
	}
/* One of these words, indexed by the field. */
#define WORD_AT(text_style, its_words, record, field)                                              \
	{                                                                                          \
		.kind = VALUE_TEXT, .style = text_style, FIELD_OF(record, field),                  \
		.words = its_words                                                                 \
	}
/* A share; both fields have 8 bytes. */
#define SHARE_AT(record, field, whole_field)                                                       \
	{                                                                                          \
		.kind = VALUE_SHARE, FIELD_OF(record, field),                                      \
		.whole = offsetof(record, whole_field)                                             \
	}
/* A pointer to a text that lives as long as the rows; NULL: blank. */
#define TEXT_AT(text_style, record, field)                                                         \
	{                                                                                          \
		.kind = VALUE_TEXT, .style = text_style, FIELD_OF(record, field)                   \
	}
/* A text stored in the record itself, as an array of characters. */
#define TEXT_IN(text_style, record, field)                                                         \
	{                                                                                          \
		.source = SOURCE_FIELD, .kind = VALUE_TEXT, .style = text_style, .size = 1,        \
		.offset = offsetof(record, field), .is_array = true                                \
	}
/* Any of the numbers above that is blank if all bits are set. */
#define KNOWN_AT(value_kind, record, field)                                                        \
	{                                                                                          \
		.kind = value_kind, FIELD_OF(record, field), .ones_are_blank = true                \
	}
/* A number returned by a function, also used for sorting and filtering. */
#define NUMBER(value_kind, function)                                                               \
	{                                                                                          \
		.source = SOURCE_NUMBER, .kind = value_kind, .number = (function)                  \
	}
#define EXACT_BYTES(function)                                                                      \
	{                                                                                          \
		.source = SOURCE_NUMBER, .kind = VALUE_BYTES, .number = (function),                \
		.is_exact = true                                                                   \
	}
/* A number of the row's object, blank if the row has none. */
#define OBJECT(value_kind, function)                                                               \
	{                                                                                          \
		.source = SOURCE_OBJECT, .kind = value_kind, .object = (function)                  \
	}
/* The same, with cells filled by a second function. */
#define OBJECT_CELL(value_kind, function, cell_function)                                           \
	{                                                                                          \
		.source = SOURCE_OBJECT, .kind = value_kind, .object = (function),                 \
		.cell = (cell_function)                                                            \
	}
/* A cell filled by a function, mostly with this kind of value. */
#define CELL(value_kind, function)                                                                 \
	{                                                                                          \
		.kind = value_kind, .cell = (function)                                             \
	}
/* A cell that shows the beginning of a text. */
#define LONG_TEXT(function, whole_text_function)                                                   \
	{                                                                                          \
		.kind = VALUE_TEXT, .cell = (function), .whole_text = (whole_text_function)        \
	}
/* A text that a function builds, blank if it adds nothing. Cells may cut it or the names in it;
   data has it whole. `more`, if it is not NULL, completes a cell. */
#define SENTENCE(text_style, function, more)                                                       \
	{                                                                                          \
		.source = SOURCE_SENTENCE, .kind = VALUE_TEXT, .style = text_style,                \
		.sentence = (function), .cell = (more)                                             \
	}
/* A cell of one of several columns filled by one function, all in the same unit of bytes. */
#define CELL_AT(value_kind, function, index)                                                       \
	{                                                                                          \
		.source = SOURCE_CELL_AT, .kind = value_kind, .cell_at = (function), .at = (index) \
	}

struct column {
	const char *id; /* used in CSV, :sort and filters; never changes */
	const char *title;
	int width; /* on screen; negative: left-aligned; FILL: the remaining
		      width, for the column that names the row */
	enum sort sort;
	struct value_source from;
	const char *help;
	/* Narrow screens drop the highest rank first; 0 always stays. */
	unsigned char rank;
	unsigned flags;      /* enum column_flag */
	unsigned char needs; /* enum need: "…" until they are met */
};

struct group_id;

/* The subject of a table. Everything is borrowed. */
struct subject {
	node_id node;         /* NODE_NONE: no object */
	type_id type;         /* TYPE_NONE: no type */
	uint64_t address;     /* an address where no object starts; 0: none */
	const char *text;     /* an argument as typed; "": none */
	const node_id *nodes; /* only these objects; NULL: all */
	uint32_t nodes_count;
	const struct group_id *group; /* only this group of the heap; NULL: all */
	bool is_mine; /* types count what the application's objects hold: facts.my_modules */
};

/*
 * The rows of a table. Most are records of an array: in a struct that make() fills, that the heap
 * has, or that is the state of a view. A row is made when it is asked for; its `data` is its
 * number.
 */
struct row_source {
	const char *what; /* names make() as a job: "looking for timers" */
	unsigned made_of; /* results that make() reads, NEED_REACH or NEED_RETAINED: it runs again
			     when they change */
	bool reads_my_modules; /* make() reads facts.my_modules: it runs again when they change */
	/* Refuses an argument early; f->heap may be NULL. NULL: accepts any. */
	bool (*accepts)(const struct facts *f, const struct subject *about, struct error *err);
	/* Fills a zeroed struct of made_size bytes, on a worker. False sets `err`; `clear` is
	   called in any case. NULL: the rows are there. */
	bool (*make)(void *made, const struct facts *f, const struct subject *about,
		     struct progress *progress, struct error *err);
	void (*clear)(void *made);
	/* Returns true if make() need not run on a worker. NULL: it always must. */
	bool (*is_quick)(const struct facts *f, const struct subject *about);
	/* Returns the number of rows. NULL: the length of the array. */
	uint32_t (*count)(const struct cells *in);
	/* Completes a row; may be NULL. If there are no records, `record` is NULL, and it makes the
	   row whose number is out->data. */
	void (*row)(const struct cells *in, const void *record, struct row *out);
	/* Returns the struct with the array. NULL: it is what the cells read. */
	const void *(*holder)(const struct facts *f);
	/* The array: see ROWS_IN(). */
	unsigned char size_of_count;
	bool is_inside; /* the array is a member of the struct, not a pointer */
	unsigned short made_size, record_size;
	unsigned short items, items_count; /* offsets in the struct */
	unsigned short node_offset_plus_1; /* see ROW_NODE(); 0: no objects */
};
/* An array and its length, fields of a struct. */
#define ROWS_IN(made, its_items, its_count)                                                        \
	.made_size = sizeof(made), .items = offsetof(made, its_items),                             \
	.items_count = offsetof(made, its_count),                                                  \
	.size_of_count = sizeof(((const made *)0)->its_count),                                     \
	.record_size = sizeof(*((const made *)0)->its_items)
/* The same for an array in the struct itself. */
#define ROWS_INSIDE(made, its_items, its_count)                                                    \
	ROWS_IN(made, its_items, its_count), .is_inside = true
/* The field of a record with the node_id of the row's object. */
#define ROW_NODE(record, field) .node_offset_plus_1 = offsetof(record, field) + 1

/* Heaps that a table can be made from. */
enum table_heaps { OF_ANY_HEAP, OF_MEMORY, OF_CONTENTS, OF_FIELDS };

/* Returns true if the heap is one of these. */
bool table_heaps_include(enum table_heaps heaps, const struct heap *h);

struct table {
	const char *name;
	const struct column *columns; /* ends with {0} */
	/* OF_MEMORY needs a heap read from memory, OF_CONTENTS one whose objects can be read,
	   OF_FIELDS one whose objects have known fields. `contents` names what other heaps do not
	   have:
	   "static variables". */
	enum table_heaps heaps;
	const char *contents;
	unsigned needs;     /* enum need, for its rows */
	bool is_of_subject; /* has rows only about an object or a type */
	/* Returns the record with a row's fields; NULL: the row has none and its fields are blank.
	   May be NULL if no column is a field, or if the rows are records of an array. */
	const void *(*record)(const struct cells *in, const struct row *row);
	const struct row_source *rows; /* NULL: only a view has rows of it */
	/* Makes sentence `line`, from 0, about all rows; returns false if there is none. May be
	   NULL. */
	bool (*heading)(const struct cells *in, unsigned line, struct value *out);
};

/* Returns the enum value_kind of the column's cells. */
static inline unsigned
column_kind(const struct column *c)
{
	return c->flags & COLUMN_OF_HEAP ? VALUE_SHARE : c->from.kind;
}

/* Returns whether the table can be made from this heap. */
bool table_fits(const struct table *t, const struct heap *h);
/* Returns whether the rows can be listed without a view's code. */
static inline bool
table_lists_rows(const struct table *t)
{
	return t->rows != NULL;
}

/* Returns whether make() must run before there are rows. */
static inline bool
table_makes_rows(const struct table *t)
{
	return t->rows && t->rows->make;
}

/* Returns the number of rows in the heap, or that were made. */
uint32_t table_rows_count(const struct table *t, const struct cells *in);
/* Makes a row of the record with this index. */
void table_row_of_record(const struct row_source *rows, const struct cells *in, uint32_t item,
			 struct row *out);
/* Makes the row with this index. Inline, as queries make rows of all objects. */
static inline void
table_row(const struct table *t, const struct cells *in, uint32_t item, struct row *out)
{
	if (t->rows->record_size) {
		table_row_of_record(t->rows, in, item, out);
	} else {
		out->data = item;
		t->rows->row(in, NULL, out);
	}
}
/* Returns an index into `columns`, or -1. */
int column_by_id(const struct column *columns, const char *id);
/* True if the column is in a list such as "a,b:12,c". */
bool column_is_in(const struct column *c, const char *ids);
/* Returns the column that names a row: the one with width FILL, else the
   first. */
const struct column *table_name_column(const struct table *t);
/* Returns the column whose values sort this one: itself, or the numbers that follow a column of
   text with the same title. */
int table_sort_column(const struct table *t, int column);

/* Returns the whole text of a cell, or NULL if the cell shows all of it or it cannot be read. */
const char *table_whole_text(const struct cells *in, const struct column *c, const struct row *row,
			     struct arena *a);
/* Returns whether any column shows the beginnings of long texts, which take long to read. */
bool table_has_long_texts(const struct table *t);
/* Fills the cell of a column; about ten nanoseconds for a field or a number. */
void table_cell(const struct table *t, const struct cells *in, const struct column *c,
		const struct row *row, struct value *out);

#endif
