#include "tui/session/suspects.h"
#include "model/analysis/finding_table.h"
#include "model/base/arena.h"

struct suspects {
	struct job *job;  /* NULL: not running */
	uint32_t version; /* of the session's results */
	struct facts facts;
	struct findings_made made;
	bool is_made;
};

static bool
run_suspects(void *context, struct progress *progress, struct error *err)
{
	static const struct subject whole_heap = { .node = NODE_NONE, .type = TYPE_NONE };
	struct suspects *p = context;

	return findings_table.rows->make(&p->made, &p->facts, &whole_heap, progress, err);
}

/* Returns whether everything that findings are made of has been computed or refused. */
static bool
can_begin(const struct session *s)
{
	if (!s->heap || !s->reverse || !s->reach || session_job(s))
		return false;
	return s->retention || *s->refused[JOB_RETENTION];
}

void
suspects_want(struct session *s)
{
	struct suspects *p = s->suspects;
	struct error ignored = { 0 };

	if (!can_begin(s) || (p && p->version == s->results_version))
		return;
	suspects_forget(s);
	p = memory_new(1, sizeof *p, &ignored);
	if (!p)
		return;
	p->version = s->results_version;
	p->facts = session_facts(s);
	p->facts.samples = NULL; /* they may be replaced meanwhile */
	p->job =
	    job_start_low_priority("looking for suspects", run_suspects, p, s->waker, &ignored);
	s->suspects = p;
	if (!s->waker.wake)
		(void)suspects_poll(s);
}

/* Waits for the job, whose rows are there if it has succeeded. */
static void
end_job(struct suspects *p)
{
	struct error ignored = { 0 };

	p->is_made = job_finish(p->job, &ignored);
	p->job = NULL;
}

bool
suspects_poll(struct session *s)
{
	struct suspects *p = s->suspects;

	if (!p || !p->job || !job_is_done(p->job))
		return false;
	end_job(p);
	return true;
}

void
suspects_forget(struct session *s)
{
	struct suspects *p = s->suspects;

	if (!p)
		return;
	s->suspects = NULL;
	if (p->job) {
		job_cancel(p->job);
		end_job(p);
	}
	findings_table.rows->clear(&p->made);
	memory_free(p);
}

const struct finding *
suspects_at(const struct session *s, uint32_t n)
{
	const struct suspects *p = s->suspects;

	return p && p->is_made && n < p->made.count ? &p->made.items[n] : NULL;
}

/* Returns whether a finding explains at least half of the objects of its type. `count` says nothing
   of it: each kind counts something else, such as threads or bytes. */
static bool
is_about_most(const struct session *s, const struct finding *f)
{
	uint64_t most = f->type_count > f->nodes_count ? f->type_count : f->nodes_count;

	return f->type < s->types_count && most >= s->types[f->type].count / 2;
}

const struct finding *
suspects_about(const struct session *s, type_id type)
{
	const struct finding *f;

	if (type == TYPE_NONE)
		return NULL;
	for (uint32_t i = 0; (f = suspects_at(s, i)); i++)
		if (f->type == type && !f->kind->is_waste && !f->kind->is_of_all &&
		    is_about_most(s, f))
			return f;
	return NULL;
}

uint64_t
suspects_key(const struct session *s, const struct finding *f)
{
	const struct facts facts = session_facts(s);
	const struct cells in = { &facts, &s->suspects->made };
	struct row row = { 0 };

	findings_table.rows->row(&in, f, &row);
	return row.key;
}
