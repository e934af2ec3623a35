#include "tui/app/save_session.h"
#include "tui/app/state.h"
#include "tui/app/ignore.h"
#include "tui/app/jumps.h"
#include "model/table/lookup.h"
#include "model/table/pattern.h"
#include "tui/base/places.h"
#include "tui/app/replay.h"
#include "tui/session/snapshots.h"
#include "tui/base/text_file.h"
#include "tui/app/views.h"
#include "tui/base/quoting.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	WORDS_BYTES = SCRIPT_COMMAND_BYTES - 64, /* leaves room for the command's name */
	UNFOLDED_MAX = 500,                      /* rows of one tree saved as unfolded */
	UNFOLDED_LOOKED = 100000,
	PAGE_LEAST = 15, /* rows that every tree shows at first */
};

/* --- lines ---------------------------------------------------------------- */

static void
put_left_out(FILE *to, const char *what)
{
	char quoted[SCRIPT_COMMAND_BYTES];

	if (quoting_encode(what, quoted, sizeof quoted))
		fprintf(to, "# left out: %s\n", quoted);
}

static bool
is_printable(const char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < ' ' || *line == 0x7f)
			return false;
	return true;
}

/* Returns whether the line is read back as exactly this one command. */
static bool
is_one_command(const char *line)
{
	char out[SCRIPT_COMMAND_BYTES];
	struct error err = { 0 };
	struct script s;

	script_init(&s, line);
	return is_printable(line) && !command_is_for_shell(line) && script_next(&s, out, &err) &&
	       !strcmp(out, line) && !script_next(&s, out, &err) && err.kind == ERROR_NONE;
}

static void
put(FILE *to, const char *verb, const char *words, const char *what)
{
	char line[SCRIPT_COMMAND_BYTES];
	int len = snprintf(line, sizeof line, "%s%s%s", verb, *words ? " " : "", words);

	if (len > 0 && (size_t)len < sizeof line && is_one_command(line))
		fprintf(to, "%s\n", line);
	else
		put_left_out(to, what);
}

/* --- heaps ---------------------------------------------------------------- */

/* Returns the file of a heap. A capture that was saved has one. */
static const char *
heap_path(const struct session *s, struct error *err)
{
	const struct loader *l = &s->loader;
	bool is_live = l->capture || l->pid || l->is_live;
	const char *path = *s->save_path ? s->save_path : l->path;

	if (path && *path && strcmp(path, "-") != 0 &&
	    (!(is_live || l->is_builtin) || (*s->save_path && !access(path, F_OK))))
		return path;
	error_set(err, ERROR_USAGE,
		  "%.60s is in no file, so it could not be opened again; save it first: save "
		  "FILE.heaptop",
		  s->name);
	return NULL;
}

static bool
put_heap(FILE *to, const struct session *s, struct error *err)
{
	char whole[2 * PLACE_BYTES], quoted[8 * PLACE_BYTES], folder[PLACE_BYTES];
	const char *path = heap_path(s, err);
	struct stat st;

	if (!path)
		return false;
	if (*path != '/' && !getcwd(folder, sizeof folder))
		return error_sys(err, errno, "cannot find the directory of %.80s", path);
	snprintf(whole, sizeof whole, "%s%s%s", *path == '/' ? "" : folder, *path == '/' ? "" : "/",
		 path);
	if (stat(whole, &st) || !S_ISREG(st.st_mode) ||
	    !quoting_encode(whole, quoted, sizeof quoted) || strlen(quoted) >= WORDS_BYTES)
		return error_set(
		    err, ERROR_USAGE,
		    "%.120s is not a file that could be opened again; save the heap first: save "
		    "FILE.heaptop",
		    whole);
	fprintf(to, "# heap %s %" PRIdMAX " %" PRIdMAX ".%09ld\n", quoted, (intmax_t)st.st_size,
		(intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

static bool
put_heaps(FILE *to, const struct app *app, struct error *err)
{
	const struct snapshots *all = app->snapshots;
	unsigned count = 0;

	for (size_t i = 0; all && i < all->count; i++) {
		if (all->sessions[i]->is_empty)
			continue;
		if (!put_heap(to, all->sessions[i], err))
			return false;
		count++;
	}
	return count || !all ||
	       error_set(err, ERROR_USAGE, "no heap is open that could be resumed");
}

/* --- objects and types ---------------------------------------------------- */

/* Writes what target_parse() reads back; "" for no target. False: impossible. */
static bool
spell_target(const struct session *s, unsigned takes, const struct target *t,
	     char words[WORDS_BYTES])
{
	struct error ignored = { 0 };
	char name[WORDS_BYTES];
	struct target back;

	words[0] = '\0';
	if (t->is_marked)
		strcpy(words, "marked");
	else if (takes & TAKES_TOPIC)
		snprintf(words, WORDS_BYTES, "%s", t->topic);
	else if (t->address)
		snprintf(words, WORDS_BYTES, "0x%" PRIx64, t->address);
	else if (t->node != NODE_NONE)
		address_format(heap_address(s->heap, t->node), words);
	else if (t->type != TYPE_NONE) {
		const struct facts facts = session_facts(s);

		lookup_spell_type(&facts, t->type, name, sizeof name);
		if (!quoting_encode(name, words, WORDS_BYTES))
			return false;
	}
	return target_parse(s, takes, words, &back, &ignored) && back.node == t->node &&
	       back.type == t->type && (back.address == t->address || back.node != NODE_NONE) &&
	       back.is_marked == t->is_marked;
}

/* --- ignored items and marks of a session --------------------------------- */

static void
spell_object(const struct session *s, node_id n, char out[24])
{
	address_format(heap_address(s->heap, n), out);
}

static bool
spell_ignored(const struct session *s, const struct ignored_entry *e, bool is_everywhere,
	      char out[WORDS_BYTES])
{
	char a[24] = "", b[24], words[WORDS_BYTES];
	const struct target type = target_of_type(e->what);
	const struct root *r;

	switch (e->kind) {
	case IGNORED_REFERRER:
		spell_object(s, e->what, a);
		snprintf(out, WORDS_BYTES, "referrer %s", a);
		return true;
	case IGNORED_REF:
		spell_object(s, e->what, a);
		spell_object(s, e->target, b);
		snprintf(out, WORDS_BYTES, "reference %s %s", a, b);
		return true;
	case IGNORED_ROOT:
		r = &s->heap->roots[e->what];
		if (!is_everywhere)
			spell_object(s, r->object, a);
		return quoting_encode(r->name, words, sizeof words) &&
		       snprintf(out, WORDS_BYTES, "%s%s %s %s", is_everywhere ? "roots" : "root ",
				a, root_kinds[r->kind].id, words) < WORDS_BYTES;
	case IGNORED_ROOT_KIND:
		snprintf(out, WORDS_BYTES, "kind %s", root_kinds[e->what].id);
		return true;
	case IGNORED_TYPE:
		if (!spell_target(s, TAKES_TYPE, &type, words))
			return false;
		return snprintf(out, WORDS_BYTES, "type %s", words) < WORDS_BYTES;
	case IGNORED_STATIC_TABLE:
		break;
	}
	return false;
}

/* Returns whether ignore_parse() turns the words into just these entries. */
static bool
means_entries(const struct session *s, const char *words, const struct ignored_entry *entries,
	      size_t count)
{
	struct error err = { 0 };
	struct ignored_entry *back = memory_new(IGNORE_ENTRIES_MAX, sizeof *back, &err);
	uint32_t back_count = 0;
	bool is_same =
	    back && ignore_parse(s, words, back, &back_count, &err) && back_count == count;

	for (size_t i = 0; is_same && i < count; i++)
		is_same = back[i].kind == entries[i].kind && back[i].what == entries[i].what &&
			  back[i].target == entries[i].target;
	memory_free(back);
	return is_same;
}

static void
put_ignored(FILE *to, const struct session *s, const struct ignored_entry *entries, size_t count)
{
	char words[WORDS_BYTES];

	for (int everywhere = 0; everywhere < 2; everywhere++)
		if (spell_ignored(s, entries, everywhere, words) &&
		    means_entries(s, words, entries, count)) {
			put(to, "ignore", words, "something ignored");
			return;
		}
	for (size_t i = 0; count > 1 && i < count; i++)
		put_ignored(to, s, &entries[i], 1);
	if (count == 1)
		put_left_out(to, "something ignored");
}

static void
put_mark(FILE *to, const struct session *s, const struct mark *mark)
{
	struct target t =
	    mark->node == NODE_NONE ? target_of_type(mark->type) : target_of_node(s, mark->node);
	char words[WORDS_BYTES], note[4 * MARK_NOTE_BYTES + 3];
	size_t len;

	if (!spell_target(s, TAKES_OBJECT | TAKES_TYPE, &t, words) ||
	    !quoting_encode(mark->note, note, sizeof note)) {
		put_left_out(to, "a mark");
		return;
	}
	len = strlen(words);
	if (*mark->note)
		snprintf(words + len, sizeof words - len, " %s", note);
	put(to, "mark-at", words, "a mark");
}

/* With several heaps, switch to this one first. */
static void
put_findings(FILE *to, const struct app *app, const struct session *s)
{
	const struct what_if_list *list = &s->what_if.list;
	bool is_one = !app->snapshots || snapshots_heaps(app->snapshots) < 2;
	unsigned number = snapshots_number(s);

	if (!s->heap || (!list->items_count && !s->marks.count))
		return;
	if (!is_one)
		fprintf(to, "heap %u\n", number);
	for (size_t i = 0; i < list->items_count; i++)
		put_ignored(to, s, &list->entries[list->items[i].first], list->items[i].count);
	for (size_t i = 0; i < s->marks.count; i++)
		put_mark(to, s, &s->marks.items[i]);
	if (!is_one)
		fputs("close\n", to);
}

static void
put_all_findings(FILE *to, const struct app *app)
{
	const struct snapshots *all = app->snapshots;

	for (size_t i = 0; all && i < all->count; i++)
		put_findings(to, app, all->sessions[i]);
	if (!all)
		put_findings(to, app, app->session);
}

/* --- settings ------------------------------------------------------------- */

static void
put_setting(FILE *to, const struct settings *s, const struct setting *row, size_t view)
{
	const struct setting_place place = { row, view };
	char value[SETTING_TEXT_BYTES], words[WORDS_BYTES];
	char name[SETTING_NAME_BYTES];

	if (settings_origin(s, &place)->kind != ORIGIN_PROMPT)
		return;
	snprintf(words, sizeof words, "%s=%s", settings_spell(&place, name),
		 setting_show(row, s, view, value));
	if (strpbrk(words, " \t"))
		put_left_out(to, words);
	else
		put(to, "set", words, row->name);
}

static void
put_settings(FILE *to, const struct settings *s)
{
	for (const struct setting *row = settings_table; row->name; row++)
		for (size_t v = 0; v < SETTING_VIEWS_MAX && all_views[v]; v++)
			if (row->flags & SETTING_OF_VIEWS || !v)
				put_setting(to, s, row, v);
}

/* --- keys ----------------------------------------------------------------- */

/* Returns whether it is read back unchanged and is allowed in sessions. */
static bool
is_same_key(const struct keymap_entry *e, const char *words)
{
	char command[KEYMAP_COMMAND_BYTES];

	return !strcmp(keymap_command(words, command), e->command) && replay_allows_key(e->command);
}

static void
put_key(FILE *to, const struct keymap_entry *e)
{
	const char *quote = !strchr(e->command, ';') ? "" : strchr(e->command, '"') ? "'" : "\"";
	char name[64], words[64 + KEYMAP_COMMAND_BYTES + 8];

	if (e->origin.kind != ORIGIN_PROMPT)
		return;
	snprintf(words, sizeof words, "%s %s%s%s", keymap_spell(e, name), quote, e->command, quote);
	if (is_same_key(e, words))
		put(to, "map", words, words);
	else
		put_left_out(to, words);
}

/* --- views ---------------------------------------------------------------- */

static void
put_order(FILE *to, const struct view *v)
{
	const struct column *c = v->sort < 0 ? NULL : &v->ops->table->columns[v->sort];
	char words[64];

	if (!c || c->sort == UNSORTED)
		return;
	snprintf(words, sizeof words, "%c%s", (c->sort == DOWN) == v->is_descending ? '+' : '-',
		 c->id);
	put(to, "sort", words, "an order");
}

/* Requests more rows if more than the initial ones are shown. */
static void
put_more_rows(FILE *to, const struct view *v, size_t row, uint32_t depth)
{
	size_t count = 0, i;
	struct row below;

	for (i = row; i < v->rows_count && i < UNFOLDED_LOOKED; i++) {
		view_row(v, i, &below);
		if (below.depth < depth)
			break;
		count += below.depth == depth && below.kind != ROW_MORE;
	}
	if (i == UNFOLDED_LOOKED && i < v->rows_count)
		put_left_out(to, "rows of a tree that were shown");
	if (count > PAGE_LEAST)
		fprintf(to, "more-rows %zu %zu\n", row, count);
}

static void
put_open_row(FILE *to, const struct view *v, size_t index)
{
	const struct view_tree *tree = view_code(v->ops)->tree;
	const char *command = tree->opened_by ? tree->opened_by(v, index) : NULL;

	if (command)
		fprintf(to, "row %zu\n%s\n", index + 1, command);
	else
		fprintf(to, "unfold-row %zu\n", index + 1);
}

/* Folds all rows first, since some are open by default. */
static void
put_open_rows(FILE *to, const struct view *v)
{
	unsigned count = 0;
	struct row row;

	fputs("fold-rows\n", to);
	put_more_rows(to, v, 0, 0);
	for (size_t i = 0; i < v->rows_count; i++) {
		view_row(v, i, &row);
		if (row.fold != FOLD_OPEN)
			continue;
		if (i >= UNFOLDED_LOOKED || ++count > UNFOLDED_MAX) {
			put_left_out(to, "rows of a tree that were open");
			return;
		}
		put_open_row(to, v, i);
		put_more_rows(to, v, i + 1, row.depth + 1);
	}
}

static void
put_step(void *to, const char *command)
{
	if (command)
		put(to, command, "", command);
	else
		put_left_out(to, "something done in the view");
}

static void
put_filter(FILE *to, const struct view *v)
{
	const struct filter_value f = filter_value(v->filter);

	if (*f.text)
		put(to, f.language == FILTER_ANY ? "filter" : "where", f.text, "a filter");
}

/* Saves what was done in the view that the script is in at this point. */
static void
put_place(FILE *to, const struct view *v)
{
	if (view_code(v->ops)->replay)
		view_code(v->ops)->replay(v, put_step, to);
	put_order(to, v);
	put_filter(to, v);
	if (v->is_waiting || !v->rows_count)
		return;
	if (view_code(v->ops)->tree)
		put_open_rows(to, v);
	if (v->search) /* moves the cursor, so the row comes after it */
		put(to, "search", pattern_text(v->search), "a search");
	if (v->cursor || v->top || v->search)
		fprintf(to, "row %zu %zu\n", v->cursor + 1, v->top + 1);
}

/* Returns whether typing the view's name in `from` opens it. */
static bool
opens(const struct view *from, const struct view *v)
{
	const char *name = v->ops->command.name;
	struct error ignored = { 0 };
	struct binding b = command_by_name(from->ops, name, strlen(name), &ignored);

	return b.opens && !strcmp(b.opens->command.name, name);
}

/* Returns whether repeating the command that opened `v` opens it again. */
static bool
opens_there(const struct view *below, const struct view *v)
{
	struct error ignored = { 0 };
	enum replay wait;
	struct row row;

	return v->opened_by && replay_allows(v->opened_by, &wait, &ignored) &&
	       view_selected(below, &row) && row.key == v->opened_at;
}

/* Returns false if no command opens the view again. */
static bool
put_view(FILE *to, const struct view *from, const struct view *below, const struct view *v)
{
	unsigned takes = view_takes(v->ops) & ~(unsigned)TAKES_SET;
	bool is_types = view_is(v, &view_types);
	char words[WORDS_BYTES];

	if (v->ops->list.flags & VIEW_QUERIES_PROCESSES) {
		put_left_out(to, v->title);
		return false;
	}
	if (target_lists_objects(&v->target) || v->target.group.by != GROUP_NONE ||
	    (!v->session->heap && !target_is_none(&v->target)) ||
	    !spell_target(v->session, takes, &v->target, words) || !opens(from, v)) {
		if (from != below || !opens_there(below, v)) {
			put_left_out(to, v->title);
			return false;
		}
		put(to, v->opened_by, "", v->title);
		put_place(to, v);
		return true;
	}
	if (from->session != v->session && snapshots_number(v->session))
		fprintf(to, "heap %u\n", snapshots_number(v->session));
	if (from->session == v->session || !is_types)
		put(to, v->ops->command.name, words, v->title);
	put_place(to, v);
	return true;
}

static void
put_views(FILE *to, const struct app *app)
{
	const struct view *from = app->views[0];
	size_t behind = 0;

	put_place(to, from);
	for (size_t i = 1; i < app->views_count; i++)
		if (put_view(to, from, app->views[i - 1], app->views[i])) {
			from = app->views[i];
			behind += i > app->current;
		}
	for (; behind; behind--)
		fputs("back\n", to);
	if (!app_shows_pane(app))
		return;
	fputs("pane\n", to);
	put_place(to, app->pane);
	if (!app->has_pane_focus)
		fputs("pane\n", to);
}

char *
save_session_view(const struct view *v)
{
	const struct view_ops *ops = v->target.node == NODE_NONE ? v->ops : &view_objects;
	struct target target = v->target;
	char words[WORDS_BYTES], *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to)
		return NULL;
	target.node = NODE_NONE;
	target.address = 0;
	target.is_marked = false;
	if (ops != &view_types &&
	    spell_target(v->session, view_takes(ops) & ~(unsigned)TAKES_SET, &target, words))
		put(to, ops->command.name, words, v->title);
	if (ops == v->ops) {
		put_order(to, v);
		put_filter(to, v);
	}
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

/* --- the whole session ---------------------------------------------------- */

char *
save_session_text(struct app *app, struct error *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);
	bool ok;

	if (!to) {
		error_sys(err, errno, "no memory for the session");
		return NULL;
	}
	fputs("# heaptop session\n", to);
	ok = put_heaps(to, app, err);
	if (ok) {
		put_settings(to, app->settings);
		for (size_t i = 0; i < app->settings->keys.count; i++)
			put_key(to, &app->settings->keys.entries[i]);
		put_all_findings(to, app);
		put_views(to, app);
	}
	/* fclose() may succeed without memory and leave no text. */
	if ((fclose(to) || !text) && ok)
		ok = error_sys(err, ENOMEM, "no memory for the session");
	if (ok)
		return text;
	free(text);
	return NULL;
}

static bool
write_to(struct app *app, const char *path, bool may_replace, struct error *err)
{
	char *text = app_may_write(app, path, may_replace, "save-session", err)
			 ? save_session_text(app, err)
			 : NULL;
	bool ok = text && app_write_text(app, path, may_replace, text, err);

	free(text);
	return ok;
}

/* Saves to the file that --resume reads by default. */
static bool
write_default(struct app *app, char path[PLACE_BYTES], struct error *err)
{
	if (!place_of_state("session", path))
		return error_set(err, ERROR_SYSTEM, "the session is not saved: HOME is not set");
	if (app->snapshots && secure_is_on(&app->snapshots->secure))
		return secure_allows(&app->snapshots->secure, SECURE_WRITE, "save-session", err);
	return text_file_make_folders(path, err) && write_to(app, path, true, err);
}

bool
save_session(const struct call *call, struct error *err)
{
	char path[SCRIPT_COMMAND_BYTES], typed[SCRIPT_COMMAND_BYTES];
	bool is_named = *call->arg != '\0';

	snprintf(typed, sizeof typed, "%s", call->arg);
	if (is_named ? !quoting_path(quoting_strip(typed), path, sizeof path, err) ||
			   !write_to(call->app, path, call->is_forced, err)
		     : !write_default(call->app, path, err))
		return false;
	app_message(call->app, STYLE_STATUS, "saved in %.300s; heaptop --resume%s%s resumes here",
		    path, is_named ? " " : "", is_named ? call->arg : "");
	return true;
}

bool
save_session_at_end(struct app *app, struct error *err)
{
	char path[PLACE_BYTES];

	return !app->settings->resume || write_default(app, path, err);
}
