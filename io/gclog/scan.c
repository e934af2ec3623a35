#include "io/gclog/scan.h"

enum {
	BYTES_A_LOOK = 256 << 10, /* between two checks for cancelling */
	TIME_DIGITS_MAX = 8,
	SNIFFED_RECORDS = 20,
	SNIFFED_VALID_MIN = 3,
};

void
gclog_scan_init(struct gclog_scan *s, const uint8_t *data, size_t len)
{
	*s = (struct gclog_scan){ 0 };
	gclog_lines_init(&s->lines, data, len);
}

static enum gclog_kind
kind_of_letter(uint8_t letter)
{
	switch (letter) {
	case 'a':
		return GCLOG_BEGIN;
	case 't':
		return GCLOG_TYPE;
	case 'o':
		return GCLOG_OBJECT;
	case 'r':
		return GCLOG_ROOT;
	case 'c':
		return GCLOG_END;
	default:
		return GCLOG_UNKNOWN;
	}
}

static void
read_letter(struct gclog_record *r)
{
	size_t at = r->letter_at;
	uint8_t letter = r->line.data[at];

	r->rest = (struct gclog_cursor){ r->line.data, r->line.len, at + 1 };
	r->kind = GCLOG_UNKNOWN;
	r->is_upper = letter >= 'A' && letter <= 'Z';
	if (at + 1 == r->line.len || gclog_is_blank(r->line.data[at + 1]))
		r->kind = kind_of_letter(r->is_upper ? letter | 0x20 : letter);
}

/* If the text ends within a line, and a section is open, its last element may be cut short. */
static void
drop_cut_element(const struct gclog_scan *s, struct gclog_record *r)
{
	r->dropped_at = GCLOG_NOWHERE;
	if (r->line.has_end || r->line.ends_blank || r->kind == GCLOG_END ||
	    (r->kind == GCLOG_UNKNOWN && !s->is_open))
		return;
	r->dropped_at = gclog_last_element(&r->line);
	r->line.len = r->rest.len = r->dropped_at;
	if (r->dropped_at > r->letter_at)
		return;
	r->kind = GCLOG_UNKNOWN; /* even the letter may be cut short */
	r->rest.at = r->rest.len;
}

static void
begin_section(struct gclog_scan *s, struct gclog_record *r)
{
	r->is_bad = !gclog_element_next(&r->rest, &r->version) || !r->version.is_number;
	if (r->is_bad)
		return;
	s->is_open = true;
	s->sections_count++;
}

static void
follow_sections(struct gclog_scan *s, struct gclog_record *r)
{
	r->was_open = s->is_open;
	r->is_opener = r->is_bad = false;
	if (r->kind == GCLOG_BEGIN) {
		begin_section(s, r);
	} else if (r->kind == GCLOG_END) {
		s->is_open = false;
	} else if (r->kind != GCLOG_UNKNOWN && !s->is_open) {
		r->is_opener = true;
		s->is_open = true;
		s->sections_count++;
	}
}

bool
gclog_scan_next(struct gclog_scan *s, struct gclog_record *r)
{
	struct gclog_cursor start;

	do {
		if (!gclog_lines_next(&s->lines, &r->line))
			return false;
		start = (struct gclog_cursor){ r->line.data, r->line.len, 0 };
		gclog_skip_blanks(&start);
	} while (start.at == r->line.len);
	s->records_count++;
	r->letter_at = start.at;
	read_letter(r);
	drop_cut_element(s, r);
	follow_sections(s, r);
	return true;
}

struct gclog_name
gclog_name_split(const struct gclog_record *r, struct gclog_cursor rest)
{
	struct gclog_name name = { .time_at = GCLOG_NOWHERE };
	struct gclog_element last;
	size_t end = r->line.len, last_at = gclog_last_element(&r->line);

	gclog_skip_blanks(&rest);
	name.at = rest.at;
	if (last_at != GCLOG_NOWHERE && last_at > rest.at) {
		rest.at = last_at;
		if (gclog_element_next(&rest, &last) && last.is_number &&
		    last.digits <= TIME_DIGITS_MAX) {
			name.time_at = last_at;
			name.time = (uint32_t)last.value;
			end = last_at;
		}
	}
	while (end > name.at && gclog_is_blank(r->line.data[end - 1]))
		end--;
	name.len = end - name.at;
	return name;
}

/* --- detection --- */

static bool
has_elements(struct gclog_cursor rest, unsigned numbers, unsigned all)
{
	struct gclog_element e;

	for (unsigned i = 0; i < all; i++)
		if (!gclog_element_next(&rest, &e) || (i < numbers && !e.is_number))
			return false;
	return true;
}

static bool
is_valid(const struct gclog_record *r)
{
	switch (r->kind) {
	case GCLOG_BEGIN:
		return !r->is_bad;
	case GCLOG_TYPE:
		return has_elements(r->rest, 1, 2);
	case GCLOG_OBJECT:
	case GCLOG_ROOT:
		return has_elements(r->rest, 3, 3);
	case GCLOG_END:
		return has_elements(r->rest, 0, 1);
	case GCLOG_UNKNOWN:
		break;
	}
	return false;
}

bool
gclog_scan_sniff(const uint8_t *data, size_t len)
{
	struct gclog_scan scan;
	struct gclog_record r;
	unsigned valid = 0;

	gclog_scan_init(&scan, data, len);
	while (scan.records_count < SNIFFED_RECORDS && gclog_scan_next(&scan, &r))
		valid += is_valid(&r);
	return valid >= SNIFFED_VALID_MIN && 2 * valid >= scan.records_count;
}

bool
gclog_scan_report(const struct gclog_scan *s, uint64_t *reported, struct progress *progress,
		  struct error *err)
{
	uint64_t more = s->lines.at - *reported;

	if (more < BYTES_A_LOOK)
		return true;
	*reported += more;
	return progress_add(progress, more) || error_cancelled(err);
}
