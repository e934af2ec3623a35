#ifndef IO_PE_METADATA_STATE_H
#define IO_PE_METADATA_STATE_H

/* Shared by metadata.c and metadata_fields.c: a module's tables and heaps, names of types, and
 * numbers in signatures. */
#include "io/pe/metadata.h"
#include "io/pe/metadata_tables.h"

struct metadata {
	struct metadata_tables tables;
	struct bytes_array strings, blobs;
	struct pe_build builds[PE_BUILDS_MAX];
	unsigned builds_count;
};

enum { NESTING_MAX = 64, DEF_OR_REF_BITS = 2 };

/* A type and its enclosing types, innermost first. */
struct nesting {
	uint32_t rows[NESTING_MAX];
	unsigned count;
	enum metadata_table table; /* TABLE_TYPE_DEF or TABLE_TYPE_REF */
};

enum element { /* ECMA-335 II.23.1.16 */
	       ELEMENT_PTR = 0x0f,
	       ELEMENT_BYREF = 0x10,
	       ELEMENT_VALUETYPE = 0x11,
	       ELEMENT_CLASS = 0x12,
	       ELEMENT_VAR = 0x13,
	       ELEMENT_ARRAY = 0x14,
	       ELEMENT_GENERIC = 0x15,
	       ELEMENT_FNPTR = 0x1b,
	       ELEMENT_SZARRAY = 0x1d,
	       ELEMENT_MVAR = 0x1e,
	       ELEMENT_MOD_REQUIRED = 0x1f,
	       ELEMENT_MOD_OPTIONAL = 0x20,
	       SIGNATURE_FIELD = 6,
	       SIGNATURE_GENERIC = 0x10,
};

enum field_flag {
	FIELD_STATIC = 0x10,
	FIELD_LITERAL = 0x40,  /* a constant without storage */
	FIELD_HAS_RVA = 0x100, /* data in the module's file */
};

/* The text in a row's column; "" if the row or the index is invalid, or the text is unterminated or
 * too long. */
const char *metadata_text(const struct metadata *m, enum metadata_table table, uint32_t row,
			  unsigned column);
/* Sets a cursor after the length of a blob. */
void metadata_blob(const struct metadata *m, uint32_t at, struct bytes *b);
/* A compressed number: 1, 2 or 4 bytes, big endian. */
uint32_t metadata_compressed(struct bytes *b);
/* Resolves a coded TypeDefOrRef: 0 TypeDef, 1 TypeRef, 2 TypeSpec. */
bool metadata_nest(const struct metadata *m, uint32_t coded, struct nesting *n);
/* NULL without an error: no such type. */
const char *metadata_nesting_name(const struct metadata *m, const struct nesting *n,
				  struct arena *a, struct error *err);
/* "System.Int32" for 8; NULL: not a single-byte type. */
const char *metadata_simple_type(uint8_t element, bool *is_value_type);
/* The row of an attribute, found by its class's name without namespace; 0:
 * none.
 */
enum attribute_parent { ATTRIBUTE_OF_FIELD = 1, ATTRIBUTE_OF_TYPE = 3 };
uint32_t metadata_find_attribute(const struct metadata *m, enum attribute_parent kind, uint32_t row,
				 const char *name);

#endif
