#ifndef IO_RUNTIME_LAYOUT_H
#define IO_RUNTIME_LAYOUT_H

/*
 * Differences between versions of .NET: offsets of fields in the runtime's structures, and facts
 * that no field shows. Measured on real binaries of .NET 8 to 11; the runtime's contract
 * descriptor, where there is one, takes precedence. Offsets are in bytes, or CLR_ABSENT if a
 * version has no such field or its place is unknown.
 *
 * No other code compares a version of .NET (check_layers.sh).
 */
#include "model/base/error.h"
#include "io/memory/memory.h"

#define CLR_ABSENT UINT32_MAX

/* The measured versions, for messages. */
#define CLR_VERSIONS      "8, 9, 10 and 11"
#define CLR_VERSIONS_SPAN ".NET 8 to 11"
#define CLR_NEWEST        ".NET 11"

/* The advice that ends a message about an unknown runtime. */
#define CLR_OTHER_WAYS                                                                             \
	"for a process, its events: heaptop PID; for a core: dotnet-dump "                         \
	"analyze FILE"

/* THREAD_OS_ID is "Thread.OSId" in the descriptor. */
enum clr_field {
	CLR_THREAD_STORE_FIRST,
	CLR_THREAD_STORE_COUNT,
	CLR_THREAD_STATE,
	CLR_THREAD_PREEMPTIVE_DISABLED,
	CLR_THREAD_FRAME,
	CLR_THREAD_ID,
	CLR_THREAD_OS_ID,
	CLR_THREAD_NEXT,
	CLR_THREAD_LOCALS,        /* absent in 8: the thread holds the context */
	CLR_THREAD_ALLOC_CONTEXT, /* 8 only */
	CLR_LOCALS_ALLOC_CONTEXT,
	CLR_EE_CONTEXT_GC_CONTEXT, /* absent: it is the context itself */
	CLR_ALLOC_POINTER,
	CLR_ALLOC_LIMIT,
	CLR_THREAD_GC_HANDLE,
	CLR_THREAD_LAST_THROWN,
	CLR_THREAD_LOCAL_DATA,
	CLR_THREAD_DATA_IN_FLIGHT,
	CLR_THREAD_STACK_BASE, /* the high end */
	CLR_THREAD_STACK_LIMIT,
	CLR_THREAD_STATICS, /* these two: 8 only */
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
	CLR_MODULE_STATICS, /* these two: 8 only */
	CLR_MODULE_NUMBER,
	CLR_PE_ASSEMBLY_IMAGE,
	CLR_PE_IMAGE_FLAT,
	CLR_PE_IMAGE_LOADED,
	CLR_PE_LAYOUT_BASE,
	CLR_PE_LAYOUT_SIZE,
	CLR_PE_LAYOUT_FLAGS,
	CLR_APP_DOMAIN_ASSEMBLIES,
	/* Suspended calls of runtime async; absent before 11. */
	CLR_CONTINUATION_RESUME_INFO,
	CLR_RESUME_CODE,
	CLR_METHOD_FLAGS,
	CLR_GENERIC_METHOD_ARGUMENTS,
	CLR_GENERIC_METHOD_COUNT,
	CLR_SYNC_LOCK, /* absent before 11: the block itself is the lock */
	CLR_SYNC_THIN_LOCK,
	/* Fields of the collector. */
	CLR_GENERATION_CONTEXT,
	CLR_GENERATION_SEGMENT,
	CLR_SEGMENT_ALLOCATED,
	CLR_SEGMENT_COMMITTED,
	CLR_SEGMENT_RESERVED,
	CLR_SEGMENT_MEM,
	CLR_SEGMENT_FLAGS,
	CLR_SEGMENT_NEXT,
	/* Fields of compiled code and of methods. */
	CLR_FRAGMENT_NEXT,
	CLR_FRAGMENT_BEGIN,
	CLR_FRAGMENT_END,
	CLR_FRAGMENT_SECTION,
	CLR_SECTION_BEGIN,
	CLR_SECTION_END,
	CLR_SECTION_FLAGS,
	CLR_SECTION_MODULE,
	CLR_SECTION_HEAP,
	CLR_SECTION_DELETED,
	CLR_CODE_HEAP_BASE,
	CLR_CODE_HEAP_MAP,
	CLR_CODE_HEADER_GC_INFO,
	CLR_CODE_HEADER_METHOD,
	CLR_CODE_HEADER_COUNT,
	CLR_CODE_HEADER_ENTRIES,
	CLR_MODULE_READY,
	CLR_READY_COMPOSITE,
	CLR_READY_FUNCTIONS,
	CLR_READY_FUNCTIONS_COUNT,
	CLR_READY_COLD_MAP,
	CLR_READY_COLD_COUNT,
	CLR_READY_METHODS,
	CLR_HASH_BUCKETS,
	CLR_DYNAMIC_METHOD_NAME,
	/* Fields of the Frames on a thread's stack: io/runtime/frame_chain.h. */
	CLR_FRAME_NEXT,
	CLR_INLINED_METHOD,
	CLR_INLINED_SP,
	CLR_INLINED_RETURN,
	CLR_INLINED_FP,
	CLR_FRAMED_BLOCK,
	CLR_FRAMED_METHOD,
	CLR_BLOCK_SAVED,
	CLR_BLOCK_RETURN,
	CLR_RESUMABLE_CONTEXT,
	CLR_FAULTING_CONTEXT,
	CLR_SOFTWARE_CONTEXT,
	CLR_HIJACK_RETURN,
	CLR_HIJACK_ARGUMENTS,
	CLR_HIJACK_SAVED,
	CLR_FIELDS_COUNT
};

/* Facts about a version that cannot be read from its fields. */
struct clr_facts {
	unsigned version;
	/* For reading memory. */
	uint32_t table_bytes;       /* size of g_dacTable, which identifies a core's version */
	uint32_t collectible_flag;  /* in MethodTable.MTFlags */
	uint32_t argument_offset;   /* offset of the argument in a parameter type */
	uint32_t thin_lock_bits;    /* a second encoding of thread ids; 0: none */
	bool has_domain_assemblies; /* AppDomain lists DomainAssemblies */
	bool has_thread_links;      /* the list of threads leads through links */
	bool has_module_statics;    /* statics lie in blocks of a module */
	bool has_short_token;       /* 16 bits of the token follow MTFlags2 */
	bool has_loader_module;     /* MethodTable.Module is the loader module */
	bool has_lock_objects;      /* System.Threading.Lock was measured */
	bool has_frame_numbers;     /* the first word of a Frame is a number */
	bool has_multicast_frame;   /* a kind of Frame */
	unsigned gc_info_version;   /* io/runtime/gc_info.h */
	uint32_t frame_slot;        /* slot of g_dacTable with the first kind of Frame; else 0 */
	bool is_collector_measured;
	/* For events: EventPipe command numbers. */
	uint32_t newest_command;
	uint32_t watch_command;   /* session without call stacks, if there is one */
	uint32_t filter_command;  /* session that filters events; 0: none */
	bool samples_allocations; /* at random; others use up budgets */
	bool collects_at_end;     /* ending any session forces a collection */
	bool walks_blocking;      /* a heap walk is one blocking collection */
	bool native_walks;        /* Native AOT sends heap walks, too */
	bool native_server_walks; /* and does not crash of it with server GC */
	bool native_samples;      /* and samples of allocations */
};

struct clr_layout {
	int version; /* 8, 9, 10, 11 */
	const struct clr_facts *facts;
	uint32_t offset[CLR_FIELDS_COUNT];
	bool is_described[CLR_FIELDS_COUNT]; /* taken from the descriptor */
	uint32_t described_fields;           /* number of fields from the descriptor */
	bool is_guess;                       /* built-in offsets were measured on another machine */
};

/* Constants of .NET 8 to 11. The flags are those of MethodTable.MTFlags. */
#define CLR_MT_HAS_COMPONENTS 0x80000000u /* low 16 bits: component size */
#define CLR_MT_HAS_POINTERS   0x01000000u
#define CLR_MT_HAS_FINALIZER  0x00100000u
#define CLR_MT_CATEGORY       0x000f0000u
#define CLR_MT_ARRAY_MASK     0x000c0000u
#define CLR_MT_ARRAY          0x00080000u
#define CLR_MT_VALUE          0x00040000u
/* Low 16 bits without components; see clr_low_flags(). */
#define CLR_MT_GENERIC            0x00000030u
#define CLR_MT_GENERIC_DEFINITION 0x00000030u
/* Mark bits that the collector sets in an object's method table word. */
#define CLR_OBJECT_MARKS UINT64_C(7)
#define CLR_OBJECT_MIN   24 /* bytes of the smallest object */
#define CLR_ARRAY_ITEMS  16 /* offset of the first element, one dimension */

/* The newest measured version up to this one. Version 0 (unknown) and versions newer than any
 * measured one have rows with expected values. */
const struct clr_facts *clr_facts(unsigned version);
/* The version whose g_dacTable has this size; 0: none known. */
unsigned clr_version_of_table(uint64_t table_bytes);
/* Fills in the built-in offsets; false sets `err`: the version was not measured. */
bool clr_layout_init(struct clr_layout *layout, int version, enum memory_machine machine,
		     struct error *err) MUST_USE;
/* The versions with a built-in layout, for --version. */
const char *clr_layout_versions(void);
/* A layout of Native AOT: all fields absent until described. */
void clr_layout_init_native(struct clr_layout *layout, int version);
/* A layout of an unmeasured version: all fields absent until described. */
void clr_layout_init_empty(struct clr_layout *layout, int version);
/* False: a field that every walk needs is unknown; *missing is its name. */
bool clr_layout_is_enough(const struct clr_layout *layout, const char **missing);
/* Finds "Thread", "OSId"; CLR_FIELDS_COUNT if unknown. */
enum clr_field clr_field_find(const char *type, const char *field);
/* "Thread.OSId", for messages. */
const char *clr_field_name(enum clr_field field);

/* Structs, numbers and enums, which are boxed on the heap. */
static inline bool
clr_is_value_type(uint32_t flags)
{
	return (flags & CLR_MT_ARRAY_MASK) == CLR_MT_VALUE;
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

/* Reads a field of the structure at `base`. False sets `value` to 0: the field is unknown, `base`
 * is 0, or the memory is absent. */
bool clr_u16(const struct clr_layout *layout, struct memory_reader *r, uint64_t base,
	     enum clr_field field, uint16_t *value) MUST_USE;
bool clr_u32(const struct clr_layout *layout, struct memory_reader *r, uint64_t base,
	     enum clr_field field, uint32_t *value) MUST_USE;
bool clr_u64(const struct clr_layout *layout, struct memory_reader *r, uint64_t base,
	     enum clr_field field, uint64_t *value) MUST_USE;

#endif
