#include "capture/remote/asking.h"
#include "model/base/text.h"
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct link *connection; /* set before there are threads */

bool
asking_open(const struct carrier_options *options, const char *version, struct error *err)
{
	connection = link_open(options, version, err);
	return connection != NULL;
}

void
asking_close(void)
{
	link_close(connection);
	connection = NULL;
}

const char *
asking_label(void)
{
	return link_label(connection);
}

void
asking_add_label(char *who, size_t who_size)
{
	enum { LABEL_COLUMNS = 32 };
	char alone[sizeof(((struct live_card *)0)->who)];
	char label[CARRIER_LABEL_BYTES];

	snprintf(alone, sizeof(alone), "%s", who);
	text_fit(asking_label(), LABEL_COLUMNS, label, sizeof(label));
	snprintf(who, who_size, "%s: %.45s", label, alone);
}

struct answer *
asking_begin(enum frame_kind kind, const struct wire_ask *question, struct error *err)
{
	return link_ask(connection, kind, question, err);
}

/* --- answers -------------------------------------------------------------- */

/*
 * Returns a literal in place of a text from the other side, as struct progress wants one: the same
 * memory for the same text, never freed. Further texts than there is room for are shown as one.
 */
static const char *
literal_of(const char *text)
{
	enum { TEXTS = 64 };
	static char texts[TEXTS][sizeof(((struct wire_progress *)0)->stage)];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *found = "working";

	if (!*text)
		return NULL;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < TEXTS; i++) {
		if (!*texts[i])
			snprintf(texts[i], sizeof(texts[i]), "%s", text);
		if (!strcmp(texts[i], text)) {
			found = texts[i];
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static void
receive_progress(const struct wire_progress *now, struct progress *p)
{
	const char *stage = literal_of(now->stage);

	if (!p || !stage)
		return;
	if (atomic_load(&p->stage) != stage)
		progress_begin(p, stage, literal_of(now->counted), now->total);
	if (now->is_about)
		progress_estimate(p, now->total);
	else
		atomic_store(&p->total, now->total);
	atomic_store(&p->done, now->done);
}

bool
asking_take_end(const struct frame *f, struct wire_end *end, struct error *err)
{
	if (!wire_take(WIRE_END, f->bytes, f->len, end, err))
		return false;
	if (end->err.kind == ERROR_NONE)
		return true;
	/* Our own request to stop does not wait for this. */
	if (end->err.kind == ERROR_CANCELLED)
		return error_set(err, ERROR_ATTACH, "%s: it was cancelled there", asking_label());
	/* Its advice is about options here, which do not limit the agent. */
	if (end->err.is_limit)
		return error_set(err, end->err.kind,
				 "%s: this needs at least %" PRIu64
				 " MiB there, and heaptop uses at most a quarter of the memory "
				 "that is available there; -m needs less than events",
				 asking_label(), (end->err.needed_bytes >> 20) + 1);
	error_set(err, end->err.kind, "%s: %s", asking_label(), end->err.message);
	err->is_memory = end->err.is_memory;
	return false;
}

static bool
receive_one(const struct taking *t, const struct frame *f, struct progress *p, struct error *err)
{
	struct wire_progress now;

	if (f->kind != SAY_PROGRESS)
		return !t->take || t->take(t->context, f, err);
	if (!wire_take(WIRE_PROGRESS, f->bytes, f->len, &now, err))
		return false;
	if (!t->progress || !t->progress(t->context, &now))
		receive_progress(&now, p);
	if (t->watch)
		t->watch(t->watched, &now.watch);
	return true;
}

bool
asking_ask(enum frame_kind kind, const struct wire_ask *question, const struct taking *t,
	   struct wire_end *end, struct progress *progress, struct error *err)
{
	struct answer *a = link_ask(connection, kind, question, err);
	bool has_ended = false, ok = a != NULL;

	while (ok && !has_ended) {
		const struct frame *f = answer_next(a, ASKING_LOOK_MS, err);

		ok = err->kind == ERROR_NONE;
		if (ok && progress_is_cancelled(progress))
			ok = error_cancelled(err);
		else if (f && f->kind == SAY_END)
			has_ended = true, ok = asking_take_end(f, end, err);
		else if (f)
			ok = receive_one(t, f, progress, err);
	}
	answer_free(a);
	return ok;
}
