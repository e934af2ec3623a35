#include "io/base/utf16.h"
#include "io/events/walk_state.h"
#include "io/pe/name_spelling.h"
#include "model/heap/names.h"
#include <string.h>

/* Sent at a load, or at the start or stop of a session. */
enum loaded_event {
	METHOD_LOAD = 143,
	METHOD_UNLOAD,
	DOMAIN_MODULE_FIRST = 151,
	DOMAIN_MODULE_LAST,
	MODULE_FIRST,
	MODULE_LAST,
};

const char *
walk_texts_find(const struct walk_texts *t, uint64_t id)
{
	uint32_t i = u64_map_get(&t->index, id);

	return i == U64_MAP_NONE ? NULL : t->items[i];
}

/* An id keeps its first text. */
static bool
texts_add(struct walk_texts *t, uint64_t id, const char *text, struct error *err)
{
	if (!text || !MAKE_ROOM(t->items, t->count + 1, t->room, err) ||
	    !u64_map_put(&t->index, id, (uint32_t)t->count, err))
		return false;
	t->items[t->count++] = text;
	return true;
}

/* Reads the fields behind the path of a module. */
static void
read_build(struct bytes *b, struct pe_build *build)
{
	const uint8_t *guid;
	uint32_t age;

	utf16_take(b, "the path of native code");
	bytes_skip(b, 2, "the runtime's number");
	guid = bytes_take(b, BUILD_GUID_BYTES, "a build");
	age = bytes_u32(b, "the age of a build");
	if (!bytes_ok(b))
		return;
	memcpy(build->guid, guid, BUILD_GUID_BYTES);
	build->age = age;
}

/* Numbers a module; new ones are added. False: no memory. */
static bool
module_number(struct walk *w, uint64_t id, const struct bytes_array *path, uint32_t *number,
	      struct error *err)
{
	*number = u64_map_get(&w->modules.index, id);
	if (*number != U64_MAP_NONE)
		return true;
	if (!MAKE_ROOM(w->builds.items, w->builds.count + 1, w->builds.room, err) ||
	    !texts_add(&w->modules, id, utf16_to_utf8(path, &w->arena, err), err))
		return false;
	*number = (uint32_t)w->builds.count;
	w->builds.items[w->builds.count++] = (struct pe_build){ .age = 0 };
	return true;
}

static bool
handle_module(struct walk *w, const struct nettrace_event *event, bool is_in_domain,
	      struct error *err)
{
	struct error ignored;
	struct bytes b;
	struct bytes_array path;
	uint32_t number;
	uint64_t id;

	b = gc_payload(event, &ignored);
	id = bytes_u64(&b, "a module");
	bytes_skip(&b, is_in_domain ? 16 + 8 : 8 + 8, "its assembly, flags");
	path = utf16_take(&b, "a path");
	if (!bytes_ok(&b))
		return true;
	if (!module_number(w, id, &path, &number, err))
		return false;
	if (!is_in_domain)
		read_build(&b, &w->builds.items[number]);
	return true;
}

/* Names a method "Namespace.Type.Method" if roots are on its stack. */
static bool
handle_method(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct display_name type;
	struct bytes_array texts[2];
	const char *raw, *name;
	struct error ignored;
	struct bytes b;
	uint64_t id;

	b = gc_payload(event, &ignored);
	id = bytes_u64(&b, "a method");
	bytes_skip(&b, 8 + 8 + 4 + 4 + 4, "its module, code, token, flags");
	texts[0] = utf16_take(&b, "a type");
	texts[1] = utf16_take(&b, "a method");
	if (!bytes_ok(&b) || walk_texts_find(&w->methods, id) ||
	    u64_map_get(&w->methods_wanted, id) == U64_MAP_NONE)
		return true;
	raw = utf16_to_utf8(&texts[0], &w->arena, err);
	name = utf16_to_utf8(&texts[1], &w->arena, err);
	if (raw)
		raw = name_spell(raw, &w->arena, err);
	if (!raw || !name || !name_display(raw, &w->arena, &type, err))
		return false;
	return texts_add(
	    &w->methods, id,
	    arena_printf(&w->arena, err, "%s%s%s", type.full, *type.full ? "." : "", name), err);
}

bool
walk_take_loaded(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	uint32_t id = event->id;

	if (event->provider == NETTRACE_RUNTIME) /* its ids are one lower */
		id += id == DOMAIN_MODULE_LAST;
	if (id >= DOMAIN_MODULE_FIRST && id <= DOMAIN_MODULE_LAST)
		return handle_module(w, event, true, err);
	if (id >= MODULE_FIRST && id <= MODULE_LAST)
		return handle_module(w, event, false, err);
	if (id == METHOD_LOAD || id == METHOD_UNLOAD)
		return handle_method(w, event, err);
	return true;
}

bool
walk_take_process(struct walk *w, const struct nettrace_event *event, struct error *err)
{
	struct error ignored;
	struct bytes_array text;
	struct bytes b;

	if (event->id != 1 || w->command_line)
		return true;
	b = gc_payload(event, &ignored);
	text = utf16_take(&b, "the command line");
	if (!bytes_ok(&b))
		return true;
	w->command_line = utf16_to_utf8(&text, &w->arena, err);
	return w->command_line != NULL;
}

void
walk_texts_clear(struct walk_texts *t)
{
	u64_map_clear(&t->index);
	memory_free(t->items);
}
