#include "io/events/methods.h"
#include "io/events/nettrace_all.h"
#include "io/base/file.h"
#include "io/base/utf16.h"
#include "io/events/gc_events.h"
#include "io/pe/name_spelling.h"
#include "model/base/sorted.h"
#include "model/heap/framework.h"
#include "model/heap/name_method.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum method_event { /* of both providers */
		    METHOD_LOAD = 143,
		    METHOD_DC_END = 144, /* the runtime's: unloaded */
		    DOMAIN_MODULE_FIRST = 151,
		    DOMAIN_MODULE_LAST,
		    MODULE_FIRST,
		    MODULE_LAST,
};

/* Sorted by address; of code at the same place the latest comes last. */
struct code {
	uint64_t start, arrival; /* must be first */
	uint64_t module;
	uint32_t size;
	const char *type, *method; /* as in metadata */
};

struct methods {
	struct arena arena;
	struct code *codes;
	size_t count, room;
	size_t sorted;      /* of them, from the first on */
	const char **paths; /* of modules */
	size_t paths_count, paths_room;
	struct u64_map modules; /* id → paths[] */
	struct method_image *images;
	size_t images_count, images_room;
};

struct methods *
methods_new(struct error *err)
{
	struct methods *m = memory_new(1, sizeof *m, err);

	if (m)
		arena_init(&m->arena, 0);
	return m;
}

void
methods_free(struct methods *m)
{
	if (!m)
		return;
	arena_clear(&m->arena);
	u64_map_clear(&m->modules);
	memory_free(m->codes);
	memory_free(m->paths);
	memory_free(m->images);
	memory_free(m);
}

/* --- events --------------------------------------------------------------- */

static bool
handle_module(struct methods *m, const struct nettrace_event *event, bool is_in_domain,
	      struct error *err)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);
	uint64_t id = bytes_u64(&b, "a module");
	struct bytes_array path;
	const char *text;

	bytes_skip(&b, is_in_domain ? 16 + 8 : 8 + 8, "its assembly, flags");
	path = utf16_take(&b, "a path");
	if (!bytes_ok(&b) || u64_map_get(&m->modules, id) != U64_MAP_NONE)
		return true;
	text = utf16_to_utf8(&path, &m->arena, err);
	return text && u64_map_put(&m->modules, id, (uint32_t)m->paths_count, err) &&
	       APPEND(m->paths, m->paths_count, m->paths_room, err, text);
}

/* The latest code that contains the address, of those that are sorted. */
static const struct code *
find_sorted(const struct methods *m, uint64_t address)
{
	size_t at;

	LOWER_BOUND(at, (size_t)0, m->sorted, m->codes[at].start <= address);
	if (!at || address - m->codes[at - 1].start >= m->codes[at - 1].size)
		return NULL;
	return &m->codes[at - 1];
}

/* Whether an earlier list had it. */
static bool
is_known(const struct methods *m, const struct code *code)
{
	const struct code *known = find_sorted(m, code->start);

	return known && known->start == code->start && known->size == code->size &&
	       known->module == code->module && !strcmp(known->type, code->type) &&
	       !strcmp(known->method, code->method);
}

static bool
handle_method(struct methods *m, const struct nettrace_event *event, struct error *err)
{
	struct error ignored;
	struct bytes b = gc_payload(event, &ignored);
	struct bytes_array type, method;
	struct code code = { .arrival = m->count };
	struct arena_mark mark = arena_mark(&m->arena);

	bytes_skip(&b, 8, "a method");
	code.module = bytes_u64(&b, "its module");
	code.start = bytes_u64(&b, "its code");
	code.size = bytes_u32(&b, "the size of its code");
	bytes_skip(&b, 4 + 4, "its token, flags");
	type = utf16_take(&b, "a type");
	method = utf16_take(&b, "a method");
	if (!bytes_ok(&b) || !code.size || m->count >= UINT32_MAX)
		return true;
	code.type = utf16_to_utf8(&type, &m->arena, err);
	code.method = utf16_to_utf8(&method, &m->arena, err);
	if (!code.type || !code.method)
		return false;
	if (is_known(m, &code)) {
		arena_reset(&m->arena, mark);
		return true;
	}
	return APPEND(m->codes, m->count, m->room, err, code);
}

bool
methods_take(struct methods *m, const struct nettrace_event *event, struct error *err)
{
	bool is_rundown = event->provider == NETTRACE_RUNDOWN;
	uint32_t id = event->id;

	if (!is_rundown && event->provider != NETTRACE_RUNTIME)
		return true;
	if (!is_rundown) /* its ids are one lower */
		id += id == DOMAIN_MODULE_LAST;
	if (id >= DOMAIN_MODULE_FIRST && id <= DOMAIN_MODULE_LAST)
		return handle_module(m, event, true, err);
	if (id >= MODULE_FIRST && id <= MODULE_LAST)
		return handle_module(m, event, false, err);
	if (id == METHOD_LOAD || (id == METHOD_DC_END && is_rundown))
		return handle_method(m, event, err);
	return true;
}

static bool
handle_item(void *context, const struct nettrace *t, enum nettrace_item item,
	    const struct nettrace_event *event, struct error *err)
{
	(void)t;
	return !context || item != NETTRACE_EVENT || methods_take(context, event, err);
}

bool
methods_take_all(struct methods *m, struct nettrace *t, struct error *err)
{
	return nettrace_take_all(t, handle_item, m, NULL, err);
}

/* --- images --------------------------------------------------------------- */

/* The latest image at an address, or NULL. */
static const struct method_image *
find_image(const struct methods *m, uint64_t address)
{
	for (size_t i = m->images_count; i > 0; i--)
		if (address >= m->images[i - 1].start && address < m->images[i - 1].end)
			return &m->images[i - 1];
	return NULL;
}

bool
methods_add_image(struct methods *m, const struct method_image *image, struct error *err)
{
	const struct method_image *known = find_image(m, image->start);
	struct method_image added = *image;

	if (m->images_count >= METHOD_IMAGES ||
	    (known && known->start == image->start && known->end == image->end &&
	     known->base == image->base && !strcmp(known->path, image->path)))
		return true;
	added.path = arena_strndup(&m->arena, image->path, strlen(image->path), err);
	return added.path && APPEND(m->images, m->images_count, m->images_room, err, added);
}

/* --- names ---------------------------------------------------------------- */

static const struct code *
find_code(struct methods *m, uint64_t address)
{
	if (m->sorted < m->count)
		qsort(m->codes, m->count, sizeof *m->codes, compare_u64_pair);
	m->sorted = m->count;
	return find_sorted(m, address);
}

static bool
name_place(const struct methods *m, uint64_t address, struct arena *texts,
	   struct allocation_method *out, struct error *err)
{
	const struct method_image *image = find_image(m, address - 1);

	out->is_unknown = true;
	if (image) {
		out->module = file_base_name(image->path);
		out->is_framework = framework_declares("", image->path);
		out->name =
		    arena_printf(texts, err, "%s+0x%" PRIx64, out->module, address - image->base);
	} else {
		out->name = arena_printf(texts, err, "code at 0x%" PRIx64, address);
	}
	return out->name != NULL;
}

bool
methods_find(struct methods *m, uint64_t address, struct arena *texts,
	     struct allocation_method *out, struct error *err)
{
	/* A call may be the last instruction of a method. */
	const struct code *c = find_code(m, address - 1);
	const char *type, *path;
	uint32_t module;

	*out = (struct allocation_method){ .module = "" };
	if (!c)
		return name_place(m, address, texts, out, err);
	type = name_spell(c->type, texts, err);
	if (!type)
		return false;
	module = u64_map_get(&m->modules, c->module);
	path = module == U64_MAP_NONE ? "" : m->paths[module];
	out->module = file_base_name(path);
	out->is_framework = framework_declares(type, path);
	out->name = *type ? name_method(type, c->method, texts, err) : c->method;
	return out->name != NULL;
}
