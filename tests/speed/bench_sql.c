/* Queries over a heap: what each object, reference or query costs. */
#include "tests/speed/bench.h"
#include "model/sql/sql.h"
#include "tests/drive/heaps.h"
#include <inttypes.h>
#include <stdio.h>

static const struct sql_row {
	const char *name, *query;
	enum { PER_OBJECT, PER_REF, PER_QUERY } per;
	double target;
} rows[] = {
	{ "  count", "SELECT count(*) FROM objects", PER_OBJECT, 60 },
	{ "  sum of sizes", "SELECT sum(size) FROM objects", PER_OBJECT, 60 },
	{ "  group by type",
	  "SELECT type, count(*), sum(size) FROM objects GROUP BY type ORDER BY 3 DESC", PER_OBJECT,
	  150 },
	{ "  group by type_id", "SELECT type_id, sum(size) FROM objects GROUP BY type_id",
	  PER_OBJECT, 150 },
	{ "  references joined with objects",
	  "SELECT count(*), sum(o.size) FROM refs r JOIN objects o ON o.address = r.target",
	  PER_REF, 300 },
	{ "  one object", NULL, PER_QUERY, 1000 },
};

/* Returns the seconds of the best of three runs. */
static double
run_best(const char *query, const struct sql_heap *heap)
{
	double best = 1e9;

	for (int i = 0; i < 3; i++) {
		struct sql_result result;
		struct error err = { 0 };
		double start = bench_now(), seconds;

		if (!sql_run(query, heap, 1, NULL, &result, &err))
			bench_fail(err.message);
		seconds = bench_now() - start;
		sql_result_clear(&result);
		if (seconds < best)
			best = seconds;
	}
	return best;
}

static void
print_row(const struct sql_row *r, const struct heap *h, double seconds)
{
	if (r->per == PER_OBJECT)
		bench_row(r->name, seconds * 1e9 / h->nodes_count, r->target, "ns/ob", 0, NULL);
	else if (r->per == PER_REF)
		bench_row(r->name, seconds * 1e9 / (double)h->refs_count, r->target, "ns/ref", 0,
			  NULL);
	else
		bench_row(r->name, seconds * 1e6, r->target, "us", 0, NULL);
}

void
bench_sql(const char *path)
{
	struct error err = { 0 };
	const struct heap *h = heap_at(path, LOAD_ALL, &err);
	struct sql_heap heap = { .name = "bench" };
	char one[160];

	if (!h) {
		bench_fail(err.message);
		return;
	}
	heap.facts = (struct facts){ .heap = h,
				     .types = h->types,
				     .types_count = h->types_count,
				     .has = NEED_TYPES | NEED_OBJECTS };
	printf("\nqueries in SQL, %u objects\n", h->nodes_count);
	snprintf(one, sizeof one, "SELECT type, size FROM objects WHERE address = %" PRIu64,
		 heap_address(h, h->nodes_count / 2));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		print_row(&rows[i], h, run_best(rows[i].query ? rows[i].query : one, &heap));
	heap_free(h);
}
