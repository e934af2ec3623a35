#include "model/table/matches.h"
#include "model/base/arena.h"

enum { WORD_BITS = 64 };

bool
matches_init(struct matches *m, size_t rows_count, size_t start, bool is_backwards,
	     struct error *err)
{
	*m = (struct matches){ .rows_count = rows_count,
			       .start = start,
			       .is_backwards = is_backwards };
	m->bits = memory_new(rows_count / WORD_BITS + 1, sizeof *m->bits, err);
	return m->bits != NULL;
}

void
matches_clear(struct matches *m)
{
	memory_free((void *)m->bits);
	m->bits = NULL;
}

size_t
matches_row(const struct matches *m, size_t looked)
{
	size_t n = m->rows_count;

	return (m->is_backwards ? m->start + n - looked : m->start + looked) % n;
}

/* Returns how many rows are searched before it. */
static size_t
turn_of(const struct matches *m, size_t row)
{
	size_t n = m->rows_count;

	return (m->is_backwards ? m->start + n - row : row + n - m->start) % n;
}

void
matches_advance(struct matches *m, size_t looked)
{
	atomic_store(&m->looked, looked);
}

void
matches_add(struct matches *m, size_t looked)
{
	_Atomic uint64_t *word = &m->bits[looked / WORD_BITS];

	atomic_fetch_or(word, (uint64_t)1 << looked % WORD_BITS);
	atomic_fetch_add(&m->count, 1);
	matches_advance(m, looked + 1);
}

bool
matches_complete(const struct matches *m)
{
	return atomic_load(&m->looked) == m->rows_count;
}

/* --- by turn ------------------------------------------------------------- */

static uint64_t
word_of(const struct matches *m, size_t turn)
{
	return atomic_load(&m->bits[turn / WORD_BITS]);
}

static size_t
first_in(const struct matches *m, size_t from, size_t to)
{
	for (size_t i = from; i < to; i += WORD_BITS - i % WORD_BITS) {
		uint64_t word = word_of(m, i) >> i % WORD_BITS;

		if (!word)
			continue;
		i += (size_t)__builtin_ctzll(word);
		return i < to ? i : SIZE_MAX;
	}
	return SIZE_MAX;
}

static size_t
last_in(const struct matches *m, size_t from, size_t to)
{
	for (size_t i = to; i > from; i -= (i - 1) % WORD_BITS + 1) {
		size_t above = WORD_BITS - 1 - (i - 1) % WORD_BITS;
		uint64_t word = word_of(m, i - 1) << above;

		if (!word)
			continue;
		above = (size_t)__builtin_clzll(word) + 1;
		return i - from >= above ? i - above : SIZE_MAX;
	}
	return SIZE_MAX;
}

static size_t
count_in(const struct matches *m, size_t from, size_t to)
{
	size_t count = 0;

	for (size_t i = from; i < to; i += WORD_BITS - i % WORD_BITS) {
		uint64_t word = word_of(m, i) >> i % WORD_BITS;

		if (to - i < WORD_BITS)
			word &= ((uint64_t)1 << (to - i)) - 1;
		count += (size_t)__builtin_popcountll(word);
	}
	return count;
}

/* --- by row -------------------------------------------------------------- */

bool
matches_has(const struct matches *m, size_t row)
{
	size_t turn;

	if (row >= m->rows_count)
		return false;
	turn = turn_of(m, row);
	return turn < atomic_load(&m->looked) && word_of(m, turn) >> turn % WORD_BITS & 1;
}

bool
matches_lead_to_nearest(const struct matches *m, size_t row, bool backwards)
{
	return backwards == m->is_backwards && row < m->rows_count &&
	       turn_of(m, row) <= atomic_load(&m->looked);
}

size_t
matches_nearest(const struct matches *m, size_t row, bool backwards)
{
	size_t looked = atomic_load(&m->looked), n = m->rows_count, turn, at;
	bool is_ahead = backwards == m->is_backwards;

	if (row >= n)
		return SIZE_MAX;
	turn = turn_of(m, row);
	if (turn > looked)
		return SIZE_MAX;
	at = is_ahead ? first_in(m, turn + 1, looked) : last_in(m, 0, turn);
	if (at == SIZE_MAX && looked == n)
		at = is_ahead ? first_in(m, 0, turn + 1) : last_in(m, turn, n);
	return at == SIZE_MAX ? SIZE_MAX : matches_row(m, at);
}

size_t
matches_number(const struct matches *m, size_t row)
{
	size_t from = turn_of(m, 0), to = turn_of(m, row), swap;
	size_t looked = atomic_load(&m->looked);

	if (m->is_backwards) {
		swap = from;
		from = to;
		to = swap;
	}
	if (looked < m->rows_count && (from > to || to >= looked))
		return 0;
	return from <= to ? count_in(m, from, to + 1)
			  : count_in(m, from, m->rows_count) + count_in(m, 0, to + 1);
}
