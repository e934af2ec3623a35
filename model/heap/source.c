#include "model/heap/source.h"
#include <string.h>

void
preview_init(struct preview *p)
{
	*p = (struct preview){ 0 };
	pthread_mutex_init(&p->lock, NULL);
}

void
preview_clear(struct preview *p)
{
	preview_withdraw(p);
	pthread_mutex_destroy(&p->lock);
}

static void
preview_set(struct preview *p, struct type *types, uint32_t types_count)
{
	memory_free((void *)(uintptr_t)p->types);
	p->types = types;
	p->types_count = types_count;
	p->version++;
}

bool
preview_publish(struct preview *p, const struct type *types, uint32_t types_count,
		uint64_t objects_seen, uint64_t objects_total, bool is_final, struct error *err)
{
	struct type *copy;

	if (!p)
		return true;
	copy = memory_new(types_count, sizeof(*copy), err);
	if (!copy)
		return false;
	if (types_count)
		memcpy(copy, types, types_count * sizeof(*copy));
	pthread_mutex_lock(&p->lock);
	preview_set(p, copy, types_count);
	p->is_final = is_final;
	p->objects_seen = objects_seen;
	p->objects_total = objects_total;
	pthread_mutex_unlock(&p->lock);
	if (p->wake)
		p->wake(p->wake_context);
	return true;
}

void
preview_withdraw(struct preview *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	preview_set(p, NULL, 0);
	p->is_final = false;
	p->objects_seen = p->objects_total = 0;
	pthread_mutex_unlock(&p->lock);
}
