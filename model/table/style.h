#ifndef MODEL_TABLE_STYLE_H
#define MODEL_TABLE_STYLE_H

/* The meaning of a piece of text: a type, an address, a warning. Themes define how each style
   looks. */
enum style {
	STYLE_NORMAL,
	STYLE_TITLE,  /* the top line */
	STYLE_HEADER, /* column titles */
	STYLE_SORTED, /* the title of the column sorted by */
	STYLE_CURSOR, /* the selected row */
	STYLE_DIM,    /* less important: modules, tree lines */
	STYLE_NUMBER,
	STYLE_TYPE, /* type names */
	STYLE_ADDRESS,
	STYLE_ROOT,  /* a root, in words */
	STYLE_CYCLE, /* already on the path */
	STYLE_MATCH, /* a match of the search */
	STYLE_TAGGED,
	STYLE_STATUS,  /* the bottom line */
	STYLE_WARNING, /* something is missing or estimated */
	STYLE_ERROR,
	STYLE_KEY,    /* a key in the key bar and in help */
	STYLE_BAR,    /* progress and share bars */
	STYLE_AREA_1, /* areas of a picture that mean different things */
	STYLE_AREA_2,
	STYLE_AREA_3,
	STYLE_AREA_4,
	STYLE_AREA_5,
	STYLE_COUNT
};

#endif
