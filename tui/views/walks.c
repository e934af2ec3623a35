/*
 * The heap walks in the open trace, one for each collection that made one; Enter opens another as a
 * heap of its own.
 */
#include "model/tables/tables.h"
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "tui/widget/request.h"
#include <string.h>

static const struct heap_info *
info_of(const struct view *v)
{
	return &v->session->heap->info;
}

static bool
walks_open(struct view *v, struct error *err)
{
	if (!v->session->heap || !info_of(v)->walks_count)
		return error_set(err, ERROR_USAGE,
				 "only a .nettrace contains heap walks; to record one: heaptop -o "
				 "FILE.nettrace PID");
	return true;
}

/* --- commands ------------------------------------------------------------ */

/* Returns whether the session's heap is that walk, or is about to load it. */
static bool
is_of_walk(const struct session *s, const char *path)
{
	const struct heap_info *info = s->heap ? &s->heap->info : NULL;

	if (info && info->walks_count)
		return !strcmp(info->walks[info->walk].path, path);
	return s->loader.path && !strcmp(s->loader.path, path) && !session_has_failed(s);
}

/* Returns the session that has opened this walk, or NULL. */
static struct session *
find_session(const struct snapshots *all, const char *path)
{
	for (size_t i = 0; i < all->count; i++)
		if (is_of_walk(all->sessions[i], path))
			return all->sessions[i];
	return NULL;
}

static bool
open_walk(const struct call *call, struct error *err)
{
	const struct view *v = call->view;
	struct snapshots *all = v->session->snapshots;
	struct loader loader = v->session->loader;
	struct session *s;
	struct row row;

	if (!view_selected(v, &row))
		return error_set(err, ERROR_USAGE, "no walk is selected");
	if (!all || loader.capture)
		return error_set(err, ERROR_USAGE, "no other heap can be opened here");
	/* The heap owns the path; all heaps are freed together. */
	loader.path = info_of(v)->walks[row.data].path;
	s = find_session(all, loader.path);
	if (!s)
		s = snapshots_add(all, &loader, err);
	if (!s || !snapshots_start_next(all, err))
		return false;
	return request_open_in(call, s, "types", &target_none);
}

/* clang-format off */
static const struct command commands[] = {
	/* name    keys     bar      help, .run, then other fields */
	{ "open", "Enter", "types", "open this walk and show its types", .run = open_walk, .replay = REPLAY_ROWS },
	{ 0 },
};
/* clang-format on */

static const struct view_code walks_code = {
	.open = walks_open,
};

const struct view_ops view_walks = {
	.command = { .name = "walks", .help = "the heap walks in this .nettrace" },
	.table = &walks_table,
	.commands = commands,
	.words = { .no_rows = "there is no heap walk in this file; :gcs shows its collections" },
	.list = { .needs = NEED_OBJECTS },
	.code = &walks_code,
};
