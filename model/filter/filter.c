/* Making filters, and testing rows one by one. */
#include "model/base/format.h"
#include "model/graph/reach.h"
#include "model/graph/retention.h"
#include "model/heap/bits.h"
#include "model/heap/my_code.h"
#include "model/graph/reverse.h"
#include "model/table/lookup.h"
#include "model/filter/filter_words.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { PROBED_ROWS = 64 };

/* --- making one ---------------------------------------------------------- */

/* The kinds of values seen in a column, which decide what it can be compared with. */
struct seen {
	bool has_number, has_share, has_time, has_address, has_text;
};

static void
see(struct seen *seen, const struct value *v)
{
	switch (v->kind) {
	case VALUE_COUNT:
	case VALUE_PLAIN:
	case VALUE_BYTES:
	case VALUE_CHANGE:
	case VALUE_CHANGE_BYTES:
	case VALUE_HUNDREDTHS:
	case VALUE_REAL:
		seen->has_number = true;
		break;
	case VALUE_DURATION:
		seen->has_number = seen->has_time = true;
		break;
	case VALUE_SHARE:
		seen->has_share = true;
		break;
	case VALUE_ADDRESS:
		seen->has_address = true;
		break;
	case VALUE_TEXT:
		seen->has_text = true;
		break;
	case VALUE_BLANK:
	case VALUE_PENDING:
		break;
	}
}

static bool
check_literal(const struct filter *f, const struct seen *seen, const char *id,
	      const struct literal *l, struct error *err)
{
	bool wants_number = seen->has_number || seen->has_share;

	/* '' means no value, which any column may have. */
	if (!*l->text || seen->has_text || (!wants_number && !seen->has_address))
		return true;
	if (seen->has_address && !wants_number)
		return l->has_address ||
		       filter_error(f, l->at, err,
				    "\"%.40s\" is not an address; %s needs one: 7fe01c001d70, #3",
				    l->text, id);
	if (!l->has_number)
		return filter_error(f, l->at, err,
				    "\"%.40s\" is not a number; %s needs one: 85000, 1.5k, 2 MiB%s",
				    l->text, id, seen->has_share ? ", 10%" : "");
	if (l->is_time && !seen->has_time)
		return filter_error(f, l->at, err,
				    "%s is not a time; expected a number without us, ms or s", id);
	return !l->is_share || seen->has_share ||
	       filter_error(f, l->at, err, "%s is not a share; expected a number without %%", id);
}

/*
 * Columns do not declare all kinds of their values, so probe the first rows: comparing a column of
 * numbers with a text is an error, not a filter that hides every row.
 */
static bool
check_condition(const struct filter *f, const struct condition *c, const struct listing *l,
		struct error *err)
{
	const struct column *column = &l->table->columns[c->column];
	struct seen seen = { 0 };
	struct value value;
	struct row row;

	for (size_t i = 0; i < l->count && i < PROBED_ROWS; i++) {
		listing_row(l, i, &row);
		listing_cell(l, column, &row, &value);
		see(&seen, &value);
	}
	return check_literal(f, &seen, column->id, &c->low, err) &&
	       (c->comparison != COMPARE_WITHIN ||
		check_literal(f, &seen, column->id, &c->high, err));
}

/* Refuses "holds" and the like if the rows are not about objects, because no row could pass. */
static bool
check_objects(const struct filter *f, const struct condition *c, const struct listing *l,
	      struct error *err)
{
	bool has_others = false;
	char name[32] = "";
	struct row row;

	for (size_t i = 0; i < l->count && i < PROBED_ROWS; i++) {
		listing_row(l, i, &row);
		if (row.node != NODE_NONE || (c->kind == CONDITION_MINE && row.type != TYPE_NONE))
			return true;
		has_others = has_others || row.kind != ROW_GROUP;
	}
	/* The user may have meant "live" as part of a name. */
	if (c->kind >= CONDITION_LIVE)
		snprintf(name, sizeof name, "; /%.*s/ searches names",
			 (int)word_len(f->text + c->at), f->text + c->at);
	return !has_others ||
	       filter_error(f, c->at, err,
			    "this condition is about objects, but the rows of %s are not%s",
			    l->name, name);
}

static bool
check_values(const struct filter *f, const struct listing *l, struct error *err)
{
	for (unsigned i = 0; i < f->conditions_count; i++) {
		const struct condition *c = &f->conditions[i];

		if (c->kind != CONDITION_COLUMN && !check_objects(f, c, l, err))
			return false;
		if (c->kind == CONDITION_COLUMN && !c->pattern && !check_condition(f, c, l, err))
			return false;
	}
	return true;
}

static struct filter *
filter_of(const char *text, struct error *err)
{
	struct filter *f;

	if (strlen(text) > FILTER_TEXT_MAX) {
		error_set(err, ERROR_USAGE, "the filter is longer than %d bytes", FILTER_TEXT_MAX);
		return NULL;
	}
	f = memory_new(1, sizeof *f, err);
	if (!f)
		return NULL;
	arena_init(&f->arena, 0);
	arena_init(&f->bound, 0);
	f->text = arena_strndup(&f->arena, text, strlen(text), err);
	if (f->text)
		return f;
	filter_free(f);
	return NULL;
}

struct filter *
filter_new(const struct listing *l, struct filter_value value, struct error *err)
{
	struct filter *f = filter_of(value.text, err);

	if (f)
		f->language = value.language;
	if (f && filter_parse(f, l, value.language, err) && check_values(f, l, err))
		return f;
	filter_free(f);
	return NULL;
}

unsigned
filter_needs_of(const struct listing *l, const char *text)
{
	struct error ignored;
	struct filter *f;
	unsigned needs = 0;

	error_clear(&ignored);
	f = filter_of(text, &ignored);
	if (f && filter_parse(f, l, FILTER_ANY, &ignored))
		needs = f->needs;
	filter_free(f);
	return needs;
}

void
filter_free(struct filter *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->conditions_count; i++)
		pattern_free(f->conditions[i].pattern);
	arena_clear(&f->arena);
	arena_clear(&f->bound);
	memory_free(f);
}

/* --- what it is ---------------------------------------------------------- */

/* A text that looks like an expression is one in both languages. */
struct filter_value
filter_value(const struct filter *f)
{
	if (!f)
		return (struct filter_value){ "", FILTER_ANY };
	return (struct filter_value){ f->text, f->is_expression ? FILTER_ANY : f->language };
}

const char *
filter_text(const struct filter *f)
{
	return f->text;
}

bool
filter_is_pattern(const struct filter *f)
{
	return f->is_pattern;
}

static bool
is_of_fates(enum condition_kind kind)
{
	return kind == CONDITION_NEW || kind == CONDITION_GONE || kind == CONDITION_SURVIVED;
}

bool
filter_asks_for_fates(const struct filter *f)
{
	for (unsigned i = 0; i < f->conditions_count; i++)
		if (is_of_fates(f->conditions[i].kind))
			return true;
	return false;
}

const char *
filter_other_heap(const struct filter *f, const struct facts *facts)
{
	for (unsigned i = 0; i < f->conditions_count; i++) {
		enum condition_kind kind = f->conditions[i].kind;

		if (kind == CONDITION_GONE && !facts->is_gone && facts->is_new)
			return "this is the later heap; objects that are gone are in the earlier "
			       "one: :heap N opens it, numbered as in :snapshots";
		if (kind == CONDITION_NEW && !facts->is_new && facts->is_gone)
			return "this is the earlier heap; objects that are new are in the later "
			       "one: :heap N opens it, numbered as in :snapshots";
	}
	return NULL;
}

unsigned
filter_needs(const struct filter *f)
{
	return f->needs;
}

uint64_t
filter_unknown_count(const struct filter *f)
{
	return f->unknown_count;
}

const char *
filter_remark(const struct filter *f, char *out, size_t out_size)
{
	uint64_t unknown = f->unknown_count;
	char count[FORMAT_BYTES];

	out[0] = '\0';
	if (unknown)
		snprintf(out, out_size, ", %s unknown", format_count(unknown, count));
	return out;
}

/* --- binding ------------------------------------------------------------- */

/* Marks a type by its name, or all types that match. */
static bool
bind_types(const struct filter *f, struct condition *c, const struct facts *facts,
	   struct error *err)
{
	struct error why;
	type_id type;

	if (c->pattern) {
		for (type_id t = 0; t < facts->types_count; t++)
			c->types[t] = pattern_matches(c->pattern, facts->types[t].name, true) ||
				      pattern_matches(c->pattern, facts->types[t].raw, true);
		return true;
	}
	error_clear(&why);
	if (!lookup_type(facts, c->low.text, &type, &why))
		return filter_error(f, c->low.at, err, "%s", why.message);
	c->types[type] = 1;
	return true;
}

/* The objects that an object dominates follow it in the dominator order. */
static bool
bind_under(const struct filter *f, struct condition *c, const struct facts *facts,
	   struct error *err)
{
	const struct dominators *d;
	struct error why;
	uint32_t position;
	node_id node;

	error_clear(&why);
	if (!lookup_object(facts->heap, c->low.text, c->low.address, &node, &why))
		return filter_error(f, c->low.at, err, "%s", why.message);
	if (!(facts->has & NEED_RETAINED))
		return true;
	d = facts->retention->dominators;
	position = d->positions[node];
	c->positions =
	    (struct interval){ (uint64_t)position + 1, dominators_end(d, position), false };
	if (c->positions.high-- == c->positions.low)
		c->positions = (struct interval){ 0, UINT64_MAX, true };
	return true;
}

static void
bind_mine(struct condition *c, const struct facts *facts)
{
	for (type_id t = 0; c->answers && t < facts->types_count; t++)
		c->answers[t] =
		    (uint8_t)(1 + truth_of(my_code_has(&facts->types[t], facts->my_modules)));
}

static bool
bind_condition(struct filter *f, struct condition *c, const struct listing *l, struct error *err)
{
	const struct facts *facts = &l->facts;
	size_t count = (size_t)facts->types_count + 1;

	if (c->pattern)
		pattern_forget(c->pattern);
	c->types = c->answers = NULL;
	if (facts->has & NEED_OBJECTS && facts->heap->nodes_count)
		condition_bind_addresses(c, heap_address(facts->heap, 0));
	if (c->kind == CONDITION_COLUMN) {
		if (!(l->table->columns[c->column].flags & COLUMN_BY_TYPE))
			return true;
		c->answers = arena_array(&f->bound, uint8_t, count, err);
		return c->answers != NULL;
	}
	if (c->kind == CONDITION_MINE) {
		c->answers = arena_array(&f->bound, uint8_t, count, err);
		bind_mine(c, facts);
		return c->answers != NULL;
	}
	/* These conditions are unknown until the heap is loaded. */
	if (c->kind == CONDITION_OBJECT || c->kind >= CONDITION_LIVE ||
	    !(facts->has & NEED_OBJECTS))
		return true;
	if (c->kind == CONDITION_UNDER)
		return bind_under(f, c, facts, err);
	c->types = arena_array(&f->bound, uint8_t, count, err);
	return c->types && bind_types(f, c, facts, err);
}

bool
filter_bind(struct filter *f, const struct listing *l, struct error *err)
{
	arena_clear(&f->bound);
	arena_init(&f->bound, 0);
	f->unknown_count = 0;
	f->types_count = l->facts.types_count;
	for (unsigned i = 0; i < f->conditions_count; i++)
		if (!bind_condition(f, &f->conditions[i], l, err))
			return false;
	return true;
}

/* --- rows ---------------------------------------------------------------- */

static enum truth
test_holds(const struct condition *c, const struct heap *h, node_id node)
{
	struct refs refs = heap_refs(h, node);
	node_id target;

	while (refs_next(&refs, &target))
		if (c->types[heap_type_of(h, target)])
			return TRUTH_YES;
	return TRUTH_NO;
}

static enum truth
test_held_by(const struct condition *c, const struct heap *h, const struct reverse *rev,
	     node_id node)
{
	struct referrers referrers = reverse_of(rev, node);
	node_id source;

	while (referrers_next(&referrers, &source))
		if (c->types[heap_type_of(h, source)])
			return TRUTH_YES;
	return TRUTH_NO;
}

static enum truth
test_under(const struct condition *c, const struct facts *facts, node_id node)
{
	if (!(facts->has & NEED_RETAINED))
		return TRUTH_UNKNOWN;
	return truth_of(interval_has(&c->positions, facts->retention->dominators->positions[node]));
}

static enum truth
test_live(const struct condition *c, const struct facts *facts, node_id node)
{
	bool is_live;

	if (!(facts->has & NEED_REACH))
		return TRUTH_UNKNOWN;
	is_live = facts->reach->distance[node] != DISTANCE_UNREACHABLE;
	return truth_of(is_live == (c->comparison == COMPARE_IS));
}

/* A heap may have been compared with an earlier and with a later one. If it was
   only the later of two, no object of it is gone; if the earlier, none is new.
 */
static enum truth
test_fate(const struct condition *c, const struct facts *facts, node_id node)
{
	const uint64_t *bits = c->kind == CONDITION_GONE ? facts->is_gone : facts->is_new;

	if (c->kind == CONDITION_SURVIVED && !bits)
		bits = facts->is_gone;
	if (!bits)
		return facts->is_new || facts->is_gone ? TRUTH_NO : TRUTH_UNKNOWN;
	return truth_of(bits_has(bits, node) == (c->kind != CONDITION_SURVIVED));
}

/* A row without an object meets none of these conditions. */
static enum truth
test_object(const struct condition *c, const struct listing *l, node_id node)
{
	const struct facts *facts = &l->facts;

	if (!(facts->has & NEED_OBJECTS))
		return TRUTH_UNKNOWN;
	if (node == NODE_NONE)
		return TRUTH_NO;
	if (c->kind == CONDITION_OBJECT)
		return truth_of(heap_address(facts->heap, node) == c->low.address);
	if (c->kind == CONDITION_UNDER)
		return test_under(c, facts, node);
	if (c->kind == CONDITION_LIVE)
		return test_live(c, facts, node);
	if (is_of_fates(c->kind))
		return test_fate(c, facts, node);
	if (!c->types)
		return TRUTH_UNKNOWN;
	if (c->kind == CONDITION_HOLDS)
		return test_holds(c, facts->heap, node);
	if (!(facts->has & NEED_REVERSE))
		return TRUTH_UNKNOWN;
	return test_held_by(c, facts->heap, facts->reverse, node);
}

/* Some cells have generations only if the heap has them. */
static enum truth
test_cell(const struct condition *c, const struct listing *l, const struct row *row)
{
	const struct column *column = &l->table->columns[c->column];
	struct value value;
	enum truth truth;
	struct arena a;

	if (column->flags & COLUMN_RANGES && !listing_has_generations(l))
		return TRUTH_UNKNOWN;
	arena_init(&a, 0);
	listing_whole_cell(l, column, row, &a, &value);
	truth = condition_compare(c, &value);
	arena_clear(&a);
	return truth;
}

enum truth
condition_test_type(struct condition *c, const struct listing *l, type_id type)
{
	struct row row = row_of_type(type);

	if (!c->answers[type])
		c->answers[type] = (uint8_t)(1 + test_cell(c, l, &row));
	return (enum truth)(c->answers[type] - 1);
}

enum truth
condition_test(struct condition *c, const struct listing *l, const struct row *row)
{
	if (c->kind != CONDITION_COLUMN && c->kind != CONDITION_MINE)
		return test_object(c, l, row->node);
	if (c->answers && row->type != TYPE_NONE)
		return condition_test_type(c, l, row->type);
	return c->kind == CONDITION_MINE ? TRUTH_NO : test_cell(c, l, row);
}

static enum truth
smaller(enum truth a, enum truth b)
{
	return a < b ? a : b;
}

static enum truth
larger(enum truth a, enum truth b)
{
	return a > b ? a : b;
}

static enum truth
run(struct filter *f, const struct listing *l, const struct row *row)
{
	enum truth lefts[FILTER_STACK_MAX]; /* left sides waiting for their right sides */
	enum truth truth = TRUTH_UNKNOWN;
	unsigned count = 0;

	for (unsigned at = 0; at < f->code_count; at++) {
		const struct instruction *i = &f->code[at];

		switch ((enum op)i->op) {
		case OP_TEST:
			truth = condition_test(&f->conditions[i->operand], l, row);
			break;
		case OP_NOT:
			truth = (enum truth)(TRUTH_YES - truth);
			break;
		case OP_SKIP_AND:
		case OP_SKIP_OR:
			if (truth == (i->op == OP_SKIP_AND ? TRUTH_NO : TRUTH_YES))
				at = i->operand - 1U;
			else
				lefts[count++] = truth;
			break;
		case OP_AND:
			assert(count > 0);
			truth = smaller(lefts[--count], truth);
			break;
		case OP_OR:
			assert(count > 0);
			truth = larger(lefts[--count], truth);
			break;
		}
	}
	return truth;
}

bool
filter_passes(struct filter *f, const struct listing *l, const struct row *row)
{
	enum truth truth = run(f, l, row);

	if (truth == TRUTH_UNKNOWN)
		atomic_fetch_add(&f->unknown_count, 1);
	return truth == TRUTH_YES;
}

/* --- names that nothing has
   ------------------------------------------------ */

static bool
is_about_names(const struct condition *c, const struct table *t)
{
	const struct column *column;

	if (c->kind != CONDITION_COLUMN ||
	    (c->comparison != COMPARE_IS && c->comparison != COMPARE_MATCHES))
		return false;
	column = &t->columns[c->column];
	return column == table_name_column(t) || !strcmp(column->id, "raw") ||
	       !strcmp(column->id, "module");
}

static bool
is_met_by_some_row(struct condition *c, const struct listing *l)
{
	for (size_t i = 0; i < l->count; i++) {
		struct row row;

		listing_row(l, i, &row);
		if (condition_test(c, l, &row) == TRUTH_YES)
			return true;
	}
	return false;
}

const char *
filter_unmatched_name(struct filter *f, const struct listing *l)
{
	for (unsigned i = 0; i < f->code_count; i++)
		if (f->code[i].op == OP_NOT || f->code[i].op == OP_OR)
			return NULL;
	for (unsigned i = 0; i < f->conditions_count; i++) {
		struct condition *c = &f->conditions[i];

		if (is_about_names(c, l->table) && !is_met_by_some_row(c, l))
			return c->pattern ? pattern_text(c->pattern) : c->low.text;
	}
	return NULL;
}
