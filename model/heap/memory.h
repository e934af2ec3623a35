#ifndef MODEL_HEAP_MEMORY_H
#define MODEL_HEAP_MEMORY_H

/*
 * What only the memory of a process tells about its heap, beside the graph:
 * segments with their free space, handles, the finalizer queue, threads, and
 * what is in the objects. A heap that was made of memory has it
 * (heap->memory); all others have none.
 *
 * Tables are small beside the heap: a record per segment, free block, handle,
 * thread. Contents are read when somebody looks at them. All of it is const
 * and lives as long as the heap.
 */
#include "model/base/progress.h"
#include "model/base/sorted.h"
#include "model/heap/faults.h"
#include "model/heap/heap.h"

/* A segment or region; heap->ranges are the stretches of it with objects. */
struct heap_segment {
	uint64_t start;               /* of its first object */
	uint64_t allocated;           /* the end of its objects */
	uint64_t committed, reserved; /* the end of what it has */
	uint8_t generation;           /* enum generation; of the oldest in it */
	int32_t heap_number;          /* server GC; else 0 */
	bool is_ephemeral; /* of segments: gen0 and gen1 are in it, too */
	uint64_t objects_count, objects_bytes; /* without free space */
	uint64_t free_count, free_bytes;       /* between objects */
};

/* Free space between objects, as large as an object at least. */
struct heap_free_block {
	uint64_t address, bytes;
};

/* Where objects could not be told apart. */
struct heap_hole {
	uint64_t start, end;
	uint64_t last_good; /* object before it; 0: none */
	const char *reason; /* a sentence without its full stop */
};

enum heap_handle_kind { /* as the runtime numbers them */
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
	node_id object; /* NODE_NONE: not the start of one */
	node_id
	    dependent; /* of HANDLE_DEPENDENT: what it keeps; or NODE_NONE */
	uint8_t kind;  /* enum heap_handle_kind */
};

struct heap_finalizable {
	node_id object;
	bool is_ready; /* unreachable, and waits for its finalizer to run */
};

enum heap_thread_mode {
	THREAD_MODE_UNKNOWN,
	THREAD_PREEMPTIVE,  /* the collector need not wait for it */
	THREAD_COOPERATIVE, /* in managed code: the collector stops it */
};

struct heap_thread {
	uint64_t address; /* of the runtime's record; 0: it has none */
	uint64_t os_id;   /* 0: not started, or ended */
	uint32_t id;      /* the managed one; 0: none */
	node_id object;   /* System.Threading.Thread; or NODE_NONE */
	node_id thrown;   /* the last exception, handled or not; or NODE_NONE */
	uint8_t mode;     /* enum heap_thread_mode */
	const char *name; /* the managed one, else the system's; or "" */
};

struct heap_module {
	uint64_t address;            /* of the runtime's record */
	const char *path;            /* as the process saw it; or "" */
	uint64_t image, image_bytes; /* 0: not in memory, or not known */
	bool is_dynamic;
};

/* What objects have instead of a name of their type; see contents_ops.table. */
struct heap_table {
	uint64_t address;
	uint64_t objects_count, objects_bytes;
	type_id type; /* a few have several: the same in two load contexts */
};

/* --- what is in an object ------------------------------------------------- */

enum content_kind {
	CONTENT_RAW,       /* bytes whose meaning is unknown */
	CONTENT_VALUE,     /* `text` says it: 42, true, Color.Red, 'x' */
	CONTENT_REFERENCE, /* to `target` */
	CONTENT_STRUCT,    /* its fields follow, one deeper */
};

/* A field, an element, or a field of a struct in one. */
struct content {
	const char *name; /* "_items", "[3]" */
	const char *type; /* as declared, in C# spelling; "" if unknown */
	const char *text; /* the value as C# writes it; of a reference to a
			     string its beginning, to a delegate what it
			     calls, "null", or "" */
	uint64_t address, bytes; /* of the value */
	uint64_t pointer;        /* of a reference: what is there; 0 is null */
	node_id target; /* of a reference; NODE_NONE: null, or no object */
	uint32_t depth; /* 0: of the object itself */
	uint8_t kind;   /* enum content_kind */
	bool overlaps;  /* another field lies in some of its bytes */
};

/* Where a field lies, for code that interprets objects. */
struct content_field {
	uint64_t address, bytes;
	uint64_t count, stride; /* of an array: how many elements, and bytes
				   from one to the next; else 1, 0 */
	uint64_t row;           /* its first among the rows of the object */
	uint32_t rows_count;    /* with those of the fields in it */
	uint8_t kind;           /* enum content_kind */
	uint8_t literal;        /* of CONTENT_VALUE: enum literal_kind */
	bool is_null;           /* a Nullable without a value */
};

/* What a delegate calls. */
struct content_method {
	const char *text; /* "Leaky.Cache.Evict", "Foo.Bar lambda 0_1"; ""
			     if it cannot be said */
	const char *type; /* that declares it, as heaps spell it; or "" */
	const char *name; /* as the module has it; or "" */
	node_id target;   /* "this" of it; NODE_NONE: static, or unknown */
	node_id entries;  /* of several, the array of them; else NODE_NONE */
	uint32_t entries_count; /* in it, from its first element on */
};

struct content_header {
	uint64_t table;                   /* method table */
	uint32_t word;                    /* the header itself */
	uint32_t hash;                    /* if has_hash */
	uint32_t sync_block;              /* 0: none */
	uint32_t lock_thread, lock_depth; /* thin lock; thread 0: none */
	bool has_hash;
};

/* A field that every object of a type has, or every element of an array. */
struct content_part {
	const char *name, *type; /* as of struct content */
	uint32_t offset; /* from the first byte of the object or element */
	uint32_t bytes;
	uint32_t depth;
	uint32_t has_value; /* of a Nullable: offset of the bool that says
			       whether it has a value; else UINT32_MAX */
	uint8_t kind;       /* enum content_kind */
	uint8_t
	    literal; /* of CONTENT_VALUE: enum literal_kind, or KIND_COUNT */
};

/*
 * What lies where in all objects with one method table, for passes that read
 * the bytes of millions. Numbers are little endian.
 */
struct content_layout {
	uint64_t table; /* their first 8 bytes, but for CONTENT_MARKS */
	const struct content_part *parts; /* of one element if it has such */
	uint32_t parts_count;             /* of a string 0 */
	uint32_t count_at; /* where the count of elements is, 4 bytes */
	uint32_t elements_at, element_bytes; /* 0: it has no elements */
	bool is_boxed;                       /* a value type's */
};
#define CONTENT_MARKS UINT64_C(7)

/*
 * A lock that is held or has a record of its own. Locked through the header
 * alone it has no sync block: a thin lock. Or the object is a lock.
 */
struct heap_lock {
	node_id object;
	uint32_t index;   /* of the sync block; 0: a thin lock */
	uint64_t block;   /* where it is; 0: a thin lock, or not known */
	uint32_t thread;  /* who holds it, by the managed number; 0: nobody */
	uint64_t os_id;   /* the same thread; 0: nobody, or not known */
	uint32_t entered; /* how often by that thread */
	uint32_t waiters; /* threads that want to enter */
	uint32_t pulse_waiters; /* threads in Monitor.Wait on it, until somebody
				   pulses; WAITERS_UNKNOWN */
	bool is_object;         /* a System.Threading.Lock */
};
#define WAITERS_UNKNOWN UINT32_MAX
struct heap_locks {
	struct heap_lock *items; /* by object, objects that are locks behind
				    the others; memory_free() */
	size_t count, room;
	uint64_t unknown_count; /* sync blocks that are absent, or no such */
	uint64_t unknown_objects_count; /* locks of a layout nobody knows */
};

/* A static variable; of threads once for each that has it. */
struct heap_static {
	struct content content; /* a field; of a structure a line about what is
				   in it, `target` the box that it is in */
	const char *owner;      /* the type that declares it */
	uint64_t table;         /* its method table */
	uint64_t slot;   /* where it is; 0: unknown, and the text says why */
	uint32_t thread; /* of the heap's threads; UINT32_MAX: of all */
	bool is_of_thread;
	bool is_initialized; /* false: its class has a constructor, which has
				not run, or not to its end */
};
struct heap_statics {
	struct heap_static *items; /* by type as they are loaded;
				      memory_free() */
	size_t count, room;
	size_t max;             /* no more than so many are wanted; 0: all */
	uint32_t missing_count; /* what is absent, or more than anybody has */
};

/* A method table, as the runtime has it. Texts are in the arena. */
struct content_table {
	uint64_t address, canonical, record; /* record: its EEClass */
	uint64_t module, parent;             /* 0: none */
	const char *name, *module_path, *parent_name, *category;
	uint32_t token; /* of its definition; 0: none */
	uint32_t base_bytes, component_bytes;
	uint32_t flags, rank; /* rank 0: no array */
	uint32_t virtuals_count, interfaces_count;
	uint32_t fields_count; /* of an object, inherited ones too */
	uint32_t statics_count, methods_count; /* methods UINT32_MAX: unknown */
	int64_t series_count; /* of its GCDesc; below 0: of each element */
	bool has_references, is_collectible, has_finalizer;
};

/* The methods that a class declares, as the runtime has them. */
struct content_declared {
	uint64_t record;  /* the runtime's own (MethodDesc) */
	uint32_t token;   /* in the metadata of its module */
	const char *name; /* as the module has it */
};
struct content_methods {
	struct content_declared *items; /* in the arena */
	uint32_t count;
	uint32_t told_count; /* how many the runtime says there are */
};

/*
 * Made by io/; any thread may call, each call reads a little. False sets `err`:
 * what is absent, or no memory. Texts are in `a`.
 */
struct contents_ops {
	/*
	 * Rows from `first` on, at most `count`, of the fields of an object or
	 * the elements of an array; `total` is how many there are.
	 */
	bool (*rows)(const void *source, node_id object, uint64_t first,
		     size_t count, struct content *rows, size_t *rows_count,
		     uint64_t *total, struct arena *a, struct error *err);
	/*
	 * The same of a value that is in no box: where its bytes are, and the
	 * method table of its type. Nothing in memory says that it is one.
	 */
	bool (*value)(const void *source, uint64_t table, uint64_t address,
		      uint64_t first, size_t count, struct content *rows,
		      size_t *rows_count, uint64_t *total, struct arena *a,
		      struct error *err);
	/*
	 * The field of that name, as `rows` has it, or "_state._value" of a
	 * structure; of an array the field of its first element, or with "" the
	 * element itself. Of two of one name, that which the class adds to its
	 * base types. False without an error: there is no such field. Costs a
	 * lock, three small reads and a look at the fields of the type, half a
	 * microsecond; where it lies in the object is the same for all of one
	 * method table. model/heap/contents.h reads what is there.
	 */
	bool (*field)(const void *source, node_id object, const char *name,
		      struct content_field *out, struct error *err);
	/*
	 * Of a delegate. False without an error: it is none. Texts are in `a`;
	 * some 10 µs.
	 */
	bool (*method)(const void *source, node_id object,
		       struct content_method *out, struct arena *a,
		       struct error *err);
	/* Of a string, UTF-8, at most `units_max` UTF-16 units of it. */
	bool (*text)(const void *source, node_id object, uint32_t units_max,
		     const char **text, uint32_t *units, struct arena *a,
		     struct error *err);
	bool (*header)(const void *source, node_id object,
		       struct content_header *out, struct error *err);
	/* Some 20 µs for the first of a type, then 1. */
	bool (*layout)(const void *source, node_id object,
		       struct content_layout *out, struct arena *a,
		       struct error *err);
	/* How many bytes there were before the first absent one. */
	size_t (*bytes)(const void *source, uint64_t address, void *to,
			size_t len);
	/*
	 * What is wrong in the object, or with NODE_NONE in all of the heap: a
	 * pass over it, for a worker. `out` begins all zero.
	 */
	bool (*verify)(const void *source, node_id object, struct faults *out,
		       struct progress *progress, struct error *err);
	/* All objects that are locked or have a sync block, likewise. */
	bool (*locks)(const void *source, struct heap_locks *out,
		      struct progress *progress, struct error *err);
	/*
	 * The static variables of a type, by the address of its method table or
	 * class (another one is ERROR_USAGE); with 0 those of all that are
	 * loaded, for a worker: some 20 µs each. `out` begins all zero but
	 * its `max`; texts are in `a`.
	 */
	bool (*statics)(const void *source, uint64_t table,
			struct heap_statics *out, struct progress *progress,
			struct arena *a, struct error *err);
	/* False, if there is none at that address: `err` says why not. */
	bool (*table)(const void *source, uint64_t address,
		      struct content_table *out, struct arena *a,
		      struct error *err);
	/* The methods of its class. False as above, or without metadata. */
	bool (*methods)(const void *source, uint64_t address,
			struct content_methods *out, struct arena *a,
			struct error *err);
};

struct heap_memory {
	const struct heap_segment *segments;       /* by start */
	const struct heap_free_block *free_blocks; /* by address */
	const struct heap_hole *holes;             /* by start */
	const struct heap_handle *handles;         /* by address */
	const struct heap_finalizable *finalizables;
	const struct heap_thread *threads; /* as the runtime lists them */
	const struct heap_module *modules;
	const struct heap_table *tables; /* by type, then address */
	uint32_t segments_count, free_blocks_count, holes_count, handles_count,
	    finalizables_count, threads_count, modules_count, tables_count;
	uint64_t resident_bytes;  /* of the process; 0: unknown */
	uint64_t committed_bytes; /* by the collector, free regions too */
	uint64_t kept_bytes;      /* of ours, by copies of that memory */
	const struct contents_ops *contents; /* NULL: none can be read */
	const void *source;                  /* of contents */
	/* Frees what is not in the heap's arena; called by heap_free().
	 * NULL: nothing. */
	void (*close)(const struct heap_memory *m);
};

/* The method tables of a type, mostly one; *count is how many. */
static inline const struct heap_table *
heap_memory_tables(const struct heap_memory *m, type_id type, uint32_t *count)
{
	uint32_t at, end;

	LOWER_BOUND(at, 0, m->tables_count, m->tables[at].type < type);
	for (end = at; end < m->tables_count && m->tables[end].type == type;
	     end++)
		;
	*count = end - at;
	return m->tables + at;
}

#endif
