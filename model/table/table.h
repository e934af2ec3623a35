#ifndef MODEL_TABLE_TABLE_H
#define MODEL_TABLE_TABLE_H

/*
 * A table is declared once, as data, where what it shows is made: its columns,
 * and where in a row each value lies. Drawing, order, filter, totals, text,
 * CSV, JSON and completion all read this declaration.
 *
 * To add a column, add one row to the table's array:
 *
 *	{ "size", "Size", 11, DOWN, BYTES_AT(struct part, bytes), …
 *
 * The fifth member says where the value lies. In order of preference: a field
 * of the row's record (COUNT_AT and its kin), a number that a function returns
 * (NUMBER, OBJECT), or a cell that a function fills (CELL). Columns of objects
 * that many tables share are in model/table/object_columns.h.
 */
#include "model/base/progress.h"
#include "model/table/facts.h"
#include "model/table/rows.h"
#include "model/table/value.h"
#include <stddef.h>

/* The data that the cells of a table read. */
struct cells {
	const struct facts *facts;
	const void *rows; /* what the rows are made of: the table's own */
};

enum { FILL = 0 };
enum { COLUMNS_MAX = 512 };       /* of a table */
enum sort { UNSORTED, UP, DOWN }; /* which way a column sorts at first */

enum column_flag {
	COLUMN_MACHINE = 1 << 0, /* in CSV only */
	COLUMN_SCREEN = 1 << 1,  /* on the screen only */
	COLUMN_RANGES = 1 << 2,  /* only if generations are known */
	COLUMN_BLANK = 1 << 3,   /* …but in CSV always, perhaps blank */
	COLUMN_BY_TYPE = 1 << 4, /* the cell looks at row->type alone */
	/* As text only if it is asked for: what it needs takes long. */
	COLUMN_DEAR = 1 << 5,
	COLUMN_MEMORY = 1 << 6,  /* only of heaps made of memory */
	COLUMN_CAPTURE = 1 << 7, /* only of all others */
	COLUMN_BAR = 1 << 8,     /* a share with a bar, where there is room */
	/* Objects, their bytes and share, of rows that have none in common: all
	   rows add up. */
	COLUMN_ADDS = 1 << 9,
	COLUMN_DRAWN = 1 << 10, /* block characters: not where it is read out */
	COLUMN_RATE = 1 << 11,  /* bytes a second: no other column is like it */
	COLUMN_MIXED = 1 << 12, /* its cells are of several kinds */
	/* Its bytes are shown as a share of the heap's. */
	COLUMN_OF_HEAP = 1 << 13,
};

/* A number of the object of a row; UINT64_MAX: there is none. */
typedef uint64_t object_number(const struct facts *f, node_id n);
/* The same of a row; UINT64_MAX: there is none. */
typedef uint64_t column_number(const struct cells *in, const struct row *row);
typedef void column_cell(const struct cells *in, const struct row *row,
			 struct value *out);
/* The same of one of several columns that differ in a number: `at`. */
typedef void column_cell_at(const struct cells *in, const struct row *row,
			    unsigned at, struct value *out);

/* All of the text that a cell shows the beginning of, in `a`; NULL: the cell
   shows all, or it cannot be read. */
typedef const char *column_text(const struct cells *in, const struct row *row,
				struct arena *a);

enum source_kind {
	SOURCE_CELL,
	SOURCE_CELL_AT,
	SOURCE_FIELD,
	SOURCE_NUMBER,
	SOURCE_OBJECT, /* cells by `cell`, if there is one */
};

/* Where a column's value lies: see the macros below. */
struct value_source {
	unsigned char source; /* enum source_kind */
	unsigned char kind;   /* enum value_kind of its cells */
	unsigned char style;  /* enum style, of a text */
	/* The bytes of a field; `offset` says where it lies in the record,
	   `whole` where the whole of a share lies. */
	unsigned char size;
	bool is_exact;   /* bytes that are never shown in larger units */
	bool may_lack;   /* all bits set mean that there is no value */
	bool zero_lacks; /* 0 means that */
	bool is_node;    /* the number of an object, shown as its address */
	bool is_array;   /* a text that lies in the record itself */
	unsigned short offset, whole;
	unsigned short at; /* of cell_at */
	union {
		const char *const *words; /* that a field is an index of */
		column_number *number;
		object_number *object;
		column_cell_at *cell_at;
		column_text *whole_text; /* of SOURCE_CELL; NULL: none */
	};
	column_cell *cell;
};

#define FIELD_OF(record, field)                                                \
	.source = SOURCE_FIELD, .size = sizeof(((const record *)0)->field),    \
	.offset = offsetof(record, field)
/* A field of the row's record, an unsigned number of 1, 2, 4 or 8 bytes. */
#define COUNT_AT(record, field)                                                \
	{                                                                      \
		.kind = VALUE_COUNT, FIELD_OF(record, field)                   \
	}
#define BYTES_AT(record, field)                                                \
	{                                                                      \
		.kind = VALUE_BYTES, FIELD_OF(record, field)                   \
	}
/* The same, never shown in a larger unit. */
#define EXACT_BYTES_AT(record, field)                                          \
	{                                                                      \
		.kind = VALUE_BYTES, FIELD_OF(record, field), .is_exact = true \
	}
/* Blank where it is 0. */
#define NONZERO_AT(value_kind, record, field)                                  \
	{                                                                      \
		.kind = value_kind, FIELD_OF(record, field),                   \
		.zero_lacks = true                                             \
	}
#define ADDRESS_AT(record, field) NONZERO_AT(VALUE_ADDRESS, record, field)
/* The address of the object whose number the field has; NODE_NONE: blank. */
#define NODE_AT(record, field)                                                 \
	{                                                                      \
		.kind = VALUE_ADDRESS, FIELD_OF(record, field),                \
		.is_node = true                                                \
	}
/* One of these words, by an index that the field has. */
#define WORD_AT(text_style, its_words, record, field)                          \
	{                                                                      \
		.kind = VALUE_TEXT, .style = text_style,                       \
		FIELD_OF(record, field), .words = its_words                    \
	}
/* Both of 8 bytes. */
#define SHARE_AT(record, field, whole_field)                                   \
	{                                                                      \
		.kind = VALUE_SHARE, FIELD_OF(record, field),                  \
		.whole = offsetof(record, whole_field)                         \
	}
/* A pointer to a text that lives as long as the rows; NULL: blank. */
#define TEXT_AT(text_style, record, field)                                     \
	{                                                                      \
		.kind = VALUE_TEXT, .style = text_style,                       \
		FIELD_OF(record, field)                                        \
	}
/* A text that lies in the record itself, an array of characters. */
#define TEXT_IN(text_style, record, field)                                     \
	{                                                                      \
		.source = SOURCE_FIELD, .kind = VALUE_TEXT,                    \
		.style = text_style, .size = 1,                                \
		.offset = offsetof(record, field), .is_array = true            \
	}
/* Any of the numbers above where all bits set mean: not known, blank. */
#define KNOWN_AT(value_kind, record, field)                                    \
	{                                                                      \
		.kind = value_kind, FIELD_OF(record, field), .may_lack = true  \
	}
/* A number that a function returns: what sorting and filtering read, too. */
#define NUMBER(value_kind, function)                                           \
	{                                                                      \
		.source = SOURCE_NUMBER, .kind = value_kind,                   \
		.number = (function)                                           \
	}
#define EXACT_BYTES(function)                                                  \
	{                                                                      \
		.source = SOURCE_NUMBER, .kind = VALUE_BYTES,                  \
		.number = (function), .is_exact = true                         \
	}
/* A number of the row's object, blank where the row has none. */
#define OBJECT(value_kind, function)                                           \
	{                                                                      \
		.source = SOURCE_OBJECT, .kind = value_kind,                   \
		.object = (function)                                           \
	}
/* The same where the cell is filled by a second function. */
#define OBJECT_CELL(value_kind, function, cell_function)                       \
	{                                                                      \
		.source = SOURCE_OBJECT, .kind = value_kind,                   \
		.object = (function), .cell = (cell_function)                  \
	}
/* A cell that a function fills, mostly with this kind of value. */
#define CELL(value_kind, function)                                             \
	{                                                                      \
		.kind = value_kind, .cell = (function)                         \
	}
/* The same of a text whose beginning the cell shows. */
#define LONG_TEXT(function, whole_text_function)                               \
	{                                                                      \
		.kind = VALUE_TEXT, .cell = (function),                        \
		.whole_text = (whole_text_function)                            \
	}
/*
 * A cell of one of several columns that one function fills: bytes of all of
 * them are shown in the same unit.
 */
#define CELL_AT(value_kind, function, index)                                   \
	{                                                                      \
		.source = SOURCE_CELL_AT, .kind = value_kind,                  \
		.cell_at = (function), .at = (index)                           \
	}

struct column {
	const char *id; /* in CSV, :sort and filters; never changes */
	const char *title;
	int width; /* on screen, negative: left-aligned; FILL: what is left,
			for the one column that names the row */
	enum sort sort;
	struct value_source from;
	const char *help;
	/* Narrow screens leave out the highest first; 0 always stays. */
	unsigned char rank;
	unsigned short flags; /* enum column_flag */
	unsigned char needs;  /* enum need: "…" without */
};

/* The subject that a table is asked about. Everything is borrowed. */
struct subject {
	node_id node;         /* NODE_NONE: no object */
	type_id type;         /* TYPE_NONE: no type */
	uint64_t address;     /* where no object starts; 0: none */
	const char *text;     /* an argument as it was typed; "": none */
	const node_id *nodes; /* just these objects; NULL: all */
	uint32_t nodes_count;
};

/*
 * Rows that a pass over the heap makes: an array of records in a struct of the
 * table's own, which is all zero before. A row's `data` is the index of its
 * record.
 */
struct row_pass {
	const char *what;            /* names the pass: "looking for timers" */
	unsigned made_of;            /* results that the pass reads: NEED_REACH,
					NEED_RETAINED; new ones need new rows */
	unsigned char size_of_count; /* bytes of the count in `made` */
	unsigned short made_size;    /* bytes of the struct */
	unsigned short record_size;
	unsigned short items, count; /* offsets in the struct */
	unsigned short node_behind;  /* see ROW_NODE(); 0: about no object */
	/* Refuses an argument that the pass would refuse; f->heap may be NULL.
	   NULL: it takes any. */
	bool (*accepts)(const struct facts *f, const struct subject *about,
			struct error *err);
	/* On a worker. False sets `err`; `clear` is called in any case. */
	bool (*make)(void *made, const struct facts *f,
		     const struct subject *about, struct progress *progress,
		     struct error *err);
	void (*clear)(void *made);
	/* Changes a row that is about something else than one object. */
	void (*row)(const struct cells *in, const void *record,
		    struct row *out);
};
/* The array and its length, as fields of the struct. */
#define ROWS_IN(made, its_items, its_count)                                    \
	.made_size = sizeof(made), .items = offsetof(made, its_items),         \
	.count = offsetof(made, its_count),                                    \
	.size_of_count = sizeof(((const made *)0)->its_count),                 \
	.record_size = sizeof(*((const made *)0)->its_items)
/* The field of a record that is the number of the row's object. */
#define ROW_NODE(record, field) .node_behind = offsetof(record, field) + 1

/* Heaps that a table can be made of. */
enum table_heaps { OF_ANY_HEAP, OF_MEMORY, OF_CONTENTS };

struct table {
	const char *name;
	const struct column *columns; /* ends with {0} */
	/* Only heaps read from memory have `contents` (OF_MEMORY), or those
	   whose objects can be read (OF_CONTENTS): "static variables". */
	enum table_heaps heaps;
	const char *contents;
	unsigned needs; /* enum need, before it has rows */
	/* The record that fields of a row lie in; NULL: it has none, and its
	   fields are blank. May be NULL if no column is a field, and of rows
	   that are made. */
	const void *(*record)(const struct cells *in, const struct row *row);
	/* Rows that are an array in the heap: its length, and the object that
	   an element is about (NULL: none). */
	uint32_t (*count)(const struct facts *f);
	node_id (*object)(const struct facts *f, uint32_t item);
	const struct row_pass *pass; /* NULL: rows are made otherwise */
	/* Sentences about all rows together, from line 0; false: no such line.
	   NULL: none. */
	bool (*heading)(const struct cells *in, unsigned line,
			struct value *out);
};

/* enum value_kind of its cells. */
static inline unsigned
column_kind(const struct column *c)
{
	return c->flags & COLUMN_OF_HEAP ? VALUE_SHARE : c->from.kind;
}

/* Whether it can be made of this heap. */
bool table_fits(const struct table *t, const struct heap *h);
/* How many rows there are of a table in the heap, or with made rows. */
uint32_t table_rows_count(const struct table *t, const struct cells *in);
/* The row with this index. */
void table_row(const struct table *t, const struct cells *in, uint32_t item,
	       struct row *out);
/* The number of rows that a pass made, and the record of one. */
uint32_t made_count(const struct row_pass *pass, const void *made);
const void *made_record(const struct row_pass *pass, const void *made,
			uint64_t item);

/* An index into `columns`, or -1. */
int column_by_id(const struct column *columns, const char *id);
/* Is it one of "a,b:12,c"? */
bool column_is_in(const struct column *c, const char *ids);
/* The column that names a row: the one that FILLs, else the first. */
const struct column *table_name_column(const struct table *t);

/* NULL: the cell shows all of its text, or the text cannot be read. */
const char *table_whole_text(const struct cells *in, const struct column *c,
			     const struct row *row, struct arena *a);
/* Whether cells of a column show the beginnings of texts. */
bool table_has_long_texts(const struct table *t);
/* The cell of a column: of a field or a number some ten nanoseconds. */
void table_cell(const struct table *t, const struct cells *in,
		const struct column *c, const struct row *row,
		struct value *out);

#endif
