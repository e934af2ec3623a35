#include "io/gclog/reader.h"
#include "io/gclog/roots.h"
#include <inttypes.h>
#include <string.h>

enum {
	DIGITS_USUAL = 8, /* the devices had 32 bits */
};

/* Reads a required number, or reports an error. */
static bool
read_number(struct gclog_reader *r, struct gclog_cursor *rest, struct gclog_element *e,
	    const char *what, const char *needs)
{
	const char *word = strrchr(what, ' ') + 1;
	char text[GCLOG_QUOTE_BYTES];

	if (!gclog_element_next(rest, e))
		gclog_error(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, r->record->line.len),
			    "%s; %s %s missing", needs, word,
			    word[strlen(word) - 1] == 's' ? "are" : "is");
	else if (e->digits > 16)
		gclog_error(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, e->at),
			    "%s '%s' has more than 16 digits", what,
			    gclog_quote_element(r, e, text));
	else if (!e->is_number)
		gclog_error(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, e->at),
			    "%s '%s' is not a hexadecimal number", what,
			    gclog_quote_element(r, e, text));
	else
		return true;
	return false;
}

/* Reports the first id of more than 32 bits. */
static void
check_digits(struct gclog_reader *r, const struct gclog_element *e)
{
	if (e->digits > DIGITS_USUAL && !gclog_report_has(&r->report, GCLOG_LONG_ID))
		gclog_warning(&r->report, GCLOG_LONG_ID, gclog_place_at(r, e->at),
			      "an id of more than 8 digits; the format was made for 32 bits");
}

/* --- objects --- */

/* Adds the address. `is_last`: this reference and all after it are lost. */
static bool
read_ref(struct gclog_reader *r, const struct gclog_element *e, bool *is_last, struct error *err)
{
	char text[GCLOG_QUOTE_BYTES];
	uint64_t address;

	*is_last = !e->is_number || e->value >= gclog_index_id_end(&r->index);
	if (*is_last) {
		gclog_error(&r->report, GCLOG_BAD_REF, gclog_place_at(r, e->at),
			    "reference '%s' is %s; %zu reference%s kept",
			    gclog_quote_element(r, e, text),
			    e->is_number ? "larger than any id" : "not a hexadecimal number",
			    r->refs_count, r->refs_count == 1 ? "" : "s");
		return true;
	}
	if (!e->value) {
		r->section->nulls++;
		return true;
	}
	return gclog_resolve_object(r, e, &address, err) &&
	       APPEND(r->refs, r->refs_count, r->refs_room, err, address);
}

static bool
read_refs(struct gclog_reader *r, struct gclog_cursor *rest, struct error *err)
{
	struct gclog_element e;
	bool is_last = false;

	r->refs_count = 0;
	while (!is_last && gclog_element_next(rest, &e))
		if (!read_ref(r, &e, &is_last, err))
			return false;
	if (!is_last)
		return true;
	r->bad_lines++;
	do {
		r->losses->damaged_refs++;
	} while (gclog_element_next(rest, &e));
	return true;
}

/* Reports why an object record is invalid. */
static void
report_bad_object(struct gclog_reader *r)
{
	static const char *const what[] = { "object id", "object type", "object size" };
	struct gclog_cursor rest = r->record->rest;
	struct gclog_element e = { 0 }, id = { 0 };

	r->bad_lines++;
	r->losses->damaged_nodes++;
	for (int i = 0; i < 3; i++) {
		if (!read_number(r, &rest, &e, what[i],
				 "object record needs an id, a type and a size"))
			return;
		if (!i)
			id = e;
	}
	if (!id.value)
		gclog_error(&r->report, GCLOG_ZERO_ID, gclog_place_at(r, id.at),
			    "object id 0 means null and cannot be defined");
	else
		gclog_error(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, id.at),
			    "object id %" PRIx64 " is too large", id.value);
}

/* Is the object defined already? The first definition counts. */
static bool
is_double(struct gclog_reader *r, const struct gclog_element *id)
{
	const struct gclog_line *line = &r->record->line;
	uint32_t number;
	struct gclog_first *first;

	if (!r->index.firsts_count)
		return false;
	number = u64_map_get(&r->index.doubles, r->section->base + id->value);
	if (number == U64_MAP_NONE)
		return false;
	first = &r->index.firsts[number];
	if (!first->line) {
		*first = (struct gclog_first){ line->number, line->data, line->len };
		return false;
	}
	if (first->text_len == line->len && !memcmp(first->text, line->data, line->len)) {
		gclog_warning(&r->report, GCLOG_DUPLICATE_OBJECT, gclog_place_at(r, id->at),
			      "object %" PRIx64 " already defined on line %" PRIu64 "; ignored",
			      id->value, first->line);
		return true;
	}
	gclog_error(&r->report, GCLOG_DUPLICATE_OBJECT, gclog_place_at(r, id->at),
		    "object %" PRIx64 " already defined on line %" PRIu64 "; ignored", id->value,
		    first->line);
	r->losses->damaged_nodes++;
	return true;
}

static bool
emit_object(struct gclog_reader *r, const struct gclog_element head[3], uint32_t type,
	    struct error *err)
{
	struct gclog_section *s = r->section;

	r->objects_count++;
	r->index.types[type].objects++;
	s->objects++;
	s->bytes += head[2].value;
	s->refs += r->refs_count;
	if (!heap_stream_object(r->stream, s->base + head[0].value, type, head[2].value,
				r->refs_count, err))
		return false;
	for (size_t i = 0; i < r->refs_count; i++)
		if (!heap_stream_ref(r->stream, r->refs[i], err))
			return false;
	return true;
}

static bool
read_object(struct gclog_reader *r, struct error *err)
{
	struct gclog_cursor rest = r->record->rest;
	struct gclog_element head[3];
	uint32_t type;

	if (!gclog_object_head(r->record, gclog_index_id_end(&r->index), head)) {
		report_bad_object(r);
		return true;
	}
	check_digits(r, &head[0]);
	if (is_double(r, &head[0]))
		return true;
	if (!head[2].value)
		gclog_warning(&r->report, GCLOG_ZERO_SIZE, gclog_place_at(r, head[2].at),
			      "object %" PRIx64 " has size 0", head[0].value);
	type = gclog_resolve_type(r, &head[1], err);
	rest.at = head[2].at + head[2].len;
	return type != GCLOG_NONE && read_refs(r, &rest, err) && emit_object(r, head, type, err);
}

/* --- types --- */

static bool
read_type(struct gclog_reader *r, struct error *err)
{
	struct gclog_cursor rest = r->record->rest;
	struct gclog_element id;
	struct gclog_name name;
	const struct gclog_type *type;
	const uint8_t *line = r->record->line.data;
	char text[GCLOG_QUOTE_BYTES];

	(void)err;
	if (!read_number(r, &rest, &id, "type id", "type record needs an id and a name")) {
		r->bad_lines++;
		return true;
	}
	check_digits(r, &id);
	name = gclog_type_name(r->record, rest);
	if (!name.len)
		gclog_warning(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, r->record->line.len),
			      "type record has no name; called '<type %" PRIx64 ">'", id.value);
	type = &r->index.types[gclog_index_type(&r->index, r->section_number, id.value)];
	if (type->line == r->record->line.number ||
	    (strlen(type->name) == name.len && !memcmp(type->name, line + name.at, name.len)))
		return true;
	gclog_warning(&r->report, GCLOG_DUPLICATE_TYPE, gclog_place_at(r, id.at),
		      "type %" PRIx64 " already defined on line %" PRIu64 " as '%s'; ignored",
		      id.value, type->line,
		      gclog_quote((const uint8_t *)type->name, strlen(type->name), text));
	return true;
}

/* --- roots --- */

static void
check_kind_and_flags(struct gclog_reader *r, const struct gclog_element e[3])
{
	uint64_t kind = e[1].value, flags = e[2].value;
	uint64_t unknown = flags & ~(uint64_t)GCLOG_FLAGS & ~r->unknown_flags;

	if (kind >= GCLOG_ROOT_KINDS)
		gclog_warning(&r->report, GCLOG_BAD_KIND, gclog_place_at(r, e[1].at),
			      "root kind %" PRIx64 " is unknown (0–5 are "
			      "known), shown as 'kind %" PRIx64 "'",
			      kind, kind);
	if (unknown)
		gclog_warning(&r->report, GCLOG_BAD_FLAGS, gclog_place_at(r, e[2].at),
			      "root flag bits 0x%" PRIx64 " are unknown", unknown);
	r->unknown_flags |= unknown;
	if (flags & GCLOG_WEAK && kind != GCLOG_HANDLE)
		gclog_warning(&r->report, GCLOG_BAD_FLAGS, gclog_place_at(r, e[2].at),
			      "a weak root of kind %" PRIx64 ", which is not the kind of handles",
			      kind);
}

/* The declaring type of a static: "Foo.Bar.?", or "" if it is unknown. */
static bool
read_container(struct gclog_reader *r, struct gclog_cursor *rest, const char **name,
	       struct error *err)
{
	struct gclog_element e;
	struct gclog_type *t;
	uint32_t type;

	*name = "";
	if (!gclog_element_next(rest, &e)) {
		gclog_warning(&r->report, GCLOG_NO_CONTAINER,
			      gclog_place_at(r, r->record->line.len),
			      "static root has no container type");
		return true;
	}
	if (!e.is_number) {
		char text[GCLOG_QUOTE_BYTES];

		gclog_error(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, e.at),
			    "container type '%s' is not a hexadecimal number",
			    gclog_quote_element(r, &e, text));
		return true;
	}
	type = gclog_resolve_type(r, &e, err);
	if (type == GCLOG_NONE)
		return false;
	t = &r->index.types[type];
	t->containers++;
	/* Shared by all its roots, of which there may be many. */
	if (!t->statics)
		t->statics =
		    arena_printf(heap_builder_arena(r->report.builder), err, "%s.?", t->name);
	*name = t->statics;
	return t->statics != NULL;
}

static bool
emit_root(struct gclog_reader *r, uint64_t address, struct gclog_root root, const char *name,
	  struct error *err)
{
	enum root_kind kind = gclog_root_kind(root);
	const char *label;

	r->section->roots++;
	if (root.flags & GCLOG_WEAK) {
		r->section->weak_roots++;
		return heap_stream_weak(r->stream, address, err);
	}
	label = gclog_root_label(root, heap_builder_arena(r->report.builder), err);
	/* "other runtime" is more exact than "other root". */
	return label && heap_stream_root_shared(r->stream, address, kind, root.flags & GCLOG_PINNED,
						kind == ROOT_OTHER ? label : name, label, err);
}

/* False if the record is invalid, which is reported. */
static bool
read_root_head(struct gclog_reader *r, struct gclog_cursor *rest, struct gclog_element e[3])
{
	static const char *const what[] = { "root object", "root kind", "root flags" };

	for (int i = 0; i < 3; i++)
		if (!read_number(r, rest, &e[i], what[i],
				 "root record needs an object, a kind and flags"))
			return false;
	check_digits(r, &e[0]);
	if (e[0].value < gclog_index_id_end(&r->index))
		return true;
	gclog_error(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, e[0].at),
		    "root object %" PRIx64 " is larger than any id", e[0].value);
	return false;
}

static bool
read_root(struct gclog_reader *r, struct error *err)
{
	struct gclog_cursor rest = r->record->rest;
	const char *container = "";
	struct gclog_element e[3], extra;
	struct gclog_root root;
	uint64_t address;

	if (!read_root_head(r, &rest, e)) {
		r->bad_lines++;
		return true;
	}
	if (!e[0].value) {
		gclog_warning(&r->report, GCLOG_ZERO_ROOT, gclog_place_at(r, e[0].at),
			      "root of the null object ignored");
		return true;
	}
	check_kind_and_flags(r, e);
	root = (struct gclog_root){ e[1].value, e[2].value };
	if (root.kind == GCLOG_STATIC && !read_container(r, &rest, &container, err))
		return false;
	if (gclog_element_next(&rest, &extra) && !gclog_report_has(&r->report, GCLOG_EXTRA))
		gclog_warning(&r->report, GCLOG_EXTRA, gclog_place_at(r, extra.at),
			      "extra elements on a root record ignored");
	return gclog_resolve_object(r, &e[0], &address, err) &&
	       emit_root(r, address, root, container, err);
}

/* --- sections --- */

static bool
leave_section(struct gclog_reader *r, struct gclog_place at, struct error *err)
{
	gclog_warning(&r->report, GCLOG_MISSING_END, at,
		      "section '%.100s' (line %" PRIu64 ") is not closed", r->section->label,
		      r->section->line);
	return gclog_resolve_end(r, err);
}

static bool
read_begin(struct gclog_reader *r, struct error *err)
{
	struct gclog_cursor rest = r->record->rest;
	struct gclog_element version;
	struct gclog_name name;

	if (r->record->is_bad) {
		rest.at = r->record->letter_at + 1;
		read_number(r, &rest, &version, "AppDomain version",
			    "AppDomain record needs a version and a name");
		r->bad_lines++;
		return true;
	}
	if (r->record->was_open && !leave_section(r, gclog_place_at(r, r->record->letter_at), err))
		return false;
	r->section = r->section ? r->section + 1 : r->index.sections;
	r->section_number = (uint32_t)(r->section - r->index.sections);
	version = r->record->version;
	if (version.value != 2)
		gclog_warning(&r->report, GCLOG_VERSION, gclog_place_at(r, version.at),
			      "version %" PRIx64 " is unknown, read as version 2", version.value);
	name = gclog_name_split(r->record, rest);
	if (!name.len)
		gclog_warning(&r->report, GCLOG_BAD_LINE, gclog_place_at(r, r->record->line.len),
			      "AppDomain record has no name; called '(unnamed)'");
	return true;
}

static void
open_unnamed(struct gclog_reader *r)
{
	r->section = r->section ? r->section + 1 : r->index.sections;
	r->section_number = (uint32_t)(r->section - r->index.sections);
	gclog_warning(&r->report, GCLOG_NO_SECTION, gclog_place_at(r, r->record->letter_at),
		      "record outside an AppDomain section; section '(unnamed)' opened");
}

/* The rest of an end record, decoded like the names of sections. */
static const char *
end_text(struct gclog_reader *r, const struct gclog_name *name, struct error *err)
{
	const struct gclog_line *line = &r->record->line;

	return gclog_text_copy(&r->index.arena, line->data + name->at, name->len,
			       gclog_text_valid(line->data, line->len) == line->len, err);
}

/* Does the end record match the section's beginning? */
static bool
check_end(struct gclog_reader *r, struct error *err)
{
	const struct gclog_section *s = r->section;
	struct gclog_name name = gclog_name_split(r->record, r->record->rest);
	struct gclog_name whole = gclog_type_name(r->record, r->record->rest);
	const char *all = end_text(r, &whole, err);
	const char *text = end_text(r, &name, err);

	if (!all || !text)
		return false;
	if (!strcmp(all, s->name))
		return true;
	if (strcmp(text, s->name) != 0)
		gclog_warning(&r->report, GCLOG_END_MISMATCH, gclog_place_at(r, whole.at),
			      "end record names '%.100s', open section is "
			      "'%.100s' (line %" PRIu64 ")",
			      text, s->label, s->line);
	else if (!s->has_time || s->time != name.time)
		gclog_warning(&r->report, GCLOG_END_MISMATCH, gclog_place_at(r, name.time_at),
			      "end record has timestamp %" PRIx32
			      ", section '%.100s' (line %" PRIu64 ") another or none",
			      name.time, s->label, s->line);
	return true;
}

static bool
read_end(struct gclog_reader *r, struct error *err)
{
	if (r->record->was_open)
		return check_end(r, err) && gclog_resolve_end(r, err);
	gclog_warning(&r->report, GCLOG_STRAY_END, gclog_place_at(r, r->record->letter_at),
		      "end record without an open section ignored");
	return true;
}

/* --- lines --- */

static void
warn_unknown_record(struct gclog_reader *r)
{
	const struct gclog_record *record = r->record;
	struct gclog_cursor rest = { record->line.data, record->line.len, record->letter_at };
	struct gclog_element word;
	char text[GCLOG_QUOTE_BYTES];

	if (!gclog_element_next(&rest, &word))
		return; /* the letter was dropped */
	r->bad_lines++;
	gclog_warning(&r->report, GCLOG_UNKNOWN_RECORD, gclog_place_at(r, record->letter_at),
		      "unknown record '%s', line ignored", gclog_quote_element(r, &word, text));
}

/* Checks that apply to all records. */
static void
check_line(struct gclog_reader *r)
{
	const struct gclog_record *record = r->record;
	const struct gclog_line *line = &record->line;
	uint8_t letter = line->data[record->letter_at];

	if (line->nul_at != GCLOG_NOWHERE)
		gclog_warning(&r->report, GCLOG_NUL, gclog_place_at(r, line->nul_at),
			      "a zero byte; the rest of the line is ignored");
	if (record->dropped_at != GCLOG_NOWHERE)
		gclog_warning(&r->report, GCLOG_TRUNCATED, gclog_place_at(r, record->dropped_at),
			      "file ends inside a line; last element dropped");
	if (record->is_upper && record->kind != GCLOG_UNKNOWN)
		gclog_warning(&r->report, GCLOG_UPPER_CASE, gclog_place_at(r, record->letter_at),
			      "record letter '%c' read as '%c'", letter, letter | 0x20);
	if (record->kind == GCLOG_BEGIN || record->kind == GCLOG_TYPE ||
	    record->kind == GCLOG_END) {
		size_t valid = gclog_text_valid(line->data, line->len);

		if (valid < line->len && !gclog_report_has(&r->report, GCLOG_ENCODING))
			gclog_warning(&r->report, GCLOG_ENCODING, gclog_place_at(r, valid),
				      "not UTF-8, read as Windows-1252");
	}
}

static bool
read_record(struct gclog_reader *r, struct error *err)
{
	const struct gclog_record *record = r->record;

	check_line(r);
	if (record->is_opener)
		open_unnamed(r);
	switch (record->kind) {
	case GCLOG_BEGIN:
		return read_begin(r, err);
	case GCLOG_TYPE:
		return read_type(r, err);
	case GCLOG_OBJECT:
		return read_object(r, err);
	case GCLOG_ROOT:
		return read_root(r, err);
	case GCLOG_END:
		return read_end(r, err);
	case GCLOG_UNKNOWN:
		warn_unknown_record(r);
	}
	return true;
}

static bool
read_each(struct gclog_reader *r, struct gclog_scan *scan, struct progress *progress,
	  struct error *err)
{
	struct gclog_record record;
	uint64_t reported = 0;
	bool is_good = true;

	/* cppcheck-suppress autoVariables ; it is reset below */
	r->record = &record;
	while (is_good && gclog_scan_next(scan, &record)) {
		is_good = gclog_scan_report(scan, &reported, progress, err) &&
			  read_record(r, err) && !r->report.has_failed;
	}
	r->record = NULL;
	return is_good;
}

bool
gclog_take_records(struct gclog_reader *r, struct gclog_scan *scan, struct progress *progress,
		   struct error *err)
{
	if (!read_each(r, scan, progress, err))
		return false;
	if (!scan->is_open)
		return true;
	r->losses->is_unfinished = true;
	return leave_section(r, (struct gclog_place){ scan->lines.number + 1, 0 }, err);
}
