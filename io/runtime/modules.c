#include "model/base/u64_map.h"
#include "io/base/inside.h"
#include "io/pe/module_files.h"
#include "io/runtime/module_build.h"
#include "io/runtime/modules.h"
#include <string.h>

enum {
	MODULES_MAX = 64 * 1024,
	HEAD_BYTES = 4096, /* the image's headers and sections */
	CLI_HEADER_BYTES = 72,
	METADATA_MAGIC = 0x424a5342,
	PATH_CHARS = 1024,
	/* A dynamic module's record points to its metadata within this size. */
	RECORD_BYTES = 2048,
	KEPT_POINTER = 16,
	LOWEST = 4096, /* bounds of a plausible pointer */
};
#define HIGHEST            (UINT64_C(1) << 56)
#define METADATA_BYTES_MAX (UINT64_C(512) << 20)
#define COPIES_BYTES_MAX   (UINT64_C(1) << 30) /* all modules together */

struct module_item {
	struct clr_module module;
	struct metadata *metadata;
	uint8_t *copy;             /* the metadata, if it had to be copied */
	uint64_t root, root_bytes; /* their place in memory */
};

struct clr_modules {
	const struct clr_layout *layout;
	struct memory_reader *reader;
	const struct memory *memory;
	struct arena arena;
	struct module_item **items;
	size_t count, room;
	struct u64_map index; /* from address to index in items */
	uint64_t copied_bytes;
	struct module_files *files; /* NULL until needed */
	uint64_t file_wanted_bytes; /* size that the next file must have */
	uint8_t head[HEAD_BYTES];
};

struct clr_modules *
clr_modules_new(const struct clr_layout *layout, struct memory_reader *r, struct error *err)
{
	struct clr_modules *m = memory_new(1, sizeof(*m), err);

	if (!m)
		return NULL;
	m->layout = layout;
	m->reader = r;
	m->memory = memory_reader_memory(r);
	arena_init(&m->arena, 0);
	return m;
}

void
clr_modules_free(struct clr_modules *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->count; i++) {
		metadata_close(m->items[i]->metadata);
		memory_free(m->items[i]->copy);
	}
	module_files_free(m->files);
	u64_map_clear(&m->index);
	memory_free(m->items);
	arena_clear(&m->arena);
	memory_free(m);
}

bool
clr_modules_known(const struct clr_modules *m, uint64_t address)
{
	uint32_t i = u64_map_get(&m->index, address);

	return i != U64_MAP_NONE && m->items[i]->module.metadata;
}

size_t
clr_modules_count(const struct clr_modules *m)
{
	return m->count;
}

const struct clr_module *
clr_modules_at(const struct clr_modules *m, size_t i)
{
	return &m->items[i]->module;
}

/* --- metadata in memory --- */

/* The bytes, borrowed or copied; NULL: some of them are absent. */
static const uint8_t *
read_bytes(struct clr_modules *m, struct module_item *item, uint64_t address, uint64_t len,
	   struct error *err)
{
	const uint8_t *there;
	uint8_t last;

	if (!len || len > METADATA_BYTES_MAX || address > UINT64_MAX - len)
		return NULL;
	there = memory_view(m->memory, address, (size_t)len);
	if (there || len > COPIES_BYTES_MAX - m->copied_bytes ||
	    !memory_u8(m->reader, address + len - 1, &last))
		return there;
	item->copy = memory_new(1, (size_t)len, err);
	if (!item->copy)
		return NULL;
	m->copied_bytes += len;
	if (memory_copy(m->memory, address, item->copy, (size_t)len) == len)
		return item->copy;
	m->copied_bytes -= len;
	memory_free(item->copy);
	item->copy = NULL;
	return NULL;
}

/* Damaged metadata counts as none; `err` is for no memory. */
static void
open_root(struct clr_modules *m, struct module_item *item, uint64_t address, uint64_t len,
	  struct error *err)
{
	const uint8_t *bytes = read_bytes(m, item, address, len, err);
	struct error ignored = { 0 };

	if (!bytes)
		return;
	item->metadata = metadata_open_root(bytes, (size_t)len, &ignored);
	item->root = address;
	item->root_bytes = len;
}

/* The start of an image in memory. */
struct image {
	uint64_t base;
	struct pe pe;
	size_t head_len;
	uint32_t cli_at;
	bool has_head;
};

static void
read_head(struct clr_modules *m, struct image *image)
{
	struct bytes b;
	uint32_t size;

	image->head_len = memory_copy(m->memory, image->base, m->head, sizeof(m->head));
	bytes_init(&b, m->head, image->head_len, NULL);
	pe_read(&image->pe, &b);
	image->cli_at = pe_directory(&image->pe, &b, PE_DIRECTORY_CLI, &size);
	image->has_head = bytes_ok(&b);
}

/* The address of an RVA, in a mapped or a flat image; 0: outside. */
static uint64_t
image_address(struct clr_modules *m, const struct image *image, uint32_t at, bool is_flat)
{
	struct bytes b;
	uint64_t place = at, address;

	bytes_init(&b, m->head, image->head_len, NULL);
	if (is_flat)
		place = pe_place(&image->pe, &b, at, "metadata");
	if (!bytes_ok(&b) || __builtin_add_overflow(image->base, place, &address))
		return 0;
	return address;
}

/* Opens the metadata if the image is laid out in this way. */
static void
open_image_as(struct clr_modules *m, struct module_item *item, const struct image *image,
	      bool is_flat, struct error *err)
{
	uint64_t cli = image_address(m, image, image->cli_at, is_flat), root;
	uint32_t cli_len, at, len, magic;

	if (!cli || !memory_u32(m->reader, cli, &cli_len) || cli_len != CLI_HEADER_BYTES ||
	    !memory_u32(m->reader, cli + 8, &at) || !memory_u32(m->reader, cli + 12, &len))
		return;
	root = image_address(m, image, at, is_flat);
	if (root && memory_u32(m->reader, root, &magic) && magic == METADATA_MAGIC)
		open_root(m, item, root, len, err);
}

/* --- metadata in files --- */

static bool
open_same_size(void *context, const char *path, struct file *file, struct error *err)
{
	const struct clr_modules *m = context;
	struct pe_stamp stamp;

	if (!inside_open(file, m->memory->sysroot, path, err))
		return false;
	if (file->len == m->file_wanted_bytes || (pe_stamp_read(&stamp, file->data, file->len) &&
						  stamp.image_bytes == m->file_wanted_bytes))
		return true;
	file_close(file);
	return false;
}

/* A mapping with a name needs no check: io/memory/core_files.c compared the build. */
static bool
open_from_file(struct clr_modules *m, struct module_item *item, struct error *err)
{
	struct clr_module *module = &item->module;
	const struct memory_mapping *at = memory_mapping_at(m->memory, module->image);

	if (*module->path != '/' || !module->image_bytes || !m->memory->sysroot ||
	    (at && at->flags & MEMORY_FILE))
		return true;
	if (!m->files)
		m->files = module_files_new(open_same_size, m, err);
	if (!m->files)
		return false;
	m->file_wanted_bytes = module->image_bytes;
	module->metadata = module_files_find(m->files, module->path);
	if (module->metadata)
		module->trust = MEMORY_UNVERIFIED;
	return true;
}

/* --- modules --- */

/* An image has a loaded layout, a flat one, or both. */
static bool
read_layout(struct clr_modules *m, uint64_t image, enum clr_field way, uint64_t *base,
	    uint32_t *size)
{
	uint64_t placed;

	return clr_u64(m->layout, m->reader, image, way, &placed) &&
	       clr_u64(m->layout, m->reader, placed, CLR_PE_LAYOUT_BASE, base) && *base &&
	       clr_u32(m->layout, m->reader, placed, CLR_PE_LAYOUT_SIZE, size);
}

/* Sets the image's address and, if known, its size. */
static void
find_image(struct clr_modules *m, struct clr_module *module)
{
	static const enum clr_field ways[] = { CLR_PE_IMAGE_LOADED, CLR_PE_IMAGE_FLAT };
	const struct clr_layout *l = m->layout;
	uint64_t base, assembly, image;
	uint32_t size;

	if (!clr_u64(l, m->reader, module->address, CLR_MODULE_BASE, &module->image))
		module->image = 0;
	if (!clr_u64(l, m->reader, module->address, CLR_MODULE_PE_ASSEMBLY, &assembly) ||
	    !clr_u64(l, m->reader, assembly, CLR_PE_ASSEMBLY_IMAGE, &image))
		return;
	for (int i = 0; i < 2 && !module->image_bytes; i++) {
		if (!read_layout(m, image, ways[i], &base, &size) ||
		    (module->image && module->image != base))
			continue;
		module->image = base;
		module->image_bytes = size;
	}
}

/*
 * The runtime's copy is a length and the metadata: since .NET 9 directly after it, before that
 * behind a pointer. Its place in the record is not known for all versions, but "BSJB" is
 * unmistakable.
 */
static void
open_kept_copy(struct clr_modules *m, struct module_item *item, uint64_t at, struct error *err)
{
	uint32_t len, magic;
	uint64_t copy;

	if (!memory_u32(m->reader, at, &len) || !memory_u64(m->reader, at + KEPT_POINTER, &copy))
		return;
	if (memory_u32(m->reader, at + 4, &magic) && magic == METADATA_MAGIC)
		open_root(m, item, at + 4, len, err);
	else if (copy && memory_u32(m->reader, copy, &magic) && magic == METADATA_MAGIC)
		open_root(m, item, copy, len, err);
}

static void
open_dynamic(struct clr_modules *m, struct module_item *item, struct error *err)
{
	uint64_t at, module = item->module.address;

	for (uint64_t i = 0; i < RECORD_BYTES && !item->metadata; i += 8)
		if (module < UINT64_MAX - RECORD_BYTES && memory_u64(m->reader, module + i, &at) &&
		    at > LOWEST && at < HIGHEST)
			open_kept_copy(m, item, at, err);
}

/* The module's path, UTF-16 in the runtime. False: empty or not ASCII. */
static bool
read_path(struct clr_modules *m, uint64_t module, char path[PATH_CHARS])
{
	uint64_t at;
	size_t len = 0;

	path[0] = '\0';
	if (!clr_u64(m->layout, m->reader, module, CLR_MODULE_PATH, &at))
		return false;
	for (; len + 1 < PATH_CHARS; len++) {
		uint16_t unit;

		if (!memory_u16(m->reader, at + 2 * len, &unit))
			break;
		if (!unit)
			return path[len] = '\0', len > 0;
		/* The mapping's name can replace a non-ASCII path. */
		if (unit >= 0x80)
			break;
		path[len] = (char)unit;
	}
	path[0] = '\0';
	return false;
}

/* True if the path of a mapping is that of the file `name`, or of anything that is a file, if the
 * name is unknown. Unpacked modules of a single-file program lie in "/dev/zero (deleted)". */
static bool
is_path_of(const char *path, const char *name)
{
	const char *base = file_base_name(path);
	size_t len = strlen(name);

	if (!len)
		return strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/memfd:", 7) != 0;
	return !strncmp(base, name, len) && (!base[len] || !strcmp(base + len, " (deleted)"));
}

/* The path of the mapped file, if the image is all of the file. */
static const char *
mapped_path(const struct clr_modules *m, const struct metadata *metadata, uint64_t base)
{
	const struct memory_mapping *at = memory_mapping_at(m->memory, base);

	return at && at->start == base && !at->file_offset && *at->name == '/' &&
		       is_path_of(at->name, metadata ? metadata_module_name(metadata) : "")
		   ? at->name
		   : "";
}

static bool
name_module(struct clr_modules *m, struct module_item *item, const char *path, struct error *err)
{
	const struct metadata *metadata = item->metadata;

	if (!*path && metadata) {
		path = item->module.is_dynamic ? metadata_assembly_name(metadata)
					       : metadata_module_name(metadata);
	}
	item->module.path = arena_strndup(&m->arena, path, strlen(path), err);
	return item->module.path != NULL;
}

/* Opens a module with an image. False: no memory. */
static bool
open_module(struct clr_modules *m, struct module_item *item, uint64_t base, struct error *err)
{
	struct image image = { .base = base };
	char path[PATH_CHARS];

	read_head(m, &image);
	for (int is_flat = 0; is_flat < 2 && image.has_head; is_flat++)
		if (!item->metadata)
			open_image_as(m, item, &image, is_flat, err);
	return err->kind == ERROR_NONE && name_module(m, item,
						      read_path(m, item->module.address, path)
							  ? path
							  : mapped_path(m, item->metadata, base),
						      err);
}

/* Without metadata in memory, tells why those of the file were refused. */
static bool
is_of_other_build(const struct clr_modules *m, uint64_t image)
{
	enum memory_trust trust = memory_trust(m->memory, image, 1);

	return trust == MEMORY_CHANGED || trust == MEMORY_REPLACED;
}

/* Dynamic modules grow, and their metadata are the process's own. */
static void
compare_build(struct clr_modules *m, struct module_item *item)
{
	struct clr_module *module = &item->module;

	if (module->is_dynamic)
		return;
	if (item->metadata)
		module->trust = memory_trust(m->memory, item->root, item->root_bytes);
	else if (!module->metadata && is_of_other_build(m, module->image))
		module->trust = MEMORY_REPLACED;
	if (!module->metadata || clr_module_build(m->layout, m->reader, module->address,
						  module->metadata) != CLR_BUILD_OTHER)
		return;
	module->trust = MEMORY_REPLACED;
	module->metadata = NULL;
}

static bool
read_module(struct clr_modules *m, struct module_item *item, struct error *err)
{
	bool is_good;

	find_image(m, &item->module);
	if (item->module.image) {
		is_good = open_module(m, item, item->module.image, err);
	} else {
		item->module.is_dynamic = true;
		open_dynamic(m, item, err);
		is_good = err->kind == ERROR_NONE && name_module(m, item, "", err);
	}
	item->module.metadata = item->metadata;
	is_good = is_good && (item->metadata || open_from_file(m, item, err));
	compare_build(m, item);
	return is_good;
}

static bool
add_module(struct clr_modules *m, struct module_item *item, uint64_t address, struct error *err)
{
	struct memory_refused before = memory_refused();

	item->module.address = address;
	if (!read_module(m, item, err) || !memory_was_enough(before, err) ||
	    !MAKE_ROOM(m->items, m->count + 1, m->room, err) ||
	    !u64_map_put(&m->index, address, (uint32_t)m->count, err))
		return false;
	m->items[m->count++] = item;
	return true;
}

const struct clr_module *
clr_modules_find(struct clr_modules *m, uint64_t address, struct error *err)
{
	static const struct clr_module too_many = { .path = "" };
	uint32_t i = u64_map_get(&m->index, address);
	struct arena_mark mark = arena_mark(&m->arena);
	struct module_item *item;

	if (i != U64_MAP_NONE)
		return &m->items[i]->module;
	if (m->count >= MODULES_MAX)
		return &too_many;
	item = arena_new(&m->arena, struct module_item, err);
	if (!item)
		return NULL;
	if (add_module(m, item, address, err))
		return &item->module;
	/* Not kept: a later call may have enough memory. */
	metadata_close(item->metadata);
	memory_free(item->copy);
	arena_reset(&m->arena, mark);
	return NULL;
}
