/* Stacks as a table: the calls of each thread, innermost first, and why a list ends early. */
#include "model/analysis/stacks.h"
#include "model/analysis/tables.h"
#include "model/base/format.h"
#include "model/table/table.h"
#include <errno.h>
#include <stdlib.h>

/* A call, or the reason why there are no more: then `kind` is KIND_STOPPED. */
struct call_row {
	const struct heap_thread *thread;
	const char *text, *module;
	uint64_t ip, sp, record;
	uint64_t os_id;
	uint32_t id;
	uint32_t number; /* UINT32_MAX: none */
	uint8_t kind;    /* enum content_frame_kind, or KIND_STOPPED */
	bool is_own;
};
enum { KIND_STOPPED = CONTENT_FRAME_FOUND + 1 };

struct made {
	struct stacks stacks;
	struct call_row *rows; /* in the arena of the stacks */
	uint32_t count;
	uint32_t calls, stopped; /* calls of methods; stacks that are not complete */
	uint32_t listed;         /* stacks that have rows */
};

static const char *const kinds[] = {
	[CONTENT_FRAME_MANAGED] = "managed", [CONTENT_FRAME_STUB] = "stub",
	[CONTENT_FRAME_NATIVE] = "native",   [CONTENT_FRAME_TRANSITION] = "transition",
	[CONTENT_FRAME_FOUND] = "found",     [KIND_STOPPED] = "stopped",
};

/* --- making rows --------------------------------------------------------- */

/* Reads the id of a thread. 0: all. */
static bool
read_number(const struct subject *about, uint64_t *number, struct error *err)
{
	const char *text = about->text;
	char *end;

	*number = 0;
	if (!*text)
		return true;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return (*text >= '0' && *text <= '9' && !*end && *number && !errno) ||
	       error_set(err, ERROR_USAGE,
			 "stacks takes the id of a thread, %.60s is none: threads lists them",
			 text);
}

static bool
accepts(const struct facts *f, const struct subject *about, struct error *err)
{
	const struct heap_memory *m = f->heap ? f->heap->memory : NULL;
	uint64_t number;

	if (!read_number(about, &number, err))
		return false;
	for (uint32_t i = 0; number && m && i < m->threads_count; i++)
		if (stack_is_of(m, i, number))
			return true;
	return !number || !m ||
	       error_set(err, ERROR_USAGE, "no thread has the id %s: threads lists them",
			 about->text);
}

static void
add_stack(struct made *made, const struct facts *f, const struct stack *stack)
{
	const struct heap_thread *t = &f->heap->memory->threads[stack->thread];
	const struct content_frames *frames = &stack->frames;
	struct call_row row = { .thread = t, .id = t->id, .os_id = t->os_id };

	for (uint32_t i = 0; i < frames->count; i++) {
		const struct content_frame *frame = &frames->items[i];

		row.number = i;
		row.text = frame->full;
		row.module = frame->module;
		row.ip = frame->ip;
		row.sp = frame->sp;
		row.record = frame->record;
		row.kind = frame->kind;
		row.is_own = frame_is_own(frame, f->my_modules);
		made->rows[made->count++] = row;
	}
	made->calls += stack_depth(frames);
	made->listed += frames->count > 0;
	/* Threads that have ended, or never ran code of the runtime, have no calls to miss. */
	if (!*frames->why || !t->os_id || !t->address)
		return;
	made->stopped++;
	made->listed += !frames->count;
	made->rows[made->count++] = (struct call_row){
		.thread = t,
		.id = t->id,
		.os_id = t->os_id,
		.text = frames->why,
		.module = "",
		.number = UINT32_MAX,
		.kind = KIND_STOPPED,
	};
}

static bool
make(void *made, const struct facts *f, const struct subject *about, struct progress *progress,
     struct error *err)
{
	struct made *m = made;
	size_t count = 0;
	uint64_t number;

	if (!read_number(about, &number, err) ||
	    !stacks_read(&m->stacks, f->heap, number, progress, err))
		return false;
	for (uint32_t i = 0; i < m->stacks.count; i++)
		count += m->stacks.items[i].frames.count + (size_t)1;
	m->rows = arena_array(&m->stacks.arena, struct call_row, count + 1, err);
	for (uint32_t i = 0; m->rows && i < m->stacks.count; i++)
		add_stack(m, f, &m->stacks.items[i]);
	return m->rows != NULL;
}

static void
clear(void *made)
{
	struct made *m = made;

	stacks_clear(&m->stacks);
}

/* --- cells ---------------------------------------------------------------- */

static const struct call_row *
call_of(const struct cells *in, const struct row *row)
{
	const struct made *m = in->rows;

	return &m->rows[row->data];
}

/* The application's calls stand out among those of the framework. */
static void
cell_method(const struct cells *in, const struct row *row, struct value *out)
{
	const struct call_row *call = call_of(in, row);
	enum style style = STYLE_NORMAL;

	if (call->kind == KIND_STOPPED)
		style = STYLE_WARNING;
	else if (call->is_own)
		style = STYLE_TYPE;
	else if (call->kind != CONTENT_FRAME_MANAGED)
		style = STYLE_DIM;
	value_text(out, style, call->text);
}

static void
cell_name(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, call_of(in, row)->thread->name);
}

static void
cell_own(const struct cells *in, const struct row *row, struct value *out)
{
	value_text(out, STYLE_NORMAL, call_of(in, row)->is_own ? "yes" : "");
}

static bool
heading(const struct cells *in, unsigned line, struct value *out)
{
	const struct made *m = in->rows;
	char calls[FORMAT_BYTES], threads[FORMAT_BYTES], stopped[FORMAT_BYTES];

	if (line)
		return false;
	value_printf(out, m->stopped ? STYLE_WARNING : STYLE_DIM,
		     "%s call%s of methods on %s stack%s%s%s%s", format_count(m->calls, calls),
		     plural(m->calls), format_count(m->listed, threads), plural(m->listed),
		     m->stopped ? "; " : "", m->stopped ? format_count(m->stopped, stopped) : "",
		     !m->stopped       ? ""
		     : m->stopped == 1 ? " is not complete"
				       : " are not complete");
	return true;
}

/* --- the table ----------------------------------------------------------- */

/* clang-format off */
static const struct column columns[] = {
	/* id        title      width sorts cell           help                                                    rank flags needs */
	{ "thread",  "Thread",  6,    UP,   NONZERO_AT(VALUE_PLAIN, struct call_row, id),    "managed thread id; blank if it has none",    0, 0, 0 },
	{ "os_id",   "OS id",   8,    UP,   NONZERO_AT(VALUE_PLAIN, struct call_row, os_id), "thread id of the operating system",          3, 0, 0 },
	{ "frame",   "Frame",   5,    UP,   KNOWN_AT(VALUE_PLAIN, struct call_row, number),  "number of the call, 0 is the innermost one", 1, 0, 0 },
	{ "method",  "Method",  FILL, UP,   CELL(VALUE_TEXT, cell_method),  "method with its type, other code, or why there are no more calls", 0, 0, 0 },
	{ "kind",    "Kind",    -10,  UP,   WORD_AT(STYLE_DIM, kinds, struct call_row, kind), "managed, native; stub: made by the runtime; transition: a mark of the runtime; stopped", 2, 0, 0 },
	{ "module",  "Module",  -24,  UP,   TEXT_AT(STYLE_NORMAL, struct call_row, module),  "file of the method or code",                 4, COLUMN_MACHINE, 0 },
	{ "own",     "Own",     3,    UP,   CELL(VALUE_TEXT, cell_own),    "yes: a method of the application",            6, COLUMN_MACHINE, 0 },
	{ "name",    "Name",    -18,  UP,   CELL(VALUE_TEXT, cell_name),   "name of the thread",                          5, COLUMN_MACHINE, 0 },
	{ "address", "Address", 14,   UP,   ADDRESS_AT(struct call_row, ip), "address of the instruction",                4, 0, 0 },
	{ "stack",   "Stack",   14,   UP,   ADDRESS_AT(struct call_row, sp), "stack pointer; of a transition: its address", 5, 0, 0 },
	{ "record",  "Record",  14,   UP,   ADDRESS_AT(struct call_row, record), "the runtime's record of the method (MethodDesc)", 6, COLUMN_MACHINE, 0 },
	{ 0 },
};
/* clang-format on */

static const struct row_source rows = {
	.what = "walking stacks",
	.reads_my_modules = true,
	ROWS_IN(struct made, rows, count),
	.accepts = accepts,
	.make = make,
	.clear = clear,
};

const struct table stacks_table = {
	.name = "stacks",
	.columns = columns,
	.heaps = OF_CONTENTS,
	.contents = "stacks",
	.needs = NEED_PROCESS,
	.rows = &rows,
	.heading = heading,
};
