#include "model/heap/root_gaps.h"
#include "model/base/text.h"

enum { REASON_SHIFT = 16 }; /* bits for the kinds of one reason */

static const char *const kind_names[GAP_KINDS_COUNT] = {
	[GAP_STACKS] = "stacks",
	[GAP_THREAD_STATICS] = "thread-static variables",
	[GAP_STATICS] = "static variables",
	[GAP_HANDLES] = "handles",
	[GAP_FINALIZERS] = "the finalizer queue",
};

static const struct {
	const char *before, *behind;
} reason_texts[GAP_REASONS_COUNT] = {
	[GAP_ABSENT] = { "parts of ", ", which are not in memory" },
	[GAP_NOT_SENT] = { "", ", which Native AOT does not report" },
};

static uint64_t
gap_bit(enum root_gap_kind kind, enum root_gap_reason reason)
{
	return UINT64_C(1) << (kind + REASON_SHIFT * reason);
}

void
root_gaps_add(struct losses *l, enum root_gap_kind kind, enum root_gap_reason reason)
{
	l->root_gaps |= gap_bit(kind, reason);
}

void
root_gaps_add_native_aot(struct losses *l)
{
	root_gaps_add(l, GAP_STACKS, GAP_NOT_SENT);
	root_gaps_add(l, GAP_THREAD_STATICS, GAP_NOT_SENT);
}

/* Appends the gaps with this reason, "a, b and c". */
static void
add_reason(const struct losses *l, enum root_gap_reason reason, struct text *out)
{
	unsigned left = 0, done = 0;

	for (int i = 0; i < GAP_KINDS_COUNT; i++)
		left += !!(l->root_gaps & gap_bit((enum root_gap_kind)i, reason));
	if (!left)
		return;
	text_addf(out, "%s%s", out->len ? "; " : "", reason_texts[reason].before);
	for (int i = 0; i < GAP_KINDS_COUNT; i++) {
		if (!(l->root_gaps & gap_bit((enum root_gap_kind)i, reason)))
			continue;
		text_addf(out, "%s%s", !done ? "" : left > 1 ? ", " : " and ", kind_names[i]);
		done++;
		left--;
	}
	text_add(out, reason_texts[reason].behind);
}

const char *
root_gaps_text(const struct losses *l, char out[ROOT_GAPS_TEXT_BYTES])
{
	struct text text = text_in(out, ROOT_GAPS_TEXT_BYTES);

	for (int i = 0; i < GAP_REASONS_COUNT; i++)
		add_reason(l, (enum root_gap_reason)i, &text);
	return out;
}

const char *
root_gaps_text_of(const struct losses *l, enum root_gap_reason reason,
		  char out[ROOT_GAPS_TEXT_BYTES])
{
	struct text text = text_in(out, ROOT_GAPS_TEXT_BYTES);

	add_reason(l, reason, &text);
	return out;
}

bool
heap_knows_roots(const struct heap *h)
{
	const struct losses *l = &h->info.losses;

	return h->roots_count && !l->missing_bytes && !l->damaged_nodes && !l->root_gaps &&
	       !losses_have_events(l);
}
