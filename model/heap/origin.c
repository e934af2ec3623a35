#include "model/heap/origin.h"
#include "model/base/hash.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool
heap_origin_record(struct heap_builder *b, const struct heap_origin *o, struct error *err)
{
	struct heap_info *info = heap_builder_info(b);
	const struct {
		const char **to, *text;
	} texts[] = {
		{ &info->program, o->program },
		{ &info->machine, o->machine },
		{ &info->pod, o->pod },
		{ &info->container, o->container },
	};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const char *copy =
		    arena_strndup(heap_builder_arena(b), texts[i].text, strlen(texts[i].text), err);

		if (!copy)
			return false;
		*texts[i].to = copy;
	}
	info->time = o->time;
	info->time_ns = o->time_ns;
	return true;
}

/* Include the NUL, so that "a" "bc" and "ab" "c" differ. */
static uint64_t
hash_whole_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t
hash_number(uint64_t hash, uint64_t n)
{
	return hash_bytes(hash, &n, sizeof n);
}

void
heap_id(const struct heap *h, char id[HEAP_ID_BYTES])
{
	const struct heap_info *info = &h->info;
	uint64_t hash = HASH_START, count = 0, bytes = 0;

	for (type_id t = 0; t < h->types_count; t++) {
		count += h->types[t].count;
		bytes += h->types[t].bytes;
	}
	hash = hash_whole_text(hash, info->machine);
	hash = hash_whole_text(hash, info->process);
	hash = hash_number(hash, (uint64_t)info->pid);
	hash = hash_number(hash, (uint64_t)info->time);
	hash = hash_number(hash, count);
	hash = hash_number(hash, bytes);
	snprintf(id, HEAP_ID_BYTES, "%016" PRIx64, hash);
}
