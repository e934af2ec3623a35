#include "io/base/file.h"
#include "model/base/hash.h"
#include "io/pe/name_spelling.h"
#include "io/runtime/fields.h"
#include "io/runtime/names.h"
#include <inttypes.h>
#include <stdio.h>

enum {
	PARTS_MAX = 2048, /* pending parts of one name */
	STEPS_MAX = 4096, /* parts of one name in total */
	NAME_BYTES = 8192,
	CUT_BYTES = 256, /* kept of a longer name */
	RANK_MAX = 32,
	TYPE_DEF = 0x02000000,
};

enum {
	HANDLE_IS_DESCRIPTION = 2,
	MT_SZ_ARRAY = 0x20000, /* an array flag */
	ARRAY_BASE_BYTES = 24,
	BOUNDS_BYTES = 8,          /* per dimension */
	TOKEN_IN_FLAGS2_SHIFT = 8, /* .NET 9 and later */
	TOKEN_AFTER_FLAGS2 = 2,    /* .NET 8 */
	TOKEN_OVERFLOW = 0xffff,
	MT_WORDS_8 = 56, /* words after a .NET 8 method table */
	MT_WORDS_8_END = 104,
	DICTIONARIES_BELOW = 4, /* counts stored before PerInstInfo */
	ARGUMENTS_BELOW = 2,
	PARAMETER_MODULE = 16,
	PARAMETER_TOKEN = 40,
};

enum element { /* ECMA-335 II.23.1.16 */
	       ELEMENT_PTR = 0x0f,
	       ELEMENT_BYREF = 0x10,
	       ELEMENT_VAR = 0x13,
	       ELEMENT_ARRAY = 0x14,
	       ELEMENT_FNPTR = 0x1b,
	       ELEMENT_SZARRAY = 0x1d,
	       ELEMENT_MVAR = 0x1e,
};

/* A pending part: a type, the brackets of an array, or a text. */
struct part {
	uint64_t handle;
	const char *text; /* if handle is 0 */
	uint32_t rank;    /* if both are 0 */
};

struct naming {
	const struct clr_names *n;
	struct arena *arena; /* for the result and its parts */
	struct part parts[PARTS_MAX];
	size_t parts_count;
	char out[NAME_BYTES];
	size_t out_len;
	unsigned flags;
	bool is_partial; /* parts are missing, so the hash tells nothing */
	uint64_t hash;   /* of the whole name, which may be too long */
	uint64_t of;     /* the type's handle */
};

static void
put(struct naming *w, const char *text)
{
	size_t len = strlen(text);

	w->hash = hash_bytes(w->hash, text, len);
	if (w->out_len + len >= NAME_BYTES) {
		w->flags |= CLR_NAME_CUT;
		return;
	}
	memcpy(w->out + w->out_len, text, len);
	w->out_len += len;
}

/* Adds a part to be written before all pending ones. */
static void
push(struct naming *w, struct part part)
{
	if (w->parts_count == PARTS_MAX)
		w->flags |= CLR_NAME_CUT, w->is_partial = true;
	else
		w->parts[w->parts_count++] = part;
}

static void
push_text(struct naming *w, const char *text)
{
	push(w, (struct part){ .text = text });
}

/* An absent type is named "?". */
static void
push_type(struct naming *w, uint64_t handle)
{
	if (!handle)
		w->flags |= CLR_NAME_MADE_UP;
	push(w, (struct part){ .handle = handle, .text = "?" });
}

/* --- arrays --- */

static void
write_rank(struct naming *w, uint32_t rank)
{
	char text[RANK_MAX + 2] = "[";

	memset(text + 1, ',', rank - 1);
	text[rank] = ']';
	put(w, text);
}

static void
push_array(struct naming *w, uint64_t method_table, uint32_t flags)
{
	const struct clr_names *n = w->n;
	struct part brackets = { .text = "[]" };
	uint32_t base_bytes, rank;
	uint64_t element;

	if (!(flags & MT_SZ_ARRAY) &&
	    clr_u32(n->layout, n->reader, method_table, CLR_MT_BASE_SIZE, &base_bytes) &&
	    base_bytes >= ARRAY_BASE_BYTES + BOUNDS_BYTES) {
		rank = (base_bytes - ARRAY_BASE_BYTES) / BOUNDS_BYTES;
		brackets.text = rank == 1 ? "[*]" : NULL;
		brackets.rank = rank < RANK_MAX ? rank : RANK_MAX;
	}
	(void)!clr_u64(n->layout, n->reader, method_table, CLR_MT_PER_INST, &element);
	push(w, brackets);
	push_type(w, element);
}

/* --- definitions --- */

uint32_t
clr_name_token(const struct clr_names *n, uint64_t method_table)
{
	uint32_t word;
	uint16_t row;

	if (!clr_has(n->layout, CLR_MT_FLAGS2) ||
	    method_table > UINT64_MAX - n->layout->offset[CLR_MT_FLAGS2] - 4)
		return 0;
	if (!n->layout->facts->has_short_token) {
		if (!clr_u32(n->layout, n->reader, method_table, CLR_MT_FLAGS2, &word))
			return 0;
		word >>= TOKEN_IN_FLAGS2_SHIFT;
	} else {
		if (!memory_u16(n->reader,
				method_table + n->layout->offset[CLR_MT_FLAGS2] +
				    TOKEN_AFTER_FLAGS2,
				&row) ||
		    row == TOKEN_OVERFLOW)
			return 0;
		word = row;
	}
	return word ? TYPE_DEF | word : 0;
}

/*
 * Up to .NET 8, collectible generic instances record their loader module instead. The defining
 * module is then that of the canonical method table, or if the table is canonical itself, in a word
 * after it.
 */
uint64_t
clr_name_module(const struct clr_names *n, uint64_t method_table)
{
	uint64_t module, canonical, word;
	uint32_t flags;

	(void)!clr_u64(n->layout, n->reader, method_table, CLR_MT_MODULE, &module);
	if (!n->layout->facts->has_loader_module ||
	    !clr_u32(n->layout, n->reader, method_table, CLR_MT_FLAGS, &flags) ||
	    !clr_is_collectible(n->layout, flags) || !(clr_low_flags(flags) & CLR_MT_GENERIC) ||
	    !clr_u64(n->layout, n->reader, method_table, CLR_MT_CLASS_OR_CANON, &canonical))
		return module;
	if (canonical & 1) {
		if (clr_u64(n->layout, n->reader, canonical - 1, CLR_MT_MODULE, &word))
			return word;
		return module;
	}
	for (uint64_t at = MT_WORDS_8; at < MT_WORDS_8_END; at += 8)
		if (memory_u64(n->reader, method_table + at, &word) && word != module &&
		    clr_modules_known(n->modules, word))
			return word;
	return module;
}

/* The types of suspended calls of runtime async have no names of their own; like the runtime's
 * events, name them by their base. */
static uint64_t
named_table(const struct clr_names *n, uint64_t table)
{
	uint64_t parent;

	return clr_is_continuation(n->layout, n->reader, table) &&
		       clr_u64(n->layout, n->reader, table, CLR_MT_PARENT, &parent)
		   ? parent
		   : table;
}

/* False: no memory. */
static bool
write_definition(struct naming *w, uint64_t method_table, struct error *err)
{
	const struct clr_names *n = w->n;
	uint32_t token = clr_name_token(n, method_table);
	const struct clr_module *module;
	const char *name = NULL;
	char number[24];

	if (!token) {
		method_table = named_table(n, method_table);
		token = clr_name_token(n, method_table);
	}
	module = clr_modules_find(n->modules, clr_name_module(n, method_table), err);
	if (!module)
		return false;
	if (module->metadata && token)
		name = metadata_type_name(module->metadata, token, w->arena, err);
	if (err->kind != ERROR_NONE)
		return false;
	if (name && *name) {
		put(w, name);
		return true;
	}
	w->flags |= CLR_NAME_MADE_UP;
	if (token)
		snprintf(number, sizeof number, "!#%08" PRIx32, token);
	else
		snprintf(number, sizeof number, "!#overflow");
	put(w, module->path ? file_base_name(module->path) : "");
	put(w, number);
	return true;
}

unsigned
clr_name_arguments(const struct clr_names *n, uint64_t method_table,
		   uint64_t handles[CLR_ARGUMENTS_MAX])
{
	uint64_t table, list;
	uint16_t lists, count;
	uint32_t flags;

	if (!clr_u32(n->layout, n->reader, method_table, CLR_MT_FLAGS, &flags) ||
	    !(clr_low_flags(flags) & CLR_MT_GENERIC) ||
	    !clr_u64(n->layout, n->reader, method_table, CLR_MT_PER_INST, &table) ||
	    table < DICTIONARIES_BELOW ||
	    !memory_u16(n->reader, table - DICTIONARIES_BELOW, &lists) ||
	    !memory_u16(n->reader, table - ARGUMENTS_BELOW, &count) || !lists ||
	    count > CLR_ARGUMENTS_MAX ||
	    !memory_u64(n->reader, table + 8 * (uint64_t)(lists - 1), &list))
		return 0;
	for (uint16_t i = 0; i < count; i++)
		if (!memory_u64(n->reader, list + 8 * (uint64_t)i, &handles[i]))
			handles[i] = 0;
	return count;
}

/* "[A,B]" after the name being written. */
static void
push_arguments(struct naming *w, uint64_t method_table)
{
	uint64_t handles[CLR_ARGUMENTS_MAX];
	unsigned count = clr_name_arguments(w->n, method_table, handles);

	if (!count) {
		w->flags |= CLR_NAME_MADE_UP;
		return;
	}
	push_text(w, "]");
	for (unsigned i = count; i-- > 0;) {
		push_type(w, handles[i]);
		push_text(w, i ? "," : "[");
	}
}

/* False: no memory. */
static bool
write_method_table(struct naming *w, uint64_t method_table, struct error *err)
{
	uint32_t flags;

	if (!clr_u32(w->n->layout, w->n->reader, method_table, CLR_MT_FLAGS, &flags)) {
		w->flags |= CLR_NAME_MADE_UP;
		put(w, "?");
		return true;
	}
	if ((flags & CLR_MT_ARRAY_MASK) == CLR_MT_ARRAY) {
		push_array(w, method_table, flags);
		return true;
	}
	if (clr_low_flags(flags) & CLR_MT_GENERIC)
		push_arguments(w, method_table);
	return write_definition(w, method_table, err);
}

/* --- type descriptions --- */

static void
write_parameter(struct naming *w, uint64_t description, bool is_of_method)
{
	uint32_t token;
	char text[24] = "?";

	if (memory_u32(w->n->reader, description + PARAMETER_TOKEN, &token))
		snprintf(text, sizeof text, "%s%" PRIu32, is_of_method ? "!!#" : "!#",
			 token & 0xffffff);
	put(w, text);
}

static void
write_description(struct naming *w, uint64_t description)
{
	uint64_t argument;
	uint32_t kind, at = w->n->layout->facts->argument_offset;

	if (description > UINT64_MAX - 4096 || !memory_u32(w->n->reader, description, &kind))
		kind = 0;
	kind &= 0xff;
	switch (kind) {
	case ELEMENT_PTR:
	case ELEMENT_BYREF:
	case ELEMENT_ARRAY:
	case ELEMENT_SZARRAY:
		(void)!memory_u64(w->n->reader, description + at, &argument);
		push_text(w, kind == ELEMENT_PTR ? "*" : kind == ELEMENT_BYREF ? "&" : "[]");
		push_type(w, argument);
		return;
	case ELEMENT_FNPTR: /* the runtime's own name for any signature */
		put(w, "FNPTR");
		return;
	case ELEMENT_VAR:
	case ELEMENT_MVAR:
		write_parameter(w, description, kind == ELEMENT_MVAR);
		return;
	default:
		w->flags |= CLR_NAME_MADE_UP;
		put(w, "?");
	}
}

/* --- whole names --- */

static bool
write_parts(struct naming *w, struct error *err)
{
	for (int steps = 0; w->parts_count; steps++) {
		struct part part = w->parts[--w->parts_count];

		if (steps == STEPS_MAX) {
			w->flags |= CLR_NAME_CUT;
			w->is_partial = true;
			break;
		}
		if (!part.handle && part.text)
			put(w, part.text);
		else if (!part.handle)
			write_rank(w, part.rank);
		else if (part.handle & HANDLE_IS_DESCRIPTION)
			write_description(w, part.handle & ~(uint64_t)3);
		else if (!write_method_table(w, part.handle, err))
			return false;
	}
	return true;
}

/*
 * Types whose names begin alike must not become one. The hash of a name is the same in every
 * process; an address is not.
 */
static const char *
cut_name(struct naming *w, struct error *err)
{
	size_t len = w->out_len < CUT_BYTES ? w->out_len : CUT_BYTES;

	while (len && ((unsigned char)w->out[len] & 0xc0) == 0x80)
		len--; /* not within a character */
	return arena_printf(w->arena, err, "%.*s…#%" PRIx64, (int)len, w->out,
			    w->is_partial ? w->of : w->hash);
}

static const char *
finish_name(struct naming *w, unsigned *flags, struct error *err)
{
	*flags = w->flags;
	if (w->flags & CLR_NAME_CUT)
		return cut_name(w, err);
	return arena_strndup(w->arena, w->out, w->out_len, err);
}

/* The working state is 60 KB, so it is not left in the arena. */
const char *
clr_name_raw(const struct clr_names *n, uint64_t handle, struct arena *a, unsigned *flags,
	     struct error *err)
{
	struct naming *w = memory_new(1, sizeof(*w), err);
	const char *name = NULL;

	if (!w)
		return NULL;
	w->n = n;
	w->arena = a;
	w->of = handle;
	w->hash = HASH_START;
	push_type(w, handle);
	if (write_parts(w, err))
		name = finish_name(w, flags, err);
	memory_free(w);
	return name;
}

const char *
clr_name_of(const struct clr_names *n, uint64_t handle, struct arena *a, unsigned *flags,
	    struct error *err)
{
	const char *raw = clr_name_raw(n, handle, a, flags, err);

	return !raw || *flags & CLR_NAME_CUT ? raw : name_spell(raw, a, err);
}
