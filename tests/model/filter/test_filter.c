/*
 * The filter language. What it lets through must be what a slow evaluation of the same expression
 * finds in the view's own CSV: conditions one by one, then thousands of expressions made of them at
 * random.
 */
#include "tests/drive/run_tests.h"
#include "tests/drive/screens.h"
#include "model/heap/bits.h"
#include "model/heap/stream.h"
#include "model/filter/filter_code.h"
#include "tui/widget/view_print.h"
#include "tui/widget/view.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 32, TREES = 400, NODES_MAX = 15 };

/* --- heaps --------------------------------------------------------------- */

/* A pseudo-random number below `below`, the same in every run. */
static uint64_t seed;
static uint32_t
below(uint32_t end)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((seed >> 33) % end);
}

static const char *const type_names[] = { "App.Node", "App.Leaf", "App.Big[]", "System.String",
					  "App.Pair<System.Int32,App.Node>" };
enum { TYPES = 5, OBJECTS = 9000 };

static uint64_t
random_address(uint32_t object)
{
	return UINT64_C(0x7f0000000000) + object * UINT64_C(64);
}

static void
add_random_object(struct heap_stream *s, uint32_t object)
{
	struct error err = { 0 };
	uint32_t kind = below(TYPES);
	/* Leaves refer to nothing; an array may refer to very much. */
	uint32_t refs = kind == 1 ? 0 : below(kind == 2 ? 200 : 4);
	type_id type =
	    heap_builder_type(heap_stream_builder(s), type_names[kind], "/app/x.dll", &err);
	uint64_t size = kind == 0 ? 24 : kind == 2 ? below(200000) : below(300);
	/* Some share an address: all but one get a made-up one. */
	uint32_t at = object % 1000 == 999 ? object - 1 : object;

	assert_true(heap_stream_object(s, random_address(at), type, size, refs, &err));
	for (uint32_t i = 0; i < refs; i++)
		assert_true(
		    heap_stream_ref(s, random_address(below(below(2) ? 50 : OBJECTS)), &err));
}

/* Generations, holes between them, objects without address, odd sizes. */
static const struct heap *
random_heap(void)
{
	struct error err = { 0 };
	struct heap_stream *s = heap_stream_new(&err);
	const struct heap *h;

	assert_non_null(s);
	seed = 5;
	for (uint32_t i = 0; i < OBJECTS; i++)
		add_random_object(s, i);
	for (uint32_t i = 0; i < 9; i++)
		assert_true(heap_stream_range(s, random_address(i * 1000 + (i == 4 ? 500 : 0)),
					      random_address(i * 1000 + 1000 - (i == 7 ? 300 : 0)),
					      (enum generation)(i % GEN_UNKNOWN), -1, &err));
	for (uint32_t i = 0; i < 20; i++)
		assert_true(heap_stream_root(s, random_address(i * 400),
					     i % 2 ? ROOT_STATIC : ROOT_STACK, false,
					     i % 3 ? "Main" : "Cache", "", &err));
	h = heap_stream_finish(s, NULL, &err);
	assert_ok(h, &err);
	assert_non_null(h->generation_counts);
	return h;
}

/* --- the view as a table ------------------------------------------------- */

struct printed {
	char *text; /* TSV */
	size_t count;
	char *columns[FIELDS_MAX];
	char **fields; /* of each row, FIELDS_MAX of them */
	uint64_t *keys;
};

static void
split(char *line, char **fields)
{
	size_t count = 0;

	while (count < FIELDS_MAX) {
		fields[count++] = line;
		line = strchr(line, '\t');
		if (!line)
			return;
		*line++ = '\0';
	}
}

static struct printed
listing_of(const struct view *v)
{
	struct printed t = { .text = view_printed(v, TABLE_TSV, NULL, UINT64_MAX) };
	char *at = t.text, *end;
	struct row row;

	t.fields = calloc((v->rows_count + 1) * FIELDS_MAX, sizeof *t.fields);
	t.keys = calloc(v->rows_count + 1, sizeof *t.keys);
	assert_non_null(t.fields);
	assert_non_null(t.keys);
	end = strchr(at, '\n');
	*end = '\0';
	split(at, t.columns);
	for (at = end + 1; *at; at = end + 1) {
		end = strchr(at, '\n');
		*end = '\0';
		view_row(v, t.count, &row);
		t.keys[t.count] = row.key;
		split(at, t.fields + t.count++ * FIELDS_MAX);
	}
	assert_int_equal(t.count, v->rows_count);
	return t;
}

static void
printed_free(struct printed *t)
{
	free(t->keys);
	free(t->fields);
	free(t->text);
}

static const char *
field(const struct printed *t, size_t row, const char *column)
{
	for (int i = 0; i < FIELDS_MAX && t->columns[i]; i++)
		if (!strcmp(t->columns[i], column))
			return t->fields[row * FIELDS_MAX + (size_t)i];
	fail_msg("no column %s", column);
	abort();
}

/* --- conditions, the slow way -------------------------------------------- */

enum kind {
	NUMBER,     /* numbers as CSV writes them; blank: unknown */
	GENERATION, /* "gen2" is 2, "loh" is 3 */
	ADDRESS,
	TEXT,
	REGEX, /* ignoring capitals if there are none */
	HOLDS,
	HELD_BY,
	UNDER, /* step by step up the tree of dominators */
};
enum { IS, IS_NOT, BELOW, AT_MOST, ABOVE, AT_LEAST, IN };

struct atom {
	const char *text, *column;
	enum kind kind;
	int comparison;
	double low, high;
	const char *wanted; /* TEXT, REGEX; a raw type name */
};

/* clang-format off */
static const struct atom object_atoms[] = {
	{ "size > 100",                  "size",     NUMBER,  ABOVE,    100, 0, NULL },
	{ "size <= 24",                  "size",     NUMBER,  AT_MOST,  24, 0, NULL },
	{ "size=88",                     "size",     NUMBER,  IS,       88, 0, NULL },
	{ "size != 0.5k",                "size",     NUMBER,  IS_NOT,   512, 0, NULL },
	{ "size >= 2.5 KiB",             "size",     NUMBER,  AT_LEAST, 2560, 0, NULL },
	{ "size < 1,024",                "size",     NUMBER,  BELOW,    1024, 0, NULL },
	{ "size in 30..1k",              "size",     NUMBER,  IN,       30, 1024, NULL },
	{ "size > -3",                   "size",     NUMBER,  ABOVE,    -3, 0, NULL },
	{ "in > 1",                      "in",       NUMBER,  ABOVE,    1, 0, NULL },
	{ "in = 0",                      "in",       NUMBER,  IS,       0, 0, NULL },
	{ "in in 2 .. 100",              "in",       NUMBER,  IN,       2, 100, NULL },
	{ "out>=2",                      "out",      NUMBER,  AT_LEAST, 2, 0, NULL },
	{ "out < 0.5",                   "out",      NUMBER,  BELOW,    0.5, 0, NULL },
	{ "distance <= 3",               "distance", NUMBER,  AT_MOST,  3, 0, NULL },
	{ "distance != 4",               "distance", NUMBER,  IS_NOT,   4, 0, NULL },
	{ "distance = ''",               "distance", TEXT,    IS,       0, 0, "" },
	{ "dead",                        "distance", TEXT,    IS,       0, 0, "" },
	{ "reachable",                   "distance", TEXT,    IS_NOT,   0, 0, "" },
	{ "type = string",               "type",     TEXT,    IS,       0, 0, "string" },
	{ "type = Session",              "type",     TEXT,    IS,       0, 0, "Leaky.Session" },
	{ "type != 'string'",            "type",     TEXT,    IS_NOT,   0, 0, "string" },
	{ "type ~ /e/",                  "type",     REGEX,   IS,       0, 0, "e" },
	{ "type !~ /(N|S)/",             "type",     REGEX,   IS_NOT,   0, 0, "(N|S)" },
	{ "/^app\\.|^leaky\\./",         "type",     REGEX,   IS,       0, 0, "^app\\.|^leaky\\." },
	{ "root ~ /static/",             "root",     REGEX,   IS,       0, 0, "static" },
	{ "root !~ static",              "root",     REGEX,   IS_NOT,   0, 0, "static" },
	{ "root = no root",              "root",     TEXT,    IS,       0, 0, "no root" },
	{ "holds System.String",         NULL,       HOLDS,   0,        0, 0, "System.String" },
	{ "holds string",                NULL,       HOLDS,   0,        0, 0, "System.String" },
	{ "held by /String$/",           NULL,       HELD_BY, 0,        0, 0, "System.String" },
};
static const struct atom random_atoms[] = {
	{ "gen = 2",                     "gen",      GENERATION, IS,       2, 0, NULL },
	{ "gen != 0",                    "gen",      GENERATION, IS_NOT,   0, 0, NULL },
	{ "gen > 1",                     "gen",      GENERATION, ABOVE,    1, 0, NULL },
	{ "gen = loh",                   "gen",      TEXT,       IS,       0, 0, "loh" },
	{ "gen != ''",                   "gen",      TEXT,       IS_NOT,   0, 0, "" },
	{ "gen ~ /^gen[01]$/",           "gen",      REGEX,      IS,       0, 0, "^gen[01]$" },
	{ "address > 7f0000010000",      "address",  ADDRESS,    ABOVE,    0x7f0000010000, 0, NULL },
	{ "address in 7f0000010000..7f0000018000", "address", ADDRESS, IN, 0x7f0000010000, 0x7f0000018000, NULL },
	{ "address in 7f000001..7f000004", "address", ADDRESS,   IN,       0x7f0000010000, 0x7f000004ffff, NULL },
	{ "address in 0x10..0xffff",     "address",  ADDRESS,    IN,       16, 65535, NULL },
	{ "address in 7f00000..7f0000010000", "address", ADDRESS, IN,      0x7f00000, 0x7f0000010000, NULL },
	{ "address < #3",                "address",  ADDRESS,    BELOW,    1e19 + 3e12, 0, NULL },
	{ "address != 7f0000001000",     "address",  ADDRESS,    IS_NOT,   0x7f0000001000, 0, NULL },
	{ "held by App.Node",            NULL,       HELD_BY,    0,        0, 0, "App.Node" },
	{ "held by App.Big[]",           NULL,       HELD_BY,    0,        0, 0, "App.Big[]" },
	{ "held by Pair<int, Node>",     NULL,       HELD_BY,    0,        0, 0, "App.Pair<System.Int32,App.Node>" },
	{ "under 7f0000000000",          NULL,       UNDER,      0,        0, 0, "7f0000000000" },
	{ "under 0x7f0000019000",        NULL,       UNDER,      0,        0, 0, "7f0000019000" },
	{ "under #0",                    NULL,       UNDER,      0,        0, 0, "#0" },
	{ "holds 'App.Leaf'",            NULL,       HOLDS,      0,        0, 0, "App.Leaf" },
};
static const struct atom leaky_atoms[] = {
	{ "under 7fe019c05b18",          NULL,       UNDER,   0,        0, 0, "7fe019c05b18" },
	{ "under 7fe019d0d5a8",          NULL,       UNDER,   0,        0, 0, "7fe019d0d5a8" },
};
static const struct atom type_atoms[] = {
	{ "count > 100",                 "count",    NUMBER,  ABOVE,    100, 0, NULL },
	{ "count in 2..5",               "count",    NUMBER,  IN,       2, 5, NULL },
	{ "size > 1M",                   "size",     NUMBER,  ABOVE,    1048576, 0, NULL },
	{ "size >= 10 kib",              "size",     NUMBER,  AT_LEAST, 10240, 0, NULL },
	{ "share > 1%",                  "share",    NUMBER,  ABOVE,    0.01, 0, NULL },
	{ "share < 0.05",                "share",    NUMBER,  BELOW,    0.05, 0, NULL },
	{ "avg = 32",                    "avg",      NUMBER,  IS,       32, 0, NULL },
	{ "module = leaky.dll",          "module",   TEXT,    IS,       0, 0, "leaky.dll" },
	{ "module > m",                  "module",   TEXT,    ABOVE,    0, 0, "m" },
	{ "raw ~ /^System\\.Coll/",      "raw",      REGEX,   IS,       0, 0, "^System\\.Coll" },
	{ "type in B..M",                "type",     TEXT,    IN,       0, 0, "B\0M" },
};
/* clang-format on */
static bool
compares(int comparison, double order, double order_high)
{
	switch (comparison) {
	case IS:
		return order == 0;
	case IS_NOT:
		return order != 0;
	case BELOW:
		return order < 0;
	case AT_MOST:
		return order <= 0;
	case ABOVE:
		return order > 0;
	case AT_LEAST:
		return order >= 0;
	default:
		return order >= 0 && order_high <= 0;
	}
}

static bool
regex_matches(const char *regex, const char *text)
{
	bool has_capital = strpbrk(regex, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	regex_t r;
	bool matches;

	assert_int_equal(
	    regcomp(&r, regex, REG_EXTENDED | REG_NOSUB | (has_capital ? 0 : REG_ICASE)), 0);
	matches = !regexec(&r, text, 0, NULL, 0);
	regfree(&r);
	return matches;
}

static double
number_in(const struct atom *a, const char *text)
{
	if (a->kind == ADDRESS)
		return *text == '#' ? 1e19 + strtod(text + 1, NULL) * 1e12
				    : (double)strtoull(text, NULL, 16);
	if (a->kind == NUMBER)
		return strtod(text, NULL);
	for (int gen = 0; gen < GEN_UNKNOWN; gen++)
		if (!strcmp(text, generation_name((enum generation)gen)))
			return gen;
	return -1;
}

/* Types have a second name, which CSV has in the types view alone. */
static bool
text_matches(const struct atom *a, const char *text, const char *raw)
{
	const char *high = a->wanted + strlen(a->wanted) + 1;

	if (a->kind == REGEX)
		return (regex_matches(a->wanted, text) || (raw && regex_matches(a->wanted, raw))) ==
		       (a->comparison == IS);
	if (a->comparison == IN)
		return compares(IN, strcmp(text, a->wanted), strcmp(text, high));
	return compares(a->comparison, strcmp(text, a->wanted), 0);
}

struct world {
	const struct view *view;
	const struct heap *heap;
	const struct printed *table;
};

static const char *
raw_name(const struct world *w, size_t row, const struct atom *a)
{
	const char *address;
	uint64_t n;

	if (strcmp(a->column, "type") != 0)
		return NULL;
	if (!strcmp(w->view->ops->command.name, "types"))
		return field(w->table, row, "raw");
	address = field(w->table, row, "address");
	assert_true(address_parse(address, &n));
	return heap_type(w->heap, heap_find(w->heap, n))->raw;
}

/* From the references themselves: which objects hold, or are held. */
static enum truth
holding(const struct world *w, size_t row, const struct atom *a)
{
	static uint64_t marks[1024];
	static const struct atom *marked;
	const struct heap *h = w->heap;
	uint64_t address;
	node_id target;

	assert_true(bits_words(h->nodes_count) <= COUNT_OF(marks));
	if (!row || marked != a)
		memset(marks, 0, sizeof marks);
	for (node_id n = 0; (!row || marked != a) && n < h->nodes_count; n++) {
		struct refs refs = heap_refs(h, n);

		while (refs_next(&refs, &target))
			if (a->kind == HOLDS && !strcmp(heap_type(h, target)->raw, a->wanted))
				bits_add(marks, n);
			else if (a->kind == HELD_BY && !strcmp(heap_type(h, n)->raw, a->wanted))
				bits_add(marks, target);
	}
	marked = a;
	assert_true(address_parse(field(w->table, row, "address"), &address));
	return truth_of(bits_has(marks, heap_find(h, address)));
}

static enum truth
is_under(const struct world *w, size_t row, const struct atom *a)
{
	const struct dominators *d = w->view->session->retention->dominators;
	uint64_t address;
	node_id above, node;

	assert_true(address_parse(a->wanted, &address));
	above = heap_find(w->heap, address);
	assert_true(address_parse(field(w->table, row, "address"), &address));
	node = heap_find(w->heap, address);
	if (above == NODE_NONE)
		return TRUTH_NO;
	do
		node = dominators_of(d, node);
	while (node != NODE_NONE && node != above);
	return truth_of(node == above);
}

static enum truth
atom_truth(const struct world *w, size_t row, const struct atom *a)
{
	const char *text;
	double number;

	if (a->kind == HOLDS || a->kind == HELD_BY)
		return holding(w, row, a);
	if (a->kind == UNDER)
		return is_under(w, row, a);
	text = field(w->table, row, a->column);
	if (a->kind == TEXT || a->kind == REGEX)
		return truth_of(text_matches(a, text, raw_name(w, row, a)));
	number = number_in(a, text);
	if (!*text)
		return TRUTH_UNKNOWN;
	return truth_of(compares(a->comparison, number - a->low, number - a->high));
}

/* --- expressions at random ----------------------------------------------- */

struct node {
	enum { ATOM, NOT, AND, OR } kind;
	int left, right; /* ATOM: `left` is which */
};
struct expression {
	struct node nodes[NODES_MAX];
	int count;
	char text[FILTER_TEXT_MAX + 1];
	size_t len;
};

static int
make_node(struct expression *e, int room, uint32_t atoms)
{
	int at = e->count++, left;

	if (room < 2 || !below(5)) {
		e->nodes[at] = (struct node){ ATOM, (int)below(atoms), 0 };
	} else if (room == 2 || !below(4)) {
		left = make_node(e, room - 1, atoms);
		e->nodes[at] = (struct node){ NOT, left, 0 };
	} else {
		int half = 1 + (int)below((uint32_t)room - 2);

		left = make_node(e, half, atoms);
		e->nodes[at].left = left;
		e->nodes[at].right = make_node(e, room - 1 - half, atoms);
		e->nodes[at].kind = below(2) ? AND : OR;
	}
	return at;
}

static void
write_text(struct expression *e, const char *text)
{
	size_t len = strlen(text);

	assert_true(e->len + len < sizeof e->text);
	memcpy(e->text + e->len, text, len + 1);
	e->len += len;
}

/* Brackets where the language needs them, and sometimes elsewhere. */
static void
write_node(struct expression *e, int at, int above, const struct atom *atoms)
{
	static const int tightness[] = { [ATOM] = 3, [NOT] = 2, [AND] = 1, [OR] = 0 };
	const struct node *n = &e->nodes[at];
	int tight = tightness[n->kind];
	bool has_brackets = tight < above || !below(6);

	write_text(e, has_brackets ? below(2) ? "( " : "(" : "");
	if (n->kind == ATOM) {
		write_text(e, atoms[n->left].text);
	} else if (n->kind == NOT) {
		write_text(e, "not ");
		write_node(e, n->left, tight, atoms);
	} else {
		write_node(e, n->left, tight, atoms);
		write_text(e, n->kind == AND ? " and " : "  or ");
		write_node(e, n->right, tight, atoms);
	}
	write_text(e, has_brackets ? ")" : "");
}

/* `known` has the truth of each atom for this row. */
static enum truth
node_truth(const struct expression *e, int at, const uint8_t *known)
{
	const struct node *n = &e->nodes[at];
	enum truth left, right;

	if (n->kind == ATOM)
		return (enum truth)known[n->left];
	left = node_truth(e, n->left, known);
	if (n->kind == NOT)
		return left == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : truth_of(left == TRUTH_NO);
	right = node_truth(e, n->right, known);
	if (n->kind == AND)
		return left == TRUTH_NO || right == TRUTH_NO             ? TRUTH_NO
		       : left == TRUTH_UNKNOWN || right == TRUTH_UNKNOWN ? TRUTH_UNKNOWN
									 : TRUTH_YES;
	return left == TRUTH_YES || right == TRUTH_YES           ? TRUTH_YES
	       : left == TRUTH_UNKNOWN || right == TRUTH_UNKNOWN ? TRUTH_UNKNOWN
								 : TRUTH_NO;
}

static void
expect_rows(struct app *app, const struct printed *all, const struct expression *e,
	    const uint8_t *known, size_t atoms)
{
	struct error err = { 0 };
	struct view *v = app_view(app);
	size_t at = 0, unknown = 0;
	struct row row;

	if (!view_where(v, e->text, &err))
		fail_msg("%s: %s", e->text, err.message);
	for (size_t i = 0; i < all->count; i++) {
		enum truth truth = node_truth(e, 0, known + i * atoms);

		unknown += truth == TRUTH_UNKNOWN;
		if (truth != TRUTH_YES)
			continue;
		if (at < v->rows_count)
			view_row(v, at, &row);
		if (at == v->rows_count || row.key != all->keys[i])
			fail_msg("%s\nrow %zu of them is not row %zu of all: %s %s", e->text, at, i,
				 all->fields[i * FIELDS_MAX], all->fields[i * FIELDS_MAX + 1]);
		at++;
	}
	if (at < v->rows_count)
		fail_msg("%s\n%zu rows, not %zu", e->text, v->rows_count, at);
	if (filter_unknown_count(v->filter) != unknown)
		fail_msg("%s: %zu unknown, not %zu", e->text, unknown,
			 (size_t)filter_unknown_count(v->filter));
}

/* Each atom alone, then all mixed. */
static void
check_view(const struct heap *h, const char *command, const struct atom *atoms, size_t atoms_count,
	   unsigned trees)
{
	struct app *app = app_on(h);
	struct error err = { 0 };
	struct printed all;
	struct world world;
	uint8_t *known;

	assert_true(session_require(app->session, NEED_RETAINED, &err));
	if (!app_command(app, command, &err))
		fail_msg("%s: %s", command, err.message);
	all = listing_of(app_view(app));
	assert_true(all.count > 0);
	world = (struct world){ app_view(app), h, &all };
	known = calloc(all.count, atoms_count);
	assert_non_null(known);
	for (size_t a = 0; a < atoms_count; a++)
		for (size_t i = 0; i < all.count; i++)
			known[i * atoms_count + a] = (uint8_t)atom_truth(&world, i, &atoms[a]);
	seed = 1;
	for (unsigned i = 0; i < atoms_count + trees; i++) {
		static struct expression e;

		e = (struct expression){ .count = 0 };
		if (i < atoms_count)
			e.nodes[0] = (struct node){ ATOM, (int)i, 0 };
		else
			make_node(&e, 2 + (int)below(NODES_MAX - 2), (uint32_t)atoms_count);
		write_node(&e, 0, 0, atoms);
		expect_rows(app, &all, &e, known, atoms_count);
	}
	free(known);
	printed_free(&all);
	app_end(app);
}

/* The atoms of both tables. */
static struct atom both_atoms[COUNT_OF(object_atoms) + COUNT_OF(random_atoms)];
static struct atom all_leaky_atoms[COUNT_OF(object_atoms) + COUNT_OF(leaky_atoms)];

TEST(test_scan)
{
	check_view(random_heap(), "objects", both_atoms, COUNT_OF(both_atoms), TREES);
}

TEST(test_scan_leaky)
{
	check_view(leaky_heap(), "objects", all_leaky_atoms, COUNT_OF(all_leaky_atoms), TREES / 4);
}

/* Row by row: who refers to what most others do. */
TEST(test_rows)
{
	check_view(leaky_heap(), "referrers 7fe019c010c8", all_leaky_atoms,
		   COUNT_OF(all_leaky_atoms), TREES / 4);
	check_view(random_heap(), "referrers 7f0000000040", both_atoms, COUNT_OF(both_atoms),
		   TREES / 4);
}

TEST(test_one_type)
{
	check_view(random_heap(), "objects App.Node", both_atoms, COUNT_OF(both_atoms), TREES / 4);
}

TEST(test_types)
{
	check_view(leaky_heap(), "types", type_atoms, COUNT_OF(type_atoms), TREES);
}

static void
join(struct atom *both, const struct atom *more, size_t more_bytes)
{
	memcpy(both, object_atoms, sizeof object_atoms);
	memcpy(both + COUNT_OF(object_atoms), more, more_bytes);
}

static int
join_atoms(void **state)
{
	(void)state;
	join(both_atoms, random_atoms, sizeof random_atoms);
	join(all_leaky_atoms, leaky_atoms, sizeof leaky_atoms);
	return 0;
}
TESTS_BETWEEN(join_atoms, NULL);
