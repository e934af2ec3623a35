#include "model/table/root_text.h"
#include "model/graph/root_index.h"
#include "model/heap/root_gaps.h"

/* Events report thread static variables like local variables, but without a method. */
static const char *
title_of(const struct root *root)
{
	return root->kind == ROOT_STACK && !*root->name ? "stack or thread static"
							: root_kinds[root->kind].title;
}

void
add_root(const struct root *root, struct text *out)
{
	text_addf(out, "%s%s%s%s", title_of(root), *root->name ? " " : "", root->name,
		  root->is_pinned && root->kind != ROOT_PINNED ? " (pinned)" : "");
}

const char *
describe_root(const struct root *root, char *out, size_t out_size)
{
	struct text text = text_in(out, out_size);

	add_root(root, &text);
	return out;
}

void
describe_root_value(const struct root *root, struct value *out)
{
	struct text text = value_begin_text(out, STYLE_ROOT);

	add_root(root, &text);
	out->also = root->label;
}

void
describe_root_row(const struct root *root, struct value *out)
{
	if (root->kind != ROOT_DEPENDENT) {
		describe_root_value(root, out);
		return;
	}
	value_text(out, STYLE_ROOT,
		   "a dependent handle (ConditionalWeakTable); its key is not in the file");
	out->also = root->label;
}

const char *
describe_rootless(const struct heap *h)
{
	return heap_knows_roots(h) ? " without a root" : ", roots unknown";
}

const char *
describe_none(const struct heap *h)
{
	return heap_knows_roots(h) ? "no root" : "unknown";
}

void
describe_dead_bytes(const struct heap *h, uint64_t bytes, struct value *out)
{
	if (heap_knows_roots(h))
		value_bytes(out, bytes);
	else
		value_blank(out);
}

void
describe_dead_count(const struct heap *h, uint64_t count, struct value *out)
{
	if (heap_knows_roots(h))
		value_count(out, count);
	else
		value_blank(out);
}

void
describe_root_of(const struct facts *f, node_id node, struct value *out)
{
	const struct root *root = f->roots ? root_index_find(f->roots, node) : NULL;

	if (root)
		describe_root_value(root, out);
	else
		value_text(out, STYLE_DIM, f->reach ? describe_none(f->heap) : "unknown");
}
