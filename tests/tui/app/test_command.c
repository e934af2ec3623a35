/* The tables of views, columns and commands hold together. */
#include "tests/drive/screens.h"
#include "tui/app/arguments.h"
#include "tui/app/command.h"
#include "tui/term/term.h"
#include "tui/app/views.h"

#include <string.h>

enum { KEYS_WIDTH = 18, NAME_WIDTH = 26 }; /* of `--help keys` */

static void
expect_sentence(const char *where, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	if (!len)
		fail_msg("%s has no help", where);
	if (text[len - 1] == '.')
		fail_msg("%s: help ends with a full stop", where);
	if (text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
		fail_msg("%s: help begins with a capital", where);
}

/* Each has a name, and what may be left out comes last. */
static void
expect_good_arguments(const struct command *c)
{
	bool was_optional = false;

	for (int i = 0; i < ARGUMENTS_MAX; i++) {
		const struct argument *a = &c->args[i];
		struct command alone = { .args = { *a } };
		char usage[USAGE_BYTES];

		if (a->kind == ARG_NONE) {
			was_optional = true; /* nothing comes after it */
			continue;
		}
		if ((a->kind == ARG_WORD) != (a->words && *a->words))
			fail_msg("%s: words are for ARG_WORD", c->name);
		if (strlen(arguments_usage(&alone, usage)) < (a->is_optional ? 3 : 1))
			fail_msg("%s: an argument has no name", c->name);
		if (was_optional && !a->is_optional)
			fail_msg("%s: an argument behind an optional one", c->name);
		was_optional = a->is_optional;
	}
}

static void
expect_good_command(const struct command *c, bool opens)
{
	char key[16], usage[USAGE_BYTES];

	expect_sentence(c->name, c->help);
	expect_good_arguments(c);
	if (opens == (c->run != NULL))
		fail_msg("%s: what does it do?", c->name);
	if (strlen(c->keys) > KEYS_WIDTH)
		fail_msg("%s: keys do not fit into --help keys", c->name);
	if (strlen(c->name) + 1 + strlen(arguments_usage(c, usage)) > NAME_WIDTH)
		fail_msg("%s: name does not fit into --help keys", c->name);
	for (const char *at = c->keys; *at; at += strspn(at, " ")) {
		size_t len = strcspn(at, " ");

		assert_true(len < sizeof key);
		memcpy(key, at, len);
		key[len] = '\0';
		if (!key_parse(key))
			fail_msg("%s: \"%s\" is not a key", c->name, key);
		at += len;
	}
}

TEST(test_commands_are_complete)
{
	struct command_iterator it;

	for (const struct view_ops *const *v = all_views; *v; v++) {
		it = (struct command_iterator){ 0 };
		while (command_next(&it, *v))
			expect_good_command(it.command, it.opens != NULL);
	}
}

static bool
share_a_key(const struct command *a, const struct command *b)
{
	char keys[64], *rest, *key;

	assert_true((size_t)snprintf(keys, sizeof keys, "%s", a->keys) < sizeof keys);
	for (key = strtok_r(keys, " ", &rest); key; key = strtok_r(NULL, " ", &rest))
		if (keys_have(b->keys, key_parse(key)))
			return true;
	return false;
}

/* No two commands of a view have the same name; a view's own keys may hide global ones. */
static void
expect_no_doubles(const struct view_ops *view)
{
	const struct command *all[256];
	unsigned parts[256];
	size_t count = 0;
	struct command_iterator it = { 0 };

	while (command_next(&it, view)) {
		assert_true(count < 256);
		parts[count] = it.part;
		all[count++] = it.command;
	}
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++) {
			/* With an argument the name means the later one: command_by_line(). */
			if (!strcmp(all[i]->name, all[j]->name) &&
			    !(parts[j] == 0 && parts[i] != 0 && all[j]->args[0].kind == ARG_NONE &&
			      all[i]->args[0].kind != ARG_NONE))
				fail_msg("%s: two commands are called %s", view->command.name,
					 all[i]->name);
			if ((parts[i] == 0) == (parts[j] == 0) && share_a_key(all[i], all[j]))
				fail_msg("%s: %s and %s have the same key", view->command.name,
					 all[i]->name, all[j]->name);
		}
}

TEST(test_no_doubles)
{
	for (const struct view_ops *const *v = all_views; *v; v++)
		expect_no_doubles(*v);
}

/* A cell says something, and where its value lies. */
static void
expect_source(const struct view_ops *v, const struct column *c)
{
	const struct value_source *from = &c->from;
	bool is_field = from->source == SOURCE_FIELD;
	bool is_text = is_field && from->kind == VALUE_TEXT && !from->words;

	if (!is_field && !from->number && !from->cell)
		fail_msg("%s: %s has no source", v->command.name, c->id);
	if (from->source == SOURCE_CELL && from->number && from->kind != VALUE_TEXT)
		fail_msg("%s: %s has two sources", v->command.name, c->id);
	if (is_field && !v->table->record && !v->table->rows)
		fail_msg("%s: %s is a field of no record", v->command.name, c->id);
	if (is_text && !from->is_array && from->size != sizeof(char *))
		fail_msg("%s: %s is no pointer to a text", v->command.name, c->id);
	if (is_field && from->size != 1 && from->size != 2 && from->size != 4 && from->size != 8)
		fail_msg("%s: %s is no number", v->command.name, c->id);
	if (from->kind == VALUE_BLANK || from->kind == VALUE_PENDING)
		fail_msg("%s: %s is of no kind", v->command.name, c->id);
}

static void
expect_good_columns(const struct view_ops *v)
{
	int fills = 0, count = 0;

	for (const struct column *c = v->table->columns; c->id; c++, count++) {
		expect_sentence(c->id, c->help);
		fills += c->width == FILL;
		assert_non_null(c->title);
		expect_source(v, c);
		for (const struct column *d = v->table->columns; d < c; d++)
			if (!strcmp(c->id, d->id))
				fail_msg("%s: two columns are called %s", v->command.name, c->id);
		if (strlen(c->id) > 14)
			fail_msg("%s does not fit into --help columns", c->id);
	}
	if (fills != 1)
		fail_msg("%s: %d columns fill", v->command.name, fills);
	if (count > COLUMNS_MAX)
		fail_msg("%s: %d columns", v->command.name, count);
	if (v->list.sort && column_by_id(v->table->columns, v->list.sort) < 0)
		fail_msg("%s: no column %s", v->command.name, v->list.sort);
}

TEST(test_columns_are_complete)
{
	for (const struct view_ops *const *v = all_views; *v; v++)
		expect_good_columns(*v);
}

/* clang-format off */
static const struct {
	const char *typed, *found;	/* found NULL: an error */
	const char *message;
} names[] = {
	{ "types",    "types",   NULL },
	{ "ty",       "types",   NULL },
	{ "quit",     "quit",    NULL },
	{ "q",        "quit",    NULL },
	{ "sort",     "sort",    NULL }, /* also begins sort-size */
	{ "sort-s",   "sort-size", NULL },
	{ "xyzzy",    NULL,      "no command \"xyzzy\": see ? or " },
	{ "nators",   NULL,      "no command \"nators\"; perhaps: dominators" },
	{ "s",        NULL,      "commands begin with \"s\"; Tab shows them" },
};
/* clang-format on */

TEST(test_names)
{
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct error err = { 0 };
		struct binding b;

		b = command_by_name(NULL, names[i].typed, strlen(names[i].typed), &err);
		if (names[i].found) {
			assert_non_null(b.command);
			assert_string_equal(b.command->name, names[i].found);
		} else {
			assert_null(b.command);
			if (!strstr(err.message, names[i].message))
				fail_msg("%s: %s", names[i].typed, err.message);
		}
	}
}

TEST(test_keys)
{
	struct binding b = command_by_key(&view_types, TK_ENTER);

	assert_string_equal(b.command->name, "open");
	assert_null(b.opens);
	b = command_by_key(&view_types, 'p');
	assert_ptr_equal(b.opens, &view_paths);
	b = command_by_key(&view_types, TK_F10);
	assert_string_equal(b.command->name, "quit");
	assert_null(command_by_key(&view_types, TK_F12).command);
}

TESTS_BETWEEN(screens_begin, NULL);
