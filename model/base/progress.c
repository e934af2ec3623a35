#include "model/base/progress.h"
#include "model/base/clock.h"
#include <stddef.h>

static atomic_bool all_are_cancelled;

void
progress_begin(struct progress *p, const char *stage, const char *counted, uint64_t total)
{
	if (!p)
		return;
	atomic_store_explicit(&p->begun_ns, clock_ns(), memory_order_relaxed);
	atomic_store_explicit(&p->counted, counted, memory_order_relaxed);
	atomic_store_explicit(&p->is_about, false, memory_order_relaxed);
	atomic_store_explicit(&p->done, 0, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
	atomic_store_explicit(&p->stage, stage, memory_order_relaxed);
}

void
progress_begin_bytes(struct progress *p, const char *stage, uint64_t total)
{
	progress_begin(p, stage, NULL, total);
}

void
progress_estimate(struct progress *p, uint64_t total)
{
	if (!p)
		return;
	atomic_store_explicit(&p->is_about, true, memory_order_relaxed);
	atomic_store_explicit(&p->total, total, memory_order_relaxed);
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
	return p && (atomic_load_explicit(&p->is_cancelled, memory_order_relaxed) ||
		     atomic_load_explicit(&all_are_cancelled, memory_order_relaxed));
}

void
progress_cancel(struct progress *p)
{
	if (p)
		atomic_store_explicit(&p->is_cancelled, true, memory_order_relaxed);
}

void
progress_cancel_all(bool is_cancelled)
{
	atomic_store_explicit(&all_are_cancelled, is_cancelled, memory_order_relaxed);
}
