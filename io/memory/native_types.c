#include "io/base/inside.h"
#include "io/memory/native_types.h"
#include "io/memory/elf_symbols.h"
#include "model/base/sorted.h"
#include "model/base/text.h"
#include <stdio.h>
#include <stdlib.h>

struct native_type {
	uint64_t offset;
	const char *name; /* mangled */
};

struct native_types {
	struct arena arena;
	struct native_type *items; /* by offset */
	size_t count, room;
	/* Pointers to the static variables of classes; names of the classes. */
	struct native_type *statics;
	size_t statics_count, statics_room;
	const char **names; /* as struct native_known wants them */
	struct native_known known;
	unsigned owners_count;
};

/* Objects with the static variables of a class; the bits of the name say which words are
   references. */
static const char statics[] = "__GCStaticEEType_";

/* The mangled name of a type from "_ZTV4Type"; NULL: another symbol. */
static const char *
type_of_symbol(const char *symbol)
{
	static const char table[] = "_ZTV";
	unsigned long len;
	char *end;

	if (!strncmp(symbol, statics, sizeof(statics) - 1))
		return symbol;
	if (strncmp(symbol, table, sizeof(table) - 1) != 0)
		return NULL;
	symbol += sizeof(table) - 1;
	if (*symbol < '1' || *symbol > '9')
		return NULL;
	len = strtoul(symbol, &end, 10);
	return len == strlen(end) ? end : NULL;
}

/* The mangled name of a class from "__GCSTATICSleaky_Leaky_Cache"; NULL: another symbol. */
static const char *
class_of_statics(const char *symbol)
{
	static const char place[] = "__GCSTATICS", initial[] = "__PreInitData";

	return !strncmp(symbol, place, sizeof(place) - 1) &&
		       !text_ends(symbol, strlen(symbol), initial)
		   ? symbol + sizeof(place) - 1
		   : NULL;
}

static bool
add_symbol(struct native_types *t, const char *symbol, uint64_t offset, struct error *err)
{
	const char *class = class_of_statics(symbol);
	const char *name = class ? class : type_of_symbol(symbol);
	struct native_type item = { .offset = offset };

	if (!name)
		return true;
	item.name = arena_strndup(&t->arena, name, strlen(name), err);
	if (!item.name)
		return false;
	return class ? APPEND(t->statics, t->statics_count, t->statics_room, err, item)
		     : APPEND(t->items, t->count, t->room, err, item);
}

static bool
read_symbols(struct native_types *t, const struct elf_symbols *symbols, struct error *err)
{
	for (size_t i = 0; i < symbols->count; i++) {
		uint64_t offset;
		const char *symbol = elf_symbols_get(symbols, i, &offset);

		if (symbol && !add_symbol(t, symbol, offset, err))
			return false;
	}
	return true;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Boxed types count without the prefix. */
static bool
sort(struct native_types *t, const char *program, struct error *err)
{
	static const char boxed[] = "Boxed_";

	program = arena_strndup(&t->arena, program, strlen(program), err);
	t->names = arena_array(&t->arena, const char *, t->count, err);
	if (!program || !t->names)
		return false;
	for (size_t i = 0; i < t->count; i++) {
		const char *name = t->items[i].name;
		size_t len = sizeof(boxed) - 1;

		t->names[i] = strncmp(name, boxed, len) ? name : name + len;
	}
	qsort(t->names, t->count, sizeof(*t->names), compare_names);
	SORT_BY(t->items, t->count, offset);
	t->known = (struct native_known){ t->names, t->count, program };
	return true;
}

struct native_types *
native_types_read(const uint8_t *data, size_t len, const char *program, struct error *err)
{
	struct elf_symbols symbols;
	struct native_types *t;

	if (!elf_symbols_open(&symbols, data, len, ELF_ALL_SYMBOLS))
		return NULL;
	t = memory_new(1, sizeof(*t), err);
	if (!t)
		return NULL;
	arena_init(&t->arena, 0);
	t->owners_count = 1;
	if (read_symbols(t, &symbols, err) && t->count && sort(t, program, err))
		return t;
	native_types_free(t);
	return NULL;
}

struct native_types *
native_types_share(struct native_types *t)
{
	if (t)
		t->owners_count++;
	return t;
}

void
native_types_free(struct native_types *t)
{
	if (!t || --t->owners_count)
		return;
	memory_free(t->items);
	memory_free(t->statics);
	arena_clear(&t->arena);
	memory_free(t);
}

static const struct native_type *
find(const struct native_types *t, uint64_t offset)
{
	size_t at;

	LOWER_BOUND(at, 0, t->count, t->items[at].offset < offset);
	return at < t->count && t->items[at].offset == offset ? &t->items[at] : NULL;
}

bool
native_types_has(const struct native_types *t, uint64_t offset)
{
	return find(t, offset);
}

bool
native_types_name(const struct native_types *t, uint64_t offset, struct arena *a,
		  struct native_name *out, struct error *err)
{
	const struct native_type *type = find(t, offset);

	*out = (struct native_name){ 0 };
	if (!type)
		return true;
	if (strncmp(type->name, statics, sizeof(statics) - 1) != 0)
		return native_name_read(type->name, &t->known, a, out, err);
	out->name = arena_printf(a, err, "StaticVariables(%s)", type->name + sizeof(statics) - 1);
	out->module = "System.Private.CoreLib.dll";
	return out->name;
}

bool
native_types_static(const struct native_types *t, size_t i, uint64_t *offset)
{
	if (!t || i >= t->statics_count)
		return false;
	*offset = t->statics[i].offset;
	return true;
}

bool
native_types_static_name(const struct native_types *t, size_t i, struct arena *a,
			 struct native_name *out, struct error *err)
{
	return native_name_read(t->statics[i].name, &t->known, a, out, err);
}

/* --- the search ----------------------------------------------------------- */

enum { PATH_BYTES = 4096 };

struct searching {
	const struct native_search *s;
	char name[256]; /* of the program */
	char link[256]; /* of the file with its symbols */
	char build[2 * ELF_BUILD_ID_MAX + 1];
	uint8_t id[ELF_BUILD_ID_MAX];
	uint32_t id_len;
	char other[256]; /* a file with the name and another build; or "" */
	struct native_types *found;
	struct error *err;
};

static bool
is_same_build(const struct searching *f, const struct file *file)
{
	uint8_t id[ELF_BUILD_ID_MAX];
	uint32_t len = elf_build_id(file->data, file->len, id);

	return !f->s->program || (len && len == f->id_len && !memcmp(id, f->id, len));
}

/* Looks at one file; true: it had the symbols, or memory is exhausted. */
static bool
try_file(struct searching *f, const char *path, bool is_here)
{
	const struct native_search *s = f->s;
	struct error ignored;
	struct file file;
	bool is_open;

	error_clear(&ignored);
	is_open = is_here ? file_open(&file, path, FILE_ALL, NULL, &ignored)
			  : inside_open(&file, s->root ? s->root : "", path, &ignored);
	if (!is_open)
		return false;
	if (is_same_build(f, &file))
		f->found = native_types_read(file.data, file.len, f->name, f->err);
	else if (!f->other[0])
		snprintf(f->other, sizeof(f->other), "%.255s", path);
	file_close(&file);
	return f->found || f->err->kind != ERROR_NONE;
}

/* `folder` has `folder_len` bytes; the name follows. */
static bool
try_in(struct searching *f, const char *folder, size_t folder_len, const char *between,
       const char *name, const char *suffix, bool is_here)
{
	char path[PATH_BYTES];
	int len = snprintf(path, sizeof(path), "%.*s%s%s%s", (int)folder_len, folder, between, name,
			   suffix);

	return *name && len > 0 && len < PATH_BYTES && try_file(f, path, is_here);
}

/* "…/.build-id/9c/0735….debug" */
static bool
try_build(struct searching *f, const char *folder, bool is_here)
{
	char between[] = "/.build-id/xx/";

	if (f->id_len < 2)
		return false;
	memcpy(between + 11, f->build, 2);
	return try_in(f, folder, strlen(folder), between, f->build + 2, ".debug", is_here);
}

static bool
try_all(struct searching *f)
{
	static const char system[] = "/usr/lib/debug";
	const struct native_search *s = f->s;
	const char *folder = s->folder;
	size_t len = folder ? strlen(folder) : 0;
	size_t beside = (size_t)(file_base_name(s->path) - s->path);

	if (folder &&
	    (try_in(f, folder, len, "/", f->link, "", true) || try_build(f, folder, true) ||
	     try_in(f, folder, len, "/", f->name, "", true)))
		return true;
	return s->program && (try_in(f, s->path, beside, "", f->link, "", false) ||
			      try_in(f, s->path, beside, ".debug/", f->link, "", false) ||
			      try_build(f, system, false) || try_build(f, system, true));
}

/* The kernel appends " (deleted)" to the path of a replaced file. */
static void
begin(struct searching *f)
{
	static const char deleted[] = " (deleted)";
	const struct native_search *s = f->s;
	const struct file *program = s->program;
	const char *link = program ? elf_debug_link(program->data, program->len) : NULL;
	size_t len;

	snprintf(f->name, sizeof(f->name), "%.255s", file_base_name(s->path));
	len = strlen(f->name);
	if (len > sizeof(deleted) - 1 && !strcmp(f->name + len - (sizeof(deleted) - 1), deleted))
		f->name[len - (sizeof(deleted) - 1)] = '\0';
	if (link && !strchr(link, '/'))
		snprintf(f->link, sizeof(f->link), "%.255s", link);
	else
		snprintf(f->link, sizeof(f->link), "%.250s.dbg", f->name);
	if (program)
		f->id_len = elf_build_id(program->data, program->len, f->id);
	for (uint32_t i = 0; i < f->id_len; i++)
		snprintf(f->build + 2 * i, 3, "%02x", f->id[i]);
}

bool
native_types_is_program(const uint8_t *data, size_t len)
{
	struct elf_symbols exports;
	bool is_described = false, has_table = false; /* a table: CoreCLR */

	if (!elf_symbols_open(&exports, data, len, ELF_EXPORTS))
		return false;
	for (size_t i = 0; i < exports.count; i++) {
		uint64_t offset;
		const char *name = elf_symbols_get(&exports, i, &offset);

		if (!name)
			continue;
		has_table = has_table || !strcmp(name, "g_dacTable");
		is_described = is_described || !strcmp(name, "DotNetRuntimeDebugHeader") ||
			       !strcmp(name, "DotNetRuntimeContractDescriptor");
	}
	return is_described && !has_table;
}

static void
explain(const struct searching *f, char why[NATIVE_WHY_BYTES])
{
	if (!f->s->program)
		snprintf(why, NATIVE_WHY_BYTES, "with --symbols DIR they are read from DIR/%.100s",
			 f->link);
	else if (f->other[0])
		snprintf(why, NATIVE_WHY_BYTES,
			 "%.140s is of another build; with --symbols DIR they are read from "
			 "DIR/%.100s",
			 f->other, f->link);
	else
		snprintf(why, NATIVE_WHY_BYTES,
			 "%.60s was stripped, and %.60s is neither beside it nor under "
			 "/usr/lib/debug; with --symbols DIR they are read from DIR/%.60s",
			 f->name, f->link, f->link);
}

struct native_types *
native_types_search(const struct native_search *s, char why[NATIVE_WHY_BYTES], struct error *err)
{
	struct searching f = { .s = s, .err = err };

	why[0] = '\0';
	begin(&f);
	if (s->program)
		f.found = native_types_read(s->program->data, s->program->len, f.name, err);
	if (!f.found && err->kind == ERROR_NONE && !try_all(&f))
		explain(&f, why);
	return f.found;
}
