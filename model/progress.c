#include "model/progress.h"
#include "model/clock.h"
#include <stddef.h>

static void
begin(struct progress *p, const char *stage, uint64_t total, bool is_of_bytes)
{
	if (!p)
		return;
	atomic_store_explicit(&p->begun_ns, clock_ns(), memory_order_relaxed);
	atomic_store_explicit(&p->is_of_bytes, is_of_bytes,
			      memory_order_relaxed);
	atomic_store_explicit(&p->done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
	atomic_store_explicit(&p->stage, stage, memory_order_relaxed);
}

void
progress_begin(struct progress *p, const char *stage, uint64_t total)
{
	begin(p, stage, total, false);
}

void
progress_begin_bytes(struct progress *p, const char *stage, uint64_t total)
{
	begin(p, stage, total, true);
}

bool
progress_add(struct progress *p, uint64_t done)
{
	if (!p)
		return true;
	atomic_fetch_add_explicit(&p->done, done, memory_order_relaxed);
	return !progress_is_cancelled(p);
}

bool
progress_is_cancelled(const struct progress *p)
{
	return p &&
	       atomic_load_explicit(&p->is_cancelled, memory_order_relaxed);
}

void
progress_cancel(struct progress *p)
{
	if (p)
		atomic_store_explicit(&p->is_cancelled, true,
				      memory_order_relaxed);
}
