#ifndef MODEL_HEAP_MEMORY_H
#define MODEL_HEAP_MEMORY_H

/*
 * Facts about a heap that only process memory has, besides the graph: segments and their free
 * space, handles, the finalizer queue, threads, and the contents of objects. Heaps read from memory
 * have them (heap->memory), others do not.
 *
 * Tables are small: one record per segment, free block, handle or thread. Contents are read on
 * demand. All of it is const and lives as long as the heap.
 */
#include "model/base/progress.h"
#include "model/base/sorted.h"
#include "model/heap/faults.h"
#include "model/heap/heap.h"

/* A segment or region; heap->ranges are the parts of it that hold objects. */
struct heap_segment {
	uint64_t start;                        /* address of its first object */
	uint64_t allocated;                    /* the end of its objects */
	uint64_t committed, reserved;          /* ends */
	uint8_t generation;                    /* enum generation; the oldest in it */
	int32_t heap_number;                   /* server GC; else 0 */
	bool is_ephemeral;                     /* a segment that also holds gen0 and gen1 */
	uint64_t objects_count, objects_bytes; /* without free space */
	uint64_t free_count, free_bytes;       /* between objects */
};

/* Free space between objects, at least as large as an object. */
struct heap_free_block {
	uint64_t address, bytes;
};

/* A part of a segment that could not be divided into objects. */
struct heap_hole {
	uint64_t start, end;
	uint64_t last_good; /* last intact object before it; 0: none */
	const char *reason; /* a sentence without its full stop */
};

enum heap_handle_kind { /* numbered like in the runtime */
			HANDLE_WEAK_SHORT,
			HANDLE_WEAK_LONG,
			HANDLE_STRONG,
			HANDLE_PINNED,
			HANDLE_VARIABLE,
			HANDLE_REF_COUNTED,
			HANDLE_DEPENDENT,
			HANDLE_ASYNC_PINNED,
			HANDLE_SIZED_REF,
			HANDLE_WEAK_NATIVE_COM,
			HANDLE_WEAK_INTERIOR,
			HANDLE_CROSS_REFERENCE,
			HANDLE_KIND_COUNT
};
struct heap_handle {
	uint64_t address;
	node_id object;    /* NODE_NONE: no object starts there */
	node_id dependent; /* value of a HANDLE_DEPENDENT, or NODE_NONE */
	uint8_t kind;      /* enum heap_handle_kind */
};

struct heap_finalizable {
	node_id object;
	bool is_ready; /* unreachable, and waits for its finalizer to run */
};

enum heap_thread_mode {
	THREAD_MODE_UNKNOWN,
	THREAD_PREEMPTIVE,  /* the collector does not wait for it */
	THREAD_COOPERATIVE, /* runs managed code: the collector stops it */
};

struct heap_thread {
	uint64_t address;  /* address of the runtime's Thread; 0: none */
	uint64_t os_id;    /* 0: not started, or exited */
	uint32_t id;       /* managed thread id; 0: none */
	node_id object;    /* System.Threading.Thread; or NODE_NONE */
	node_id thrown;    /* the last exception, caught or not; or NODE_NONE */
	uint8_t mode;      /* enum heap_thread_mode */
	const char *name;  /* managed, else the operating system's; or "" */
	bool is_finalizer; /* runs all finalizers */
	bool is_unnamed;   /* its Thread object was read, and has no name */
	/* The type of that exception if it is none of the heap's objects; or NULL. */
	const char *thrown_type;
};

struct heap_module {
	uint64_t address;            /* address of the runtime's Module */
	const char *path;            /* path in the process; or "" */
	uint64_t image, image_bytes; /* 0: not in memory, or unknown */
	bool is_dynamic;
};

/* A method table that objects have; see contents_ops.table. */
struct heap_table {
	uint64_t address;
	uint64_t objects_count, objects_bytes;
	type_id type; /* may have several: one per load context */
};

/* --- contents of an object ------------------------------------------------ */

enum content_kind {
	CONTENT_RAW,       /* bytes whose meaning is unknown */
	CONTENT_VALUE,     /* `text` shows it: 42, true, Color.Red, 'x' */
	CONTENT_REFERENCE, /* a reference to `target` */
	CONTENT_STRUCT,    /* followed by its fields, one level deeper */
};

/* A field, an array element, or a field of a structure in either. */
struct content {
	const char *name;        /* "_items", "[3]" */
	const char *type;        /* declared type in C# spelling; "" if unknown */
	const char *text;        /* the value in C# syntax; of a reference: the start
				    of a string, the method of a delegate, "null" or
				    "" */
	uint64_t address, bytes; /* location of the value */
	uint64_t pointer;        /* address in a reference; 0: null */
	node_id target;          /* target of a reference; NODE_NONE: null, or no object */
	uint32_t depth;          /* 0: field of the object itself */
	uint8_t kind;            /* enum content_kind */
	bool overlaps;           /* shares bytes with another field */
};

/* Location of a field, for code that interprets objects. */
struct content_field {
	uint64_t address, bytes;
	uint64_t count, stride; /* elements of an array, and bytes from one
				   to the next; otherwise 1, 0 */
	uint64_t row;           /* index of its first row in the object */
	uint32_t rows_count;    /* includes the rows of nested fields */
	uint8_t kind;           /* enum content_kind */
	uint8_t literal;        /* enum literal_kind, if CONTENT_VALUE */
	bool is_null;           /* a Nullable without a value */
};

/* The method that a delegate calls. */
struct content_method {
	const char *text;       /* "Leaky.Cache.Evict", "Foo.Bar lambda 0_1"; "" if
				   unknown */
	const char *type;       /* declaring type, as heaps spell it; or "" */
	const char *name;       /* name in the metadata; or "" */
	node_id target;         /* its "this"; NODE_NONE: static, or unknown */
	node_id entries;        /* multicast: array of delegates; else NODE_NONE */
	uint32_t entries_count; /* used elements of that array */
};

struct content_header {
	uint64_t table;                   /* method table */
	uint32_t word;                    /* the header itself */
	uint32_t hash;                    /* if has_hash */
	uint32_t sync_block;              /* 0: none */
	uint32_t lock_thread, lock_depth; /* thin lock; thread 0: none */
	bool has_hash;
};

/* A field that every object of a type, or every array element, has. */
struct content_part {
	const char *name, *type; /* like in struct content */
	uint32_t offset;         /* offset from the first byte of the object or element */
	uint32_t bytes;
	uint32_t depth;
	uint32_t has_value; /* offset of a Nullable's has-value bool; otherwise UINT32_MAX */
	uint8_t kind;       /* enum content_kind */
	uint8_t literal;    /* enum literal_kind if CONTENT_VALUE, or KIND_COUNT */
};

/* The layout of all objects with one method table, for passes that read the bytes of millions of
   objects. Numbers are little endian. */
struct content_layout {
	uint64_t table;                      /* their first 8 bytes, without CONTENT_MARKS */
	const struct content_part *parts;    /* parts of one element, if an array */
	uint32_t parts_count;                /* 0 for a string */
	uint32_t count_at;                   /* offset of the element count, 4 bytes */
	uint32_t elements_at, element_bytes; /* 0: it has no elements */
	bool is_boxed;                       /* a boxed value type */
};
#define CONTENT_MARKS UINT64_C(7)

/*
 * An object that is locked or has a sync block. A lock held in the object header alone is a thin
 * lock, without a sync block. A System.Threading.Lock is a lock itself.
 */
struct heap_lock {
	node_id object;
	uint32_t index;         /* index of the sync block; 0: a thin lock */
	uint64_t block;         /* its address; 0: a thin lock, or unknown */
	uint32_t thread;        /* owner, by managed id; 0: not locked */
	uint64_t os_id;         /* the same thread; 0: not locked, or unknown */
	uint32_t entered;       /* recursion count */
	uint32_t waiters;       /* threads waiting to enter */
	uint32_t pulse_waiters; /* threads in Monitor.Wait; or WAITERS_UNKNOWN */
	node_id monitor;        /* the System.Threading.Lock that a sync block
				   uses since .NET 11; or NODE_NONE */
	bool is_object;         /* a System.Threading.Lock of its own */
};
#define WAITERS_UNKNOWN UINT32_MAX
struct heap_locks {
	struct heap_lock *items; /* sorted by object, with
				    System.Threading.Lock last; memory_free() */
	size_t count, room;
	uint64_t unknown_count;         /* sync blocks that are absent or invalid */
	uint64_t unknown_objects_count; /* Locks of an unknown layout */
};

enum content_frame_kind {
	CONTENT_FRAME_MANAGED,
	CONTENT_FRAME_STUB,       /* code that the runtime generated for itself */
	CONTENT_FRAME_NATIVE,     /* other code */
	CONTENT_FRAME_TRANSITION, /* a mark of the runtime between managed and native code */
	CONTENT_FRAME_FOUND,      /* a word behind a call: the call may have returned */
};

/* A call on the stack of a thread. */
struct content_frame {
	const char *text;   /* "Leaky.Cache.Evict", as in content_method; "libc.so.6 + 0x91f16" */
	const char *full;   /* the same with the types of its parameters, if they are known */
	const char *type;   /* declaring type, as heaps spell it; or "" */
	const char *module; /* path of its module; or "" */
	uint64_t ip, sp;    /* instruction and stack pointer */
	uint64_t record;    /* the MethodDesc; 0: none, or unknown */
	uint8_t kind;       /* enum content_frame_kind */
};
struct content_frames {
	struct content_frame *items; /* innermost first, in the arena */
	uint32_t count;
	const char *why; /* why there are no more, a sentence without its full stop; "": these are
			    all */
};

/* A static variable. A thread static has one entry for each thread with one. */
struct heap_static {
	struct content content; /* a struct is one line of text, and `target` is its box */
	const char *owner;      /* declaring type */
	uint64_t table;         /* method table of that type */
	uint64_t slot;          /* its address; 0: unknown, and the text says why */
	uint32_t thread;        /* index in the heap's threads; UINT32_MAX: none */
	bool is_thread_static;
	bool is_initialized; /* false: the static constructor of its class has not run to its end */
};
struct heap_statics {
	struct heap_static *items; /* sorted by load order of the types; memory_free() */
	size_t count, room;
	size_t max;             /* upper limit for count; 0: none */
	uint32_t missing_count; /* lists in absent or implausible memory */
};

/* A method table and its EEClass. Texts are in the arena. */
struct content_table {
	uint64_t address, canonical, record; /* record: the EEClass */
	uint64_t module, parent;             /* 0: none */
	const char *name, *module_path, *parent_name, *category;
	uint32_t token; /* TypeDef token; 0: none */
	uint32_t base_bytes, component_bytes;
	uint32_t flags, rank; /* rank 0: not an array */
	uint32_t virtuals_count, interfaces_count;
	uint32_t fields_count;                 /* instance fields, inherited ones too */
	uint32_t statics_count, methods_count; /* methods UINT32_MAX: unknown */
	int64_t series_count;                  /* entries of its GCDesc; negative: of each
						  element */
	bool has_references, is_collectible, has_finalizer;
};

/* The methods that a class declares. */
struct content_declared {
	uint64_t record;  /* the MethodDesc */
	uint32_t token;   /* MethodDef token */
	const char *name; /* name in the metadata */
};
struct content_methods {
	struct content_declared *items; /* in the arena */
	uint32_t count;
	uint32_t recorded_count; /* number according to the method table */
};

/* Implemented by io/; any thread may call, each call reads little. False sets `err`: memory is
   absent or ran out. Texts are in `a`. */
struct contents_ops {
	/* Up to `count` rows from `first` on: the fields of an object or the elements of an array.
	   `total` is the number of all rows. */
	bool (*rows)(const void *source, node_id object, uint64_t first, size_t count,
		     struct content *rows, size_t *rows_count, uint64_t *total, struct arena *a,
		     struct error *err);
	/* The same for a value that is not boxed, given its address and the method table of its
	   type; nothing verifies that a value is there. */
	bool (*value)(const void *source, uint64_t table, uint64_t address, uint64_t first,
		      size_t count, struct content *rows, size_t *rows_count, uint64_t *total,
		      struct arena *a, struct error *err);
	/*
	 * The field with the name that `rows` gives it, or "_state._value" in a structure. For an
	 * array: the field of its first element, or with "" the element itself. A field hides those
	 * of the same name in base types. False without an error: there is no such field. Half a
	 * microsecond: a lock, three small reads, a look-up. Its offset is the same for all objects
	 * with one method table. Read the value with model/heap/contents.h.
	 */
	bool (*field)(const void *source, node_id object, const char *name,
		      struct content_field *out, struct error *err);
	/* Find the method that a delegate calls. False without an error: the object is not a
	   delegate. About 10 µs. */
	bool (*method)(const void *source, node_id object, struct content_method *out,
		       struct arena *a, struct error *err);
	/* Read a string as UTF-8, at most `units_max` UTF-16 code units of
	   it. */
	bool (*text)(const void *source, node_id object, uint32_t units_max, const char **text,
		     uint32_t *units, struct arena *a, struct error *err);
	bool (*header)(const void *source, node_id object, struct content_header *out,
		       struct error *err);
	/* Find the layout of an object: about 20 µs for the first of a type, then 1. */
	bool (*layout)(const void *source, node_id object, struct content_layout *out,
		       struct arena *a, struct error *err);
	/* Returns the number of bytes read before the first absent one. */
	size_t (*bytes)(const void *source, uint64_t address, void *to, size_t len);
	/* Looks for faults in an object, or with NODE_NONE in the whole heap: that is a pass for a
	   worker thread. `out` is all zero at first. */
	bool (*verify)(const void *source, node_id object, struct faults *out,
		       struct progress *progress, struct error *err);
	/* List all objects that are locked or have a sync block; a pass over the heap. */
	bool (*locks)(const void *source, struct heap_locks *out, struct progress *progress,
		      struct error *err);
	/* List the locks for which threads wait. Reads the sync blocks, not
	   the headers of all objects, and the objects that are locks. */
	bool (*awaited_locks)(const void *source, struct heap_locks *out, struct progress *progress,
			      struct error *err);
	/*
	 * List the calls on the stack of a thread, at most `max`: what it was doing. Some 20 µs a
	 * call. Where stacks cannot be walked, return addresses are recognised word by word, which
	 * takes some milliseconds. False: memory ran out; anything else is in out->why.
	 */
	bool (*frames)(const void *source, uint64_t os_id, uint32_t max, struct content_frames *out,
		       struct arena *a, struct error *err);
	/* Find the method that an address lies in. False: none, and why. */
	bool (*code)(const void *source, uint64_t address, struct content_frame *out,
		     struct arena *a, struct error *err);
	/*
	 * List the static variables of a type, by the address of its method table or EEClass (any
	 * other address is ERROR_USAGE); with 0, those of all loaded types, a pass for a worker
	 * thread at about 20 µs a type. `out` is all zero at first except `max`.
	 */
	bool (*statics)(const void *source, uint64_t table, struct heap_statics *out,
			struct progress *progress, struct arena *a, struct error *err);
	/* Returns false if no method table is at that address: `err` has the reason. */
	bool (*table)(const void *source, uint64_t address, struct content_table *out,
		      struct arena *a, struct error *err);
	/* List the methods of its class. Also fails without metadata. */
	bool (*methods)(const void *source, uint64_t address, struct content_methods *out,
			struct arena *a, struct error *err);
};

/* How the references on stacks were found; all zero: only words were looked at. */
struct heap_stacks {
	uint32_t frames, unknown_frames; /* of managed code; their references are unknown */
	const char *unknown_why;         /* of the first unknown frame; NULL or "": none */
	uint32_t unread_threads;         /* managed threads whose frames were not read */
	const char *why;                 /* of the first unread one; or "" */
};

/* Counts the allocations of native code; all zero if they are unknown. */
struct heap_malloc {
	uint64_t system_bytes; /* that glibc's arenas have from the system */
	uint64_t free_bytes;   /* of these; chunks that a thread keeps for itself count as used */
	uint32_t arenas_count;
	const char *other; /* another allocator, which is not read: "musl"; or NULL */
};

struct heap_memory {
	const struct heap_segment *segments;       /* sorted by start */
	const struct heap_free_block *free_blocks; /* sorted by address */
	const struct heap_hole *holes;             /* sorted by start */
	const struct heap_handle *handles;         /* sorted by address */
	const struct heap_finalizable *finalizables;
	const struct heap_thread *threads; /* in the order of the runtime's list */
	const struct heap_module *modules;
	const struct heap_table *tables; /* sorted by type, then address */
	uint32_t segments_count, free_blocks_count, holes_count, handles_count, finalizables_count,
	    threads_count, modules_count, tables_count;
	struct heap_stacks stacks;
	struct heap_malloc malloc;
	uint64_t resident_bytes;             /* resident memory of the process; 0 if unknown */
	uint64_t committed_bytes;            /* committed by the collector, with free regions */
	uint64_t kept_bytes;                 /* memory of heaptop for copies of the target's */
	const struct contents_ops *contents; /* NULL: contents are unreadable */
	const void *source;                  /* argument of contents_ops */
	bool lacks_fields;                   /* of Native AOT: nothing describes fields */
	/* Why there are threads and modules but no objects, a sentence without its full stop; NULL:
	   there are objects. */
	const char *lacks_objects;
	/* Frees what is not in the heap's arena; called by heap_free().
	 * NULL: nothing. */
	void (*close)(const struct heap_memory *m);
};

/* Returns true if there are only threads and modules. */
static inline bool
heap_lacks_objects(const struct heap *h)
{
	return h->memory && h->memory->lacks_objects;
}

/* Returns the index of the segment around an address, or UINT32_MAX. */
static inline uint32_t
heap_memory_segment(const struct heap_memory *m, uint64_t address)
{
	uint32_t at;

	LOWER_BOUND(at, 0, m->segments_count, m->segments[at].start <= address);
	return at && address < m->segments[at - 1].allocated ? at - 1 : UINT32_MAX;
}

/* Returns the method tables of a type, mostly one; *count is their number. */
static inline const struct heap_table *
heap_memory_tables(const struct heap_memory *m, type_id type, uint32_t *count)
{
	uint32_t at, end;

	LOWER_BOUND(at, 0, m->tables_count, m->tables[at].type < type);
	for (end = at; end < m->tables_count && m->tables[end].type == type; end++)
		;
	*count = end - at;
	return m->tables + at;
}

#endif
