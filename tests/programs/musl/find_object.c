/*
 * Three functions that gcc's library of Debian needs from glibc, for musl. It is found under a name
 * of its own, which libstdc++ asks for (musl.sh).
 */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdint.h>

/* As glibc 2.35 declares it. */
struct dl_find_object {
	uint64_t flags;
	uintptr_t map_start, map_end;
	void *link_map;
	uintptr_t eh_frame;
	uint64_t reserved[7];
};

struct wanted {
	uintptr_t at;
	struct dl_find_object *found;
};

static int
look(struct dl_phdr_info *info, size_t size, void *data)
{
	const struct wanted *wanted = data;
	const ElfW(Phdr) *code = NULL, *eh_frame = NULL;
	uintptr_t base = info->dlpi_addr;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_GNU_EH_FRAME)
			eh_frame = segment;
		if (segment->p_type == PT_LOAD &&
		    wanted->at - base - segment->p_vaddr < segment->p_memsz)
			code = segment;
	}
	if (!code || !eh_frame)
		return 0;
	*wanted->found = (struct dl_find_object){
		.map_start = base + code->p_vaddr,
		.map_end = base + code->p_vaddr + code->p_memsz,
		.eh_frame = base + eh_frame->p_vaddr,
	};
	return 1;
}

int
_dl_find_object(void *at, struct dl_find_object *found)
{
	struct wanted wanted = { (uintptr_t)at, found };

	return dl_iterate_phdr(look, &wanted) ? 0 : -1;
}

/* The library asks whether this exists to learn whether there are threads. */
int
__pthread_key_create(pthread_key_t *key, void (*end)(void *))
{
	return pthread_key_create(key, end);
}

/* The library has these only under an old version, which musl does not find. */
unsigned __cpu_model[4];

int
__cpu_indicator_init(void)
{
	return 0;
}
