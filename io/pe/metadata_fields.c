#include "io/pe/metadata_fields.h"
#include "io/pe/metadata_state.h"

enum {
	PARTS_MAX = 256,  /* pending parts of one type */
	STEPS_MAX = 2048, /* parts of one type in total */
	TYPE_BYTES = 4096,
	RANK_MAX = 32,
};

/* The rows that a TypeDef owns in another table. */
static bool
rows_of(const struct metadata *m, uint32_t token, unsigned column, enum metadata_table table,
	uint32_t *first, uint32_t *end)
{
	const struct metadata_tables *t = &m->tables;
	uint32_t row = token & 0xffffff;
	uint32_t count = t->tables[table].count;

	if (token >> 24 != TABLE_TYPE_DEF || !row || row > t->tables[TABLE_TYPE_DEF].count)
		return false;
	*first = metadata_column(t, TABLE_TYPE_DEF, row, column);
	*end = row < t->tables[TABLE_TYPE_DEF].count
		   ? metadata_column(t, TABLE_TYPE_DEF, row + 1, column)
		   : count + 1;
	return *first && *first <= *end && *end <= count + 1;
}

bool
metadata_fields_of(const struct metadata *m, uint32_t token, uint32_t *first, uint32_t *end)
{
	return rows_of(m, token, TYPE_DEF_FIELDS, TABLE_FIELD, first, end);
}

bool
metadata_methods_of(const struct metadata *m, uint32_t token, uint32_t *first, uint32_t *end)
{
	return rows_of(m, token, TYPE_DEF_METHODS, TABLE_METHOD_DEF, first, end);
}

static uint32_t
field_flags(const struct metadata *m, uint32_t row)
{
	return metadata_column(&m->tables, TABLE_FIELD, row, FIELD_FLAGS);
}

bool
metadata_field_is_stored(const struct metadata *m, uint32_t row)
{
	return !(field_flags(m, row) & FIELD_LITERAL);
}

bool
metadata_field_is_static(const struct metadata *m, uint32_t row)
{
	return field_flags(m, row) & FIELD_STATIC;
}

const char *
metadata_field_name(const struct metadata *m, uint32_t row)
{
	return metadata_text(m, TABLE_FIELD, row, FIELD_NAME);
}

const char *
metadata_method_name(const struct metadata *m, uint32_t row)
{
	return metadata_text(m, TABLE_METHOD_DEF, row, METHOD_DEF_NAME);
}

/* --- types --- */

/* A pending part: a type, a text, or the rank of an array. */
enum part { PART_TYPE, PART_TEXT, PART_RANK };

struct parts {
	struct {
		enum part part;
		const char *text;
	} waiting[PARTS_MAX];
	size_t waiting_count;
	char out[TYPE_BYTES];
	size_t out_len;
	bool has_failed;
};

static void
put(struct parts *w, const char *text)
{
	size_t len = strlen(text);

	if (w->out_len + len >= TYPE_BYTES) {
		w->has_failed = true;
		return;
	}
	memcpy(w->out + w->out_len, text, len);
	w->out_len += len;
}

/* Adds a part to be written before all pending ones. */
static void
push(struct parts *w, enum part part, const char *text)
{
	if (w->waiting_count == PARTS_MAX) {
		w->has_failed = true;
		return;
	}
	w->waiting[w->waiting_count].part = part;
	w->waiting[w->waiting_count++].text = text;
}

static bool
put_named(struct parts *w, const struct metadata *m, struct bytes *b, struct arena *a,
	  struct error *err)
{
	struct nesting n;
	const char *name = NULL;

	if (metadata_nest(m, metadata_compressed(b), &n))
		name = metadata_nesting_name(m, &n, a, err);
	if (name)
		put(w, name);
	else
		w->has_failed = true;
	return err->kind == ERROR_NONE;
}

static void
push_arguments(struct parts *w, struct bytes *b)
{
	uint32_t count = metadata_compressed(b);

	if (!count || count > PARTS_MAX) {
		w->has_failed = true;
		return;
	}
	push(w, PART_TEXT, "]");
	for (uint32_t i = count; i-- > 0;) {
		push(w, PART_TYPE, NULL);
		push(w, PART_TEXT, i ? "," : "[");
	}
}

/* Sizes and bounds after the rank are skipped. */
static void
put_rank(struct parts *w, struct bytes *b)
{
	uint32_t rank = metadata_compressed(b);

	for (int list = 0; list < 2; list++) {
		uint32_t count = metadata_compressed(b);

		for (uint32_t i = 0; i < count && bytes_ok(b); i++)
			(void)metadata_compressed(b);
	}
	if (!rank || rank > RANK_MAX) {
		w->has_failed = true;
		return;
	}
	put(w, rank == 1 ? "[*" : "[");
	for (uint32_t i = 1; i < rank; i++)
		put(w, ",");
	put(w, "]");
}

/* A generic type, whose arguments follow its name. */
static bool
put_generic(struct parts *w, const struct metadata *m, struct bytes *b, struct arena *a,
	    struct error *err)
{
	bytes_skip(b, 1, "a type"); /* class or value type */
	if (!put_named(w, m, b, a, err))
		return false;
	push_arguments(w, b);
	return true;
}

/* A parameter of the type or the method. */
static void
put_parameter(struct parts *w, const char *const *names, unsigned count, struct bytes *b)
{
	uint32_t i = metadata_compressed(b);

	if (i < count && names[i])
		put(w, names[i]);
	else
		w->has_failed = true;
}

/* False: no memory. */
static bool
put_type(struct parts *w, const struct metadata *m, struct bytes *b,
	 const struct metadata_arguments *given, struct arena *a, struct error *err)
{
	uint8_t element = bytes_u8(b, "a type");
	bool is_value_type;
	const char *simple = metadata_simple_type(element, &is_value_type);

	if (simple) {
		put(w, simple);
		return true;
	}
	switch (element) {
	case ELEMENT_MOD_REQUIRED:
	case ELEMENT_MOD_OPTIONAL:
		(void)metadata_compressed(b);
		push(w, PART_TYPE, NULL);
		return true;
	case 1: /* behind a pointer */
		put(w, "System.Void");
		return true;
	case ELEMENT_PTR:
	case ELEMENT_BYREF:
		push(w, PART_TEXT, element == ELEMENT_PTR ? "*" : "&");
		push(w, PART_TYPE, NULL);
		return true;
	case ELEMENT_SZARRAY:
		push(w, PART_TEXT, "[]");
		push(w, PART_TYPE, NULL);
		return true;
	case ELEMENT_ARRAY:
		push(w, PART_RANK, NULL);
		push(w, PART_TYPE, NULL);
		return true;
	case ELEMENT_CLASS:
	case ELEMENT_VALUETYPE:
		return put_named(w, m, b, a, err);
	case ELEMENT_GENERIC:
		return put_generic(w, m, b, a, err);
	case ELEMENT_VAR:
		put_parameter(w, given->of_type, given->of_type_count, b);
		return true;
	case ELEMENT_MVAR:
		put_parameter(w, given->of_method, given->of_method_count, b);
		return true;
	default: /* function pointers, and types that no field has */
		w->has_failed = true;
		return true;
	}
}

/* Parts are written in the order of the signature, except for suffixes. */
static bool
put_parts(struct parts *w, const struct metadata *m, struct bytes *b,
	  const struct metadata_arguments *given, struct arena *a, struct error *err)
{
	push(w, PART_TYPE, NULL);
	for (int steps = 0; w->waiting_count && !w->has_failed; steps++) {
		size_t i = --w->waiting_count;

		if (steps == STEPS_MAX || !bytes_ok(b)) {
			w->has_failed = true;
			return true;
		}
		if (w->waiting[i].part == PART_TEXT)
			put(w, w->waiting[i].text);
		else if (w->waiting[i].part == PART_RANK)
			put_rank(w, b);
		else if (!put_type(w, m, b, given, a, err))
			return false;
	}
	w->has_failed = w->has_failed || !bytes_ok(b);
	return true;
}

/* The next type of a signature. NULL: it cannot be named, or `err` is set. */
static const char *
read_type(const struct metadata *m, struct bytes *b, const struct metadata_arguments *given,
	  struct arena *a, struct error *err)
{
	struct parts w;

	w.waiting_count = w.out_len = 0;
	w.has_failed = false;
	if (!put_parts(&w, m, b, given, a, err) || w.has_failed || !w.out_len)
		return NULL;
	return arena_strndup(a, w.out, w.out_len, err);
}

const char *
metadata_field_type(const struct metadata *m, uint32_t row, const char *const *arguments,
		    unsigned count, struct arena *a, struct error *err)
{
	const struct metadata_arguments given = { .of_type = arguments, .of_type_count = count };
	struct bytes b;

	metadata_blob(m, metadata_column(&m->tables, TABLE_FIELD, row, FIELD_SIGNATURE), &b);
	if (bytes_u8(&b, "a signature") != SIGNATURE_FIELD)
		return NULL;
	return read_type(m, &b, &given, a, err);
}

uint32_t
metadata_method_parameters(const struct metadata *m, uint32_t row,
			   const struct metadata_arguments *given, const char **out, uint32_t max,
			   struct arena *a, struct error *err)
{
	struct bytes b;
	uint32_t count;

	metadata_blob(m, metadata_column(&m->tables, TABLE_METHOD_DEF, row, METHOD_DEF_SIGNATURE),
		      &b);
	if (bytes_u8(&b, "a signature") & SIGNATURE_GENERIC)
		(void)metadata_compressed(&b);
	count = metadata_compressed(&b);
	if (!bytes_ok(&b) || count > max)
		return UINT32_MAX;
	/* The first type is that of the result. */
	for (uint32_t i = 0; i <= count; i++) {
		const char *type = read_type(m, &b, given, a, err);

		if (!type)
			return UINT32_MAX;
		if (i)
			out[i - 1] = type;
	}
	return count;
}

/* --- constants --- */

bool
metadata_field_constant(const struct metadata *m, uint32_t row, uint64_t *value)
{
	/* bool, char, and the integers, by element type from 2 on */
	static const struct {
		unsigned bytes;
		uint64_t sign; /* sign bit; 0: unsigned */
	} kinds[] = { { 1, 0 }, { 2, 0 },          { 1, 0x80 }, { 1, 0 }, { 2, 0x8000 },
		      { 2, 0 }, { 4, 0x80000000 }, { 4, 0 },    { 8, 0 }, { 8, 0 } };
	enum { CONSTANT_KIND, CONSTANT_PARENT, CONSTANT_VALUE };
	enum { PARENT_BITS = 2, FIRST_KIND = 2 };
	const struct metadata_tables *t = &m->tables;
	struct bytes b;
	uint32_t found = metadata_find_row(t, TABLE_CONSTANT, CONSTANT_PARENT, row << PARENT_BITS);
	uint32_t kind = metadata_column(t, TABLE_CONSTANT, found, CONSTANT_KIND) & 0xff;

	kind -= FIRST_KIND;
	if (!found || kind >= sizeof(kinds) / sizeof(kinds[0]))
		return false;
	metadata_blob(m, metadata_column(t, TABLE_CONSTANT, found, CONSTANT_VALUE), &b);
	*value = 0;
	for (unsigned i = 0; i < kinds[kind].bytes; i++)
		*value |= (uint64_t)bytes_u8(&b, "a constant") << 8 * i;
	*value = (*value ^ kinds[kind].sign) - kinds[kind].sign;
	return bytes_ok(&b);
}

bool
metadata_is_flags(const struct metadata *m, uint32_t token)
{
	return token >> 24 == TABLE_TYPE_DEF &&
	       metadata_find_attribute(m, ATTRIBUTE_OF_TYPE, token & 0xffffff, "FlagsAttribute");
}

/* The value of InlineArray(5) is a u16 1, then the number. */
static uint32_t
inline_count(const struct metadata *m, uint32_t row)
{
	uint32_t found = metadata_find_attribute(m, ATTRIBUTE_OF_TYPE, row, "InlineArrayAttribute");
	struct bytes b;
	uint32_t count;

	if (!found)
		return 0;
	metadata_blob(
	    m, metadata_column(&m->tables, TABLE_CUSTOM_ATTRIBUTE, found, CUSTOM_ATTRIBUTE_VALUE),
	    &b);
	if (bytes_u16(&b, "an attribute") != 1)
		return 0;
	count = bytes_u32(&b, "an inline array's length");
	return bytes_ok(&b) && count <= INT32_MAX ? count : 0;
}

bool
metadata_is_buffer(const struct metadata *m, uint32_t token, uint32_t *count, uint32_t *bytes)
{
	uint32_t row = token & 0xffffff, layout;

	*count = *bytes = 0;
	if (token >> 24 != TABLE_TYPE_DEF)
		return false;
	*count = inline_count(m, row);
	if (!*count &&
	    metadata_find_attribute(m, ATTRIBUTE_OF_TYPE, row, "UnsafeValueTypeAttribute")) {
		layout =
		    metadata_find_row(&m->tables, TABLE_CLASS_LAYOUT, CLASS_LAYOUT_PARENT, row);
		*bytes = layout ? metadata_column(&m->tables, TABLE_CLASS_LAYOUT, layout,
						  CLASS_LAYOUT_SIZE)
				: 0;
	}
	return *count || *bytes;
}
