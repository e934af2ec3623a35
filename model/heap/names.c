#include "model/heap/names.h"

#include "model/heap/name_made.h"
#include "model/heap/name_reflection.h"
#include <string.h>

/*
 * A name is a tree of types, read without recursion: rendering a type pushes its pieces, some of
 * them types again, on an explicit stack. A first pass finds where each '<' closes, so that no
 * piece reads into another and the time stays linear however deeply names nest.
 */

enum piece_kind {
	PIECE_TEXT,   /* copied, without backtick arities */
	PIECE_METHOD, /* '-' becomes '.': explicit interface methods */
	PIECE_TYPE,   /* a type of the raw name */
	PIECE_ASYNC,  /* a state machine known to be an async method's */
	PIECE_ARGS,   /* types, separated by commas */
};

struct piece {
	enum piece_kind kind;
	const char *start, *end;
};

struct spelling {
	struct raw_name raw;
	bool is_brief;
	bool is_odd;    /* not understood */
	bool has_error; /* out of memory; err is set */
	struct error *err;
	struct piece *pieces; /* a stack */
	size_t pieces_count, pieces_room;
	char *text;
	size_t text_len, text_room;
};

/* clang-format off */
static const struct {
	const char *raw, *keyword;
} keywords[] = {
	{ "System.Boolean", "bool" },   { "System.Byte",    "byte" },
	{ "System.Char",    "char" },   { "System.Decimal", "decimal" },
	{ "System.Double",  "double" }, { "System.Int16",   "short" },
	{ "System.Int32",   "int" },    { "System.Int64",   "long" },
	{ "System.IntPtr",  "nint" },   { "System.Object",  "object" },
	{ "System.SByte",   "sbyte" },  { "System.Single",  "float" },
	{ "System.String",  "string" }, { "System.UInt16",  "ushort" },
	{ "System.UInt32",  "uint" },   { "System.UInt64",  "ulong" },
	{ "System.UIntPtr", "nuint" },  { "System.Void",    "void" },
};

/*
 * Namespaces that C# programs import implicitly, and whose types are known by their bare names.
 * System.Reflection, System.Diagnostics and the like are not in the list: their Module, Switch or
 * Process would look like the program's own.
 */
static const char *const dropped_namespaces[] = {
	"System",
	"System.Collections",
	"System.Collections.Concurrent",
	"System.Collections.Generic",
	"System.Collections.Immutable",
	"System.Collections.ObjectModel",
	"System.IO",
	"System.Linq",
	"System.Net.Http",
	"System.Runtime.CompilerServices",
	"System.Text",
	"System.Threading",
	"System.Threading.Tasks",
};

/* Types that the runtime wraps around an async method's state machine, or around the method
   itself. */
static const char *const async_boxes[] = {
	"AsyncStateMachineBox",
	"Continuation",
	"DebugFinalizableAsyncStateMachineBox",
	"StateMachineBox",
};

/* clang-format on */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static size_t
span_len(const char *start, const char *end)
{
	return (size_t)(end - start);
}

static bool
span_is(const char *start, const char *end, const char *text)
{
	size_t len = strlen(text);

	return span_len(start, end) == len && !memcmp(start, text, len);
}

static bool
span_begins(const char *start, const char *end, const char *text)
{
	size_t len = strlen(text);

	return span_len(start, end) >= len && !memcmp(start, text, len);
}

static const char *
span_find_last(const char *start, const char *end, char c)
{
	while (end > start)
		if (*--end == c)
			return end;
	return NULL;
}

static const char *
skip_spaces(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

size_t
name_folded_len(const char *raw, size_t len)
{
	size_t open = len;

	if (!len || raw[len - 1] != ')')
		return len;
	while (open && raw[open - 1] != '(')
		open--;
	if (open < 2 || raw[open - 2] != ' ')
		return len;
	if (span_begins(raw + open, raw + len, "Bytes > "))
		return open - 2;
	for (size_t i = open; i < len; i++)
		if (span_begins(raw + i, raw + len, "ElemSize="))
			return open - 2;
	return len;
}

static void
text_put(struct spelling *s, const char *text, size_t len)
{
	if (!len)
		return;
	if (!MAKE_ROOM(s->text, s->text_len + len, s->text_room, s->err)) {
		s->has_error = true;
		return;
	}
	memcpy(s->text + s->text_len, text, len);
	s->text_len += len;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void
text_put_name(struct spelling *s, const char *at, const char *end)
{
	while (at < end) {
		const char *tick = memchr(at, '`', span_len(at, end));
		const char *stop = tick ? tick : end;

		text_put(s, at, span_len(at, stop));
		at = stop;
		if (at < end && at + 1 < end && is_digit(at[1])) {
			at++;
			while (at < end && is_digit(*at))
				at++;
		} else if (at < end) {
			text_put(s, at++, 1);
		}
	}
}

static void
text_put_method(struct spelling *s, const char *at, const char *end)
{
	size_t from = s->text_len;

	text_put_name(s, at, end);
	for (size_t i = from; i < s->text_len; i++)
		if (s->text[i] == '-')
			s->text[i] = '.';
}

static void
push(struct spelling *s, enum piece_kind kind, const char *start, const char *end)
{
	if (!APPEND(s->pieces, s->pieces_count, s->pieces_room, s->err,
		    (struct piece){
			.kind = kind,
			.start = start,
			.end = end,
		    }))
		s->has_error = true;
}

static void
push_text(struct spelling *s, const char *text)
{
	push(s, PIECE_TEXT, text, text + strlen(text));
}

/* Pieces are pushed in reading order; reverse them for the stack. */
static void
reverse_pieces(struct spelling *s, size_t base)
{
	for (size_t i = base, j = s->pieces_count; i + 1 < j; i++) {
		struct piece swap = s->pieces[i];

		s->pieces[i] = s->pieces[--j];
		s->pieces[j] = swap;
	}
}

static void
push_args(struct spelling *s, const struct token *args)
{
	if (args->kind != TOKEN_ARGS)
		return;
	push_text(s, "<");
	push(s, PIECE_ARGS, args->start + 1, args->end - 1);
	push_text(s, ">");
}

/* Pushes array suffixes in reverse: C# writes the outermost first ("int[][,]" is an array of
   two-dimensional arrays), the runtime last. */
static void
push_suffixes(struct spelling *s, const char *at, const char *end)
{
	while (at < end) {
		const char *stop = at, *back;

		if (*at == '*' || *at == '&') {
			push(s, PIECE_TEXT, at, at + 1);
			at++;
			continue;
		}
		while (stop < end && *stop != '&' && *stop != '*')
			stop = rank_end(stop, end);
		for (back = stop; back > at;) {
			const char *rank = back - 1;

			while (*rank != '[' && *rank != '<')
				rank--;
			push_text(s, "[");
			push(s, PIECE_TEXT, rank + 1, back - 1);
			push_text(s, "]");
			back = rank;
		}
		at = stop;
	}
}

static bool
namespace_is_dropped(const struct spelling *s, const char *start, const char *end)
{
	if (s->is_brief)
		return true;
	for (size_t i = 0; i < COUNT_OF(dropped_namespaces); i++)
		if (span_is(start, end, dropped_namespaces[i]))
			return true;
	return false;
}

static void
push_name(struct spelling *s, const struct token *name)
{
	const char *dot = span_find_last(name->start, name->end, '.');

	if (dot && dot + 1 < name->end && namespace_is_dropped(s, name->start, dot))
		push(s, PIECE_TEXT, dot + 1, name->end);
	else
		push(s, PIECE_TEXT, name->start, name->end);
}

/* Writes the compiler's own spelling; events have "[]" for "<>". */
static void
push_made_raw(struct spelling *s, const struct token *made)
{
	if (*made->start == '[') {
		push_text(s, "<>");
		push(s, PIECE_TEXT, made->start + 2, made->end);
	} else {
		push(s, PIECE_TEXT, made->start, made->end);
	}
}

/* Pushes the types around `stop`, joined by dots. Closures around another compiler-made type are
   left out. False if nothing was pushed. */
static bool
push_outer(struct spelling *s, const char *start, const char *stop)
{
	struct token token = { TOKEN_END, start, start };
	bool has_some = false, is_skipped = false;

	for (;;) {
		token = token_next(&s->raw, token, stop);
		if (token.kind == TOKEN_END)
			return has_some;
		if (token.kind == TOKEN_ARGS && !is_skipped)
			push_args(s, &token);
		if (token.kind != TOKEN_NAME && token.kind != TOKEN_MADE)
			continue;
		is_skipped =
		    token.kind == TOKEN_MADE && made_find(&s->raw, &token)->form <= MADE_GROUP;
		if (is_skipped)
			continue;
		if (has_some)
			push_text(s, ".");
		if (token.kind == TOKEN_MADE)
			push_made_raw(s, &token);
		else if (token.start == start)
			push_name(s, &token);
		else
			push(s, PIECE_TEXT, token.start, token.end);
		has_some = true;
	}
}

static void
push_outer_dot(struct spelling *s, const struct type_shape *shape)
{
	if (push_outer(s, shape->start, shape->last.start))
		push_text(s, ".");
}

static void
push_outer_in(struct spelling *s, const struct type_shape *shape, const char *word)
{
	size_t base;

	push_text(s, word);
	base = s->pieces_count;
	push_text(s, " in ");
	if (!push_outer(s, shape->start, shape->last.start))
		s->pieces_count = base;
}

/*
 * Pushes the method in a compiler-made name, after `word`: "Foo"; "<Main>$" is Main, "<Foo>b__0_0"
 * a lambda in Foo, "<Foo>g__Local|0_0" a function in Foo.
 */
static void
push_method(struct spelling *s, const struct type_shape *shape, const char *start, const char *end,
	    const char *word)
{
	struct made_name made = { start, end, end, end };
	bool is_local;

	if (start < end && *start == '<')
		made = made_name_read(&s->raw, start, end);
	is_local = span_begins(made.tail, made.tail_end, "g__");
	push_text(s, word);
	if (span_begins(made.tail, made.tail_end, "b__"))
		push_text(s, "lambda in ");
	push_outer_dot(s, shape);
	push(s, PIECE_METHOD, made.inner, made.inner_end);
	if (is_local) {
		const char *bar = span_find_last(made.tail, made.tail_end, '|');

		push_text(s, ".");
		push(s, PIECE_TEXT, made.tail + 3, bar ? bar : made.tail_end);
	}
	push_args(s, &shape->args);
	push_text(s, "()");
}

/* Pushes "closure in Outer (c__DisplayClass1_0)" or "lambdas in Outer". */
static void
push_group(struct spelling *s, const struct type_shape *shape, const struct made *m,
	   const struct made_name *made)
{
	bool has_outer = shape->start != shape->last.start;
	bool is_plain = span_len(made->tail, made->tail_end) == 1 && shape->args.kind != TOKEN_ARGS;

	push_outer_in(s, shape, m->word);
	if (has_outer && is_plain)
		return;
	push_text(s, " (");
	if (m->form == MADE_CLOSURE)
		push(s, PIECE_TEXT, made->tail, made->tail_end);
	else
		push_made_raw(s, &shape->last);
	push_args(s, &shape->args);
	push_text(s, ")");
}

/* "<File>F0123…__Type" is a file-local type. */
static void
push_file_type(struct spelling *s, const struct token *token, const struct made_name *made)
{
	for (const char *at = made->tail; at + 2 < made->tail_end; at++) {
		if (at[0] == '_' && at[1] == '_') {
			push(s, PIECE_TEXT, at + 2, made->tail_end);
			return;
		}
	}
	push_made_raw(s, token);
}

static void
push_made(struct spelling *s, const struct type_shape *shape, bool is_async)
{
	const struct token *last = &shape->last;
	const struct made *m = made_find(&s->raw, last);
	struct made_name made = made_name_read(&s->raw, last->start, last->end);

	switch (m->form) {
	case MADE_CLOSURE:
	case MADE_GROUP:
		push_group(s, shape, m, &made);
		return;
	case MADE_MACHINE:
		/* An iterator looks the same, unless there is an async box. */
		push_method(s, shape, made.inner, made.inner_end,
			    is_async ? "async " : "state machine of ");
		return;
	case MADE_LOCAL:
		push_method(s, shape, last->start, last->end, "");
		return;
	case MADE_BUFFER:
		push_text(s, m->word);
		push_outer_dot(s, shape);
		push(s, PIECE_TEXT, made.inner, made.inner_end);
		return;
	case MADE_BARE:
		push_outer_dot(s, shape);
		push(s, PIECE_TEXT, made.tail + strlen(m->word), made.tail_end);
		break;
	case MADE_FILE_TYPE:
		push_outer_dot(s, shape);
		push_file_type(s, last, &made);
		break;
	case MADE_UNKNOWN:
		push_outer_dot(s, shape);
		push_made_raw(s, last);
		break;
	}
	push_args(s, &shape->args);
}

static bool
push_keyword(struct spelling *s, const struct type_shape *shape)
{
	if (shape->first.end != shape->suffixes)
		return false;
	for (size_t i = 0; i < COUNT_OF(keywords); i++) {
		if (span_is(shape->start, shape->suffixes, keywords[i].raw)) {
			push_text(s, keywords[i].keyword);
			return true;
		}
	}
	return false;
}

/* C# has its own syntax for System.Nullable<T> and System.ValueTuple<A,B>. */
static bool
push_sugar(struct spelling *s, const struct type_shape *shape)
{
	const struct token *args = &shape->args;
	const char *start, *end;
	size_t count;

	if (args->kind != TOKEN_ARGS || args->start != shape->first.end ||
	    args->end != shape->suffixes)
		return false;
	start = args->start + 1;
	end = args->end - 1;
	if (span_is(shape->start, args->start, "System.Nullable") ||
	    span_is(shape->start, args->start, "System.Nullable`1")) {
		if (arguments_count(&s->raw, start, end) != 1)
			return false;
		push(s, PIECE_TYPE, start, end);
		push_text(s, "?");
		return true;
	}
	if (!span_begins(shape->start, args->start, "System.ValueTuple") ||
	    (args->start != shape->start + 17 && shape->start[17] != '`'))
		return false;
	count = arguments_count(&s->raw, start, end);
	if (count < 2 || count > 7)
		return false;
	push_text(s, "(");
	push(s, PIECE_ARGS, start, end);
	push_text(s, ")");
	return true;
}

static bool
is_async_box(const struct token *box)
{
	const char *dot = span_find_last(box->start, box->end, '.');
	const char *name = dot ? dot + 1 : box->start;
	const char *tick = span_find_last(name, box->end, '`');

	for (size_t i = 0; i < COUNT_OF(async_boxes); i++)
		if (span_is(name, tick ? tick : box->end, async_boxes[i]))
			return true;
	return false;
}

/* A box around a state machine proves that it is an async method's. */
static bool
push_async(struct spelling *s, const struct type_shape *shape)
{
	const struct token *args = &shape->args;
	const char *start, *end, *stop;
	struct type_shape machine;

	if (args->kind != TOKEN_ARGS || shape->last.kind != TOKEN_NAME ||
	    !is_async_box(&shape->last))
		return false;
	start = args->start + 1;
	end = args->end - 1;
	while ((stop = argument_end(&s->raw, start, end)) < end)
		start = stop + 1;
	start = skip_spaces(start, end);
	if (!type_shape_read(&s->raw, start, end, &machine) || machine.suffixes != machine.end ||
	    machine.last.kind != TOKEN_MADE ||
	    made_find(&s->raw, &machine.last)->form != MADE_MACHINE)
		return false;
	push(s, PIECE_ASYNC, start, end);
	return true;
}

static void
expand_type(struct spelling *s, const char *start, const char *end, bool is_async)
{
	struct type_shape shape;
	size_t base = s->pieces_count;

	start = skip_spaces(start, end);
	if (!type_shape_read(&s->raw, start, end, &shape)) {
		s->is_odd = true;
		return;
	}
	if (shape.last.kind == TOKEN_MADE) {
		push_made(s, &shape, is_async);
	} else if (!push_keyword(s, &shape) && !push_sugar(s, &shape) && !push_async(s, &shape)) {
		if (shape.first.start == shape.last.start) {
			push_name(s, &shape.last);
		} else {
			push_outer_dot(s, &shape);
			push(s, PIECE_TEXT, shape.last.start, shape.last.end);
		}
		push_args(s, &shape.args);
	}
	push_suffixes(s, shape.suffixes, end);
	reverse_pieces(s, base);
}

static void
expand_args(struct spelling *s, const char *start, const char *end)
{
	const char *stop = argument_end(&s->raw, start, end);
	size_t base = s->pieces_count;

	push(s, PIECE_TYPE, start, stop);
	if (stop < end) {
		push_text(s, ", ");
		push(s, PIECE_ARGS, stop + 1, end);
	}
	reverse_pieces(s, base);
}

static void
spell(struct spelling *s)
{
	s->pieces_count = s->text_len = 0;
	push(s, PIECE_TYPE, s->raw.start, s->raw.end);
	while (s->pieces_count && !s->is_odd && !s->has_error) {
		struct piece p = s->pieces[--s->pieces_count];

		switch (p.kind) {
		case PIECE_TEXT:
			text_put_name(s, p.start, p.end);
			break;
		case PIECE_METHOD:
			text_put_method(s, p.start, p.end);
			break;
		case PIECE_TYPE:
			expand_type(s, p.start, p.end, false);
			break;
		case PIECE_ASYNC:
			expand_type(s, p.start, p.end, true);
			break;
		case PIECE_ARGS:
			expand_args(s, p.start, p.end);
			break;
		}
	}
}

/* Returns the spelling, in `a`; the raw name if it was not understood. */
static const char *
spell_into(struct spelling *s, struct arena *a)
{
	const struct raw_name *raw = &s->raw;

	if (!s->is_odd)
		spell(s);
	if (s->has_error)
		return NULL;
	if (s->is_odd || !s->text_len)
		return arena_strndup(a, raw->start, span_len(raw->start, raw->end), s->err);
	return arena_strndup(a, s->text, s->text_len, s->err);
}

static bool
display(const char *raw, struct arena *a, struct display_name *out, struct error *err)
{
	size_t len = strlen(raw);
	struct spelling s = { .raw = { raw, raw + len, NULL }, .err = err };

	*out = (struct display_name){ 0 };
	s.raw.closes = memory_new(len + 1, sizeof(*s.raw.closes), err);
	if (!s.raw.closes)
		return false;
	/* "[RCW …]" and "[CCW …]" are COM wrappers, not arrays. */
	s.is_odd = !len || len >= UINT32_MAX || !raw_name_match(&s.raw) ||
		   (raw[0] == '[' && !is_made_bracket(raw, raw + len));
	out->full = out->brief = spell_into(&s, a);
	s.is_brief = true;
	if (out->full && !s.is_odd) {
		out->brief = spell_into(&s, a);
		if (out->brief && strcmp(out->full, out->brief) == 0)
			out->brief = out->full;
	}
	memory_free(s.raw.closes);
	memory_free(s.pieces);
	memory_free(s.text);
	return out->brief != NULL;
}

bool
name_display(const char *raw, struct arena *a, struct display_name *out, struct error *err)
{
	char *spelt = name_from_reflection(raw, err);
	bool is_good =
	    (spelt || err->kind == ERROR_NONE) && display(spelt ? spelt : raw, a, out, err);

	memory_free(spelt);
	return is_good;
}
