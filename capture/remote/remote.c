#include "capture/remote/remote.h"
#include "capture/remote/asking.h"
#include "capture/remote/remote_events.h"
#include "io/heaptop/heaptop.h"
#include "model/base/arena.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct live_capture {
	uint32_t number; /* there */
	struct live_card card;
	pthread_mutex_t lock; /* of `watch` */
	struct live_watch watch;
	struct wire_end end; /* of loading */
};

bool
remote_open(const struct carrier_options *options, const char *version, struct error *err)
{
	return asking_open(options, version, err);
}

void
remote_close(void)
{
	asking_close();
}

/* --- the list ------------------------------------------------------------- */

struct processes {
	struct live_process *items;
	size_t count, room;
};

static bool
receive_process(void *context, const struct frame *f, struct error *err)
{
	enum { PROCESSES_MAX = 100000 };
	struct processes *all = context;
	struct live_process p;

	return f->kind != SAY_PROCESS || all->count == PROCESSES_MAX ||
	       (wire_take(WIRE_PROCESS, f->bytes, f->len, &p, err) &&
		APPEND(all->items, all->count, all->room, err, p));
}

static struct live_process *
list(size_t *count, struct progress *progress, struct error *err)
{
	const struct wire_ask question = { 0 };
	struct processes all = { 0 };
	const struct taking taking = { .take = receive_process, .context = &all };
	struct wire_end end;

	*count = 0;
	if (!asking_ask(ASK_LIST, &question, &taking, &end, progress, err)) {
		memory_free(all.items);
		return NULL;
	}
	*count = all.count;
	return all.items;
}

/* --- captures ------------------------------------------------------------- */

static void
free_capture(struct live_capture *c)
{
	struct error ignored = { 0 };

	if (!c)
		return;
	if (c->number) {
		const struct wire_ask question = { .capture = c->number };

		/* The screen does not wait for the answer. */
		answer_free(asking_begin(ASK_FREE, &question, &ignored));
	}
	pthread_mutex_destroy(&c->lock);
	memory_free(c);
}

static bool
receive_card(void *context, const struct frame *f, struct error *err)
{
	struct live_capture *c = context;

	if (f->kind != SAY_CARD)
		return true;
	if (!wire_take(WIRE_CARD, f->bytes, f->len, &c->card, err))
		return false;
	asking_add_label(c->card.who, sizeof(c->card.who));
	return true;
}

static struct live_capture *
open_capture(const struct live_target *target, const struct live_options *options,
	     const struct live_capture *before, struct progress *progress, struct error *err)
{
	struct live_capture *c;
	const struct wire_ask question = {
		.pid = target ? target->pid : before->card.pid,
		.capture = before ? before->number : 0,
		.from_memory = options->from_memory,
		.has_conservative_stacks = options->has_conservative_stacks,
		.runtime = options->runtime,
	};
	struct taking taking = { .take = receive_card };
	struct wire_end end = { 0 };

	if (options->keep_path) {
		error_set(err, ERROR_USAGE,
			  "the events of a heap walk elsewhere cannot be saved: -o FILE.heaptop "
			  "saves the heap");
		return NULL;
	}
	c = memory_new(1, sizeof(*c), err);
	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	taking.context = c;
	if (asking_ask(ASK_OPEN, &question, &taking, &end, progress, err)) {
		c->number = end.capture;
		return c;
	}
	free_capture(c);
	return NULL;
}

static const struct live_card *
card_of(const struct live_capture *c)
{
	return &c->card;
}

/* A heap that arrives. */
struct received {
	uint8_t *bytes;
	size_t len, room, tried_len;
	struct progress *progress;
	struct preview *preview; /* or NULL */
	struct saved_early *early;
};

/* The objects sent so far give an estimate of all bytes. */
static void
estimate_rest(const struct wire_progress *now, const struct received *r)
{
	enum { TIMES_MAX = 1 << 20 };

	if (now->done && now->done <= now->total && now->total / now->done < TIMES_MAX)
		progress_estimate(r->progress, (uint64_t)((double)r->len * (double)now->total /
							  (double)now->done));
}

/* Once the heap arrives, progress is that of receiving it. */
static bool
receive_progress(void *context, const struct wire_progress *now)
{
	struct received *r = context;

	if (r->len)
		estimate_rest(now, r);
	return r->len > 0;
}

/* Tries again only when twice as much has come. */
static void
show_early(struct received *r)
{
	if (!r->preview || r->early || r->len < 2 * r->tried_len)
		return;
	r->tried_len = r->len;
	r->early = saved_early_show(r->bytes, r->len, r->preview);
}

static bool
receive_bytes(void *context, const struct frame *f, struct error *err)
{
	struct received *r = context;

	if (f->kind != SAY_BYTES)
		return true;
	if (!MAKE_ROOM(r->bytes, r->len + f->len, r->room, err))
		return false;
	if (!r->len)
		progress_begin_bytes(r->progress, "receiving", 0);
	memcpy(r->bytes + r->len, f->bytes, f->len);
	r->len += f->len;
	show_early(r);
	return progress_add(r->progress, f->len) || error_cancelled(err);
}

static void
receive_watch(void *watched, const struct live_watch *now)
{
	struct live_capture *c = watched;

	pthread_mutex_lock(&c->lock);
	c->watch = *now;
	pthread_mutex_unlock(&c->lock);
}

static const struct heap *
load(struct live_capture *c, struct progress *progress, struct preview *preview, struct error *err)
{
	const struct wire_ask question = { .capture = c->number };
	struct received r = { .progress = progress, .preview = preview };
	const struct taking taking = { .take = receive_bytes,
				       .progress = receive_progress,
				       .context = &r,
				       .watch = receive_watch,
				       .watched = c };
	const struct load_how how = {
		.path = c->card.who, .what = LOAD_ALL, .progress = progress, .preview = preview
	};
	const struct heap *h = NULL;

	if (asking_ask(ASK_LOAD, &question, &taking, &c->end, progress, err))
		h = saved_read(r.bytes, r.len, NULL, &how, err);
	if (!h && err->kind == ERROR_INPUT) {
		const struct error why = *err;

		error_clear(err);
		error_set(err, ERROR_INPUT, "%s: the heap that it has sent cannot be read: %s",
			  asking_label(), why.message);
	}
	if (!h)
		preview_withdraw(preview);
	saved_early_free(r.early);
	memory_free(r.bytes);
	return h;
}

static void
watch(const struct live_capture *c, struct live_watch *out)
{
	pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&c->lock;

	pthread_mutex_lock(lock);
	*out = c->watch;
	pthread_mutex_unlock(lock);
}

static bool
tell_cost(const struct live_capture *c, char *text, size_t text_size)
{
	snprintf(text, text_size, "%s", c->end.text);
	return c->end.is_complete;
}

static int
keep_errnum(const struct live_capture *c)
{
	(void)c;
	return 0;
}

const struct live_ops remote_live_ops = {
	.place = asking_label,
	.list = list,
	.open = open_capture,
	.card = card_of,
	.load = load,
	.watch = watch,
	.tell_cost = tell_cost,
	.keep_errnum = keep_errnum,
	.free = free_capture,
	.collections = remote_collections,
	.plan_allocations = remote_plan_allocations,
	.allocations = remote_allocations,
};
