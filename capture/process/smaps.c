#include "capture/process/smaps.h"
#include "capture/process/cgroup.h"
#include "capture/process/proc.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_BYTES = 4096 + 128,
	MAPPINGS_MAX = 1 << 22, /* the kernel allows 65,530 by default */
};

/* --- parsing -------------------------------------------------------------- */

/* Consecutive mappings of a file share the copy of its name. */
static const char *
copy_name(struct smaps *s, const char *name, struct error *err)
{
	const struct mapping_list *list = &s->list;
	const char *last = list->count ? list->items[list->count - 1].map.name : "";

	return !*name || !strcmp(last, name) ? (*name ? last : "")
					     : arena_strndup(&s->names, name, strlen(name), err);
}

static bool
add_mapping(struct smaps *s, const struct memory_mapping *m, struct error *err)
{
	struct mapping_list *list = &s->list;
	struct used_mapping used = { .map = *m };

	/* The file is not read at one moment, so mappings may repeat. */
	s->is_detail = list->count < MAPPINGS_MAX &&
		       (!list->count || m->start >= list->items[list->count - 1].map.end);
	if (!s->is_detail)
		return true;
	used.map.name = copy_name(s, m->name, err);
	return used.map.name && APPEND(list->items, list->count, s->room, err, used);
}

/* Returns the bytes of a line "Rss:   12 kB". */
static uint64_t
kilobytes(const char *number)
{
	uint64_t n = strtoull(number, NULL, 10);

	return n < RESIDENT_BYTES_MAX >> 20 ? n << 10 : 0;
}

static bool
parse_line(struct smaps *s, const char *line, struct error *err)
{
	struct mapping_list *list = &s->list;
	struct memory_mapping m;
	char access[5];

	/* Details begin with a capital, and heads with a hexadecimal digit. */
	if (*line < 'A' || *line > 'Z') {
		s->is_detail = proc_mapping(line, &m, access);
		return !s->is_detail || add_mapping(s, &m, err);
	}
	if (!s->is_detail)
		return true;
	if (!strncmp(line, "Rss:", 4))
		list->items[list->count - 1].bytes = kilobytes(line + 4);
	else if (!strncmp(line, "Swap:", 5))
		list->known.swapped_bytes += kilobytes(line + 5);
	return true;
}

bool
smaps_parse(struct smaps *s, const char *text, size_t len, struct error *err)
{
	char line[LINE_BYTES];

	s->list.has_reserved = true;
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t all = end ? (size_t)(end - text) - at : len - at;
		size_t kept = all < sizeof(line) ? all : sizeof(line) - 1;

		memcpy(line, text + at, kept);
		line[kept] = '\0';
		if (!parse_line(s, line, err))
			return false;
		at += all + 1;
	}
	return true;
}

/* --- reading -------------------------------------------------------------- */

/* Parses piece by piece, each up to its last whole line. */
bool
smaps_parse_file(struct smaps *s, FILE *file, struct error *err)
{
	enum { PIECE_BYTES = 64 << 10 };
	char *piece = memory_new(PIECE_BYTES, 1, err);
	size_t kept = 0, got, whole;
	bool ok = piece != NULL;

	while (ok && (got = fread(piece + kept, 1, PIECE_BYTES - kept, file))) {
		kept += got;
		for (whole = kept; whole && piece[whole - 1] != '\n'; whole--)
			;
		/* A line that fills the piece is none of the kernel's. */
		if (!whole && kept == PIECE_BYTES)
			whole = kept;
		ok = smaps_parse(s, piece, whole, err);
		kept -= whole;
		memmove(piece, piece + whole, kept);
	}
	memory_free(piece);
	if (ferror(file)) {
		s->list.count = 0;
		s->list.known.swapped_bytes = 0;
	}
	return ok;
}

static void
add_sums(struct smaps *s, const char *proc, const char *cgroups, int32_t pid)
{
	struct resident *known = &s->list.known;
	struct cgroup_memory group;
	struct proc_status status;

	if (!proc_status(proc, pid, &status) || !status.resident_bytes)
		return;
	known->detail = s->list.count ? RESIDENT_MAPPINGS : RESIDENT_SUMS;
	if (!s->list.count) {
		known->bytes = status.resident_bytes;
		known->swapped_bytes = status.swapped_bytes;
		known->parts[RESIDENT_OTHER].bytes = status.private_bytes;
		known->parts[RESIDENT_FILES].bytes =
		    status.resident_bytes > status.private_bytes
			? status.resident_bytes - status.private_bytes
			: 0;
	}
	known->parts[RESIDENT_STACKS].count = status.threads_count;
	cgroup_memory(&group, proc, cgroups, pid, CGROUP_CACHE_FREE);
	known->cgroup_bytes = group.limit_bytes ? group.used_bytes : 0;
	known->cgroup_limit = group.limit_bytes;
}

bool
smaps_read(struct smaps *s, const char *proc, const char *cgroups, int32_t pid, struct error *err)
{
	char path[4096];
	bool ok = true;
	FILE *file;

	*s = (struct smaps){ 0 };
	arena_init(&s->names, 0);
	snprintf(path, sizeof(path), "%s/%" PRId32 "/smaps", proc, pid);
	file = fopen(path, "re");
	if (file) {
		ok = smaps_parse_file(s, file, err);
		fclose(file);
	}
	add_sums(s, proc, cgroups, pid);
	return ok;
}

void
smaps_clear(struct smaps *s)
{
	memory_free(s->list.items);
	arena_clear(&s->names);
	*s = (struct smaps){ 0 };
}
