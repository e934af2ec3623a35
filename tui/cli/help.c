#include "tui/cli/help.h"
#include "model/sql/schema.h"
#include "tui/app/arguments.h"
#include "tui/app/state.h"
#include "tui/app/sos.h"
#include "tui/app/views.h"
#include "tui/cli/say.h"
#include <string.h>

static void
print_command(FILE *to, const struct command *c)
{
	char name[64], usage[USAGE_BYTES];

	snprintf(name, sizeof name, "%s %s", c->name, arguments_usage(c, usage));
	fprintf(to, "  %-18s %-26s %s\n", c->keys, name, c->help);
}

static void
print_table(FILE *to, const char *title, const struct command *table)
{
	fprintf(to, "%s\n", title);
	for (; table->name; table++)
		print_command(to, table);
}

void
help_print_keys(FILE *to)
{
	char title[64];

	print_table(to, "Everywhere", commands_global);
	fprintf(to, "\nViews\n");
	for (const struct view_ops *const *v = all_views; *v; v++)
		print_command(to, &(*v)->command);
	for (const struct view_ops *const *v = all_views; *v; v++) {
		if (!(*v)->commands || !(*v)->commands->name)
			continue;
		snprintf(title, sizeof title, "\nIn the view %s", (*v)->command.name);
		print_table(to, title, (*v)->commands);
	}
	fprintf(to, "\nThe mouse, after :set mouse\n");
	for (const struct mouse_gesture *g = mouse_gestures; g->name; g++)
		fprintf(to, "  %-45s %s\n", g->name, g->help);
	fprintf(to, "\nThe same as in SOS\n");
	for (const struct sos_command *c = sos_commands; c->name; c++)
		fprintf(to, "  %-18s %-26s %s\n", c->name, c->becomes, c->help);
}

void
help_print_columns(FILE *to)
{
	const char *newline = "";

	for (const struct view_ops *const *v = all_views; *v; v++) {
		if ((*v)->list.flags & VIEW_HIDDEN)
			continue;
		fprintf(to, "%s%s\n", newline, (*v)->command.name);
		newline = "\n";
		for (const struct column *c = (*v)->table->columns; c->id; c++) {
			unsigned only = c->flags & (COLUMN_MACHINE | COLUMN_SCREEN);

			fprintf(to, "  %-14s %s%s\n", c->id, c->help,
				only == COLUMN_MACHINE ? " (CSV)" : "");
		}
	}
}

/* Returns the kind of a column's values, as heaptop-json(5) names it. */
static const char *
json_kind(const struct column *c)
{
	static const char *const names[] = {
		[VALUE_COUNT] = "number",
		[VALUE_PLAIN] = "number",
		[VALUE_BYTES] = "bytes",
		[VALUE_SHARE] = "share",
		[VALUE_CHANGE] = "number",
		[VALUE_CHANGE_BYTES] = "bytes",
		[VALUE_HUNDREDTHS] = "decimal",
		[VALUE_REAL] = "decimal",
		[VALUE_DURATION] = "microseconds",
		[VALUE_ADDRESS] = "address",
		[VALUE_TEXT] = "text",
	};

	return c->flags & COLUMN_MIXED ? "any of these" : names[column_kind(c)];
}

/* Prints all columns of the kind of `first`, unless an earlier column has it. */
static void
print_json_kind(FILE *to, const struct column *columns, const struct column *first)
{
	const char *kind = json_kind(first);

	for (const struct column *c = columns; c != first; c++)
		if (!(c->flags & COLUMN_SCREEN) && !strcmp(json_kind(c), kind))
			return;
	fprintf(to, "  %-14s", kind);
	for (const struct column *c = first; c->id; c++)
		if (!(c->flags & COLUMN_SCREEN) && !strcmp(json_kind(c), kind))
			fprintf(to, " %s", c->id);
	putc('\n', to);
}

void
help_print_json(FILE *to)
{
	const char *newline = "";

	for (const struct view_ops *const *v = all_views; *v; v++) {
		const struct column *columns = (*v)->table->columns;

		if ((*v)->list.flags & VIEW_HIDDEN)
			continue;
		fprintf(to, "%s%s\n", newline, (*v)->command.name);
		newline = "\n";
		if (view_code((*v))->tree)
			fprintf(to, "  %-14s depth\n", "number");
		for (const struct column *c = columns; c->id; c++)
			if (!(c->flags & COLUMN_SCREEN))
				print_json_kind(to, columns, c);
	}
}

void
help_print_filter(FILE *to)
{
	for (const struct filter_form *f = filter_forms; f->form; f++)
		fprintf(to, "  %-26s %s\n", f->form, f->help);
}

/* The parts of a query, and what is special about them in heaptop. */
static const struct {
	const char *form, *help;
} sql_forms[] = {
	/* clang-format off */
	{ "SELECT, WITH, VALUES",   "one query in the SQL of SQLite; everything that writes is refused" },
	{ "sql NAME",               "a named query; :sql alone lists them, and ~/.config/heaptop/queries/NAME.sql adds one" },
	{ "sql FILE.sql",           "the query in a file" },
	{ "heap",                   "every table has it: the heap of the row; join it, too, if several are open" },
	{ "type = 'A.B'",           "type names in C# spelling; equality finds the objects of a type at once" },
	{ "address = 0x7f00123",        "addresses are numbers; so is a text such as '7f0012345678'" },
	{ "GROUP BY type_id",       "hidden number of the type: faster than its name" },
	{ "\"in\", \"to\"",         "words of SQL that are names of columns need quotes" },
	/* clang-format on */
};

void
help_print_sql(FILE *to)
{
	enum { ARENA_LIMIT = 8 << 20 };
	struct error err = { 0 };
	struct schema s;
	struct arena a;

	arena_init(&a, ARENA_LIMIT);
	for (size_t i = 0; i < sizeof sql_forms / sizeof *sql_forms; i++)
		fprintf(to, "  %-22s %s\n", sql_forms[i].form, sql_forms[i].help);
	fprintf(to, "\nTables and functions\n");
	if (!schema_read(&s, &a, &err))
		say(NULL, "%s", err.message);
	for (uint32_t i = 0; i < s.entries_count; i++)
		fprintf(to, "  %-22s %s\n", s.entries[i].usage,
			s.entries[i].help ? s.entries[i].help
					  : views_help_of_table(s.entries[i].name));
	arena_clear(&a);
}
