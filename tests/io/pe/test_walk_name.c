/* Names of types, from the runtime's spelling to ours. */
#include "tests/drive/run_tests.h"
#include "io/pe/name_spelling.h"
#include <string.h>

static const struct {
	const char *name, *spelt;
} spell_rows[] = {
	{ "", "" },
	{ "System.String", "System.String" },
	{ "System.Int32[]", "System.Int32[]" },
	{ "System.Int32[,]", "System.Int32[,]" },
	{ "System.Int32[][,,]", "System.Int32[][,,]" },
	{ "System.Int32[*]", "System.Int32[*]" },
	{ "System.Byte*", "System.Byte*" },
	{ "List`1[System.Int32]", "List<System.Int32>" },
	{ "List`1[System.Int32][]", "List<System.Int32>[]" },
	{ "List`1[System.Int32[]]", "List<System.Int32[]>" },
	{ "A.D`2[System.String,A.L`1[System.Int32[]]]", "A.D<System.String,A.L<System.Int32[]>>" },
	/* arguments stand where they are declared */
	{ "A.D`2+Entry[System.String,System.Int32][]", "A.D<System.String,System.Int32>+Entry[]" },
	{ "A.Holder`1+Inner`1[X,Y]", "A.Holder<X>+Inner<Y>" },
	{ "A`1+B+C`2+D[X,Y,Z]", "A<X>+B+C<Y,Z>+D" },
	{ "Box`2[V,A.P`1+<Run>d__5[X]]", "Box<V,A.P<X>+<Run>d__5>" },
	/* or behind the name, if it does not say */
	{ "Entry[System.String,System.Int32][]", "Entry<System.String,System.Int32>[]" },
	{ "A.D`3[X,Y]", "A.D<X,Y>" },
	{ "A.D`1[X,Y]", "A.D<X,Y>" },
	/* what compilers make */
	{ "<>c__DisplayClass11_0", "<>c__DisplayClass11_0" },
	{ "A.P+<>c", "A.P+<>c" },
	{ "<>f__AnonymousType0`2[X,Y]", "<>f__AnonymousType0<X,Y>" },
	/* no number */
	{ "A`", "A`" },
	{ "A`x", "A`x" },
	{ "A`0", "A`0" },
	{ "A`99999999999999999999999[X]", "A<X>" },
	/* brackets that do not pair: as it is */
	{ "A[", "A[" },
	{ "A]", "A]" },
	{ "A][", "A][" },
	{ "L`1[X", "L`1[X" },
	{ "L`1[[X]]", "L<<X>>" },
	{ "[", "[" },
	{ "[]", "[]" },
	{ "[X]", "<X>" },
	{ "L`1[X,]", "L<X,>" },
	{ "L`1[X]Y", "L<X>Y" },
};

TEST(test_spell)
{
	struct arena a;
	struct error err = { 0 };

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(spell_rows); i++)
		assert_string_equal(name_spell(spell_rows[i].name, &a, &err), spell_rows[i].spelt);
	arena_clear(&a);
}

/* A name as deep as it is long, and one with as many arguments. */
TEST(test_spell_in_linear_time)
{
	enum { DEPTH = 200000 };
	static char name[DEPTH * 4 + 8];
	struct arena a;
	struct error err = { 0 };
	const char *spelt;
	char *at = name;

	arena_init(&a, 0);
	for (int i = 0; i < DEPTH; i++) {
		memcpy(at, "A`1[", 4);
		at += 4;
	}
	*at++ = 'B';
	/* Not closed: given back. */
	assert_string_equal(name_spell(name, &a, &err), name);
	at = name;
	for (int i = 0; i < DEPTH; i++) {
		memcpy(at, "A[", 2);
		at += 2;
	}
	*at++ = 'B';
	memset(at, ']', DEPTH);
	at[DEPTH] = '\0';
	spelt = name_spell(name, &a, &err);
	assert_int_equal(strlen(spelt), strlen(name));
	assert_int_equal(strcspn(spelt, "B"), 2 * DEPTH);
	assert_int_equal(spelt[1], '<');
	assert_int_equal(spelt[3 * DEPTH], '>');
	at = name;
	memcpy(at, "A[", 2);
	for (at += 2; at < name + 2 * DEPTH; at += 2)
		memcpy(at, "B,", 2);
	memcpy(at, "B]", 3);
	spelt = name_spell(name, &a, &err);
	assert_int_equal(strlen(spelt), strlen(name));
	arena_clear(&a);
}

static const struct {
	const char *name, *definition, *nested;
} nest_rows[] = {
	{ "Entry", "A.T", "Entry" }, /* not nested */
	{ "Entry", "A.T+Entry", "A.T+Entry" },
	{ "Entry[X,Y][]", "A.T`2+Entry", "A.T`2+Entry[X,Y][]" },
	{ "Node`1[X]", "A.T`1+Node`1", "A.T`1+Node`1[X]" },
	{ "Deeper", "A.B+C+Deeper", "A.B+C+Deeper" },
	{ "<>c", "A.P+<>c", "A.P+<>c" },
	{ "Other", "A.T+Entry", "Other" },
	{ "Ent", "A.T+Entry", "Ent" },
	{ "Entry`", "A.T+Entry", "Entry`" },
	{ "", "A.T+Entry", "" },
};

TEST(test_nest)
{
	struct arena a;
	struct error err = { 0 };

	arena_init(&a, 0);
	for (size_t i = 0; i < COUNT_OF(nest_rows); i++)
		assert_string_equal(name_nest(nest_rows[i].name, nest_rows[i].definition, &a, &err),
				    nest_rows[i].nested);
	arena_clear(&a);
}

TEST(test_no_memory)
{
	struct arena a;
	struct error err = { 0 };

	arena_init(&a, 1);
	assert_null(name_spell("A`1[B]", &a, &err));
	assert_int_equal(err.kind, ERROR_SYSTEM);
	arena_clear(&a);
}
