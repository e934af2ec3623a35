#include "tui/cli/row_origin.h"
#include <string.h>
#include <time.h>

static bool
is_label(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	size_t len = strspn(text, letters);

	return *text >= 'a' && *text <= 'z' && text[len] == '=' && len < ORIGIN_NAME_BYTES;
}

bool
row_origin_take_label(struct row_labels *all, const char *label, struct error *err)
{
	if (!is_label(label))
		return error_set(err, ERROR_USAGE,
				 "--label wants NAME=VALUE with a name of at most %d small "
				 "letters, digits and _, not \"%.40s\"",
				 ORIGIN_NAME_BYTES - 1, label);
	if (all->count == ORIGIN_LABELS_MAX)
		return error_set(err, ERROR_USAGE, "too many labels; at most %d are possible",
				 ORIGIN_LABELS_MAX);
	all->labels[all->count++] = label;
	return true;
}

static bool
is_column(const struct table_writer *t, const char *name)
{
	for (int i = 0; i < t->columns_count; i++)
		if (!strcmp(t->columns[i]->id, name))
			return true;
	return false;
}

/* Returns the value to fill in, which is dropped if a column has the name. */
static struct value *
add(struct row_origin *r, const char *name)
{
	struct table_member *m = &r->members[r->count];

	m->name = name;
	value_blank(&m->value);
	if (!is_column(r->writer, name))
		r->count++;
	return &m->value;
}

static void
add_text(struct row_origin *r, const char *name, const char *text)
{
	struct value *value = add(r, name);

	if (*text)
		value_text(value, STYLE_NORMAL, text);
}

/* Writes ISO 8601 without a zone, which the formats of dumps do not record. */
static void
add_time(struct row_origin *r, const char *name, int64_t seconds)
{
	struct value *value = add(r, name);
	time_t at = (time_t)seconds;
	char text[32];
	struct tm tm;

	if (at > 0 && gmtime_r(&at, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
		value_printf(value, STYLE_NORMAL, "%s", text);
}

static void
add_heap(struct row_origin *r, const struct heap *h)
{
	const struct heap_info *info = &h->info;
	struct value *pid;
	char id[HEAP_ID_BYTES];

	add_text(r, "host", info->machine);
	add_text(r, "pod", info->pod);
	add_text(r, "container", info->container);
	add_text(r, "process", *info->program ? info->program : info->process);
	pid = add(r, "pid");
	if (info->pid > 0)
		value_plain(pid, (uint64_t)info->pid);
	add(r, "version"); /* of the program: only a label has it */
	add_time(r, "time", info->time);
	heap_id(h, id);
	value_printf(add(r, "heap_id"), STYLE_NORMAL, "%s", id);
}

static struct value *
find(struct row_origin *r, const char *name)
{
	for (int i = 0; i < r->count; i++)
		if (!strcmp(r->members[i].name, name))
			return &r->members[i].value;
	return NULL;
}

/* An empty value, as of a variable that is not set, is unknown. */
static void
add_label(struct row_origin *r, const char *label)
{
	char *name = r->names[r->names_count];
	size_t len = strcspn(label, "=");
	struct value *value;

	memcpy(name, label, len);
	name[len] = '\0';
	value = find(r, name);
	if (!value) {
		value = add(r, name);
		r->names_count++;
	}
	value_blank(value);
	if (label[len + 1])
		value_text(value, STYLE_NORMAL, label + len + 1);
}

void
row_origin_give(struct row_origin *r, struct table_writer *t, const struct heap *h,
		const struct row_labels *labels)
{
	r->writer = t;
	r->count = r->names_count = 0;
	add_heap(r, h);
	for (int i = 0; i < labels->count; i++)
		add_label(r, labels->labels[i]);
	t->members = r->members;
	t->members_count = r->count;
}
