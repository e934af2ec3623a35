/*
 * Any bytes as a .nettrace of collections: records whose numbers are sound, or an error with a
 * message; printed in every format without a control character but newlines. What arrives in small
 * chunks gives the same records.
 */
#include "tests/drive/fuzz.h"
#include "io/events/gc_stats.h"
#include "model/base/progress.h"
#include "model/gc/text.h"
#include "tui/cli/gc_lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
	uint64_t count, sum;
	struct gc_lines *lines; /* NULL: not printed */
};

static void
check_record(const struct gc_record *r)
{
	char text[GC_TEXT_BYTES];

	if (r->pauses_count > GC_PAUSES || r->heaps_count > GC_HEAPS_MAX)
		fuzz_fail("more than there is room for", NULL);
	if (r->heaps_count && !r->heaps)
		fuzz_fail("heaps that are not there", NULL);
	for (uint32_t h = 1; h < r->heaps_count; h++)
		if (r->heaps[h - 1].number >= r->heaps[h].number)
			fuzz_fail("heaps out of order", NULL);
	for (unsigned line = 0; line < GC_TEXT_LINES; line++)
		if (gc_text_line(r, line, text) && !*text)
			fuzz_fail("an empty line", NULL);
}

static void
take(void *context, struct gc_record *r)
{
	struct seen *seen = context;

	check_record(r);
	seen->count++;
	seen->sum = seen->sum * 31 + r->number + r->pause_ns + r->after + r->heaps_count;
	if (seen->lines)
		gc_lines_take(seen->lines, r);
}

static void
take_totals(void *context, const struct gc_totals *totals)
{
	struct seen *seen = context;

	if (totals->last_ns < totals->first_ns)
		fuzz_fail("time goes back", NULL);
	if (seen->lines)
		seen->lines->log.summary.totals = *totals;
}

static struct seen
read_stream(struct nettrace_input input, struct gc_lines *lines)
{
	struct seen seen = { .lines = lines };
	struct nettrace_status status;
	struct error err = { 0 };

	if (!gc_stats_read(input, (struct gc_sink){ take, take_totals, &seen }, NULL, &status,
			   &err) &&
	    (err.kind == ERROR_NONE || !err.message[0]))
		fuzz_fail("refused without a word", &err);
	return seen;
}

static void
check_chunks(const uint8_t *data, size_t size)
{
	struct fuzz_chunks chunks = { .data = data, .size = size };
	struct nettrace_memory memory;
	struct seen whole = read_stream(nettrace_memory_input(&memory, data, size), NULL);
	struct seen parts = read_stream((struct nettrace_input){ fuzz_chunks_next, &chunks }, NULL);

	if (whole.count != parts.count || whole.sum != parts.sum)
		fuzz_fail("chunks change what is read", NULL);
}

static void
check_lines(const uint8_t *data, size_t size, enum table_format format, bool is_verbose)
{
	const struct gc_source_facts facts = { .end = "over" };
	struct nettrace_memory memory;
	struct gc_lines lines;
	struct error err = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *to = open_memstream(&text, &len);

	if (!to || !gc_lines_init(&lines, to, to, format, NULL, &err))
		fuzz_fail("nowhere to print", &err);
	lines.is_verbose = is_verbose;
	lines.rows_max = 100;
	read_stream(nettrace_memory_input(&memory, data, size), &lines);
	gc_lines_sum_up(to, &lines.log.summary, &facts);
	gc_lines_clear(&lines);
	fclose(to);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' && text[i] != '\n' &&
		    (text[i] != '\t' || format != TABLE_TSV))
			fuzz_fail("a control character", NULL);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_chunks(data, size);
	check_lines(data, size, TABLE_ASCII, true);
	check_lines(data, size, TABLE_TSV, false);
	check_lines(data, size, TABLE_JSON, true);
	return 0;
}
