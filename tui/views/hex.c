/*
 * A hex dump of an object, or of memory at an address: 16 bytes a line, as numbers and as text.
 * Only heaps read from memory have bytes. Lines are read when they are shown.
 */
#include "model/base/format.h"
#include "tui/tables/object_commands.h"
#include "tui/widget/view.h"
#include "model/heap/memory.h"
#include <string.h>

enum {
	LINE_BYTES = 16,
	HEADER_BYTES = 8,          /* the object header, before its address */
	PAGE_LINES = 65536,        /* 1 MiB */
	MEMORY_BYTES = 4096,       /* shown if no object starts there */
	HEX_BYTES = LINE_BYTES * 3 /* "0011 2233 …" */
};

struct hex_state {
	uint64_t start, len;
	uint32_t lines; /* shown so far; lines_of() returns the total */
	bool is_object;
};

struct hex_line {
	uint8_t bytes[LINE_BYTES];
	size_t len, present; /* only the first `present` could be read */
};

static uint64_t
lines_of(const struct hex_state *state)
{
	return state->len / LINE_BYTES + (state->len % LINE_BYTES != 0);
}

static void
read_line(const struct cells *in, const struct row *row, struct hex_line *out)
{
	const struct hex_state *state = in->rows;
	const struct heap_memory *m = in->facts->heap->memory;
	uint64_t at = row->data * LINE_BYTES;

	out->len = state->len - at < LINE_BYTES ? (size_t)(state->len - at) : LINE_BYTES;
	out->present = m->contents->bytes(m->source, state->start + at, out->bytes, out->len);
}

/* --- cells --------------------------------------------------------------- */

static uint64_t
number_offset(const struct cells *in, const struct row *row)
{
	(void)in;
	return row->kind == ROW_MORE ? UINT64_MAX : row->data * LINE_BYTES;
}

static uint64_t
number_address(const struct cells *in, const struct row *row)
{
	const struct hex_state *state = in->rows;

	return row->kind == ROW_MORE ? UINT64_MAX : state->start + number_offset(in, row);
}

static void
cell_hex(const struct cells *in, const struct row *row, struct value *out)
{
	struct hex_line line;
	char text[HEX_BYTES + 1];
	size_t len = 0;

	if (row->kind == ROW_MORE) {
		value_printf(out, STYLE_DIM, "Enter shows more");
		return;
	}
	read_line(in, row, &line);
	for (size_t i = 0; i < line.len; i++) {
		if (i && i % 2 == 0)
			text[len++] = ' ';
		if (i < line.present)
			snprintf(text + len, 3, "%02x", (unsigned)line.bytes[i]);
		else
			memcpy(text + len, "??", 2);
		len += 2;
	}
	text[len] = '\0';
	value_printf(out, line.present < line.len ? STYLE_WARNING : STYLE_NORMAL, "%s", text);
}

static void
cell_text(const struct cells *in, const struct row *row, struct value *out)
{
	struct hex_line line;
	char text[LINE_BYTES + 1];
	char size[FORMAT_BYTES];

	if (row->kind == ROW_MORE) {
		const struct hex_state *state = in->rows;

		value_printf(out, STYLE_DIM, "%s",
			     format_bytes(state->len - row->data * LINE_BYTES, size));
		return;
	}
	read_line(in, row, &line);
	for (size_t i = 0; i < line.present; i++)
		text[i] = line.bytes[i] >= ' ' && line.bytes[i] < 0x7f ? (char)line.bytes[i] : '.';
	text[line.present] = '\0';
	if (line.present < line.len)
		value_printf(out, STYLE_WARNING, "%s absent", text);
	else
		value_printf(out, STYLE_NORMAL, "%s", text);
}

/* --- the view ------------------------------------------------------------ */

static void
row_of_line(const struct view *v, uint32_t item, struct row *out)
{
	const struct hex_state *state = v->state;

	*out = row_of(item == state->lines ? ROW_MORE : ROW_PLAIN);
	out->data = item;
	out->key = item == state->lines ? UINT64_MAX : item;
}

static bool
hex_open(struct view *v, struct error *err)
{
	const struct heap *h = v->session->heap;
	struct hex_state *state;
	char text[24];

	v->state = state = arena_new(&v->arena, struct hex_state, err);
	if (!state)
		return false;
	state->start = v->target.address;
	state->is_object = v->target.node != NODE_NONE;
	if (state->is_object && h) {
		uint64_t size = heap_size(h, v->target.node);

		state->start = heap_address(h, v->target.node);
		state->len = size > HEADER_BYTES ? size - HEADER_BYTES : 0;
	}
	snprintf(v->title, sizeof v->title, "hex %s", address_format(state->start, text));
	return true;
}

/* Measures the readable bytes at an address without an object, up to the first gap. */
static bool
measure_memory(const struct view *v, struct hex_state *state, struct error *err)
{
	const struct heap_memory *m = v->session->heap->memory;
	uint8_t bytes[MEMORY_BYTES];
	char text[24];

	state->len = m->contents->bytes(m->source, state->start, bytes, sizeof bytes);
	return state->len || error_set(err, ERROR_USAGE,
				       "no memory is known at %s; :segments and :modules show "
				       "where there is some",
				       address_format(state->start, text));
}

static bool
hex_rows(struct view *v, struct error *err)
{
	struct hex_state *state = v->state;
	uint64_t lines;

	if (!state->is_object && !state->len && !measure_memory(v, state, err))
		return false;
	if (!state->lines) {
		lines = lines_of(state);
		state->lines = lines < PAGE_LINES ? (uint32_t)lines : PAGE_LINES;
	}
	return view_show_all(v, state->lines + (state->lines < lines_of(state)), err);
}

static bool
hex_heading(const struct view *v, unsigned line, struct value *out)
{
	const struct hex_state *state = v->state;
	const struct heap_memory *m = v->session->heap->memory;
	struct content_header header;
	struct error ignored = { 0 };
	char size[FORMAT_BYTES];

	if (line)
		return false;
	if (!state->is_object)
		value_text(out, STYLE_DIM,
			   "no object starts here; :near ADDRESS shows what is there");
	else if (m->contents->header(m->source, v->target.node, &header, &ignored))
		value_printf(out, STYLE_DIM,
			     "%s after its header, %08x; the method table comes first",
			     format_bytes(state->len, size), (unsigned)header.word);
	else
		value_printf(out, STYLE_WARNING, "%s; its header is absent",
			     format_bytes(state->len, size));
	return true;
}

static bool
show_more(const struct call *call, struct error *err)
{
	struct view *v = call->view;
	struct hex_state *state = v->state;
	uint64_t lines = lines_of(state);
	struct row row;

	if (!view_selected(v, &row))
		return true;
	if (row.kind != ROW_MORE)
		return error_set(err, ERROR_USAGE,
				 "these are raw bytes; :near ADDRESS shows what is there");
	state->lines =
	    lines - state->lines < PAGE_LINES ? (uint32_t)lines : state->lines + PAGE_LINES;
	return view_reload(v, err);
}

static void
hex_replay(const struct view *v, replay_fn *add, void *to)
{
	const struct hex_state *state = v->state;
	char command[48];

	snprintf(command, sizeof command, "more-rows 0 %u", state->lines);
	if (state->lines > PAGE_LINES)
		add(to, state->lines > MORE_ROWS_MAX ? NULL : command);
}

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts     cell          help                                        rank flags needs */
	{ "address", "Address", 14,   UNSORTED, NUMBER(VALUE_ADDRESS, number_address), "address of the first byte of the line",            1, 0, 0 },
	{ "offset",  "Offset",  8,    UNSORTED, NUMBER(VALUE_PLAIN, number_offset),  "bytes from the start",                     2, 0, 0 },
	{ "bytes",   "Bytes",   -39,  UNSORTED, CELL(VALUE_TEXT, cell_hex),     "in hexadecimal, in memory order; ?? is absent", 0, 0, 0 },
	{ "text",    "Text",    FILL, UNSORTED, CELL(VALUE_TEXT, cell_text),    "the same as ASCII",                        0, 0, 0 },
	{ 0 },
};
static const struct table table = { .name = "hex", .columns = columns, .heaps = OF_CONTENTS, .contents = "bytes" };
static const struct command commands[] = {
	/* name    keys     bar help, .run, then other fields */
	{ "more", "Enter", "", "show the next 1 MiB", .run = show_more },
	{ 0 },
};
/* clang-format on */

static const struct view_code hex_code = {
	.open = hex_open,
	.rows = hex_rows,
	.item_row = row_of_line,
	.heading = hex_heading,
	.replay = hex_replay,
};

const struct view_ops view_hex = {
	.command = { .name = "hex",
		     .keys = "B",
		     .args = { MUST(ARG_OBJECT) },
		     .help = "a hex dump of an object, or of memory at an address" },
	.table = &table,
	.commands = commands,
	.words = { .no_rows = "none of its bytes are in memory; :near shows what is there, "
			      ":segments where the heap is" },
	.list = { .needs = NEED_OBJECTS,
		  .takes_also = TAKES_ADDRESS,
		  .flags = VIEW_PRINTS_HEADING },
	.code = &hex_code,
};
