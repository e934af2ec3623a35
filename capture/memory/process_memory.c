#define _GNU_SOURCE /* madvise() */
#include "capture/memory/process_memory.h"
#include "capture/process/proc.h"
#include "io/base/inside.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include "model/base/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	MAPS_BYTES_MAX = 256 << 20, /* the kernel allows 65,530 mappings */
	COPY_BYTES = 2 << 20,       /* per step of each thread */
	LINE_BYTES = 4096 + 128,
	PAGE_BYTES_MIN = 4096,
	/* The kernel's clocks for files and for processes are not one. */
	CLOCKS_DIFFER_SEC = 1,
	PAGES_ASKED = COPY_BYTES / PAGE_BYTES_MIN + 1,
};
/* An entry of pagemap has one of these bits if the page has contents. */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)

/* The copy of a stretch of memory. */
struct kept {
	uint64_t start, end;
	uint8_t *bytes; /* mapped, as arenas are limited */
	uint64_t there; /* bytes before the first absent page */
};

struct process_memory {
	struct memory memory;
	uint64_t *inodes;    /* of the mappings; 0: none */
	int64_t started_sec; /* when the process started; 0: unknown */
	struct arena arena;
	int file;          /* /proc/PID/mem */
	int pages;         /* /proc/PID/pagemap, or -1 */
	struct kept *kept; /* by address, disjoint */
	size_t kept_count;
	char name[32], root[64];
};

/* ---- reading ------------------------------------------------------------- */

static size_t
read_process(const struct process_memory *p, uint64_t address, uint8_t *to, size_t len)
{
	size_t got = 0;

	if (address > INT64_MAX || len > INT64_MAX - address)
		return 0; /* the kernel's half of the address space */
	while (got < len) {
		ssize_t n = pread(p->file, to + got, len - got, (off_t)(address + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
		tracer_sign();
	}
	return got;
}

/* The first copy that ends after the address. */
static const struct kept *
find_kept(const struct process_memory *p, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, p->kept_count, p->kept[at].end <= address);
	return at < p->kept_count ? &p->kept[at] : NULL;
}

/* Reads from one copy, or from memory outside of all copies. */
static size_t
read_piece(const struct process_memory *p, uint64_t address, uint8_t *to, size_t len)
{
	const struct kept *k = find_kept(p, address);
	uint64_t at;

	if (!k || address < k->start)
		return read_process(p, address, to, len);
	at = address - k->start;
	if (at >= k->there)
		return 0;
	if (len > k->there - at)
		len = (size_t)(k->there - at);
	memcpy(to, k->bytes + at, len);
	return len;
}

static size_t
piece_len(const struct process_memory *p, uint64_t address, size_t len)
{
	const struct kept *k = find_kept(p, address);
	uint64_t end;

	if (!k)
		return len;
	end = address < k->start ? k->start : k->end;
	return len < end - address ? len : (size_t)(end - address);
}

static size_t
process_read(const void *source, uint64_t address, void *to, size_t len)
{
	const struct process_memory *p = source;
	size_t got = 0, wanted, n;

	while (got < len) {
		wanted = piece_len(p, address + got, len - got);
		n = read_piece(p, address + got, (uint8_t *)to + got, wanted);
		got += n;
		if (n < wanted)
			break;
	}
	return got;
}

static const uint8_t *
process_view(const void *source, uint64_t address, size_t len)
{
	const struct process_memory *p = source;
	const struct kept *k = find_kept(p, address);
	uint64_t at;

	if (!k || address < k->start)
		return NULL;
	at = address - k->start;
	return at < k->there && len <= k->there - at ? k->bytes + at : NULL;
}

static void
process_close(void *source)
{
	struct process_memory *p = source;

	for (size_t i = 0; i < p->kept_count; i++) {
		size_t len = (size_t)(p->kept[i].end - p->kept[i].start);

		munmap(p->kept[i].bytes, len);
		memory_count(-(int64_t)len);
	}
	if (p->file >= 0)
		close(p->file);
	if (p->pages >= 0)
		close(p->pages);
	arena_clear(&p->arena);
	memory_free(p);
}

/*
 * A mapping of a file shows what was written to the file since. A file that was replaced has
 * another inode: the old one is mapped still, and unchanged.
 */
static enum memory_trust
process_trust(const void *source, uint64_t address, size_t len)
{
	const struct process_memory *p = source;
	const struct memory_mapping *m = memory_mapping_at(&p->memory, address);
	uint64_t inode = m ? p->inodes[m - p->memory.mappings] : 0;
	struct stat st;

	(void)len;
	return p->started_sec && inode && m->flags & MEMORY_FILE &&
		       !inside_stat(p->root, m->name, &st) && st.st_ino == inode &&
		       st.st_ctim.tv_sec > p->started_sec + CLOCKS_DIFFER_SEC
		   ? MEMORY_CHANGED
		   : MEMORY_TRUSTED;
}

static const struct memory_ops process_ops = {
	.read = process_read,
	.view = process_view,
	.close = process_close,
	.trust = process_trust,
};

/* ---- mappings ------------------------------------------------------------ */

/* A mapping and the inode of its file. */
struct mapping_line {
	struct memory_mapping map;
	uint64_t inode;
};

static bool
read_mapping(struct process_memory *p, const char *line, struct mapping_line *out,
	     struct error *err)
{
	struct memory_mapping *m = &out->map;
	char access[5];

	if (sscanf(line, "%*s %*s %*s %*s %" SCNu64, &out->inode) != 1)
		out->inode = 0;
	if (!proc_mapping(line, m, access))
		return error_set(err, ERROR_SYSTEM,
				 "the mappings of %s have a line that is not understood: %.100s",
				 p->name, line);
	m->name = arena_strndup(&p->arena, m->name, strlen(m->name), err);
	return m->name != NULL;
}

/* Removes the line end. If the line was too long for the buffer, its rest is read and dropped. */
static void
end_line(char *line, FILE *file)
{
	char *end = strchr(line, '\n');
	int c = end ? '\n' : '\0';

	while (c != '\n' && c != EOF)
		c = getc(file);
	if (end)
		*end = '\0';
}

static bool
read_mappings_of(struct process_memory *p, FILE *file, struct error *err)
{
	struct mapping_line *list = NULL, m;
	size_t count = 0, room = 0;
	char line[LINE_BYTES];
	uint64_t end = 0;
	bool is_good = true;

	while (is_good && fgets(line, sizeof(line), file)) {
		end_line(line, file);
		is_good = read_mapping(p, line, &m, err) && MAKE_ROOM(list, count + 1, room, err);
		/* The file is not read atomically, so mappings may repeat. */
		if (is_good && m.map.start >= end) {
			end = m.map.end;
			list[count++] = m;
		}
	}
	if (is_good) {
		struct memory_mapping *kept =
		    arena_array(&p->arena, struct memory_mapping, count, err);

		p->inodes = arena_array(&p->arena, uint64_t, count, err);
		is_good = kept && p->inodes;
		for (size_t i = 0; is_good && i < count; i++) {
			kept[i] = list[i].map;
			p->inodes[i] = list[i].inode;
		}
		p->memory.mappings = kept;
		p->memory.mappings_count = count;
	}
	memory_free(list);
	return is_good;
}

static bool
read_mappings(struct process_memory *p, const char *proc, int32_t pid, struct error *err)
{
	char path[256];
	FILE *file;
	bool is_good;

	snprintf(path, sizeof(path), "%s/%" PRId32 "/maps", proc, pid);
	file = fopen(path, "re");
	if (!file) {
		error_sys(err, errno, "cannot read %s", path);
		err->kind = ERROR_ATTACH;
		return false;
	}
	is_good = read_mappings_of(p, file, err);
	fclose(file);
	return is_good;
}

/* ---- threads ------------------------------------------------------------- */

#if defined(__aarch64__)
enum { REGISTER_SP = 31, REGISTER_PC = 32, MACHINE = MEMORY_ARM64 };
#else
enum { REGISTER_SP = 19, REGISTER_PC = 16, MACHINE = MEMORY_X64 };
#endif

static bool
read_thread(struct process_memory *p, const char *proc, int32_t pid,
	    const struct frozen_thread *from, struct memory_thread *to, struct error *err)
{
	char file[48], name[64];

	_Static_assert(sizeof(from->registers) == sizeof(to->registers), "the same registers");
	snprintf(file, sizeof(file), "task/%" PRId32 "/comm", from->tid);
	proc_read(proc, pid, file, name, sizeof(name));
	memcpy(to->registers, from->registers, sizeof(to->registers));
	to->registers_count = from->registers_count;
	to->tid = proc_inner_tid(proc, pid, from->tid);
	to->sp = from->registers[REGISTER_SP];
	to->pc = from->registers[REGISTER_PC];
	to->name = arena_strndup(&p->arena, name, strcspn(name, "\n"), err);
	return to->name != NULL;
}

static bool
read_threads(struct process_memory *p, const char *proc, const struct freeze *f, struct error *err)
{
	struct memory_thread *list =
	    arena_array(&p->arena, struct memory_thread, f->threads_count, err);

	for (size_t i = 0; list && i < f->threads_count; i++)
		if (!read_thread(p, proc, f->pid, &f->threads[i], &list[i], err))
			return false;
	p->memory.threads = list;
	p->memory.threads_count = f->threads_count;
	return list != NULL;
}

struct memory *
process_memory_open(const char *proc, const struct freeze *f, struct error *err)
{
	struct process_memory *p = memory_new(1, sizeof(*p), err);
	char path[256];

	if (!p)
		return NULL;
	p->pages = -1;
	arena_init(&p->arena, MAPS_BYTES_MAX);
	snprintf(p->name, sizeof(p->name), "process %" PRId32, f->pid);
	snprintf(p->root, sizeof(p->root), "%.32s/%" PRId32 "/root", proc, f->pid);
	p->memory = (struct memory){
		.ops = &process_ops,
		.source = p,
		.name = p->name,
		.machine = (enum memory_machine)MACHINE,
		.sysroot = p->root,
	};
	p->started_sec = proc_start_sec(proc, f->pid);
	snprintf(path, sizeof(path), "%s/%" PRId32 "/mem", proc, f->pid);
	p->file = open(path, O_RDONLY | O_CLOEXEC);
	if (p->file < 0) {
		error_sys(err, errno, "cannot read the memory of %s", p->name);
		err->kind = ERROR_ATTACH;
	} else if (read_mappings(p, proc, f->pid, err) && read_threads(p, proc, f, err)) {
		snprintf(path, sizeof(path), "%s/%" PRId32 "/pagemap", proc, f->pid);
		p->pages = open(path, O_RDONLY | O_CLOEXEC);
		return &p->memory;
	}
	process_close(p);
	return NULL;
}

/* ---- copies -------------------------------------------------------------- */

/* Sorts the stretches and merges those that overlap or touch. */
static bool
plan_copies(struct process_memory *p, const struct memory_stretch *stretches, size_t count,
	    struct error *err)
{
	struct kept *list = arena_array(&p->arena, struct kept, count, err);
	size_t used = 0;

	if (!list)
		return false;
	for (size_t i = 0; i < count; i++)
		if (stretches[i].start < stretches[i].end)
			list[used++] =
			    (struct kept){ stretches[i].start, stretches[i].end, NULL, 0 };
	count = used;
	SORT_BY(list, count, start);
	used = 0;
	for (size_t i = 0; i < count; i++)
		if (used && list[i].start <= list[used - 1].end) {
			if (list[used - 1].end < list[i].end)
				list[used - 1].end = list[i].end;
		} else {
			list[used++] = list[i];
		}
	p->kept = list;
	p->kept_count = used;
	return true;
}

/* Returns true for anonymous memory that the process has never written to. */
static bool
is_untouched(const struct process_memory *p, uint64_t entry, uint64_t address)
{
	const struct memory_mapping *m;

	if (entry & (PAGE_PRESENT | PAGE_SWAPPED))
		return false;
	m = memory_mapping_at(&p->memory, address);
	return m && !(m->flags & MEMORY_FILE);
}

/*
 * Copies a piece to memory that contains zeros. Pages that the process has never touched are left
 * out: they contain zeros, too, and some kernels give the process memory for a page that is only
 * read from outside.
 */
static size_t
copy_touched(const struct process_memory *p, uint64_t address, uint8_t *to, size_t len)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t first = address / page, end = address + len;
	size_t count = (size_t)((end - 1) / page - first + 1), at = 0;
	uint64_t entries[PAGES_ASKED];
	ssize_t bytes = (ssize_t)(count * sizeof(entries[0]));

	if (p->pages < 0 || count > PAGES_ASKED ||
	    pread(p->pages, entries, (size_t)bytes, (off_t)(first * sizeof(entries[0]))) != bytes)
		return read_process(p, address, to, len);
	for (size_t i = 0, next; i < count; i = next) {
		bool skip = is_untouched(p, entries[i], (first + i) * page);
		size_t run;

		for (next = i + 1; next < count; next++)
			if (is_untouched(p, entries[next], (first + next) * page) != skip)
				break;
		run =
		    (size_t)((first + next) * page < end ? (first + next) * page - address : len) -
		    at;
		if (!skip) {
			size_t got = read_process(p, address + at, to + at, run);

			if (got < run)
				return at + got;
		}
		at += run;
	}
	return len;
}

/* Work of all threads: pieces of COPY_BYTES, in ascending order. */
struct copying {
	const struct process_memory *memory;
	struct progress *progress;
	uint64_t *first; /* number of the first piece of each stretch */
	uint32_t *there; /* of each piece: bytes before an absent page */
};

/* The stretch that a piece belongs to. */
static size_t
stretch_of(const struct copying *c, uint64_t piece)
{
	size_t next;

	LOWER_BOUND(next, 1, c->memory->kept_count, c->first[next] <= piece);
	return next - 1;
}

static bool
copy_piece(void *context, uint64_t piece, unsigned thread, struct error *err)
{
	struct copying *c = context;
	size_t i = stretch_of(c, piece);
	const struct kept *k = &c->memory->kept[i];
	uint64_t at = (piece - c->first[i]) * COPY_BYTES;
	uint64_t len = k->end - k->start - at;

	(void)thread;
	if (len > COPY_BYTES)
		len = COPY_BYTES;
	c->there[piece] =
	    (uint32_t)copy_touched(c->memory, k->start + at, k->bytes + at, (size_t)len);
	return progress_add(c->progress, c->there[piece]) || error_cancelled(err);
}

/* Sums the bytes up to the first incomplete piece. */
static uint64_t
bytes_there(const struct copying *c, size_t stretch, uint64_t pieces)
{
	const struct kept *k = &c->memory->kept[stretch];
	uint64_t sum = 0;

	for (uint64_t i = c->first[stretch]; i < pieces; i++) {
		sum += c->there[i];
		if (c->there[i] < COPY_BYTES)
			break;
	}
	return sum < k->end - k->start ? sum : k->end - k->start;
}

/* Reserves memory for all copies without touching it. */
static bool
map_copies(struct process_memory *p, struct error *err)
{
	size_t planned = p->kept_count;

	/* Readers must not see copies that are not mapped yet. */
	p->kept_count = 0;
	for (size_t i = 0; i < planned; i++) {
		struct kept *k = &p->kept[i];
		size_t len = (size_t)(k->end - k->start);

		k->bytes =
		    mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (k->bytes == MAP_FAILED)
			return memory_refused_by_system(err, len);
		memory_count((int64_t)len);
		/* Fewer page faults during the pause take a quarter off it. */
		(void)madvise(k->bytes, len, MADV_HUGEPAGE);
		p->kept_count = i + 1;
	}
	return true;
}

bool
process_memory_keep(struct memory *m, const struct memory_stretch *stretches, size_t count,
		    struct progress *progress, struct error *err)
{
	struct process_memory *p = m->source;
	struct copying c = { .memory = p, .progress = progress };
	uint64_t pieces = 0;

	if (!plan_copies(p, stretches, count, err) || !map_copies(p, err))
		return false;
	c.first = arena_array(&p->arena, uint64_t, p->kept_count + 1, err);
	if (!c.first)
		return false;
	for (size_t i = 0; i < p->kept_count; i++) {
		uint64_t len = p->kept[i].end - p->kept[i].start;

		c.first[i] = pieces;
		pieces += (len + COPY_BYTES - 1) / COPY_BYTES;
	}
	c.first[p->kept_count] = pieces;
	c.there = arena_array(&p->arena, uint32_t, pieces + 1, err);
	if (!c.there || !worker_run_all(worker_threads(), pieces, copy_piece, &c, err))
		return false;
	for (size_t i = 0; i < p->kept_count; i++)
		p->kept[i].there = bytes_there(&c, i, c.first[i + 1]);
	return true;
}

uint64_t
process_memory_kept_bytes(const struct memory *m)
{
	const struct process_memory *p = m->source;
	uint64_t sum = 0;

	for (size_t i = 0; i < p->kept_count; i++)
		sum += p->kept[i].there;
	return sum;
}
