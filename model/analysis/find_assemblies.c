/* Findings about assemblies that the program makes or loads at run time, again and again. */
#include "model/analysis/finder.h"
#include "model/analysis/resident.h"
#include "model/table/table.h"
#include "model/base/text.h"
#include <stdlib.h>
#include <string.h>

enum { ASSEMBLIES_MIN = 50, UNLIKE_MIN = 200 };

/* Libraries that make assemblies, by the beginnings of the names that they give them: kind_len()
   cuts "DynamicProxyGenAssembly2", and the "*" behind the letter of a script. */
static const struct maker {
	const char *begin, *advice;
} makers[] = {
	{ "Microsoft.GeneratedCode",
	  "XmlSerializer makes one for each serializer with a root name or extra types: keep the "
	  "serializer" },
	{ "DynamicProxyGenAssembly", "a ProxyGenerator makes one: keep the generator" },
	{ "\xe2\x84\x9b", "each compiled script has one: keep the script" },
};

/* An assembly without a file, and how much of its name tells it from others. */
struct made_assembly {
	const char *name;
	size_t len;
};

/* Returns the length of the part of a name that does not count or identify: "Proxies_12" and
   "Proxies_13" are of one kind. */
static size_t
kind_len(const char *name)
{
	size_t len = strlen(name), common = strcspn(name, "0123456789*#");

	if (text_ends(name, len, ".dll") || text_ends(name, len, ".exe") || common < 3)
		return len;
	return common;
}

static bool
is_made(const struct heap_module *m)
{
	return *m->path && !strpbrk(m->path, "/\\");
}

static int
compare_made(const void *x, const void *y)
{
	const struct made_assembly *a = x, *b = y;
	size_t len = a->len < b->len ? a->len : b->len;
	int order = memcmp(a->name, b->name, len);

	return order ? order : (a->len > b->len) - (a->len < b->len);
}

static bool
report_assemblies(struct finder *f, const struct made_assembly *first, uint64_t count,
		  struct error *err)
{
	struct finding *out = finder_add(f, &finding_assembly, err);

	if (!out)
		return false;
	out->name = arena_printf(&f->out->arena, err, "%.*s%s", (int)first->len, first->name,
				 first->name[first->len] ? "…" : "");
	out->count = count;
	out->bytes = resident_of(f->heap).parts[RESIDENT_CODE].bytes;
	return out->name != NULL;
}

/* Reports each group of one name, else those that were emitted if they are many. */
static bool
report_groups(struct finder *f, struct made_assembly *made, size_t count, size_t emitted,
	      struct error *err)
{
	uint32_t before = f->out->count;
	size_t end;

	if (count)
		qsort(made, count, sizeof *made, compare_made);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && !compare_made(&made[i], &made[end]);)
			end++;
		if (end - i >= ASSEMBLIES_MIN && !report_assemblies(f, &made[i], end - i, err))
			return false;
	}
	return f->out->count > before || emitted < UNLIKE_MIN ||
	       report_assemblies(f, &(struct made_assembly){ "", 0 }, emitted, err);
}

static bool
find_assemblies(struct finder *f, struct error *err)
{
	const struct heap_memory *m = f->heap->memory;
	struct made_assembly *made;
	size_t count = 0, emitted = 0;
	bool ok;

	if (m->modules_count < ASSEMBLIES_MIN)
		return true;
	made = memory_new(m->modules_count, sizeof *made, err);
	if (!made)
		return false;
	for (uint32_t i = 0; i < m->modules_count; i++) {
		emitted += m->modules[i].is_dynamic;
		if (is_made(&m->modules[i]))
			made[count++] = (struct made_assembly){ m->modules[i].path,
								kind_len(m->modules[i].path) };
	}
	ok = report_groups(f, made, count, emitted, err);
	memory_free(made);
	return ok;
}

static bool
knows_modules(const struct heap *h)
{
	return h->memory->modules_count;
}

/* --- in words ------------------------------------------------------------ */

static void
what_assembly(struct finding_words *w, struct text *out)
{
	text_addf(out, "%s assemblies %s", words_count(w, w->finding->count),
		  *w->finding->name ? "named " : "with different names");
	text_add(out, words_name(w, w->finding->name));
}

static void
why_assembly(struct finding_words *w, struct text *out)
{
	const struct finding *f = w->finding;

	text_add(out, "were made at run time and stay");
	if (f->bytes)
		text_addf(out, ", in %s of code and loader heaps", words_size(w, f->bytes));
	for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
		if (text_begins(f->name, makers[i].begin))
			text_addf(out, "; %s", makers[i].advice);
}

/*
 * 50 or more assemblies of one name, apart from numbers in it, have no file; or, if there are none
 * such, 200 or more of any names were emitted. No evidence, `subject`
 * or types. `name`: theirs, or ""; `count`: how many; `bytes`: all code and loader heaps of the
 * process, or 0 if that is unknown.
 */
const struct finding_kind finding_assembly = {
	.id = "assembly",
	.title = "assemblies made at run time",
	.harmless = "no leak if their number does not grow: a second capture shows whether it does",
	.heaps = OF_MEMORY,
	.find = find_assemblies,
	.is_sought = knows_modules,
	.what = what_assembly,
	.why = why_assembly,
	.id_parts = ID_NAME,
	.is_of_all = true,
	.table = "modules",
};
