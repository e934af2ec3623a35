#include "tui/cli/mcp_heaps.h"
#include "tui/tables/card_lines.h"
#include "model/base/text.h"
#include <string.h>

/* --- handles -------------------------------------------------------------- */

/* Gives a new session a handle. Returns NULL if there is no session. */
static struct mcp_heap *
take_place(struct mcp_heaps *heaps, struct mcp_heap *place, struct session *s)
{
	if (!s)
		return NULL;
	place->session = s;
	place->number = ++heaps->last_number;
	return place;
}

bool
mcp_heaps_init(struct mcp_heaps *heaps, struct snapshots *all, const struct options *o,
	       struct error *err)
{
	*heaps = (struct mcp_heaps){ .all = all, .options = o };
	if (all->count > MCP_HEAPS_MAX)
		return error_set(err, ERROR_USAGE,
				 "%zu heaps are named, and a server has at most %d open",
				 all->count, MCP_HEAPS_MAX);
	for (size_t i = 0; i < all->count; i++) {
		struct mcp_heap *h = &heaps->places[i];

		take_place(heaps, h, all->sessions[i]);
		stat(h->session->loader.path, &h->file);
	}
	return true;
}

static struct mcp_heap *
free_place(struct mcp_heaps *heaps, struct error *err)
{
	char open[MCP_HEAPS_MAX * sizeof " heap-4294967295"];
	struct text text = text_in(open, sizeof open);

	for (size_t i = 0; i < MCP_HEAPS_MAX; i++) {
		if (!heaps->places[i].session)
			return &heaps->places[i];
		text_addf(&text, " heap-%u", heaps->places[i].number);
	}
	error_set(err, ERROR_USAGE, "%d heaps are open, the limit; call close for one of%s",
		  MCP_HEAPS_MAX, open);
	return NULL;
}

struct mcp_heap *
mcp_heaps_find(struct mcp_heaps *heaps, unsigned number, struct error *err)
{
	for (size_t i = 0; i < MCP_HEAPS_MAX; i++)
		if (heaps->places[i].session && heaps->places[i].number == number)
			return &heaps->places[i];
	error_set(err, ERROR_USAGE, "heap-%u is %s; call open, which returns a handle", number,
		  number <= heaps->last_number ? "closed" : "not open");
	return NULL;
}

void
mcp_heaps_close(struct mcp_heaps *heaps, struct mcp_heap *h)
{
	snapshots_remove(heaps->all, h->session);
	h->session = NULL;
}

void
mcp_heaps_take_back(struct mcp_heaps *heaps, struct mcp_heap *h)
{
	mcp_heaps_close(heaps, h);
	heaps->last_number--;
}

/* --- files ---------------------------------------------------------------- */

bool
mcp_heaps_may_open(const char *path, struct stat *file, struct error *err)
{
	if (!stat(path, file) && S_ISREG(file->st_mode))
		return true;
	return error_set(err, ERROR_USAGE,
			 "%.150s is not a file that exists; give the absolute path of a dump",
			 path);
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Returns the heap of the file as it is now, or NULL if it is not open. */
static struct mcp_heap *
heap_of_file(struct mcp_heaps *heaps, const struct stat *file)
{
	for (size_t i = 0; i < MCP_HEAPS_MAX; i++) {
		const struct session *s = heaps->places[i].session;

		if (s && !s->loader.capture && is_same_file(&heaps->places[i].file, file))
			return &heaps->places[i];
	}
	return NULL;
}

struct mcp_heap *
mcp_heaps_open_file(struct mcp_heaps *heaps, const char *path, struct error *err)
{
	struct loader loader = heaps->all->file_loader;
	struct mcp_heap *h;
	struct stat file;

	if (!mcp_heaps_may_open(path, &file, err))
		return NULL;
	h = heap_of_file(heaps, &file);
	if (h)
		return h;
	h = free_place(heaps, err);
	if (!h)
		return NULL;
	h->file = file;
	loader.path = strcpy(h->path, path);
	return take_place(heaps, h, snapshots_add(heaps->all, &loader, err));
}

/* --- processes ------------------------------------------------------------ */

struct mcp_heap *
mcp_heaps_open_process(struct mcp_heaps *heaps, int32_t pid, struct error *err)
{
	const struct live_ops *live = heaps->all->live;
	const struct live_options *options = &heaps->all->options;
	const struct live_target target = { .pid = pid };
	struct progress progress = { 0 }; /* the client may cancel */
	struct live_capture *c;
	struct mcp_heap *h;

	if (!heaps->options->allows_capture) {
		error_set(err, ERROR_USAGE,
			  "capturing is not allowed: the user must start the server with "
			  "--allow-capture");
		return NULL;
	}
	h = free_place(heaps, err);
	c = h ? live->open(&target, options, NULL, &progress, err) : NULL;
	if (!c)
		return NULL;
	if (!card_is_within(live->card(c), options, err)) {
		live->free(c);
		return NULL;
	}
	return take_place(heaps, h, snapshots_add_capture(heaps->all, c, err));
}
