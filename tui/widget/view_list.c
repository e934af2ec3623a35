/* Views that list the rows of their table (struct row_source). Such views need no code. */
#include "tui/session/snapshots.h"
#include "tui/widget/view.h"
#include "model/heap/contents.h"
#include <inttypes.h>
#include <string.h>

/* Also true while there is no heap. */
static bool
fits_heap(const struct view *v, struct error *err)
{
	const struct table *t = v->ops->table;
	const struct heap *h = v->session->heap;
	char pid[16] = "PID";
	int32_t known;

	if (!h || table_fits(t, h))
		return true;
	if (contents_exist(h))
		return error_set(err, ERROR_USAGE,
				 "this heap has no %s: nothing describes the fields of a Native "
				 "AOT program; strings and arrays have values",
				 t->contents);
	known = snapshots_pid(v->session);
	if (known)
		snprintf(pid, sizeof pid, "%" PRId32, known);
	if (snapshots_is_elsewhere(v->session))
		return error_set(err, ERROR_USAGE,
				 "this heap has no %s: run heaptop -m %s on that machine, or open "
				 "its core here (createdump --full %s); only objects, references "
				 "and roots are sent",
				 t->contents, pid, pid);
	return error_set(err, ERROR_USAGE,
			 "this heap has no %s: open a core (createdump --full %s) or the process "
			 "itself (heaptop -m %s)",
			 t->contents, pid, pid);
}

struct subject
view_subject(const struct view *v)
{
	const struct target *t = &v->target;

	return (struct subject){
		.node = t->node,
		.type = t->type,
		.address = t->address,
		.text = t->topic,
		.nodes = v->nodes,
		.nodes_count = v->nodes_count,
		.group = t->group.by == GROUP_NONE ? NULL : &t->group,
		.is_mine = v->session->shows_mine,
	};
}

bool
view_take_nodes(struct view *v, node_id **nodes, uint32_t *count, struct error *err)
{
	struct target *t = &v->target;

	*nodes = arena_array(&v->arena, node_id, (size_t)t->nodes_count + 1, err);
	if (!*nodes)
		return false;
	memcpy(*nodes, t->nodes, t->nodes_count * sizeof **nodes);
	*count = t->nodes_count;
	t->nodes = NULL;
	t->nodes_title = NULL;
	return true;
}

/* Sets the title to "locks held" or "histogram Leaky.Session". */
static void
name_subject(struct view *v)
{
	const struct target *t = &v->target;
	const char *of = *t->topic ? t->topic : NULL;

	if (t->nodes)
		of = t->nodes_title;
	else if (t->type != TYPE_NONE)
		of = session_type_name(v->session, t->type);
	if (of)
		snprintf(v->title, sizeof v->title, "%s %.200s", v->ops->command.name, of);
}

bool
view_accepts(struct view *v, struct error *err)
{
	const struct row_source *source = view_source(v->ops);
	struct subject about;
	struct facts facts;

	if (!fits_heap(v, err))
		return false;
	if (!view_makes_rows(v->ops))
		return true;
	name_subject(v);
	if (v->target.nodes && !view_take_nodes(v, &v->nodes, &v->nodes_count, err))
		return false;
	about = view_subject(v);
	facts = session_facts(v->session);
	return !source->accepts || source->accepts(&facts, &about, err);
}

/* Returns the source of a view whose rows are made. */
static const struct row_source *
source_of(const struct view *v)
{
	return v->ops->table->rows;
}

static void
made_free(const struct row_source *source, void *made)
{
	source->clear(made);
	memory_free(made);
}

void
view_made_free(struct view *v)
{
	if (v->made)
		made_free(source_of(v), v->made);
	v->made = NULL;
}

/* Returns a version that changes with the results that the rows are made of, and with `set
   mine`. */
static uint32_t
results_version(const struct view *v)
{
	const struct session *s = v->session;
	const struct row_source *source = source_of(v);
	unsigned results = source->made_of;
	uint32_t modules = source->reads_my_modules ? s->modules_version : 0;

	if (results & NEED_RETAINED)
		return s->results_version;
	/* The lowest bit tells the rows of my code from those of all. */
	if (v->ops->list.flags & VIEW_MINE)
		return s->shows_mine ? 2 * s->results_version + 1 : 2 * s->reach_version;
	return modules + (results & NEED_REACH ? s->reach_version : 0);
}

bool
view_made_is_current(const struct view *v)
{
	return v->made && v->made_version == results_version(v);
}

void
view_make_again(struct view *v)
{
	v->made_version = results_version(v) - 1;
}

struct making {
	const struct row_source *source;
	struct facts facts;
	struct subject about;
	uint32_t version;
	void *made;
};

static bool
run_making(void *context, struct progress *progress, struct error *err)
{
	struct making *m = context;

	return m->source->make(m->made, &m->facts, &m->about, progress, err);
}

/* Rows stay until they are listed again, with the selected one, unless the number of records has
   changed. */
static void
adopt(struct view *v, void *made, uint32_t version)
{
	struct facts facts = session_facts(v->session);
	const struct cells old = { &facts, v->made }, new = { &facts, made };
	const struct table *t = v->ops->table;

	if (!v->made || table_rows_count(t, &old) != table_rows_count(t, &new))
		v->rows_count = 0;
	view_made_free(v);
	v->made = made;
	v->made_version = version;
	v->is_stale = true;
}

static void
making_done(struct view *v, void *context, bool ok)
{
	struct making *m = context;

	if (ok)
		adopt(v, m->made, m->version);
	else
		made_free(m->source, m->made);
	memory_free(m);
}

static struct making *
new_making(const struct view *v, struct error *err)
{
	struct making *m = memory_new(1, sizeof *m, err);

	if (!m)
		return NULL;
	m->source = source_of(v);
	m->made = memory_new(1, m->source->made_size, err);
	if (!m->made) {
		memory_free(m);
		return NULL;
	}
	m->facts = session_facts(v->session);
	m->about = view_subject(v);
	m->version = results_version(v);
	return m;
}

/* Types that are still counted change without a new version. */
static bool
make_now(struct view *v, struct making *m, struct error *err)
{
	bool ok = run_making(m, NULL, err);

	making_done(v, m, ok);
	if (ok && !v->session->heap)
		view_make_again(v);
	return ok;
}

static bool
start_making(struct view *v, struct error *err)
{
	struct making *m = new_making(v, err);

	if (!m)
		return false;
	if (m->source->is_quick && m->source->is_quick(&m->facts, &m->about))
		return make_now(v, m, err);
	return view_run(v, m->source->what, run_making, making_done, m, err);
}

bool
view_list_table(struct view *v, struct error *err)
{
	struct facts facts;
	const struct cells in = view_cells(v, &facts);

	return view_list_all(v, table_rows_count(v->ops->table, &in), err);
}

bool
view_make_rows(struct view *v, struct error *err)
{
	const struct view_code *code = view_code(v->ops);
	bool (*list)(struct view *, struct error *) = code->rows ? code->rows : view_list_table;

	if (!fits_heap(v, err) || (code->prepare && !code->prepare(v, err)))
		return false;
	if (!view_makes_rows(v->ops))
		return list(v, err);
	return view_after(v, view_made_is_current(v), start_making, list, err);
}
