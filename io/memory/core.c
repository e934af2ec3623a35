#include "io/base/unpack_file.h"
#include "io/memory/core.h"
#include "io/memory/core_files.h"
#include "io/memory/elf.h"
#include "model/base/arena.h"
#include "model/base/sorted.h"
#include "model/base/zeros.h"
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>

/* createdump's page with the runtime's address. */
#define DIAGNOSTICS_AT      UINT64_C(0x7ffffff10000)
#define DIAGNOSTICS_HEADER  "DIAGINFOHEADER"
#define DIAGNOSTICS_VERSION 2
enum { DIAGNOSTICS_VERSION_AT = 16, DIAGNOSTICS_RUNTIME_AT = 32 };

enum { THREADS_MAX = 1 << 20 }; /* more than Linux allows */

/* NT_PRSTATUS. */
enum { STATUS_TID_AT = 32, STATUS_REGISTERS_AT = 112 };
/* NT_PRPSINFO; the name is truncated as in the kernel. */
enum { PROCESS_PID_AT = 24, PROCESS_NAME_AT = 40, PROCESS_NAME_BYTES = 16 };

/* Memory that is in the file. */
struct stretch {
	uint64_t start, end;
	const uint8_t *bytes;
	unsigned flags;
};

struct core {
	struct memory memory;
	struct core_facts facts;
	struct arena arena;
	struct file file;
	bool has_file;
	struct stretch *stretches; /* by address, disjoint */
	size_t stretches_count;
	struct memory_mapping *files; /* from NT_FILE, later sorted */
	size_t files_count;
	struct memory_thread *threads;
	size_t threads_room;
	int32_t process_tid; /* the main thread */
	const char *process_name;
	uint64_t claimed_bytes; /* file bytes that segments have used */
	struct core_files *fallback;
};

/* --- reading memory ------------------------------------------------------ */

/* The stretch that contains an address, or the next one. */
static size_t
stretch_at(const struct core *core, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, 0, core->stretches_count, core->stretches[at].end <= address);
	return at;
}

/* Contiguous bytes at an address, at most *len. */
static const uint8_t *
core_piece(const struct core *core, uint64_t address, size_t *len, bool with_files)
{
	size_t i = stretch_at(core, address);
	const struct stretch *s = &core->stretches[i];

	if (i < core->stretches_count && s->start <= address) {
		if (*len > s->end - address)
			*len = (size_t)(s->end - address);
		return s->bytes + (address - s->start);
	}
	if (!with_files || !core->fallback)
		return NULL;
	if (i < core->stretches_count && s->start - address < *len)
		*len = (size_t)(s->start - address);
	return core_files_at(core->fallback, address, len);
}

static size_t
core_copy(const struct core *core, uint64_t address, void *to, size_t len, bool with_files)
{
	size_t done = 0;

	while (done < len) {
		size_t some = len - done;
		const uint8_t *from = core_piece(core, address + done, &some, with_files);

		if (!from)
			break;
		memcpy((uint8_t *)to + done, from, some);
		done += some;
	}
	return done;
}

static size_t
core_read(const void *source, uint64_t address, void *to, size_t len)
{
	return core_copy(source, address, to, len, true);
}

/* Does not use files: checks the build of one by the core's own bytes. */
static size_t
core_read_own(const void *source, uint64_t address, void *to, size_t len)
{
	return core_copy(source, address, to, len, false);
}

static const uint8_t *
core_view(const void *source, uint64_t address, size_t len)
{
	size_t there = len;
	const uint8_t *bytes = core_piece(source, address, &there, true);

	return there == len ? bytes : NULL;
}

/* Bytes of the core itself are trusted; others are as their file is. */
static enum memory_trust
core_trust(const void *source, uint64_t address, size_t len)
{
	static const enum memory_trust trusts[] = {
		[CORE_FILE_UNVERIFIED] = MEMORY_UNVERIFIED,
		[CORE_FILE_OTHER] = MEMORY_REPLACED,
		[CORE_FILE_MISSING] = MEMORY_TRUSTED,
	};
	const struct core *core = source;
	size_t done = 0, some;

	for (; done < len; done += some) {
		some = len - done;
		if (!core_piece(core, address + done, &some, false))
			return trusts[core_files_state(core->fallback, address + done)];
	}
	return MEMORY_TRUSTED;
}

static void
core_close(void *source)
{
	struct core *core = source;

	core_files_free(core->fallback);
	if (core->has_file)
		file_close(&core->file);
	memory_free(core->threads);
	arena_clear(&core->arena);
	memory_free(core);
}

/* --- segments ------------------------------------------------------------ */

static unsigned
segment_flags(const struct elf_segment *s)
{
	return (s->flags & PF_R ? MEMORY_READ : 0u) | (s->flags & PF_W ? MEMORY_WRITE : 0u) |
	       (s->flags & PF_X ? MEMORY_EXECUTE : 0u);
}

/* Segments must not share bytes, or a small file could claim any number of notes or bytes. */
static bool
claim_bytes(struct core *core, const struct bytes *b, uint64_t len)
{
	if (len > b->len - core->claimed_bytes)
		return error_set(b->err, ERROR_INPUT,
				 "the segments of this core have more bytes than the file: some "
				 "share the same bytes");
	core->claimed_bytes += len;
	return true;
}

/* The part of a segment that the file has; false: none. */
static bool
stretch_read(struct core *core, const struct bytes *b, const struct elf_segment *s,
	     struct stretch *stretch)
{
	uint64_t len = s->file_size;

	if (len > s->memory_size)
		len = s->memory_size;
	if (len > UINT64_MAX - s->address)
		len = UINT64_MAX - s->address;
	if (s->offset > b->len || len > b->len - s->offset) {
		uint64_t there = s->offset > b->len ? 0 : b->len - s->offset;

		core->facts.cut_bytes += len - there;
		core->memory.cut_bytes = core->facts.cut_bytes;
		len = there;
	}
	*stretch = (struct stretch){ s->address, s->address + len, b->data + (len ? s->offset : 0),
				     segment_flags(s) };
	return len > 0;
}

/* Sorts, joins adjacent stretches and removes overlaps. */
static void
stretches_tidy(struct core *core)
{
	struct stretch *to = core->stretches;
	size_t count = core->stretches_count;

	if (!count)
		return;
	SORT_BY(to, count, start);
	for (size_t i = 1; i < count; i++) {
		struct stretch s = core->stretches[i];

		if (s.end <= to->end)
			continue;
		if (s.start < to->end) {
			s.bytes += to->end - s.start;
			s.start = to->end;
		}
		if (s.start == to->end && s.flags == to->flags &&
		    s.bytes == to->bytes + (to->end - to->start))
			to->end = s.end;
		else
			*++to = s;
	}
	core->stretches_count = (size_t)(to - core->stretches) + 1;
}

static bool
core_read_segments(struct core *core, const struct elf *elf, struct bytes *b)
{
	core->stretches =
	    arena_array(&core->arena, struct stretch, (size_t)elf->segments_count + 1, b->err);
	if (!core->stretches)
		return false;
	for (uint32_t i = 0; i < elf->segments_count; i++) {
		struct elf_segment s;
		struct stretch stretch;

		elf_segment_read(elf, b, i, &s);
		if (!bytes_ok(b))
			return false;
		if (s.type != PT_LOAD)
			continue;
		core->facts.segments_count++;
		if (!stretch_read(core, b, &s, &stretch))
			continue;
		if (!claim_bytes(core, b, stretch.end - stretch.start))
			return false;
		core->stretches[core->stretches_count++] = stretch;
	}
	stretches_tidy(core);
	for (size_t i = 0; i < core->stretches_count; i++)
		core->facts.present_bytes += core->stretches[i].end - core->stretches[i].start;
	return true;
}

/* --- notes --------------------------------------------------------------- */

static bool
core_read_thread(struct core *core, const struct elf_note *note, struct error *err)
{
	bool is_x64 = core->memory.machine == MEMORY_X64;
	uint32_t count = is_x64 ? 27 : 34;
	struct memory_thread *t;

	if (note->data_len < STATUS_REGISTERS_AT + 8 * count)
		return true; /* of an unknown machine */
	if (core->memory.threads_count >= THREADS_MAX)
		return error_set(err, ERROR_INPUT, "the core has more than %d threads",
				 THREADS_MAX);
	if (!MAKE_ROOM(core->threads, core->memory.threads_count + 1, core->threads_room, err))
		return false;
	t = &core->threads[core->memory.threads_count++];
	*t = (struct memory_thread){ .registers_count = count, .name = "" };
	t->tid = (int32_t)bytes_load_u32(note->data + STATUS_TID_AT);
	for (uint32_t i = 0; i < count; i++)
		t->registers[i] = bytes_load_u64(note->data + STATUS_REGISTERS_AT + 8 * i);
	t->sp = t->registers[is_x64 ? 19 : 31];
	t->pc = t->registers[is_x64 ? 16 : 32];
	return true;
}

static bool
core_read_process(struct core *core, const struct elf_note *note, struct error *err)
{
	const char *name;

	if (note->data_len < PROCESS_NAME_AT + PROCESS_NAME_BYTES)
		return true;
	name = (const char *)note->data + PROCESS_NAME_AT;
	core->process_tid = (int32_t)bytes_load_u32(note->data + PROCESS_PID_AT);
	core->facts.pid = core->process_tid > 0 ? core->process_tid : 0;
	core->process_name =
	    arena_strndup(&core->arena, name, strnlen(name, PROCESS_NAME_BYTES), err);
	return core->process_name != NULL;
}

static void
core_name_process(struct core *core)
{
	for (size_t i = 0; i < core->memory.threads_count; i++)
		if (core->process_name && core->threads[i].tid == core->process_tid)
			core->threads[i].name = core->process_name;
}

/* A copy of the name, shared by consecutive mappings of a file. */
static const char *
core_copy_name(struct core *core, const char *name, size_t len, struct error *err)
{
	const char *last = core->files_count ? core->files[core->files_count - 1].name : NULL;

	if (last && strncmp(last, name, len + 1) == 0)
		return last;
	return arena_strndup(&core->arena, name, len, err);
}

static void
core_add_file(struct core *core, const struct bytes_array *numbers, uint64_t i, uint64_t page_bytes,
	      const char *name)
{
	struct memory_mapping file = {
		.start = bytes_array_u64(numbers, 3 * i),
		.end = bytes_array_u64(numbers, 3 * i + 1),
		.name = name,
		.flags = MEMORY_READ | MEMORY_FILE,
	};

	if (file.start >= file.end || __builtin_mul_overflow(bytes_array_u64(numbers, 3 * i + 2),
							     page_bytes, &file.file_offset))
		return;
	core->files[core->files_count++] = file;
}

/* Offsets are in pages of the size that the note gives: 1 by gdb. */
static bool
core_read_files(struct core *core, const struct elf_note *note, struct error *err)
{
	struct bytes b;
	struct bytes_array numbers;
	uint64_t count, page_bytes;

	bytes_init(&b, note->data, note->data_len, NULL);
	count = bytes_u64(&b, "the number of files");
	page_bytes = bytes_u64(&b, "the size of a page");
	if (!bytes_ok(&b) || core->files || count > bytes_left(&b) / 24)
		return true;
	numbers = bytes_array_take(&b, 3 * count, 8, "the files");
	core->files = arena_array(&core->arena, struct memory_mapping, (size_t)count + 1, err);
	if (!core->files)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *name = note->data + b.at;
		const uint8_t *end = memchr(name, 0, bytes_left(&b));
		const char *copy;

		if (!end)
			break;
		bytes_skip(&b, (uint64_t)(end - name) + 1, "a file's name");
		copy = core_copy_name(core, (const char *)name, (size_t)(end - name), err);
		if (!copy)
			return false;
		core_add_file(core, &numbers, i, page_bytes, copy);
	}
	core->facts.files_count = (uint32_t)core->files_count;
	return true;
}

static bool
core_read_note(struct core *core, const struct elf_note *note, struct error *err)
{
	if (elf_note_is(note, "CORE", NT_PRSTATUS))
		return core_read_thread(core, note, err);
	if (elf_note_is(note, "CORE", NT_PRPSINFO))
		return core_read_process(core, note, err);
	if (elf_note_is(note, "CORE", NT_FILE))
		return core_read_files(core, note, err);
	return true;
}

static bool
core_read_notes(struct core *core, const struct elf *elf, struct bytes *b,
		struct progress *progress)
{
	for (uint32_t i = 0; i < elf->segments_count; i++) {
		struct elf_segment s;
		struct elf_note note;
		const uint8_t *at, *end;

		elf_segment_read(elf, b, i, &s);
		if (s.type != PT_NOTE || s.offset > b->len)
			continue;
		if (s.file_size > b->len - s.offset)
			s.file_size = b->len - s.offset;
		if (!claim_bytes(core, b, s.file_size))
			return false;
		at = b->data + s.offset;
		end = at + s.file_size;
		while (elf_note_next(&at, end, &note)) {
			if (progress_is_cancelled(progress))
				return error_cancelled(b->err);
			if (!core_read_note(core, &note, b->err))
				return false;
		}
	}
	core->memory.threads = core->threads;
	core_name_process(core);
	return true;
}

/* --- mappings ------------------------------------------------------------ */

/* Adds memory in the core that no file is mapped to. */
static size_t
add_unnamed(struct memory_mapping *to, size_t count, uint64_t start, uint64_t end, unsigned flags)
{
	if (start < end)
		to[count++] = (struct memory_mapping){ start, end, 0, "", flags };
	return count;
}

/* Merges the mapped files with the stretches around them. */
static bool
core_make_mappings(struct core *core, struct error *err)
{
	size_t count = 0, file = 0, stretch = 0;
	size_t room = core->files_count * 2 + core->stretches_count + 1;
	uint64_t done = 0; /* end of the mappings made so far */
	struct memory_mapping *to = arena_array(&core->arena, struct memory_mapping, room, err);

	if (!to)
		return false;
	SORT_BY(core->files, core->files_count, start);
	while (file < core->files_count || stretch < core->stretches_count) {
		const struct stretch *s = &core->stretches[stretch];
		bool has_file = file < core->files_count;
		const struct memory_mapping *f = has_file ? &core->files[file] : NULL;

		if (stretch < core->stretches_count && (!has_file || s->start < f->start)) {
			uint64_t end = s->end;

			if (has_file && f->start < end)
				end = f->start;
			count = add_unnamed(to, count, done > s->start ? done : s->start, end,
					    s->flags);
			if (end == s->end || done >= s->end) {
				stretch++;
				continue;
			}
		}
		/* The next mapping is a file. */
		if (f->start >= done) {
			to[count] = *f;
			if (stretch < core->stretches_count && s->start <= f->start)
				to[count].flags |= s->flags;
			done = f->end;
			count++;
		}
		file++;
		while (stretch < core->stretches_count && core->stretches[stretch].end <= done)
			stretch++;
	}
	core->memory.mappings = to;
	core->memory.mappings_count = count;
	return true;
}

/* --- opening ------------------------------------------------------------- */

static void
core_read_diagnostics(struct core *core)
{
	uint8_t page[DIAGNOSTICS_RUNTIME_AT + 8];

	if (core_read_own(core, DIAGNOSTICS_AT, page, sizeof(page)) != sizeof(page) ||
	    memcmp(page, DIAGNOSTICS_HEADER, sizeof(DIAGNOSTICS_HEADER)) != 0)
		return;
	core->facts.is_createdump = true;
	if (bytes_load_u32(page + DIAGNOSTICS_VERSION_AT) >= DIAGNOSTICS_VERSION)
		core->memory.runtime_hint = bytes_load_u64(page + DIAGNOSTICS_RUNTIME_AT);
}

/* Names what heaptop has no layouts for, before any of it is read. */
static bool
core_check_machine(const uint8_t *head, size_t len, struct error *err)
{
	static const struct {
		unsigned machine;
		const char *name;
	} names[] = {
		{ EM_386, "x86 (32 bits)" }, { EM_ARM, "arm (32 bits)" }, { EM_S390, "s390x" },
		{ EM_PPC64, "POWER" },       { EM_RISCV, "RISC-V" },      { 258, "LoongArch" },
	};
	bool is_big = len > EI_DATA && head[EI_DATA] == ELFDATA2MSB;
	unsigned machine;

	if (len < 20 || memcmp(head, ELFMAG, SELFMAG) != 0)
		return true; /* elf_read() tells */
	machine = head[18 + is_big] | (unsigned)head[19 - is_big] << 8;
	if (machine == EM_X86_64 || machine == EM_AARCH64)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return error_at(
			    err, 18,
			    "this is of a program for %s; memory is read of x86-64 and arm64 only; "
			    "of a process there: dotnet-gcdump collect -p PID, of this: "
			    "dotnet-dump analyze FILE",
			    names[i].name);
	return is_big || head[EI_CLASS] != ELFCLASS64 ||
	       error_at(err, 18,
			"the core is of machine %u; only x86-64 (62) and arm64 (183) can be read",
			machine);
}

static bool
core_check_header(struct core *core, const struct elf *elf, struct error *err)
{
	if (elf->type != ET_CORE)
		return error_at(err, 16,
				"this ELF file is not a core; to make one of a running program: "
				"gcore PID");
	core->memory.machine = elf->machine == EM_AARCH64 ? MEMORY_ARM64 : MEMORY_X64;
	return true;
}

static bool
core_parse(struct core *core, const uint8_t *data, size_t len, struct progress *progress,
	   struct error *err)
{
	struct bytes b;
	struct elf elf;

	if (!core_check_machine(data, len, err))
		return false;
	bytes_init(&b, data, len, err);
	elf_read(&elf, &b);
	if (!bytes_ok(&b) || !core_check_header(core, &elf, err) ||
	    !core_read_segments(core, &elf, &b) || !core_read_notes(core, &elf, &b, progress))
		return false;
	if (!core->stretches_count)
		return error_set(
		    err, ERROR_INPUT,
		    "there is no memory in this core: all of it is past the end of the file; to "
		    "make a new one: gcore PID");
	core->facts.bytes = len;
	core_read_diagnostics(core);
	if (!core_make_mappings(core, err))
		return false;
	core->fallback = core_files_new(&core->memory, core_read_own, core, err);
	return core->fallback != NULL;
}

static struct core *
core_new(const char *name, const char *sysroot, struct error *err)
{
	static const struct memory_ops ops = { core_read, core_view, core_close, core_trust };
	struct core *core = memory_new(1, sizeof(*core), err);

	if (!core)
		return NULL;
	arena_init(&core->arena, 0);
	if (!sysroot)
		sysroot = "";
	core->memory.ops = &ops;
	core->memory.source = core;
	core->memory.is_dump = true;
	core->memory.name = arena_strndup(&core->arena, name, strlen(name), err);
	core->memory.sysroot = arena_strndup(&core->arena, sysroot, strlen(sysroot), err);
	if (!core->memory.name || !core->memory.sysroot) {
		core_close(core);
		return NULL;
	}
	return core;
}

struct memory *
core_open_bytes(const uint8_t *data, size_t len, const char *name, const char *sysroot,
		struct error *err)
{
	struct core *core = core_new(name, sysroot, err);

	if (!core)
		return NULL;
	if (core_parse(core, data, len, NULL, err))
		return &core->memory;
	core_close(core);
	return NULL;
}

struct memory *
core_open(struct input *in, const char *sysroot, struct progress *progress, struct error *err)
{
	struct core *core = core_new(file_base_name(in->path), sysroot, err);

	if (!core)
		return NULL;
	core->has_file = unpack_file_open(&core->file, in, progress, err);
	if (core->has_file && core_parse(core, core->file.data, core->file.len, progress, err))
		return &core->memory;
	core_close(core);
	return NULL;
}

bool
core_accepts(const uint8_t *head, size_t head_len)
{
	return head_len >= 18 && memcmp(head, ELFMAG, SELFMAG) == 0 &&
	       head[16] + head[17] == ET_CORE; /* of either byte order */
}

const struct core_facts *
core_facts(const struct memory *m)
{
	return &((const struct core *)m->source)->facts;
}

const char *
core_file(const struct memory *m, size_t i, enum core_file_state *state)
{
	return core_files_path(((const struct core *)m->source)->fallback, i, state);
}

uint64_t
core_present_bytes(const struct memory *m, uint64_t start, uint64_t end)
{
	const struct core *core = m->source;
	uint64_t bytes = 0;

	for (size_t i = stretch_at(core, start);
	     i < core->stretches_count && core->stretches[i].start < end; i++) {
		const struct stretch *s = &core->stretches[i];

		bytes += (s->end < end ? s->end : end) - (s->start > start ? s->start : start);
	}
	return bytes;
}

enum { BLOCK_BYTES = 64 << 10, BLOCKS_LEAST = 16, PAGE_BYTES = 4 << 10 };

/* Pages that are not in the file count as zeros. */
static uint64_t
written_in_block(const struct core *core, uint64_t start, uint64_t end)
{
	uint64_t bytes = 0;

	for (uint64_t at = start, page_end; at < end; at = page_end) {
		size_t len = PAGE_BYTES - at % PAGE_BYTES, present;
		const uint8_t *page;

		len = end - at < len ? (size_t)(end - at) : len;
		page_end = at + len;
		present = len;
		page = core_piece(core, at, &present, false);
		if (page && !is_all_zero(page, present))
			bytes += len;
	}
	return bytes;
}

uint64_t
core_written_bytes(const struct memory *m, uint64_t start, uint64_t end, uint64_t every)
{
	uint64_t blocks = (end - start + BLOCK_BYTES - 1) / BLOCK_BYTES;
	uint64_t bytes = 0, looked = 0;

	if (every > blocks / BLOCKS_LEAST)
		every = blocks / BLOCKS_LEAST;
	if (!every)
		every = 1;
	/* Begin anywhere: the first blocks of a heap are the fullest. */
	for (uint64_t i = start / BLOCK_BYTES % every; i < blocks; i += every) {
		uint64_t at = start + i * BLOCK_BYTES;

		bytes += written_in_block(m->source, at,
					  end - at < BLOCK_BYTES ? end : at + BLOCK_BYTES);
		looked++;
	}
	return looked == blocks ? bytes
				: (uint64_t)((double)bytes * (double)blocks / (double)looked);
}

bool
core_is_intact(const struct memory *m, struct error *err)
{
	const struct core *core = m->source;

	return !core->has_file || file_is_intact(&core->file, err);
}
