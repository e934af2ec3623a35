#include "io/pe/native_name.h"
#include "model/base/sorted.h"
#include <string.h>

enum {
	DEPTH_MAX = 64,
	RANK_MAX = 32,
	/* Names of nested generic types have hundreds of bytes; the time is in the square of the
	   length. */
	LENGTH_MAX = 8192,
	GROWTH = 4, /* "Bool" becomes "System.Boolean" */
};

struct part {
	const char *text;
	size_t len;
};

enum around { AROUND_NOTHING, AROUND_ARGUMENTS, AROUND_ARRAY, AROUND_RANKS };

struct reader {
	const char *at; /* in the mangled name */
	const struct native_known *known;
	char *out;
	size_t len, size;
	enum around around[DEPTH_MAX]; /* what the type at `at` is in */
	size_t depth;
	struct part assembly;              /* of the outermost definition, mangled */
	bool has_definition, is_primitive; /* the outermost one */
	bool wants_type, is_good;
};

static const struct {
	const char *mangled, *name;
} primitives[] = {
	{ "Bool", "System.Boolean" },    { "Char", "System.Char" },
	{ "Double", "System.Double" },   { "Int16", "System.Int16" },
	{ "Int32", "System.Int32" },     { "Int64", "System.Int64" },
	{ "Int8", "System.SByte" },      { "IntPtr", "System.IntPtr" },
	{ "Object", "System.Object" },   { "Single", "System.Single" },
	{ "String", "System.String" },   { "System___Canon", "System.__Canon" },
	{ "UInt16", "System.UInt16" },   { "UInt32", "System.UInt32" },
	{ "UInt64", "System.UInt64" },   { "UInt8", "System.Byte" },
	{ "UIntPtr", "System.UIntPtr" },
};

/* --- text ----------------------------------------------------------------- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_alphanumeric(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
begins(struct part p, const char *with)
{
	size_t len = strlen(with);

	return p.len >= len && !memcmp(p.text, with, len);
}

static bool
is(struct part p, const char *text)
{
	return p.len == strlen(text) && begins(p, text);
}

static struct part
part_from(struct part p, size_t start)
{
	return (struct part){ p.text + start, p.len - start };
}

static size_t
digits_len(struct part p)
{
	size_t len = 0;

	while (len < p.len && is_digit(p.text[len]))
		len++;
	return len;
}

static size_t
word_len(struct part p)
{
	size_t len = 0;

	while (len < p.len && is_alphanumeric(p.text[len]))
		len++;
	return len;
}

static void
put(struct reader *r, const char *text, size_t len)
{
	if (len > r->size - r->len) {
		r->is_good = false;
		return;
	}
	memcpy(r->out + r->len, text, len);
	r->len += len;
}

static void
put_text(struct reader *r, const char *text)
{
	put(r, text, strlen(text));
}

/* --- what is known -------------------------------------------------------- */

/* The first name that is not less than the text, or the count. */
static size_t
known_from(const struct native_known *known, struct part p)
{
	size_t at;

	LOWER_BOUND(at, 0, known->count, strncmp(known->names[at], p.text, p.len) < 0);
	return at;
}

/* Is it the name of a type, or of the definition of a generic one? */
static bool
is_known(const struct native_known *known, struct part p)
{
	enum { LOOKED_AT_MAX = 16 };
	size_t at = known_from(known, p);

	for (size_t i = at; i < known->count && i < at + LOOKED_AT_MAX; i++) {
		if (strncmp(known->names[i], p.text, p.len) != 0)
			return false;
		if (!known->names[i][p.len] || known->names[i][p.len] == '<')
			return true;
	}
	return false;
}

static const char *
primitive_of(struct part p)
{
	for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; i++)
		if (is(p, primitives[i].mangled))
			return primitives[i].name;
	return NULL;
}

/* Can an argument begin so? */
static bool
can_begin(const struct native_known *known, struct part p)
{
	size_t word = word_len(p);
	struct part first = { p.text, word + 1 };
	size_t at;

	if (begins(p, "__Array") || begins(p, "__MDArray") || begins(p, "System___Canon"))
		return true;
	if (!word)
		return false;
	if (word == p.len || begins(part_from(p, word), "__"))
		if (primitive_of((struct part){ p.text, word }))
			return true;
	if (word == p.len || p.text[word] != '_')
		return false;
	at = known_from(known, first);
	return at < known->count && !strncmp(known->names[at], first.text, first.len);
}

/* --- assemblies ----------------------------------------------------------- */

/* Is the next word one with which namespaces of the framework begin? */
static bool
begins_framework(struct part p)
{
	static const char *const words[] = { "System",  "Microsoft",   "Internal",
					     "Interop", "FxResources", "MS" };
	struct part word = { p.text, word_len(p) };

	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (is(word, words[i]))
			return true;
	return false;
}

static bool
is_same_word(struct part a, const char *b, size_t len)
{
	if (a.len < len || (a.len > len && a.text[len] != '_'))
		return false;
	for (size_t i = 0; i < len; i++)
		if ((a.text[i] | 0x20) != (b[i] | 0x20))
			return false;
	return true;
}

/* "my-shop" is "my_shop" in symbols. 0: the part begins otherwise. */
static size_t
program_len(const char *program, struct part p)
{
	size_t len = strlen(program);

	if (!len || p.len <= len || p.text[len] != '_')
		return 0;
	for (size_t i = 0; i < len; i++)
		if (p.text[i] != (is_alphanumeric(program[i]) ? program[i] : '_'))
			return 0;
	return len;
}

/*
 * The length of the assembly's name. Most assemblies are named after their namespace, so the first
 * word comes again where it begins.
 */
static size_t
assembly_len(const struct native_known *known, struct part p)
{
	static const char private[] = "S_P_";
	size_t of_program = program_len(known->program, p);
	bool is_private = begins(p, private);
	size_t start = is_private ? sizeof(private) - 1 : 0;
	size_t first = start + word_len(part_from(p, start));
	bool is_framework = is_private || begins_framework(p);

	if (of_program)
		return of_program;
	for (size_t i = first; i + 1 < p.len; i++) {
		struct part rest = part_from(p, i + 1);

		if (p.text[i] == '_' &&
		    (is_framework ? begins_framework(rest) : is_same_word(rest, p.text, first)))
			return i;
	}
	return first < p.len && (is_private || !is_framework) ? first : 0;
}

/* --- definitions ---------------------------------------------------------- */

/* Writes a name that the C# compiler makes; returns its length, 0: another. */
static size_t
put_closure(struct reader *r, struct part p)
{
	size_t len = 3;

	/* "__c", "__c__5", "__c__DisplayClass1_0", "__f__AnonymousType0" */
	if (!begins(p, "__") || p.len < 3 || !is_alphanumeric(p.text[2]) ||
	    (p.len > 3 && p.text[3] != '_'))
		return 0;
	if (begins(part_from(p, 3), "__") && p.len > 5 && is_alphanumeric(p.text[5])) {
		struct part rest = part_from(p, 5);

		len = 5 + word_len(rest);
		if (begins(rest, "DisplayClass") && len < p.len) {
			size_t digits = digits_len(part_from(p, len + 1));

			len += digits ? 1 + digits : 0;
		}
	}
	put_text(r, "<>");
	put(r, p.text + 2, len - 2);
	return len;
}

/* "_Run_d__5" is <Run>d__5. */
static size_t
put_state_machine(struct reader *r, struct part p)
{
	if (!begins(p, "_") || p.len < 2 || p.text[1] == '_')
		return 0;
	for (size_t i = 2; i + 4 < p.len; i++) {
		size_t digits;

		if (p.text[i] != '_' || !is_alphanumeric(p.text[i + 1]) ||
		    !begins(part_from(p, i + 2), "__"))
			continue;
		digits = digits_len(part_from(p, i + 4));
		if (!digits)
			continue;
		put_text(r, "<");
		put(r, p.text + 1, i - 1);
		put_text(r, ">");
		put(r, p.text + i + 1, 3 + digits);
		return i + 4 + digits;
	}
	return 0;
}

/* "__Main_b__0_1_d" is <<Main>b__0_1>d, of an async lambda. */
static size_t
put_lambda_machine(struct reader *r, struct part p)
{
	if (!begins(p, "__"))
		return 0;
	for (size_t i = 3; i + 4 < p.len; i++) {
		size_t end;

		if (!begins(part_from(p, i), "_b__"))
			continue;
		end = i + 4 + digits_len(part_from(p, i + 4));
		if (end < p.len && p.text[end] == '_')
			end += 1 + digits_len(part_from(p, end + 1));
		if (!begins(part_from(p, end), "_d"))
			continue;
		put_text(r, "<<");
		put(r, p.text + 2, i - 2);
		put_text(r, ">");
		put(r, p.text + i + 1, end - i - 1);
		put_text(r, ">d");
		return end + 2;
	}
	return 0;
}

static size_t
put_special(struct reader *r, struct part p)
{
	static const char *const names[] = { "_PrivateImplementationDetails_", "_Module_" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t len = strlen(names[i]);

		if (!begins(p, names[i]))
			continue;
		put_text(r, "<");
		put(r, p.text + 1, len - 2);
		put_text(r, ">");
		return len;
	}
	return 0;
}

static size_t
put_compiler_made(struct reader *r, struct part p)
{
	static size_t (*const kinds[])(struct reader * r,
				       struct part p) = { put_special, put_closure,
							  put_state_machine, put_lambda_machine };
	size_t len = 0;

	for (size_t i = 0; !len && i < sizeof kinds / sizeof kinds[0]; i++)
		len = kinds[i](r, p);
	return len;
}

/* The length of the number of parameters, "2" of List_2; 0: there is none. */
static size_t
arity_len(struct part p)
{
	size_t len = digits_len(p);

	return len && len <= 2 && p.text[0] != '0' && (len == p.len || p.text[len] == '_') ? len
											   : 0;
}

/* Writes the simple name at `at`, up to its next "_"; returns the end. */
static size_t
put_simple(struct reader *r, struct part p, size_t at)
{
	size_t len = put_compiler_made(r, part_from(p, at));
	size_t end = at + len;

	if (len)
		return end;
	while (end < p.len && p.text[end] == '_')
		end++;
	while (end < p.len && p.text[end] != '_')
		end++;
	put(r, p.text + at, end - at);
	return end;
}

static void
put_definition(struct reader *r, struct part p, bool has_arguments)
{
	const char *primitive = primitive_of(p);
	size_t assembly = primitive ? 0 : assembly_len(r->known, p);
	bool is_in_type = false;
	size_t at;

	if (!r->has_definition) {
		r->assembly = (struct part){ p.text, assembly };
		r->is_primitive = primitive;
		r->has_definition = true;
	}
	if (primitive) {
		put_text(r, primitive);
		return;
	}
	at = put_simple(r, p, assembly ? assembly + 1 : 0);
	while (at < p.len && r->is_good) {
		struct part rest = part_from(p, at + 1);
		size_t arity = has_arguments ? arity_len(rest) : 0;
		size_t before = r->len;

		if (arity) {
			put_text(r, "`");
			put(r, rest.text, arity);
			is_in_type = true;
			at += 1 + arity;
			continue;
		}
		is_in_type = is_in_type || is_known(r->known, (struct part){ p.text, at });
		put_text(r, is_in_type ? "+" : ".");
		at = put_simple(r, p, at + 1);
		if (r->is_good && r->out[before + 1] == '<') {
			r->out[before] = '+';
			is_in_type = true;
		}
	}
}

/* --- types ---------------------------------------------------------------- */

static void
enter(struct reader *r, enum around around, const char *text)
{
	if (r->depth == DEPTH_MAX) {
		r->is_good = false;
		return;
	}
	r->around[r->depth++] = around;
	r->at += strlen(text);
}

static bool
skip(struct reader *r, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(r->at, text, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* The end of the name at `at`: a bracket, or "__" before another argument. */
static size_t
name_len(const struct reader *r)
{
	struct part p = { r->at, strcspn(r->at, "<>,") };

	if (!r->depth || r->around[r->depth - 1] != AROUND_ARGUMENTS)
		return p.len;
	for (size_t i = 1; i + 2 < p.len; i++)
		if (begins(part_from(p, i), "__") && can_begin(r->known, part_from(p, i + 2)))
			return i;
	return p.len;
}

/* Reads a type up to its arguments or its end. */
static void
read_name(struct reader *r)
{
	bool has_arguments;
	struct part p;

	r->wants_type = false;
	while (r->is_good) {
		if (!strncmp(r->at, "__Array<", 8))
			enter(r, AROUND_ARRAY, "__Array<");
		else if (!strncmp(r->at, "__MDArray<", 10))
			enter(r, AROUND_RANKS, "__MDArray<");
		else
			break;
	}
	p = (struct part){ r->at, name_len(r) };
	if (!p.len) {
		r->is_good = false;
		return;
	}
	r->at += p.len;
	has_arguments = *r->at == '<' && strncmp(r->at, "<Pointer>", 9) != 0 &&
			strncmp(r->at, "<ByRef>", 7) != 0;
	put_definition(r, p, has_arguments);
	if (has_arguments) {
		put_text(r, "[");
		enter(r, AROUND_ARGUMENTS, "<");
		r->wants_type = true;
	}
}

/* Reads ",2>" after the type of an array's elements. */
static void
read_rank(struct reader *r)
{
	size_t rank = 0;

	while (is_digit(*r->at) && rank <= RANK_MAX)
		rank = 10 * rank + (size_t)(*r->at++ - '0');
	r->is_good = r->is_good && rank && rank <= RANK_MAX && skip(r, ">");
	put_text(r, "[");
	/* With one dimension it is not an ordinary array. */
	put_text(r, rank == 1 ? "*" : "");
	for (size_t i = 1; r->is_good && i < rank; i++)
		put_text(r, ",");
	put_text(r, "]");
}

/* Reads what follows a complete type. */
static void
read_end(struct reader *r)
{
	enum around around = r->depth ? r->around[r->depth - 1] : AROUND_NOTHING;

	if (skip(r, "<Pointer>")) {
		put_text(r, "*");
	} else if (skip(r, "<ByRef>")) {
		put_text(r, "&");
	} else if (around == AROUND_ARGUMENTS && skip(r, "__")) {
		put_text(r, ",");
		r->wants_type = true;
	} else if (around == AROUND_RANKS && skip(r, ",")) {
		r->depth--;
		read_rank(r);
	} else if (around == AROUND_ARGUMENTS && skip(r, ">")) {
		r->depth--;
		put_text(r, "]");
	} else if (around == AROUND_ARRAY && skip(r, ">")) {
		r->depth--;
		put_text(r, "[]");
	} else {
		r->is_good = false;
	}
}

/* "S_P_CoreLib" is System.Private.CoreLib.dll. */
static const char *
module_of(const struct reader *r, struct arena *a, struct error *err)
{
	struct part p = r->assembly;
	const char *before = "";
	char *name;

	if (r->is_primitive)
		return "System.Private.CoreLib.dll";
	if (!p.len)
		return "";
	if (program_len(r->known->program, (struct part){ p.text, p.len + 1 }))
		return arena_printf(a, err, "%s.dll", r->known->program);
	if (begins(p, "S_P_")) {
		p = part_from(p, 4);
		before = "System.Private.";
	}
	name = arena_printf(a, err, "%s%.*s.dll", before, (int)p.len, p.text);
	for (size_t i = 0; name && name[i]; i++)
		if (name[i] == '_')
			name[i] = '.';
	return name;
}

bool
native_name_read(const char *mangled, const struct native_known *known, struct arena *a,
		 struct native_name *out, struct error *err)
{
	size_t len = strlen(mangled);
	struct reader r = {
		.at = mangled,
		.known = known,
		.wants_type = true,
		.is_good = len <= LENGTH_MAX,
	};

	r.size = GROWTH * len + RANK_MAX;
	r.out = arena_take(a, r.size + 1, 1, err);
	if (!r.out)
		return false;
	skip(&r, "Boxed_");
	while (r.is_good && (r.wants_type || *r.at || r.depth)) {
		if (r.wants_type)
			read_name(&r);
		else
			read_end(&r);
	}
	if (!r.is_good) {
		out->name = arena_strndup(a, mangled, len, err);
		out->module = "";
		return out->name;
	}
	r.out[r.len] = '\0';
	out->name = r.out;
	out->module = module_of(&r, a, err);
	return out->module;
}
