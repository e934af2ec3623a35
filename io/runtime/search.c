#include "io/base/file.h"
#include "io/runtime/search.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The length without " (deleted)", which the kernel adds once a file was replaced, for example by
 * an upgrade. */
static size_t
path_len(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t len = strlen(path), mark_len = sizeof(mark) - 1;

	return len > mark_len && !strcmp(path + len - mark_len, mark) ? len - mark_len : len;
}

static bool
path_ends_in(const char *path, const char *end)
{
	size_t len = path_len(path), end_len = strlen(end);

	return len > end_len && !memcmp(path + len - end_len, end, end_len);
}

static bool
path_is_of(const char *path, const char *file)
{
	const char *name = file_base_name(path);
	size_t len = strlen(file);

	return path_len(name) == len && !memcmp(name, file, len);
}

bool
clr_is_library(const char *path)
{
	return path_is_of(path, "libcoreclr.so");
}

/* Prefers the runtime's library, else keeps the first program. */
static void
note_absent(struct clr_search *s, const char *path)
{
	if (clr_is_library(path) ||
	    (!s->absent_path && path[0] && !path_ends_in(path, ".so") && !strstr(path, ".so.")))
		s->absent_path = path;
}

static void
add_place(struct clr_search *s, const struct clr_place *place)
{
	if (s->count < CLR_RUNTIMES_MAX)
		s->found[s->count++] = *place;
}

static void
search_mapping(struct clr_search *s, struct memory_reader *r, const struct memory_mapping *mapping)
{
	struct clr_place place = { .path = mapping->name };
	struct elf_symbol symbol;
	const char *path = mapping->name;
	bool is_absent;

	if (path_is_of(path, "libclrgc.so") || path_is_of(path, "libclrgcexp.so"))
		s->gc_library = path;
	if (strncmp(file_base_name(path), "libmonosgen", 11) == 0) {
		s->other = "Mono";
		s->other_path = path;
	}
	/* Looking into a managed module would open its file in vain. */
	if (path_ends_in(path, ".dll"))
		return;
	if (!elf_image_open(&place.image, r, mapping->start))
		return;
	if (elf_image_find(&place.image, r, "g_dacTable", &place.table, &is_absent)) {
		add_place(s, &place);
	} else if (is_absent) {
		note_absent(s, path);
	} else if (elf_image_find(&place.image, r, "DotNetRuntimeDebugHeader", &place.table,
				  NULL)) {
		place.is_native = true;
		add_place(s, &place);
	} else if (elf_image_find(&place.image, r, "DotNetRuntimeContractDescriptor", &place.table,
				  NULL)) {
		place.is_native = place.is_described = true;
		add_place(s, &place);
	} else if (clr_is_library(path)) {
		s->other = elf_image_find(&place.image, r, "mono_get_root_domain", &symbol, NULL)
			       ? "Mono"
			       : "a runtime without g_dacTable";
		s->other_path = path;
	}
}

static bool
names_files(const struct memory *m)
{
	for (size_t i = 0; i < m->mappings_count; i++)
		if (m->mappings[i].flags & MEMORY_FILE)
			return true;
	return false;
}

/*
 * Looks at each mapping that begins a file, then at the hint of the dump's writer. If no mapping
 * names a file, as in cores of an emulator, looks at every mapping.
 */
void
clr_search(struct clr_search *s, const struct memory *m, struct memory_reader *r)
{
	bool is_named = names_files(m);
	const struct memory_mapping *hint;
	const char *last = NULL;
	uint64_t last_end = 0;

	*s = (struct clr_search){ 0 };
	for (size_t i = 0; i < m->mappings_count; i++) {
		const struct memory_mapping *mapping = &m->mappings[i];

		if (is_named && (!(mapping->flags & MEMORY_FILE) || mapping->file_offset))
			continue;
		/* Two mappings of offset 0 are file data, not a loaded image. */
		if (is_named && last_end == mapping->start && last &&
		    strcmp(last, mapping->name) == 0)
			continue;
		search_mapping(s, r, mapping);
		last = mapping->name;
		last_end = mapping->end;
	}
	hint = memory_mapping_at(m, m->runtime_hint);
	if (!s->count && hint && hint->start == m->runtime_hint)
		search_mapping(s, r, hint);
}

static bool
nothing_found(const struct memory *m, const struct clr_search *s, struct error *err)
{
	if (m->cut_bytes)
		return error_set(err, ERROR_INPUT,
				 "%.60s is cut short: %" PRIu64
				 " bytes are missing, and the rest leads to no .NET runtime; a "
				 "whole dump needs disk space, and ulimit -c unlimited if the "
				 "kernel writes it; try: dotnet-dump collect -p PID",
				 m->name, m->cut_bytes);
	if (s->absent_path)
		return error_set(
		    err, ERROR_INPUT,
		    "the exports of %.30s are neither in %.60s nor in a file here; if DIR has its "
		    "files (of a container: /proc/PID/root): heaptop --sysroot DIR FILE",
		    file_base_name(s->absent_path), m->name);
	if (s->other_path)
		return error_set(err, ERROR_INPUT,
				 "%.60s in %.60s is %s; only CoreCLR and Native AOT can be read "
				 "from memory",
				 file_base_name(s->other_path), m->name, s->other);
	return error_set(err, ERROR_INPUT,
			 "there is no .NET runtime in %.80s%s; to list .NET processes: heaptop -l",
			 m->name,
			 m->mappings_count ? "" : ", which does not list the mapped files");
}

const char *
clr_search_text(const struct clr_search *s, char *text, size_t text_size)
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < s->count && len < text_size; i++) {
		const char *path = s->found[i].path;
		int more = snprintf(text + len, text_size - len, "%s%u: %s", i ? ", " : "", i + 1,
				    path[0] ? path : "an unnamed file");

		len += more > 0 ? (size_t)more : 0;
	}
	return text;
}

const struct clr_place *
clr_search_choose(const struct clr_search *s, const struct memory *m, struct error *err)
{
	uint32_t number = m->runtime_wanted ? m->runtime_wanted : 1;
	char text[160];

	if (!s->count) {
		nothing_found(m, s, err);
		return NULL;
	}
	if (number <= s->count)
		return &s->found[number - 1];
	error_set(err, ERROR_INPUT, "there is no runtime %u in %s, only %s", number, m->name,
		  clr_search_text(s, text, sizeof(text)));
	return NULL;
}
