#ifndef IO_RUNTIME_LAYOUT_H
#define IO_RUNTIME_LAYOUT_H

/*
 * What differs between versions of .NET: where the runtime's structures have
 * their fields, and how it does what its structures do not show. Known for
 * .NET 8, 9 and 10 from real binaries; what a runtime says itself in its
 * contract descriptor comes before that. Offsets in bytes, or CLR_ABSENT where
 * a version has no such field, or where nobody knows.
 *
 * Nothing else in the program compares a version of .NET (check_layers.sh).
 */
#include "model/base/error.h"
#include "io/memory/memory.h"

#define CLR_ABSENT UINT32_MAX

/* The versions that were measured, for sentences. */
#define CLR_VERSIONS      "8, 9 and 10"
#define CLR_VERSIONS_SPAN ".NET 8 to 10"
#define CLR_NEWEST        ".NET 10"

/* What to do about a runtime that is not known: ends a message. */
#define CLR_OTHER_WAYS                                                         \
	"of a process, its events: heaptop PID; of a core: dotnet-dump "       \
	"analyze FILE"

/* In the descriptor's spelling, THREAD_OS_ID is "Thread.OSId". */
enum clr_field {
	CLR_THREAD_STORE_FIRST,
	CLR_THREAD_STORE_COUNT,
	CLR_THREAD_STATE,
	CLR_THREAD_PREEMPTIVE_DISABLED,
	CLR_THREAD_FRAME,
	CLR_THREAD_ID,
	CLR_THREAD_OS_ID,
	CLR_THREAD_NEXT,
	CLR_THREAD_LOCALS,        /* absent in 8: the context is in it itself */
	CLR_THREAD_ALLOC_CONTEXT, /* in 8 only */
	CLR_LOCALS_ALLOC_CONTEXT,
	CLR_EE_CONTEXT_GC_CONTEXT, /* absent: the context itself */
	CLR_ALLOC_POINTER,
	CLR_ALLOC_LIMIT,
	CLR_THREAD_GC_HANDLE,
	CLR_THREAD_LAST_THROWN,
	CLR_THREAD_LOCAL_DATA,
	CLR_THREAD_STACK_BASE, /* the higher end */
	CLR_THREAD_STACK_LIMIT,
	CLR_THREAD_STATICS, /* these two in 8 only */
	CLR_THREAD_STATICS_COUNT,
	CLR_MT_FLAGS,
	CLR_MT_BASE_SIZE,
	CLR_MT_FLAGS2,
	CLR_MT_NUM_VIRTUALS,
	CLR_MT_NUM_INTERFACES,
	CLR_MT_PARENT,
	CLR_MT_MODULE,
	CLR_MT_AUXILIARY,
	CLR_MT_CLASS_OR_CANON,
	CLR_MT_PER_INST,
	CLR_CLASS_MT,
	CLR_CLASS_FIELDS,
	CLR_CLASS_METHODS,
	CLR_CLASS_NUM_INSTANCE_FIELDS,
	CLR_CLASS_NUM_METHODS,
	CLR_CLASS_NUM_STATIC_FIELDS,
	CLR_CLASS_NUM_THREAD_STATIC_FIELDS,
	CLR_CLASS_ATTRIBUTES,
	CLR_CLASS_ELEMENT_TYPE,
	CLR_ARRAY_CLASS_RANK,
	CLR_MODULE_PE_ASSEMBLY,
	CLR_MODULE_BASE,
	CLR_MODULE_PATH,
	CLR_MODULE_FILE_NAME,
	CLR_MODULE_FLAGS,
	CLR_MODULE_ASSEMBLY,
	CLR_MODULE_LOADER_ALLOCATOR,
	CLR_MODULE_TYPE_DEFS,
	CLR_MODULE_TYPE_REFS,
	CLR_MODULE_FIELD_DEFS,
	CLR_MODULE_TYPE_PARAMS,
	CLR_MODULE_DYNAMIC_METADATA,
	CLR_MODULE_STATICS, /* these two in 8 only */
	CLR_MODULE_NUMBER,
	CLR_PE_ASSEMBLY_IMAGE,
	CLR_PE_IMAGE_FLAT,
	CLR_PE_IMAGE_LOADED,
	CLR_PE_LAYOUT_BASE,
	CLR_PE_LAYOUT_SIZE,
	CLR_PE_LAYOUT_FLAGS,
	CLR_APP_DOMAIN_ASSEMBLIES,
	/* The collector's. */
	CLR_GENERATION_CONTEXT,
	CLR_GENERATION_SEGMENT,
	CLR_SEGMENT_ALLOCATED,
	CLR_SEGMENT_COMMITTED,
	CLR_SEGMENT_RESERVED,
	CLR_SEGMENT_MEM,
	CLR_SEGMENT_FLAGS,
	CLR_SEGMENT_NEXT,
	CLR_FIELDS_COUNT
};

/* How a version does what no field tells. */
struct clr_facts {
	unsigned version;
	/* Memory. */
	uint32_t table_bytes;       /* of the table by which a core is found */
	uint32_t collectible_flag;  /* in MethodTable.MTFlags */
	uint32_t argument_offset;   /* of a type's description: its argument */
	uint32_t thin_lock_bits;    /* a second form of a thread's number; 0 */
	bool has_domain_assemblies; /* in the list of a domain */
	bool has_module_statics;    /* variables lie in blocks of a module */
	bool has_short_token;       /* 16 bits of it behind MTFlags2 */
	bool has_loader_module;     /* MethodTable.Module is the loader's */
	bool has_lock_objects;      /* System.Threading.Lock, measured */
	bool is_collector_measured;
	/* Events: numbers of commands of EventPipe. */
	uint32_t newest_command;
	uint32_t watch_command;  /* a session without call stacks, if it can */
	uint32_t filter_command; /* a session that leaves events out; 0 */
	bool collects_at_end; /* the end of any session forces a collection */
	bool walks_blocking;  /* a walk is one blocking collection */
};

struct clr_layout {
	int version; /* 8, 9, 10 */
	const struct clr_facts *facts;
	uint32_t offset[CLR_FIELDS_COUNT];
	bool is_told[CLR_FIELDS_COUNT]; /* by the runtime itself */
	uint32_t described_count;       /* how many of them */
	bool is_guess; /* what is built in was measured on another machine */
};

/* What stays as it is, 8 to 10. Flags are of MethodTable.MTFlags. */
#define CLR_MT_HAS_COMPONENTS 0x80000000u /* low 16 bits: bytes of one */
#define CLR_MT_HAS_POINTERS   0x01000000u
#define CLR_MT_HAS_FINALIZER  0x00100000u
#define CLR_MT_CATEGORY       0x000f0000u
#define CLR_MT_ARRAY_MASK     0x000c0000u
#define CLR_MT_ARRAY          0x00080000u
/* Of what has no components; else they are those bytes: clr_low_flags(). */
#define CLR_MT_GENERIC            0x00000030u
#define CLR_MT_GENERIC_DEFINITION 0x00000030u
/* Of a word in the place of a method table: marks of the collector. */
#define CLR_OBJECT_MARKS UINT64_C(7)
#define CLR_OBJECT_MIN   24 /* bytes of the smallest object */
#define CLR_ARRAY_ITEMS  16 /* offset of the first element, one dimension */

/*
 * Of the newest measured version up to this one. One that nobody has measured
 * has a row for what is expected of it; 0, which is unknown, has one as well.
 */
const struct clr_facts *clr_facts(unsigned version);
/* Which version has a table of this many bytes; 0: none that is known. */
unsigned clr_version_of_table(uint64_t table_bytes);
/* The built-in table; false sets `err`: a version that nobody has measured. */
bool clr_layout_init(struct clr_layout *layout, int version,
		     enum memory_machine machine, struct error *err) MUST_USE;
/* Which versions have one, for --version. */
const char *clr_layout_versions(void);
/* Of a version that nobody has measured: all absent, to be told. */
void clr_layout_init_empty(struct clr_layout *layout, int version);
/* Whether what a walk cannot do without is there; else *missing is a name. */
bool clr_layout_is_enough(const struct clr_layout *layout,
			  const char **missing);
/* "Thread", "OSId"; CLR_FIELDS_COUNT if it is none of ours. */
enum clr_field clr_field_find(const char *type, const char *field);
/* "Thread.OSId": for sentences. */
const char *clr_field_name(enum clr_field field);

/* A structure, a number, an enumeration: on the heap it is in a box. */
static inline bool
clr_is_value_type(uint32_t flags)
{
	return (flags & 0xc0000u) == 0x40000u;
}

static inline uint32_t
clr_low_flags(uint32_t flags)
{
	return flags & CLR_MT_HAS_COMPONENTS ? 0 : flags & 0xffffu;
}

static inline bool
clr_has(const struct clr_layout *layout, enum clr_field field)
{
	return layout->offset[field] != CLR_ABSENT;
}

static inline bool
clr_is_collectible(const struct clr_layout *layout, uint32_t flags)
{
	return flags & layout->facts->collectible_flag;
}

/*
 * The field of the structure at `base`. False: no such field is known, `base`
 * is 0, or its bytes are absent; `value` is then 0.
 */
bool clr_u16(const struct clr_layout *layout, struct memory_reader *r,
	     uint64_t base, enum clr_field field, uint16_t *value) MUST_USE;
bool clr_u32(const struct clr_layout *layout, struct memory_reader *r,
	     uint64_t base, enum clr_field field, uint32_t *value) MUST_USE;
bool clr_u64(const struct clr_layout *layout, struct memory_reader *r,
	     uint64_t base, enum clr_field field, uint64_t *value) MUST_USE;

#endif
