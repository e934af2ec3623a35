/* Parses typed values and compares them with the values of cells. */
#include "model/base/nearest.h"
#include "model/filter/filter_code.h"
#include <string.h>

enum { FRACTION_DIGITS_MAX = 9, UNIT_BYTES = 4 };

/* --- numbers as typed ---------------------------------------------------- */

static const struct unit {
	char name[UNIT_BYTES];
	unsigned shift;
} units[] = {
	{ "", 0 },     { "b", 0 },  { "k", 10 },   { "kib", 10 }, { "m", 20 },
	{ "mib", 20 }, { "g", 30 }, { "gib", 30 }, { "t", 40 },   { "tib", 40 },
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const struct time_unit {
	char name[UNIT_BYTES];
	unsigned microseconds;
} time_units[] = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 } };

static bool
read_time_unit(struct literal *l, const char *name)
{
	for (size_t i = 0; i < sizeof time_units / sizeof time_units[0]; i++) {
		if (strcmp(name, time_units[i].name) != 0)
			continue;
		l->number *= time_units[i].microseconds; /* < 2^128 */
		l->is_time = true;
	}
	return l->is_time;
}

static bool
read_unit(struct literal *l, const char *text)
{
	char name[UNIT_BYTES] = "";

	text += strspn(text, " ");
	if (!strcmp(text, "%")) {
		l->is_share = true;
		l->scale *= 100;
		return true;
	}
	for (size_t i = 0; text[i]; i++) {
		if (i + 1 == sizeof name)
			return false;
		name[i] = letter_lower(text[i]);
	}
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(name, units[i].name) != 0)
			continue;
		l->number <<= units[i].shift;
		return true;
	}
	return read_time_unit(l, name);
}

/* Parses "1234" or "1,234", where three digits follow a comma; below 2^64. */
static const char *
read_whole(struct literal *l, const char *text)
{
	uint64_t n = 0;

	if (!is_digit(*text))
		return NULL;
	for (;;) {
		if (*text == ',' && is_digit(text[1]) && is_digit(text[2]) && is_digit(text[3]) &&
		    !is_digit(text[4]))
			text++;
		if (!is_digit(*text))
			break;
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (unsigned)(*text - '0'), &n))
			return NULL;
		text++;
	}
	l->number = n;
	return text;
}

static const char *
read_fraction(struct literal *l, const char *text)
{
	if (*text != '.')
		return text;
	text++;
	if (!is_digit(*text))
		return NULL;
	for (unsigned digits = 0; is_digit(*text); digits++, text++) {
		if (digits == FRACTION_DIGITS_MAX)
			return NULL;
		l->number = l->number * 10 + (unsigned)(*text - '0');
		l->scale *= 10;
	}
	return text;
}

static bool
read_number(struct literal *l)
{
	const char *at = l->text;

	l->is_negative = *at == '-';
	at = read_whole(l, at + (*at == '-' || *at == '+'));
	at = at ? read_fraction(l, at) : NULL;
	return at && read_unit(l, at);
}

void
literal_read(struct literal *l)
{
	l->scale = 1;
	l->has_number = read_number(l);
	l->is_negative = l->is_negative && l->has_number && l->number;
	l->has_address = address_parse(l->text, &l->address);
}

/* --- the beginnings of addresses ----------------------------------------- */

static unsigned
digits_count(uint64_t n)
{
	unsigned count = 1;

	while (n >>= 4)
		count++;
	return count;
}

/* True for a prefix such as 7f00; "0x7f00" is a whole address. */
static bool
may_be_beginning(const struct literal *l, unsigned digits)
{
	return l->has_address && !strpbrk(l->text, "#xX`") && strlen(l->text) < digits;
}

void
condition_bind_addresses(struct condition *c, uint64_t lowest)
{
	unsigned digits = digits_count(lowest), shift;

	if (c->comparison != COMPARE_WITHIN)
		return;
	literal_read(&c->low);
	literal_read(&c->high);
	if (address_is_made_up(lowest) || !may_be_beginning(&c->low, digits) ||
	    !may_be_beginning(&c->high, digits))
		return;
	c->low.address <<= 4 * (digits - strlen(c->low.text));
	shift = 4 * (digits - (unsigned)strlen(c->high.text));
	c->high.address = ((c->high.address + 1) << shift) - 1;
}

/* --- three ways to compare ----------------------------------------------- */

static int
order_of(wide a, wide b)
{
	return (a > b) - (a < b);
}

/* Compares `n` / `whole` with the literal; `whole` 1 compares `n` itself. */
static int
order_of_number(uint64_t n, uint64_t whole, const struct literal *l)
{
	if (l->is_negative)
		return 1;
	/* The literal exceeds every share, and would overflow when
	   multiplied. */
	if (whole != 1 && l->number >> 64)
		return -1;
	return order_of((wide)n * l->scale, l->number * whole);
}

static enum truth
truth_of_order(enum comparison comparison, int order)
{
	switch (comparison) {
	case COMPARE_IS:
		return truth_of(order == 0);
	case COMPARE_IS_NOT:
		return truth_of(order != 0);
	case COMPARE_BELOW:
		return truth_of(order < 0);
	case COMPARE_AT_MOST:
		return truth_of(order <= 0);
	case COMPARE_ABOVE:
		return truth_of(order > 0);
	case COMPARE_AT_LEAST:
		return truth_of(order >= 0);
	case COMPARE_MATCHES:
	case COMPARE_MATCHES_NOT:
	case COMPARE_WITHIN:
		break;
	}
	return TRUTH_UNKNOWN;
}

static enum truth
compare_number(const struct condition *c, uint64_t n, uint64_t whole)
{
	int order = order_of_number(n, whole, &c->low);

	if (c->comparison != COMPARE_WITHIN)
		return truth_of_order(c->comparison, order);
	return truth_of(order >= 0 && order_of_number(n, whole, &c->high) <= 0);
}

static enum truth
compare_address(const struct condition *c, uint64_t address)
{
	int order = order_of(address, c->low.address);

	if (c->comparison != COMPARE_WITHIN)
		return truth_of_order(c->comparison, order);
	return truth_of(order >= 0 && address <= c->high.address);
}

static enum truth
compare_text(const struct condition *c, const struct value *v, const char *text)
{
	const char *wanted = c->low.text;
	int order = strcmp(text, wanted);

	if (c->comparison == COMPARE_WITHIN)
		return truth_of(order >= 0 && strcmp(text, c->high.text) <= 0);
	if (c->comparison > COMPARE_IS_NOT)
		return truth_of_order(c->comparison, order);
	if (order && v->also && !strcmp(v->also, wanted))
		order = 0;
	if (order && v->type &&
	    (!strcmp(v->type->name, wanted) || !strcmp(v->type->raw, wanted) ||
	     !strcmp(v->type->short_name, wanted)))
		order = 0;
	return truth_of_order(c->comparison, order);
}

static bool
matches(struct pattern *p, const struct value *v)
{
	char out[VALUE_TEXT_BYTES];
	const char *text = value_for_machines(v, out);
	bool is_stable = v->kind == VALUE_TEXT && text != v->buffer;

	if (pattern_matches(p, text, is_stable) ||
	    (v->also && pattern_matches(p, v->also, !v->is_brief)))
		return true;
	/* All names of the type are tried, so that the answer does not depend on the display
	   form. */
	return v->type &&
	       (pattern_matches(p, v->type->name, true) || pattern_matches(p, v->type->raw, true));
}

static bool
has_numbers(const struct condition *c)
{
	return c->low.has_number && (c->comparison != COMPARE_WITHIN || c->high.has_number);
}

static bool
has_addresses(const struct condition *c)
{
	return c->low.has_address && (c->comparison != COMPARE_WITHIN || c->high.has_address);
}

static bool
is_share(const struct condition *c)
{
	return c->low.is_share || (c->comparison == COMPARE_WITHIN && c->high.is_share);
}

static bool
is_time(const struct condition *c)
{
	return c->low.is_time || (c->comparison == COMPARE_WITHIN && c->high.is_time);
}

/* A number and a text differ, and neither is larger. */
static enum truth
compare_unlike(const struct condition *c)
{
	return c->comparison == COMPARE_IS       ? TRUTH_NO
	       : c->comparison == COMPARE_IS_NOT ? TRUTH_YES
						 : TRUTH_UNKNOWN;
}

static enum truth
compare_with_text(const struct condition *c, const struct value *v)
{
	const char *text = v->kind == VALUE_TEXT ? v->text : "";

	if (v->has_number && has_numbers(c))
		return compare_number(c, v->number, 1);
	/* An empty value is neither above nor below a number. */
	if (!*text && *c->low.text && (has_numbers(c) || has_addresses(c)))
		return TRUTH_UNKNOWN;
	return compare_text(c, v, text);
}

/* Compares a change; both sides may be negative. */
static int
order_of_change(const struct value *v, const struct literal *l)
{
	if (!v->is_negative)
		return order_of_number(v->number, 1, l);
	if (!l->is_negative)
		return -1;
	return order_of(l->number, (wide)v->number * l->scale);
}

static enum truth
compare_change(const struct condition *c, const struct value *v)
{
	int order = order_of_change(v, &c->low);

	if (c->comparison != COMPARE_WITHIN)
		return truth_of_order(c->comparison, order);
	return truth_of(order >= 0 && order_of_change(v, &c->high) <= 0);
}

static int
order_of_real(const struct value *v, const struct literal *l)
{
	double n = value_real_number(v);
	double wanted = (double)l->number / (double)l->scale;

	if (l->is_negative)
		wanted = -wanted;
	return (n > wanted) - (n < wanted);
}

static enum truth
compare_real(const struct condition *c, const struct value *v)
{
	int order = order_of_real(v, &c->low);

	if (c->comparison != COMPARE_WITHIN)
		return truth_of_order(c->comparison, order);
	return truth_of(order >= 0 && order_of_real(v, &c->high) <= 0);
}

enum truth
condition_compare(const struct condition *c, const struct value *v)
{
	if (v->kind == VALUE_PENDING)
		return TRUTH_UNKNOWN;
	if (c->pattern)
		return truth_of(matches(c->pattern, v) == (c->comparison == COMPARE_MATCHES));
	switch (v->kind) {
	case VALUE_COUNT:
	case VALUE_PLAIN:
	case VALUE_BYTES:
		if (has_numbers(c) && !is_share(c) && !is_time(c))
			return compare_number(c, v->number, 1);
		return compare_unlike(c);
	case VALUE_CHANGE:
	case VALUE_CHANGE_BYTES:
		if (has_numbers(c) && !is_share(c) && !is_time(c))
			return compare_change(c, v);
		return compare_unlike(c);
	case VALUE_HUNDREDTHS:
		if (has_numbers(c) && !is_share(c) && !is_time(c))
			return compare_number(c, v->number, 100);
		return compare_unlike(c);
	case VALUE_REAL:
		if (has_numbers(c) && !is_share(c) && !is_time(c))
			return compare_real(c, v);
		return compare_unlike(c);
	case VALUE_DURATION: /* in microseconds, as in CSV */
		if (has_numbers(c) && !is_share(c))
			return compare_number(c, v->number / 1000, 1);
		return compare_unlike(c);
	case VALUE_SHARE:
		if (!has_numbers(c))
			return compare_unlike(c);
		/* A share of 0 is 0, as in CSV. */
		return compare_number(c, v->whole ? v->number : 0, v->whole ? v->whole : 1);
	case VALUE_ADDRESS:
		if (has_addresses(c))
			return compare_address(c, v->number);
		return compare_unlike(c);
	case VALUE_BLANK:
	case VALUE_TEXT:
		return compare_with_text(c, v);
	case VALUE_PENDING:
		break;
	}
	return TRUTH_UNKNOWN;
}

/* --- as an interval ------------------------------------------------------ */

static const struct interval all = { 0, UINT64_MAX, false }, none = { 0, UINT64_MAX, true };

/* Returns the numbers from first to last; none if last is smaller. */
static struct interval
interval_of(wide first, wide last)
{
	if (first > last || first > UINT64_MAX)
		return none;
	return (struct interval){ (uint64_t)first, last > UINT64_MAX ? UINT64_MAX : (uint64_t)last,
				  false };
}

static struct interval
interval_below(wide end)
{
	return end ? interval_of(0, end - 1) : none;
}

static struct interval
number_interval(const struct condition *c)
{
	const struct literal *l = &c->low;
	wide floor = l->number / l->scale;
	wide ceiling = floor + (l->number % l->scale != 0);
	struct interval is = ceiling == floor ? interval_of(floor, floor) : none;

	switch (c->comparison) {
	case COMPARE_IS:
		return is;
	case COMPARE_IS_NOT:
		is.is_outside = !is.is_outside;
		return is;
	case COMPARE_BELOW:
		return interval_below(ceiling);
	case COMPARE_AT_MOST:
		return interval_of(0, floor);
	case COMPARE_ABOVE:
		return interval_of(floor + 1, UINT64_MAX);
	case COMPARE_AT_LEAST:
		return interval_of(ceiling, UINT64_MAX);
	case COMPARE_WITHIN:
		if (c->high.is_negative)
			return none;
		return interval_of(ceiling, c->high.number / c->high.scale);
	case COMPARE_MATCHES:
	case COMPARE_MATCHES_NOT:
		break;
	}
	return none;
}

/* A negative literal is less than every number. */
static struct interval
negative_interval(const struct condition *c)
{
	struct condition zero = *c;

	switch (c->comparison) {
	case COMPARE_IS_NOT:
	case COMPARE_ABOVE:
	case COMPARE_AT_LEAST:
		return all;
	case COMPARE_WITHIN:
		zero.low.number = 0;
		return number_interval(&zero);
	default:
		return none;
	}
}

bool
condition_interval(const struct condition *c, struct interval *out)
{
	if (c->pattern || !has_numbers(c) || is_share(c) || is_time(c))
		return false;
	*out = c->low.is_negative ? negative_interval(c) : number_interval(c);
	return true;
}
