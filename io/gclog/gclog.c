#include "io/base/input.h"
#include "io/gclog/gclog.h"
#include "io/gclog/reader.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BAD_LINES_MIN = 100 /* refused if more, and more than a tenth */ };

/* Adds types section by section, in the order of the log. */
static bool
map_types(struct gclog_reader *r, struct error *err)
{
	struct gclog_index *x = &r->index;
	struct heap_builder *b = heap_stream_builder(r->stream);

	r->map = memory_new(x->types_count, sizeof(*r->map), err);
	if (!r->map)
		return false;
	for (uint32_t i = 0; i < x->sections_count; i++) {
		const struct gclog_section *s = &x->sections[i];

		for (uint32_t t = s->first_type; t != GCLOG_NONE; t = x->types[t].next) {
			r->map[t] = heap_builder_type(b, x->types[t].name, s->label, err);
			if (r->map[t] == TYPE_NONE)
				return false;
		}
	}
	heap_stream_map_types(r->stream, r->map, x->types_count);
	return true;
}

/* "13 d 06:18:25.375" */
static void
format_uptime(uint32_t ms, char out[32])
{
	uint32_t seconds = ms / 1000, minutes = seconds / 60;

	snprintf(out, 32, "%" PRIu32 " d %02" PRIu32 ":%02" PRIu32 ":%02" PRIu32 ".%03" PRIu32,
		 minutes / 60 / 24, minutes / 60 % 24, minutes % 60, seconds % 60, ms % 1000);
}

/* Describes the contents of a section in one line. */
static char *
describe_section(const struct gclog_section *s, struct arena *a, struct error *err)
{
	char uptime[32] = "unknown";

	if (s->has_time)
		format_uptime(s->time, uptime);
	return arena_printf(a, err,
			    "%s: uptime %s, types %" PRIu64 ", objects %" PRIu64 ", bytes %" PRIu64
			    ", references %" PRIu64 " and %" PRIu64 " null, root records %" PRIu64
			    ", %" PRIu64 " of them weak",
			    s->label, uptime, s->types_count, s->objects, s->bytes, s->refs,
			    s->nulls, s->roots, s->weak_roots);
}

static bool
describe_domains(struct gclog_reader *r, struct heap_info *info, struct arena *a, struct error *err)
{
	struct heap_domain *domains =
	    arena_array(a, struct heap_domain, r->index.sections_count, err);

	for (uint32_t i = 0; domains && i < r->index.sections_count; i++) {
		const struct gclog_section *s = &r->index.sections[i];

		domains[i] = (struct heap_domain){
			.name = arena_strndup(a, s->name, strlen(s->name), err),
			.module = arena_strndup(a, s->label, strlen(s->label), err),
			.facts = describe_section(s, a, err),
			.start = s->base,
			.has_uptime = s->has_time,
			.uptime_ms = s->time,
		};
		if (!domains[i].name || !domains[i].module || !domains[i].facts)
			return false;
	}
	info->domains = domains;
	info->domains_count = r->index.sections_count;
	return domains != NULL;
}

static bool
describe_log(struct gclog_reader *r, struct error *err)
{
	struct heap_builder *b = heap_stream_builder(r->stream);
	struct heap_info *info = heap_builder_info(b);
	struct arena *a = heap_builder_arena(b);
	const char *name = r->index.sections[0].name;
	const char *file = r->report.file;
	size_t len = strlen(name);

	if (len > 4 && !strcmp(name + len - 4, ".exe"))
		len -= 4;
	info->source = arena_strndup(a, file, strlen(file), err);
	info->format = "gclog 2";
	info->process = arena_strndup(a, name, len, err);
	info->is_64bit = r->index.id_max > UINT32_MAX;
	return info->source && info->process && describe_domains(r, info, a, err);
}

/* Refuses a text of which too little was understood. */
static bool
check_all(const struct gclog_reader *r, uint64_t records_count, bool is_forced, struct error *err)
{
	struct gclog_place first = { 1, 0 };

	if (!r->objects_count)
		return gclog_refuse(r->report.file, GCLOG_NOT_GCLOG, first, err,
				    "no objects: not a GC log?");
	if (!is_forced && r->bad_lines > BAD_LINES_MIN && r->bad_lines > records_count / 10)
		return gclog_refuse(r->report.file, GCLOG_NOT_GCLOG, first, err,
				    "%" PRIu64 " of %" PRIu64
				    " lines are bad, so this is hardly a GC log; --force reads it "
				    "nevertheless",
				    r->bad_lines, records_count);
	return true;
}

static const struct heap *
read_text(struct gclog_reader *r, const struct gclog_text *text, bool is_forced,
	  struct progress *progress, struct error *err)
{
	struct heap_builder *b = heap_stream_builder(r->stream);
	struct gclog_scan scan;
	const struct heap *heap;

	r->report.builder = b;
	r->report.err = err;
	r->losses = &heap_builder_info(b)->losses;
	heap_stream_defer_types(r->stream);
	progress_begin_bytes(progress, "reading lines", 2 * text->len);
	if (!gclog_index_build(&r->index, text, progress, err))
		return NULL;
	gclog_scan_init(&scan, text->data, text->len);
	if (!gclog_take_records(r, &scan, progress, err) ||
	    !check_all(r, scan.records_count, is_forced, err))
		return NULL;
	gclog_report_end(&r->report);
	if (r->report.has_failed || !map_types(r, err) || !describe_log(r, err))
		return NULL;
	heap = heap_stream_finish(r->stream, progress, err);
	r->stream = NULL;
	return heap;
}

const struct heap *
gclog_read(const uint8_t *data, size_t len, const struct load_how *how, struct error *err)
{
	struct gclog_reader r = { .report.file = how->path };
	const struct heap *heap = NULL;
	struct gclog_text text;

	if (!gclog_text_open(&text, data, len, err))
		return NULL;
	if (!gclog_scan_sniff(text.data, text.len))
		gclog_refuse(how->path, GCLOG_NOT_GCLOG, (struct gclog_place){ 1, 0 }, err,
			     "this does not look like a GC log");
	else if ((r.stream = heap_stream_new(err)) != NULL)
		heap = read_text(&r, &text, how->is_forced, how->progress, err);
	heap_stream_free(r.stream);
	gclog_index_clear(&r.index);
	memory_free(r.refs);
	memory_free(r.undefined);
	memory_free(r.map);
	u64_map_clear(&r.undefined_numbers);
	gclog_text_close(&text);
	return heap;
}

/* --- the source -------------------------------------------------------- */

/* LOAD_TYPES is not faster, as types are counted with their objects. */
static const struct heap *
load(struct input *in, const struct load_how *how, struct error *err)
{
	if (!input_complete(in, how->progress, err))
		return NULL;
	return gclog_read(in->data, in->len, how, err);
}

/*
 * Accepts a text that begins with a record's letter, or is blank so far; more of it is checked when
 * it is read.
 */
static bool
accepts(const uint8_t *head, size_t head_len)
{
	struct gclog_text text;
	struct gclog_scan scan;
	struct gclog_record record;
	struct error err = { 0 };
	bool is_good;

	if (!gclog_text_open(&text, head, head_len, &err))
		return false;
	gclog_scan_init(&scan, text.data, text.len);
	if (gclog_scan_next(&scan, &record))
		is_good = record.kind != GCLOG_UNKNOWN;
	else /* blank so far */
		is_good = !text.len || !memchr(text.data, 0, text.len);
	gclog_text_close(&text);
	return is_good;
}

const struct source source_gclog = {
	.name = "gclog",
	.help = "GC logs of the .NET Compact Framework",
	.accepts = accepts,
	.load = load,
};
