#include "io/pe/metadata_state.h"
#include <stdio.h>

enum {
	METADATA_MAGIC = 0x424a5342, /* "BSJB" */
	STREAMS_MAX = 64,
	NAME_MAX_BYTES = 1024, /* the runtime's own limit */
};

/* --- finding the metadata --- */

/* Moves the cursor to the metadata. */
static void
seek_metadata(const struct pe *pe, struct bytes *b)
{
	uint32_t size, address;

	address = pe_directory(pe, b, PE_DIRECTORY_CLI, &size);
	pe_seek(pe, b, address, "the CLI header");
	bytes_skip(b, 8, "the CLI header");
	address = bytes_u32(b, "the address of the metadata");
	pe_seek(pe, b, address, "the metadata");
}

/* Reads a stream's name, which is padded to a multiple of 4. */
static void
stream_name(struct bytes *b, char name[32])
{
	for (unsigned i = 0; i < 32; i++) {
		name[i] = (char)bytes_u8(b, "the name of a stream");
		if (!name[i]) {
			bytes_skip(b, 3 - (i & 3), "the name of a stream");
			return;
		}
	}
	bytes_fail(b, b->at, "the name of a stream has no end");
}

static void
read_stream(struct metadata *m, struct bytes *b, size_t root, uint32_t offset, uint32_t size,
	    const char *name)
{
	struct bytes stream = *b;
	struct bytes_array content;

	bytes_seek(&stream, (uint64_t)root + offset, "a stream");
	content = bytes_array_take(&stream, size, 1, "a stream");
	if (!strcmp(name, "#Strings"))
		m->strings = content;
	else if (!strcmp(name, "#Blob"))
		m->blobs = content;
	else if (!strcmp(name, "#~") || !strcmp(name, "#-")) {
		struct bytes tables;

		bytes_init(&tables, content.data, (size_t)content.count, b->err);
		if (content.data)
			metadata_tables_read(&m->tables, &tables);
		stream.has_failed |= tables.has_failed;
	}
	b->has_failed = stream.has_failed;
}

static void
read_root(struct metadata *m, struct bytes *b)
{
	size_t root = b->at;
	uint32_t version_len;
	uint16_t count;

	if (bytes_u32(b, "the metadata") != METADATA_MAGIC && bytes_ok(b))
		bytes_fail(b, root, "the metadata does not start with BSJB");
	bytes_skip(b, 8, "the metadata");
	version_len = bytes_u32(b, "the length of the version");
	bytes_skip(b, ((uint64_t)version_len + 3) & ~UINT64_C(3), "the version");
	bytes_skip(b, 2, "the metadata");
	count = bytes_u16(b, "the number of streams");
	for (uint16_t i = 0; i < count && i < STREAMS_MAX && bytes_ok(b); i++) {
		uint32_t offset = bytes_u32(b, "a stream's place");
		uint32_t size = bytes_u32(b, "a stream's size");
		char name[32];

		stream_name(b, name);
		if (bytes_ok(b))
			read_stream(m, b, root, offset, size, name);
	}
}

/* A module without a build is valid. */
static void
read_builds(struct metadata *m, const struct pe *pe, const uint8_t *data, size_t len)
{
	struct bytes b;

	bytes_init(&b, data, len, NULL);
	m->builds_count = pe_builds(pe, &b, m->builds);
}

bool
metadata_is_build(const struct metadata *m, const struct pe_build *build)
{
	for (unsigned i = 0; i < m->builds_count; i++)
		if (m->builds[i].age == build->age &&
		    !memcmp(m->builds[i].guid, build->guid, BUILD_GUID_BYTES))
			return true;
	return false;
}

struct metadata_counts
metadata_counts(const struct metadata *m)
{
	const struct metadata_rows *tables = m->tables.tables;

	return (struct metadata_counts){
		.types = tables[TABLE_TYPE_DEF].count,
		.type_refs = tables[TABLE_TYPE_REF].count,
		.methods = tables[TABLE_METHOD_DEF].count,
		.fields = tables[TABLE_FIELD].count,
	};
}

static struct metadata *
open_metadata(const uint8_t *data, size_t len, bool is_file, struct error *err)
{
	struct metadata *m = memory_new(1, sizeof(*m), err);
	struct pe pe = { 0 };
	struct bytes b;

	if (!m)
		return NULL;
	m->strings.data = m->blobs.data = data; /* empty, but not NULL */
	bytes_init(&b, data, len, err);
	if (is_file) {
		pe_read(&pe, &b);
		seek_metadata(&pe, &b);
	}
	if (bytes_ok(&b))
		read_root(m, &b);
	if (!bytes_ok(&b)) {
		metadata_close(m);
		return NULL;
	}
	if (is_file)
		read_builds(m, &pe, data, len);
	return m;
}

struct metadata *
metadata_open(const uint8_t *data, size_t len, struct error *err)
{
	return open_metadata(data, len, true, err);
}

struct metadata *
metadata_open_root(const uint8_t *data, size_t len, struct error *err)
{
	return open_metadata(data, len, false, err);
}

void
metadata_close(struct metadata *m)
{
	memory_free(m);
}

/* --- names --- */

const char *
metadata_text(const struct metadata *m, enum metadata_table table, uint32_t row, unsigned column)
{
	uint32_t at = metadata_column(&m->tables, table, row, column);
	const uint8_t *text;
	size_t room;

	if (at >= m->strings.count)
		return "";
	text = &m->strings.data[at];
	room = (size_t)(m->strings.count - at);
	if (!memchr(text, 0, room < NAME_MAX_BYTES ? room : NAME_MAX_BYTES))
		return "";
	return (const char *)text;
}

const char *
metadata_module_name(const struct metadata *m)
{
	return metadata_text(m, TABLE_MODULE, 1, MODULE_NAME);
}

const char *
metadata_assembly_name(const struct metadata *m)
{
	return metadata_text(m, TABLE_ASSEMBLY, 1, ASSEMBLY_NAME);
}

static void
nest_definition(const struct metadata *m, uint32_t row, struct nesting *n)
{
	n->table = TABLE_TYPE_DEF;
	while (row && n->count < NESTING_MAX) {
		uint32_t nested;

		n->rows[n->count++] = row;
		nested = metadata_find_row(&m->tables, TABLE_NESTED_CLASS, NESTED_CLASS_INNER, row);
		row = metadata_column(&m->tables, TABLE_NESTED_CLASS, nested, NESTED_CLASS_OUTER);
	}
}

static void
nest_reference(const struct metadata *m, uint32_t row, struct nesting *n)
{
	enum { SCOPE_BITS = 2, SCOPE_TYPE_REF = 3 };

	n->table = TABLE_TYPE_REF;
	while (row && n->count < NESTING_MAX) {
		uint32_t scope = metadata_column(&m->tables, TABLE_TYPE_REF, row, TYPE_REF_SCOPE);

		n->rows[n->count++] = row;
		row = (scope & 3) == SCOPE_TYPE_REF ? scope >> SCOPE_BITS : 0;
	}
}

/* Both tables have the same columns for names and namespaces. */
const char *
metadata_nesting_name(const struct metadata *m, const struct nesting *n, struct arena *a,
		      struct error *err)
{
	const char *space;
	char *name, *at;
	size_t len = 2;

	if (!n->count)
		return NULL;
	space = metadata_text(m, n->table, n->rows[n->count - 1], TYPE_DEF_NAMESPACE);
	len += strlen(space);
	for (unsigned i = 0; i < n->count; i++)
		len += 1 + strlen(metadata_text(m, n->table, n->rows[i], TYPE_DEF_NAME));
	name = arena_array(a, char, len, err);
	if (!name)
		return NULL;
	at = name;
	if (*space)
		at += snprintf(at, len, "%s.", space);
	for (unsigned i = n->count; i-- > 0;)
		at += snprintf(at, len - (size_t)(at - name), "%s%s", i + 1 < n->count ? "+" : "",
			       metadata_text(m, n->table, n->rows[i], TYPE_DEF_NAME));
	return name;
}

const char *
metadata_type_name(const struct metadata *m, uint32_t token, struct arena *a, struct error *err)
{
	struct nesting n = { .count = 0 };
	uint32_t row = token & 0xffffff;

	if (token >> 24 != TABLE_TYPE_DEF || row > m->tables.tables[TABLE_TYPE_DEF].count)
		return NULL;
	nest_definition(m, row, &n);
	return metadata_nesting_name(m, &n, a, err);
}

/* --- signatures --- */

static const struct {
	uint8_t element;
	bool is_value_type;
	const char *name;
} simple_types[] = {
	{ 0x02, true, "System.Boolean" }, { 0x03, true, "System.Char" },
	{ 0x04, true, "System.SByte" },   { 0x05, true, "System.Byte" },
	{ 0x06, true, "System.Int16" },   { 0x07, true, "System.UInt16" },
	{ 0x08, true, "System.Int32" },   { 0x09, true, "System.UInt32" },
	{ 0x0a, true, "System.Int64" },   { 0x0b, true, "System.UInt64" },
	{ 0x0c, true, "System.Single" },  { 0x0d, true, "System.Double" },
	{ 0x0e, false, "System.String" }, { 0x16, true, "System.TypedReference" },
	{ 0x18, true, "System.IntPtr" },  { 0x19, true, "System.UIntPtr" },
	{ 0x1c, false, "System.Object" },
};
enum { SIMPLE_TYPES_COUNT = sizeof(simple_types) / sizeof(simple_types[0]) };

uint32_t
metadata_compressed(struct bytes *b)
{
	uint32_t first = bytes_u8(b, "a number");

	if (first < 0x80)
		return first;
	if (first < 0xc0)
		return (first & 0x3f) << 8 | bytes_u8(b, "a number");
	first = (first & 0x1f) << 24;
	first |= (uint32_t)bytes_u8(b, "a number") << 16;
	first |= (uint32_t)bytes_u8(b, "a number") << 8;
	return first | bytes_u8(b, "a number");
}

void
metadata_blob(const struct metadata *m, uint32_t at, struct bytes *b)
{
	bytes_init(b, m->blobs.data, (size_t)m->blobs.count, NULL);
	bytes_seek(b, at, "a blob");
	(void)metadata_compressed(b); /* its length */
}

const char *
metadata_simple_type(uint8_t element, bool *is_value_type)
{
	for (unsigned i = 0; i < SIMPLE_TYPES_COUNT; i++)
		if (simple_types[i].element == element) {
			*is_value_type = simple_types[i].is_value_type;
			return simple_types[i].name;
		}
	return NULL;
}

/* --- types and their bases --- */

enum { INTERFACES_MAX = 256 };

bool
metadata_nest(const struct metadata *m, uint32_t coded, struct nesting *n)
{
	enum { IS_DEF, IS_REF };

	n->count = 0;
	if ((coded & 3) == IS_DEF)
		nest_definition(m, coded >> DEF_OR_REF_BITS, n);
	else if ((coded & 3) == IS_REF)
		nest_reference(m, coded >> DEF_OR_REF_BITS, n);
	return n->count > 0;
}

/* The generic type of a TypeSpec; other tokens are returned unchanged. */
static uint32_t
generic_of(const struct metadata *m, uint32_t coded)
{
	struct bytes b;
	uint32_t blob;

	if ((coded & 3) != 2)
		return coded;
	blob = metadata_column(&m->tables, TABLE_TYPE_SPEC, coded >> DEF_OR_REF_BITS, 0);
	metadata_blob(m, blob, &b);
	if (bytes_u8(&b, "a type") != ELEMENT_GENERIC)
		return 0;
	bytes_skip(&b, 1, "a type");
	coded = metadata_compressed(&b);
	return bytes_ok(&b) && (coded & 3) != 2 ? coded : 0;
}

static bool
is_named(const struct metadata *m, uint32_t coded, const char *name, struct arena *scratch)
{
	struct arena_mark mark = arena_mark(scratch);
	struct error ignored = { 0 };
	struct nesting n;
	const char *found = NULL;
	bool is_same;

	if (metadata_nest(m, generic_of(m, coded), &n))
		found = metadata_nesting_name(m, &n, scratch, &ignored);
	is_same = found && !strcmp(found, name);
	arena_reset(scratch, mark);
	return is_same;
}

static bool
has_interface(const struct metadata *m, uint32_t row, const char *name, struct arena *scratch)
{
	const struct metadata_tables *t = &m->tables;
	uint32_t i = metadata_find_row(t, TABLE_INTERFACE_IMPL, INTERFACE_IMPL_CLASS, row);
	uint32_t stop = i + INTERFACES_MAX;

	for (; i && i < stop &&
	       metadata_column(t, TABLE_INTERFACE_IMPL, i, INTERFACE_IMPL_CLASS) == row;
	     i++)
		if (is_named(m,
			     metadata_column(t, TABLE_INTERFACE_IMPL, i, INTERFACE_IMPL_INTERFACE),
			     name, scratch))
			return true;
	return false;
}

enum metadata_answer
metadata_type_is(const struct metadata *m, uint32_t token, const char *name, struct arena *scratch)
{
	uint32_t coded = (token & 0xffffff) << DEF_OR_REF_BITS;

	if (token >> 24 != TABLE_TYPE_DEF)
		return METADATA_NO;
	for (int i = 0; i < NESTING_MAX && coded; i++) {
		uint32_t row = coded >> DEF_OR_REF_BITS;

		if (is_named(m, coded, name, scratch))
			return METADATA_YES;
		if (coded & 3)
			return is_named(m, coded, "System.Object", scratch) ? METADATA_NO
									    : METADATA_MAYBE;
		if (has_interface(m, row, name, scratch))
			return METADATA_YES;
		coded =
		    generic_of(m, metadata_column(&m->tables, TABLE_TYPE_DEF, row, TYPE_DEF_BASE));
	}
	return METADATA_NO;
}

/* --- types of fields --- */

/* A decoded field signature, without names. */
struct signature {
	uint8_t element; /* primitive, class, value type, or type parameter */
	uint32_t type;   /* coded TypeDefOrRef */
	bool is_array;
};

static bool
read_signature(const struct metadata *m, uint32_t row, struct signature *s)
{
	uint32_t at = metadata_column(&m->tables, TABLE_FIELD, row, FIELD_SIGNATURE);
	struct bytes b;

	*s = (struct signature){ 0 };
	metadata_blob(m, at, &b);
	if (bytes_u8(&b, "a signature") != SIGNATURE_FIELD)
		return false;
	while (bytes_ok(&b)) {
		s->element = bytes_u8(&b, "a type");
		switch (s->element) {
		case ELEMENT_MOD_REQUIRED:
		case ELEMENT_MOD_OPTIONAL:
			(void)metadata_compressed(&b);
			break;
		case ELEMENT_SZARRAY:
		case ELEMENT_ARRAY:
			s->is_array = true;
			break;
		case ELEMENT_GENERIC:
			break; /* the generic type follows */
		case ELEMENT_CLASS:
		case ELEMENT_VALUETYPE:
			s->type = metadata_compressed(&b);
			return bytes_ok(&b);
		default:
			return bytes_ok(&b);
		}
	}
	return false;
}

/* Static numbers and pointers are not stored in objects. */
static bool
signature_holds_objects(const struct signature *s)
{
	bool is_value_type;

	if (s->is_array || s->element == ELEMENT_CLASS || s->element == ELEMENT_VALUETYPE ||
	    s->element == ELEMENT_VAR || s->element == ELEMENT_MVAR)
		return true;
	return metadata_simple_type(s->element, &is_value_type) && !is_value_type;
}

static const char *
signature_name(const struct metadata *m, const struct signature *s, struct arena *a,
	       struct error *err)
{
	struct nesting n = { .count = 0 };
	bool is_value_type;
	const char *name;

	name = metadata_simple_type(s->element, &is_value_type);
	if (name)
		return name;
	if (s->element != ELEMENT_CLASS && s->element != ELEMENT_VALUETYPE)
		return "";
	(void)metadata_nest(m, s->type, &n);
	name = metadata_nesting_name(m, &n, a, err);
	return name || err->kind != ERROR_NONE ? name : "";
}

/* --- static fields --- */

bool
metadata_next_static(const struct metadata *m, uint32_t *row, const char **name)
{
	const struct metadata_tables *t = &m->tables;

	while (*row < t->tables[TABLE_FIELD].count) {
		struct signature s;
		uint32_t flags;

		++*row;
		flags = metadata_column(t, TABLE_FIELD, *row, FIELD_FLAGS);
		if (!(flags & FIELD_STATIC) || flags & (FIELD_LITERAL | FIELD_HAS_RVA) ||
		    !read_signature(m, *row, &s) || !signature_holds_objects(&s))
			continue;
		*name = metadata_text(m, TABLE_FIELD, *row, FIELD_NAME);
		return true;
	}
	return false;
}

/* The name of the class whose constructor an attribute calls. */
static const char *
attribute_name(const struct metadata *m, uint32_t attribute)
{
	enum { KIND_METHOD = 2, KIND_MEMBER = 3, PARENT_DEF = 0, PARENT_REF };
	const struct metadata_tables *t = &m->tables;
	uint32_t kind =
	    metadata_column(t, TABLE_CUSTOM_ATTRIBUTE, attribute, CUSTOM_ATTRIBUTE_TYPE);
	enum metadata_table table = TABLE_TYPE_DEF;
	uint32_t row = kind >> 3;

	if ((kind & 7) == KIND_MEMBER) {
		uint32_t parent = metadata_column(t, TABLE_MEMBER_REF, row, MEMBER_REF_CLASS);

		row = parent >> 3;
		if ((parent & 7) == PARENT_REF)
			table = TABLE_TYPE_REF;
		else if ((parent & 7) != PARENT_DEF)
			return "";
	} else if ((kind & 7) == KIND_METHOD) {
		row = metadata_find_last(t, TABLE_TYPE_DEF, TYPE_DEF_METHODS, row);
	}
	return metadata_text(m, table, row, TYPE_DEF_NAME);
}

uint32_t
metadata_find_attribute(const struct metadata *m, enum attribute_parent kind, uint32_t row,
			const char *name)
{
	enum { PARENT_BITS = 5 };
	const struct metadata_tables *t = &m->tables;
	uint32_t parent = row << PARENT_BITS | kind;
	uint32_t found =
	    metadata_find_row(t, TABLE_CUSTOM_ATTRIBUTE, CUSTOM_ATTRIBUTE_PARENT, parent);

	for (; found &&
	       metadata_column(t, TABLE_CUSTOM_ATTRIBUTE, found, CUSTOM_ATTRIBUTE_PARENT) == parent;
	     found++)
		if (!strcmp(attribute_name(m, found), name))
			return found;
	return 0;
}

bool
metadata_static_read(const struct metadata *m, uint32_t row, struct metadata_static *out,
		     struct arena *a, struct error *err)
{
	struct nesting n = { .count = 0 };
	struct signature s;

	*out = (struct metadata_static){ .declaring = "", .type = "" };
	if (!read_signature(m, row, &s))
		return true;
	/* Types list their fields in order: the last type that starts before. */
	nest_definition(m, metadata_find_last(&m->tables, TABLE_TYPE_DEF, TYPE_DEF_FIELDS, row),
			&n);
	if (n.count)
		out->declaring = metadata_nesting_name(m, &n, a, err);
	out->type = signature_name(m, &s, a, err);
	out->is_array = s.is_array;
	out->is_value_type = !s.is_array && s.element == ELEMENT_VALUETYPE;
	out->is_thread_static =
	    metadata_find_attribute(m, ATTRIBUTE_OF_FIELD, row, "ThreadStaticAttribute");
	return out->declaring && out->type;
}
