#include "tui/app/arguments.h"
#include "tui/app/file_names.h"
#include "tui/app/set_command.h"
#include "tui/app/sos.h"
#include "tui/app/sql_complete.h"
#include "tui/app/state.h"
#include "tui/app/views.h"
#include "model/base/text.h"
#include <string.h>

/* A completion in progress. */
struct completion {
	struct app *app;
	const struct binding *binding;
	void (*add)(void *to, const char *word);
	void *to;
	const char *begin; /* prefix of the words offered */
};

static void
offer(const struct completion *c, const char *word)
{
	if (!strncmp(word, c->begin, strlen(c->begin)))
		c->add(c->to, word);
}

/* --- the kinds ------------------------------------------------------------ */

static void
complete_commands(const struct completion *c)
{
	const struct view_ops *ops = app_view(c->app)->ops;
	struct command_iterator it = { 0 };

	while (command_next(&it, ops))
		offer(c, it.command->name);
	for (const struct sos_command *s = sos_commands; s->name; s++) {
		struct error ignored = { 0 };
		struct binding same = command_by_name(ops, s->name, strlen(s->name), &ignored);

		if (!same.command || strcmp(same.command->name, s->name) != 0)
			offer(c, s->name);
	}
}

static void
complete_words(const struct completion *c)
{
	const char *const *word = c->binding->command->args[0].words;

	while (*word)
		offer(c, *word++);
}

static void
complete_targets(const struct completion *c)
{
	const struct binding *b = c->binding;

	target_complete(c->app->session,
			b->opens ? view_takes(b->opens) : command_takes(b->command), c->begin,
			c->add, c->to);
}

static void
complete_columns(const struct completion *c)
{
	const struct view *v = app_view(c->app);

	for (const struct column *k = v->ops->table->columns; k->id; k++)
		if (view_has_column(v, k, false))
			offer(c, k->id);
}

static void
complete_filter(const struct completion *c)
{
	const struct listing l = view_listing(app_view(c->app));

	filter_complete(&l, c->begin, c->add, c->to);
}

static void
complete_query(const struct completion *c)
{
	sql_complete(c->app->session, c->begin, c->add, c->to);
}

static void
complete_tables(const struct completion *c)
{
	sql_complete_tables(c->add, c->to);
}

static void
complete_files(const struct completion *c)
{
	file_names_complete(c->begin, c->add, c->to);
}

static void
complete_views(const struct completion *c)
{
	for (const struct view_ops *const *v = all_views; *v; v++)
		offer(c, (*v)->command.name);
}

static void
complete_themes(const struct completion *c)
{
	theme_list(c->add, c->to);
}

static void
complete_settings(const struct completion *c)
{
	set_command_complete(c->begin, c->add, c->to);
}

/* Offer the keys that are mapped. */
static void
complete_keys(const struct completion *c)
{
	const struct keymap *k = &c->app->settings->keys;
	char name[64];

	for (size_t i = 0; i < k->count; i++)
		offer(c, keymap_spell(&k->entries[i], name));
}

/* Completes the command after the key. */
static void
complete_mapping(const struct completion *c)
{
	struct completion command = *c;

	command.begin += strcspn(command.begin, " ");
	command.begin += strspn(command.begin, " ");
	if (command.begin > c->begin && command.begin[-1] == ' ')
		complete_commands(&command);
}

static const struct {
	const char *name;                             /* its name in the usage; NULL: the words */
	void (*complete)(const struct completion *c); /* NULL: no completion */
} kinds[ARGUMENT_KINDS] = {
	/* clang-format off */
	[ARG_WORD]           = { NULL,            complete_words },
	[ARG_NUMBER]         = { "NUMBER",        NULL },
	[ARG_OBJECT]         = { "ADDRESS",       complete_targets },
	[ARG_TYPE]           = { "TYPE",          complete_targets },
	[ARG_OBJECT_OR_TYPE] = { "ADDRESS|TYPE",  complete_targets },
	[ARG_COLUMN]         = { "COLUMN",        complete_columns },
	[ARG_FILTER]         = { "FILTER",        complete_filter },
	[ARG_QUERY]          = { "QUERY",         complete_query },
	[ARG_TABLE]          = { "TABLE",         complete_tables },
	[ARG_FILE]           = { "FILE",          complete_files },
	[ARG_FILE_OR_PIPE]   = { "FILE|!COMMAND", complete_files },
	[ARG_COMMAND]        = { "WORD",          complete_commands },
	[ARG_VIEW]           = { "VIEW",          complete_views },
	[ARG_THEME]          = { "THEME",         complete_themes },
	[ARG_SETTING]        = { "SETTING",       complete_settings },
	[ARG_KEY]            = { "KEY",           complete_keys },
	[ARG_MAPPING]        = { "KEY COMMAND",   complete_mapping },
	/* clang-format on */
};

/* --- the usage ------------------------------------------------------------ */

static void
add_argument(struct text *out, const struct argument *a)
{
	const char *name = a->name ? a->name : kinds[a->kind].name;

	text_add(out, out->len ? " " : "");
	text_add(out, a->is_optional ? "[" : "");
	if (name)
		text_add(out, name);
	for (const char *const *word = a->words; !name && *word; word++)
		text_addf(out, "%s%s", word > a->words ? "|" : "", *word);
	text_add(out, a->is_optional ? "]" : "");
}

const char *
arguments_usage(const struct command *c, char out[USAGE_BYTES])
{
	struct text text = text_in(out, USAGE_BYTES);

	text_add(&text, c->flags & COMMAND_FORCES ? "[!]" : "");
	for (int i = 0; i < ARGUMENTS_MAX && c->args[i].kind != ARG_NONE; i++)
		add_argument(&text, &c->args[i]);
	return out;
}

/* --- the prompt ----------------------------------------------------------- */

void
arguments_complete(void *context, const char *line, size_t cursor,
		   void (*add_word)(void *to, const char *word), void *to)
{
	struct app *app = context;
	const struct view_ops *ops = app_view(app)->ops;
	char text[SCRIPT_COMMAND_BYTES];
	struct binding b = { 0 };
	struct completion c = { app, &b, add_word, to, text };
	struct error ignored = { 0 };
	size_t name_len;

	if (app->prompt_kind == PROMPT_SEARCH || cursor >= sizeof text)
		return;
	memcpy(text, line, cursor);
	text[cursor] = '\0';
	if (app->prompt_kind == PROMPT_FILTER) {
		complete_filter(&c);
		return;
	}
	name_len = strcspn(text, " ");
	if (!text[name_len]) {
		complete_commands(&c);
		return;
	}
	b = command_by_line(ops, text, &ignored);
	c.begin = text + name_len + strspn(text + name_len, " ");
	if (b.command && kinds[b.command->args[0].kind].complete)
		kinds[b.command->args[0].kind].complete(&c);
}
