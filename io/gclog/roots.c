#include "io/gclog/roots.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char interior[] = ", interior";
static const char more_flags[] = ", flags 0x";
static const char unknown_kind[] = "kind ";

static const struct {
	const char *label;
	enum root_kind kind;
} kinds[GCLOG_ROOT_KINDS] = {
	[GCLOG_RUNTIME] = { "runtime", ROOT_OTHER },
	[GCLOG_LOCAL] = { "local", ROOT_STACK },
	[GCLOG_FINALIZER] = { "finalizer", ROOT_FINALIZER },
	[GCLOG_HANDLE] = { "handle", ROOT_STRONG },
	[GCLOG_STATIC] = { "static", ROOT_STATIC },
	[GCLOG_INTERNAL] = { "cf-internal", ROOT_OTHER },
};

enum root_kind
gclog_root_kind(struct gclog_root root)
{
	if (root.kind >= GCLOG_ROOT_KINDS)
		return ROOT_OTHER;
	if (root.kind == GCLOG_HANDLE && root.flags & GCLOG_PINNED)
		return ROOT_PINNED;
	return kinds[root.kind].kind;
}

const char *
gclog_root_label(struct gclog_root root, struct arena *a, struct error *err)
{
	uint64_t unknown = root.flags & ~(uint64_t)GCLOG_FLAGS;
	const char *inside = root.flags & GCLOG_INTERIOR ? interior : "";
	char kind[32], flags[32] = "";
	const char *text = kind;

	if (root.kind < GCLOG_ROOT_KINDS)
		text = kinds[root.kind].label;
	else
		snprintf(kind, sizeof(kind), "%s%" PRIx64, unknown_kind, root.kind);
	if (unknown)
		snprintf(flags, sizeof(flags), "%s%" PRIx64, more_flags, unknown);
	if (root.kind < GCLOG_ROOT_KINDS && !*inside && !unknown)
		return kinds[root.kind].label;
	return arena_printf(a, err, "%s%s%s", text, inside, flags);
}

/* Skips `word` if the text begins with it. */
static bool
skip_word(const char **text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*text, word, len) != 0)
		return false;
	*text += len;
	return true;
}

/* Parses a label made by gclog_root_label(). */
static bool
read_label(const char *label, struct gclog_root *root)
{
	char *end;

	*root = (struct gclog_root){ .kind = GCLOG_ROOT_KINDS };
	for (unsigned i = 0; i < GCLOG_ROOT_KINDS; i++)
		if (skip_word(&label, kinds[i].label)) {
			root->kind = i;
			break;
		}
	if (root->kind == GCLOG_ROOT_KINDS) {
		if (!skip_word(&label, unknown_kind))
			return false;
		root->kind = strtoull(label, &end, 16);
		label = end;
	}
	if (skip_word(&label, interior))
		root->flags |= GCLOG_INTERIOR;
	if (skip_word(&label, more_flags)) {
		root->flags |= strtoull(label, &end, 16) & ~(uint64_t)GCLOG_FLAGS;
		label = end;
	}
	return !*label;
}

static enum gclog_root_kind
nearest_kind(enum root_kind kind)
{
	switch (kind) {
	case ROOT_STATIC:
	case ROOT_THREAD_STATIC:
		return GCLOG_STATIC;
	case ROOT_STACK:
	case ROOT_STACK_WORD:
		return GCLOG_LOCAL;
	case ROOT_FINALIZER:
		return GCLOG_FINALIZER;
	default:
		return GCLOG_HANDLE;
	}
}

struct gclog_root
gclog_root_of(const struct root *root)
{
	bool is_pinned =
	    root->is_pinned || root->kind == ROOT_PINNED || root->kind == ROOT_ASYNC_PINNED;
	struct gclog_root out, plain = { .kind = nearest_kind(root->kind) };

	out = read_label(root->label, &out) ? out : plain;
	out.flags |= is_pinned ? GCLOG_PINNED : 0;
	if (gclog_root_kind(out) == root->kind)
		return out;
	plain.flags = is_pinned ? GCLOG_PINNED : 0;
	return plain;
}
