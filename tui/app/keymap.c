#include "tui/app/keymap.h"
#include "tui/app/script.h"
#include "tui/term/term.h"
#include "tui/app/views.h"
#include "tui/base/quoting.h"
#include <string.h>

/* Esc, ':' and ^C cannot be mapped: they must always lead out. */
static bool
is_reserved(int key)
{
	return key == TK_ESCAPE || key == ':' || key == TK_CTRL('C') || key == TK_INTERRUPT;
}

static size_t
word_len(const char *text)
{
	return strcspn(text, " \t");
}

static const char *
skip_blanks(const char *text)
{
	return text + strspn(text, " \t");
}

/* Parses "X" or "types.X". In "." and ".." the last character is the key. */
static bool
parse_key(const char *word, size_t len, int *key, int *view, struct error *err)
{
	char name[64];
	const char *dot = NULL;

	if (len >= sizeof name)
		return error_set(err, ERROR_USAGE, "there is no key \"%.40s…\"", word);
	memcpy(name, word, len);
	name[len] = '\0';
	*view = KEYMAP_ALL;
	for (size_t i = 1; i + 1 < len; i++)
		if (name[i] == '.') {
			dot = &name[i];
			break;
		}
	if (dot) {
		size_t number = views_number(name, (size_t)(dot - name));

		if (number == SIZE_MAX)
			return error_set(err, ERROR_USAGE,
					 "there is no view \"%.*s\" to map a key in",
					 (int)(dot - name), name);
		*view = (int)number;
	}
	dot = dot ? dot + 1 : name;
	*key = key_parse(dot);
	if (!*key)
		return error_set(err, ERROR_USAGE,
				 "there is no key \"%.40s\"; keys are spelled "
				 "x, ^X, F5, M-x, Space",
				 dot);
	return !is_reserved(*key) ||
	       error_set(err, ERROR_USAGE, "the key %s cannot be mapped: it must always lead out",
			 dot);
}

static struct keymap_entry *
find_exactly(struct keymap *k, int key, int view)
{
	for (size_t i = 0; i < k->count; i++)
		if (k->entries[i].key == key && k->entries[i].view == view)
			return &k->entries[i];
	return NULL;
}

/* Several commands are quoted: map F5 'types; sort count'. */
static const char *
unquote(const char *command, char out[KEYMAP_COMMAND_BYTES])
{
	command += strspn(command, " :");
	if (strlen(command) >= KEYMAP_COMMAND_BYTES)
		return command;
	strcpy(out, command);
	command = quoting_strip(out);
	return command + strspn(command, " :");
}

const char *
keymap_command(const char *text, char out[KEYMAP_COMMAND_BYTES])
{
	const char *key_name = skip_blanks(text);

	return unquote(skip_blanks(key_name + word_len(key_name)), out);
}

bool
keymap_map(struct keymap *k, const char *text, const struct origin *from, struct error *err)
{
	char quoted[KEYMAP_COMMAND_BYTES];
	const char *key_name = skip_blanks(text);
	const char *command = keymap_command(text, quoted);
	struct keymap_entry *e;
	int key, view;

	if (!parse_key(key_name, word_len(key_name), &key, &view, err))
		return false;
	if (!*command)
		return error_set(err, ERROR_USAGE,
				 "map wants a key and a command: map F5 sort count");
	if (strlen(command) >= KEYMAP_COMMAND_BYTES)
		return error_set(err, ERROR_USAGE, "the commands of a key have at most %d bytes",
				 KEYMAP_COMMAND_BYTES - 1);
	if (!command_is_for_shell(command) && !command_anywhere(command, err).command)
		return false;
	e = find_exactly(k, key, view);
	if (!e && k->count == KEYMAP_MAX)
		return error_set(err, ERROR_USAGE, "%d keys are mapped: no more are possible",
				 KEYMAP_MAX);
	if (!e)
		e = &k->entries[k->count++];
	*e = (struct keymap_entry){ .key = key, .view = view, .origin = *from };
	strcpy(e->command, command);
	return true;
}

bool
keymap_unmap(struct keymap *k, const char *text, struct error *err)
{
	const char *name = skip_blanks(text);
	struct keymap_entry *e;
	int key, view;

	if (!*name)
		return error_set(err, ERROR_USAGE, "unmap wants a key: unmap F5");
	if (!parse_key(name, word_len(name), &key, &view, err))
		return false;
	e = find_exactly(k, key, view);
	if (!e)
		return error_set(err, ERROR_USAGE, "%.*s is not mapped", (int)word_len(name), name);
	k->count--;
	memmove(e, e + 1, (size_t)(k->entries + k->count - e) * sizeof *e);
	return true;
}

const struct keymap_entry *
keymap_find(const struct keymap *k, int key, size_t view)
{
	const struct keymap_entry *found = NULL;

	for (size_t i = 0; i < k->count; i++) {
		const struct keymap_entry *e = &k->entries[i];

		if (e->key != key)
			continue;
		if (e->view != KEYMAP_ALL && (size_t)e->view == view)
			return e;
		if (e->view == KEYMAP_ALL)
			found = e;
	}
	return found;
}

const char *
keymap_spell(const struct keymap_entry *e, char out[64])
{
	char key[16];

	snprintf(out, 64, "%s%s%s", e->view == KEYMAP_ALL ? "" : all_views[e->view]->command.name,
		 e->view == KEYMAP_ALL ? "" : ".", key_spell(e->key, key));
	return out;
}

/*
 * Returns the meaning of a mapped key. A single command gets key and count, so that it acts on the
 * selected row. A line for SOS may become several commands.
 */
static struct key_meaning
mapped_meaning(const struct view *v, const struct keymap_entry *e)
{
	char expanded[SCRIPT_COMMAND_BYTES];
	struct error ignored = { 0 };
	const char *line =
	    command_expand_alias(e->command, v->session->heap, expanded, sizeof expanded, &ignored);

	if (!line)
		return (struct key_meaning){ 0 };
	return (struct key_meaning){ command_by_name(v->ops, line, strcspn(line, " ;"), &ignored),
				     strpbrk(line, " \t;") ? e->command : NULL };
}

struct key_meaning
keymap_meaning(const struct keymap *k, const struct view *v, int key)
{
	const char *name = v->ops->command.name;
	const struct keymap_entry *e = keymap_find(k, key, views_number(name, strlen(name)));

	if (e)
		return mapped_meaning(v, e);
	return (struct key_meaning){ command_by_key(v->ops, key), NULL };
}
