#include "tui/cli/check.h"
#include "model/heap/memory.h"
#include "model/heap/names.h"
#include "tui/session/analyses.h"
#include "tui/cli/batch.h"
#include "tui/cli/check_findings.h"
#include "model/filter/filter.h"
#include "model/base/format.h"
#include "tui/cli/outcome.h"
#include "tui/cli/say.h"
#include "model/base/text.h"
#include "tui/widget/view.h"
#include "tui/app/views.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 3, TEXT_BYTES = 1024 };

static const char *const check_options[CHECK_KIND_COUNT] = {
	[CHECK_MAX] = "max",
	[CHECK_MAX_SIZE] = "max-size",
	[CHECK_MAX_RETAINED] = "max-retained",
	[CHECK_WHERE] = "where",
	[CHECK_GREW] = "grew",
	[CHECK_FINDINGS] = "no-findings",
	[CHECK_NEW_FINDINGS] = "no-new-findings",
};

/* The column of the view `types` that each limit is about. */
static const struct {
	const char *column;
	bool is_bytes;
} measures[] = {
	[CHECK_MAX] = { "count", false },
	[CHECK_MAX_SIZE] = { "size", true },
	[CHECK_MAX_RETAINED] = { "retained", true },
};

static bool
has_limit(enum check_kind kind)
{
	return kind <= CHECK_MAX_RETAINED;
}

static unsigned
column_needs(const char *id)
{
	int column = column_by_id(view_types.table->columns, id);

	return column < 0 ? 0 : view_types.table->columns[column].needs;
}

static bool
is_about_findings(enum check_kind kind)
{
	return kind == CHECK_FINDINGS || kind == CHECK_NEW_FINDINGS;
}

/* Returns whether the rule compares with the baseline. */
static bool
is_compared(enum check_kind kind)
{
	return kind == CHECK_GREW || kind == CHECK_NEW_FINDINGS;
}

static unsigned
rule_needs(const struct check_rule *rule)
{
	unsigned needs = NEED_TYPES;

	if (is_about_findings(rule->kind))
		needs |= view_needs(&view_findings) | view_findings.list.wants;
	else if (rule->kind == CHECK_WHERE)
		needs |= view_filter_needs(&view_types, rule->text);
	else if (rule->kind == CHECK_GREW)
		needs |= view_needs(&view_diff) | NEED_OBJECTS |
			 view_filter_needs(&view_diff, rule->text);
	else
		needs |= column_needs(measures[rule->kind].column);
	return needs & ~(unsigned)NEED_SNAPSHOTS;
}

/* Returns what all rules need together (enum need). */
static unsigned
check_needs(const struct check *c)
{
	unsigned needs = NEED_TYPES;

	for (uint32_t i = 0; i < c->rules_count; i++)
		needs |= rule_needs(&c->rules[i]);
	return needs;
}

/* --- limits -------------------------------------------------------------- */

/* Parses "0" or "50M". Units are powers of 1024, as in filters. */
static bool
parse_limit(const char *text, uint64_t *limit)
{
	static const char units[] = "kMGT";
	const char *unit;
	char *end;

	errno = 0;
	*limit = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9')
		return false;
	unit = *end ? strchr(units, *end) : NULL;
	if (!*end)
		return true;
	if (!unit || end[1] || *limit >> (63 - 10 * (unit - units + 1)))
		return false;
	*limit <<= 10 * (unit - units + 1);
	return true;
}

/* Splits "Leaky.Session=0" into a name or /regex/ and a limit. */
static bool
split_limit(const struct check_rule *rule, char name[TEXT_BYTES / 2], uint64_t *limit,
	    struct error *err)
{
	const char *equals = strrchr(rule->text, '=');
	size_t len = equals ? (size_t)(equals - rule->text) : 0;

	if (!len || len >= TEXT_BYTES / 2 || memchr(rule->text, '\'', len) ||
	    !parse_limit(equals + 1, limit))
		return error_set(
		    err, ERROR_USAGE,
		    "--%s wants TYPE=NUMBER such as 'Leaky.Session=0' or '/Cache/=50M', not "
		    "\"%.60s\"",
		    check_options[rule->kind], rule->text);
	memcpy(name, rule->text, len);
	name[len] = '\0';
	return true;
}

static bool
is_regex(const char *name)
{
	return name[0] == '/' && name[1];
}

/* Returns a view with the rows that match the filter; view_close() it. */
static struct view *
open_rows(const struct view_ops *ops, struct session *s, const char *filter, struct error *err)
{
	struct view *v = view_open(ops, s, &target_none, err);

	if (v && view_update(v, err) && view_sort_and_filter(v, NULL, filter, err))
		return v;
	view_close(v);
	return NULL;
}

/*
 * Returns a view of the types with this name. Types are listed without the best known namespaces,
 * so a name written in full is looked up shortened as well.
 */
static struct view *
open_types(struct session *s, const char *name, struct error *err)
{
	char filter[TEXT_BYTES];
	struct display_name shown;
	struct arena a;
	struct view *v;

	snprintf(filter, sizeof filter, is_regex(name) ? "type ~ %s" : "type = '%s'", name);
	v = open_rows(&view_types, s, filter, err);
	if (!v || v->rows_count || is_regex(name))
		return v;
	arena_init(&a, 0);
	if (name_display(name, &a, &shown, err) && strcmp(shown.full, name)) {
		snprintf(filter, sizeof filter, "type = '%.900s'", shown.full);
		if (!view_filter(v, filter, err)) {
			view_close(v);
			v = NULL;
		}
	}
	arena_clear(&a);
	return v;
}

/* Reports a rule that matches no type: a misspelt name would always pass. */
static void
report_missing(struct session *s, const char *name, bool is_pattern, struct check_result *result)
{
	struct error why = { 0 };
	struct target ignored;

	result->is_unknown = result->is_missing = true;
	if (is_pattern)
		error_set(&why, ERROR_USAGE, "no type matches \"%.100s\"", name);
	else if (target_parse(s, TAKES_TYPE, name, &ignored, &why))
		error_set(&why, ERROR_USAGE, "no type has this name");
	snprintf(result->text, sizeof result->text,
		 "it could not be measured: %s (--allow-missing accepts that)", why.message);
}

/* Reports a filter with a name that matches no type. False sets `err`. */
static bool
find_missing(const struct check *c, const struct view_ops *ops, struct session *s, const char *text,
	     struct check_result *result, struct error *err)
{
	struct filter *f = NULL;
	struct listing l;
	const char *name;
	struct view *v;

	if (c->allows_missing)
		return true;
	v = open_rows(ops, s, NULL, err);
	if (v)
		l = view_listing(v);
	f = v ? filter_new(&l, (struct filter_value){ text, FILTER_ANY }, err) : NULL;
	if (f && filter_bind(f, &l, err)) {
		name = filter_unmatched_name(f, &l);
		if (name)
			report_missing(s, name, true, result);
	}
	filter_free(f);
	view_close(v);
	return err->kind == ERROR_NONE;
}

static void
value_in(const struct view *v, size_t index, const char *id, struct value *out)
{
	int column = column_by_id(v->ops->table->columns, id);
	struct row row;

	view_row(v, index, &row);
	view_cell(v, &v->ops->table->columns[column], &row, out);
}

static const char *
amount(uint64_t n, bool is_bytes, char out[FORMAT_BYTES])
{
	return is_bytes ? format_size(n, out) : format_count(n, out);
}

static bool
measure_limit(const struct check *c, const struct check_rule *rule, struct session *s,
	      struct check_result *result, struct error *err)
{
	bool is_bytes = measures[rule->kind].is_bytes;
	char name[TEXT_BYTES / 2], is[FORMAT_BYTES], allowed[FORMAT_BYTES];
	uint64_t limit = 0, sum = 0;
	struct value value;
	struct view *v;

	if (!split_limit(rule, name, &limit, err))
		return false;
	v = open_types(s, name, err);
	if (!v)
		return false;
	/* Retained sizes of several types overlap and cannot be added. */
	if (rule->kind == CHECK_MAX_RETAINED && v->rows_count > 1)
		error_set(err, ERROR_USAGE,
			  "--max-retained is about one type, but %zu match \"%.60s\"",
			  v->rows_count, rule->text);
	for (size_t i = 0; i < v->rows_count; i++) {
		value_in(v, i, measures[rule->kind].column, &value);
		sum += value.number;
	}
	result->has_failed = sum > limit;
	snprintf(result->text, sizeof result->text, "%s%s%s, %s allowed", amount(sum, is_bytes, is),
		 is_bytes ? "" : " objects", v->rows_count ? "" : " (there is no such type)",
		 amount(limit, is_bytes, allowed));
	if (!v->rows_count && !c->allows_missing)
		report_missing(s, name, is_regex(name), result);
	view_close(v);
	return err->kind == ERROR_NONE;
}

/* --- --where and --grew -------------------------------------------------- */

static void
add_text(struct check_result *result, const char *text)
{
	size_t len = strlen(result->text);

	snprintf(result->text + len, sizeof result->text - len, "%s", text);
}

static void
add_name(struct check_result *result, const struct view *v, size_t index)
{
	char out[VALUE_TEXT_BYTES], text[128];
	struct value value;

	value_in(v, index, "type", &value);
	snprintf(text, sizeof text, "%.100s", value_for_people(&value, out));
	add_text(result, text);
}

static uint64_t
after_of(const struct value *before, const struct value *delta)
{
	return delta->is_negative ? before->number - delta->number : before->number + delta->number;
}

/* " (5,001 to 7,001 objects, 440,088 B to 616,088 B)" */
static void
add_growth(struct check_result *result, const struct view *v, size_t index)
{
	struct value count, count_delta, size, size_delta;
	char a[FORMAT_BYTES], b[FORMAT_BYTES], c[FORMAT_BYTES], d[FORMAT_BYTES];
	char text[160];

	value_in(v, index, "count_1", &count);
	value_in(v, index, "count_delta", &count_delta);
	value_in(v, index, "size_1", &size);
	value_in(v, index, "size_delta", &size_delta);
	snprintf(text, sizeof text, " (%s to %s objects, %s to %s)", format_count(count.number, a),
		 format_count(after_of(&count, &count_delta), b), format_size(size.number, c),
		 format_size(after_of(&size, &size_delta), d));
	add_text(result, text);
}

static void
report_rows(struct check_result *result, const struct view *v, const size_t *indexes, size_t count,
	    const char *what)
{
	char number[FORMAT_BYTES];

	result->has_failed = count > 0;
	snprintf(result->text, sizeof result->text, "%s type%s %s", format_count(count, number),
		 count == 1 ? "" : "s", what);
	for (size_t i = 0; i < count && i < NAMED_MAX; i++) {
		add_text(result, i ? ", " : ": ");
		add_name(result, v, indexes[i]);
		if (view_is(v, &view_diff))
			add_growth(result, v, indexes[i]);
	}
	if (count > NAMED_MAX)
		add_text(result, " …");
}

static bool
has_grown(const struct view *v, size_t index)
{
	struct value count, size;

	value_in(v, index, "count_delta", &count);
	value_in(v, index, "size_delta", &size);
	return (count.number && !count.is_negative) || (size.number && !size.is_negative);
}

static bool
measure_types(const struct check *c, const struct check_rule *rule, struct session *s,
	      struct check_result *result, struct error *err)
{
	bool is_growth = rule->kind == CHECK_GREW;
	const struct view_ops *ops = is_growth ? &view_diff : &view_types;
	size_t indexes[NAMED_MAX], count = 0;
	struct view *v;

	if (!find_missing(c, ops, s, rule->text, result, err))
		return false;
	if (result->is_missing)
		return true;
	v = open_rows(ops, s, rule->text, err);
	if (!v)
		return false;
	for (size_t i = 0; i < v->rows_count; i++) {
		if (is_growth && !has_grown(v, i))
			continue;
		if (count < NAMED_MAX)
			indexes[count] = i;
		count++;
	}
	if (is_growth)
		report_rows(result, v, indexes, count, count == 1 ? "has grown" : "have grown");
	else
		report_rows(result, v, indexes, count, count == 1 ? "matches" : "match");
	view_close(v);
	return true;
}

/* --- rules that cannot be measured --------------------------------------- */

/* Returns why the needs of a rule cannot be met, or NULL if they are. */
static const char *
why_unknown(const struct session *s, unsigned needs)
{
	if (!(needs & ~s->has))
		return NULL;
	if (session_has_failed(s))
		return s->job_errors[JOB_LOAD].message;
	if (session_only_types(s))
		return session_only_types(s);
	return analyses_refusal(s, needs) ? analyses_refusal(s, needs) : "it was not computed";
}

static bool
is_unknown(const struct check_rule *rule, const struct session *s, const struct session *before,
	   struct check_result *result)
{
	unsigned needs = rule_needs(rule);
	const char *why = why_unknown(s, needs);

	if (!why && is_compared(rule->kind) && before) {
		why = why_unknown(before, needs);
		s = before;
	}
	if (why)
		snprintf(result->text, sizeof result->text, "it could not be measured: %.80s: %s",
			 s->name, why);
	result->is_unknown = why != NULL;
	return result->is_unknown;
}

/* --- results ------------------------------------------------------------- */

static bool
measure_rule(const struct check *c, const struct check_rule *rule, struct session *s,
	     struct session *before, struct check_result *result, struct error *err)
{
	if (is_compared(rule->kind) && !before)
		return error_set(err, ERROR_USAGE, "--%s wants --baseline FILE to compare with",
				 check_options[rule->kind]);
	if (has_limit(rule->kind))
		return measure_limit(c, rule, s, result, err);
	if (is_about_findings(rule->kind))
		return check_findings(c->allowed, s, is_compared(rule->kind) ? before : NULL,
				      result, err);
	return measure_types(c, rule, s, result, err);
}

/*
 * Measures one heap against all rules. `before` is the baseline or NULL; `results` has
 * c->rules_count elements. False sets `err`: a rule is invalid.
 */
static bool
check_measure(const struct check *c, struct session *s, struct session *before,
	      struct check_result *results, struct error *err)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < c->rules_count; i++) {
		const struct check_rule *rule = &c->rules[i];

		results[i] = (struct check_result){ 0 };
		if (is_unknown(rule, s, before, &results[i]))
			continue;
		ok = measure_rule(c, rule, s, before, &results[i], err);
	}
	return ok;
}

/* Prints one line for each rule. */
static void
check_print(FILE *to, const struct check *c, const char *name, const struct check_result *results)
{
	char clean[2 * sizeof results->text];

	for (uint32_t i = 0; i < c->rules_count; i++)
		fprintf(to, "%-6s  %s: %s%s%s: %s\n",
			results[i].has_failed || results[i].is_unknown ? "FAILED" : "ok", name,
			check_options[c->rules[i].kind], *c->rules[i].text ? " " : "",
			c->rules[i].text, text_clean(results[i].text, clean, sizeof clean));
}

static void
print_xml(FILE *to, const char *text)
{
	char clean[2048];

	for (const char *c = text_clean(text, clean, sizeof clean); *c; c++) {
		if (*c == '&')
			fputs("&amp;", to);
		else if (*c == '<')
			fputs("&lt;", to);
		else if (*c == '"')
			fputs("&quot;", to);
		else
			putc(*c, to);
	}
}

void
check_junit_begin(FILE *to)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", to);
}

static void
begin_case(FILE *to, const char *kind, const char *name)
{
	fprintf(to, "<testcase classname=\"heaptop\" name=\"%s", kind);
	print_xml(to, name);
	fputs("\">", to);
}

static void
end_case(FILE *to, const char *tag, const char *message)
{
	fprintf(to, "<%s message=\"", tag);
	print_xml(to, message);
	fputs("\"/></testcase>\n", to);
}

static void
print_result(FILE *to, const struct check_rule *rule, const struct check_result *result)
{
	char kind[32];

	snprintf(kind, sizeof kind, "%s%s", check_options[rule->kind], *rule->text ? " " : "");
	begin_case(to, kind, rule->text);
	if (result->is_unknown || result->has_failed) {
		end_case(to, result->is_unknown ? "error" : "failure", result->text);
		return;
	}
	fputs("<system-out>", to);
	print_xml(to, result->text);
	fputs("</system-out></testcase>\n", to);
}

/*
 * Writes the results as a JUnit test suite. `trouble` says why the heap is incomplete, or is NULL.
 * `results` is NULL if the heap could not be read.
 */
static void
check_junit(FILE *to, const struct check *c, const char *name, const struct check_result *results,
	    const char *trouble)
{
	uint32_t failed = 0, errors = trouble != NULL;
	uint32_t tests = (results ? c->rules_count : 0) + errors;

	for (uint32_t i = 0; results && i < c->rules_count; i++) {
		failed += results[i].has_failed;
		errors += results[i].is_unknown;
	}
	fputs("<testsuite name=\"", to);
	print_xml(to, name);
	fprintf(to, "\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"%" PRIu32 "\">\n",
		tests, failed, errors);
	if (trouble) {
		begin_case(to, "", "the heap is complete");
		end_case(to, "error", trouble);
	}
	for (uint32_t i = 0; results && i < c->rules_count; i++)
		print_result(to, &c->rules[i], &results[i]);
	fputs("</testsuite>\n", to);
}

void
check_junit_end(FILE *to)
{
	fputs("</testsuites>\n", to);
}

/* --- all heaps ----------------------------------------------------------- */

/* Returns why limits prove nothing here, or NULL for a complete heap. */
static const char *
incomplete_text(const struct session *s)
{
	const struct heap_info *info = s->heap ? &s->heap->info : NULL;

	if (!info || !losses_are_incomplete(&info->losses))
		return NULL;
	return info->warnings_count ? info->warnings[0] : "some of the heap is missing";
}

/*
 * Loads all heaps, going on after failures. Returns the exit code of the first failure, with its
 * error in `err`; later ones are printed.
 */
static int
load_heaps(struct snapshots *all, unsigned needs, struct error *err)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < all->count; i++) {
		struct session *s = all->sessions[i];
		struct error why = { 0 };

		if (session_require(s, needs, &why) ||
		    (s->has_only_types && !heap_lacks_objects(s->heap)))
			continue;
		if (code)
			say(s->loader.path, "%s", why.message);
		else
			*err = why;
		if (!code)
			code = s->heap && why.kind == ERROR_SYSTEM ? EXIT_FAILED
								   : exit_code_of_load(&why);
		if (why.kind == ERROR_CANCELLED)
			return code;
	}
	return code;
}

/* A broken rule outranks a rule that could not be measured. */
static int
worse_of(int a, int b)
{
	if (a == EXIT_NOTHING || b == EXIT_NOTHING)
		return EXIT_NOTHING;
	return a > b ? a : b;
}

static int
code_of(const struct check *c, const struct check_result *results)
{
	int code = EXIT_OK;

	for (uint32_t k = 0; k < c->rules_count; k++)
		if (results[k].has_failed)
			return EXIT_NOTHING;
		else if (results[k].is_unknown)
			code =
			    worse_of(code, c->is_strict || results[k].is_missing ? EXIT_BAD_FILE
										 : EXIT_INCOMPLETE);
	return code;
}

int
check_heaps(struct snapshots *all, const struct check *c, FILE *junit, struct error *err)
{
	struct check_result results[CHECK_RULES_MAX];
	struct session *before = c->baseline ? all->sessions[0] : NULL;
	int unread = load_heaps(all, check_needs(c), err), code = EXIT_OK;
	struct error why = { 0 };

	if (unread == EXIT_INTERRUPTED)
		return unread;
	snapshots_note_arrival(all);
	for (size_t i = 0; i < all->count; i++) {
		struct session *s = all->sessions[i];
		const char *trouble = incomplete_text(s);

		if (trouble)
			code = worse_of(code, EXIT_INCOMPLETE);
		if (session_has_failed(s) || s == before) {
			if (session_has_failed(s))
				trouble = s->job_errors[JOB_LOAD].message;
			if (trouble)
				check_junit(junit, c, s->name, NULL, trouble);
			continue;
		}
		if (!check_measure(c, s, before, results, &why)) {
			*err = why;
			return why.kind == ERROR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		}
		check_print(stdout, c, s->name, results);
		check_junit(junit, c, s->name, results, trouble);
		code = worse_of(code, code_of(c, results));
	}
	if (fflush(stdout) && errno != EPIPE) {
		error_sys(err, errno, "cannot write to the standard output");
		return EXIT_FAILED;
	}
	/* The exit code is not about this error, so print it now. */
	if (unread && code == EXIT_NOTHING) {
		say(outcome_failed_path(all), "%s", err->message);
		error_clear(err);
	}
	return worse_of(code, unread);
}
