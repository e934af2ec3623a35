#include "model/heap/addresses.h"
#include "model/base/sorted.h"
#include "model/base/u64_map.h"
#include <stdlib.h>
#include <string.h>

/* Pages that hold objects, sorted by number; each has one bit per granule in `words`, page after
   page. ranks[i]: number of objects before words[2 * i]. */
enum { SURVEY_SHIFT = 12, WORDS_PER_RANK = 2 };

/* A surveyed page and its addresses, one bit for 8 bytes. */
enum { NOTED_WORDS = 1 << (SURVEY_SHIFT - 3 - 6) };
struct noted {
	uint64_t page;
	uint64_t words[NOTED_WORDS];
};

struct addresses {
	unsigned granule_shift, page_shift;
	uint64_t low_bits;    /* bitwise or of all surveyed addresses */
	struct u64_map pages; /* page number → index in `numbers` */
	uint64_t last_page;   /* the latest page found or surveyed, plus 1 */
	uint64_t *numbers;    /* page numbers, ascending */
	uint32_t pages_count;
	uint64_t words_per_page, words_count;
	uint64_t *words;
	uint32_t *ranks;
	uint32_t placed_count, made_up_count;
	/* Before addresses_plan(), in survey order. */
	struct noted *noted;
	size_t noted_count, noted_room, last_noted;
	bool has_unnoted; /* an address is not in `noted`, or is there twice */
	bool are_placed;
};

static bool
pages_add(struct u64_map *pages, uint64_t page, struct error *err)
{
	return u64_map_get(pages, page) != U64_MAP_NONE ||
	       u64_map_put(pages, page, (uint32_t)pages->count, err);
}

struct addresses *
addresses_new(struct error *err)
{
	return memory_new(1, sizeof(struct addresses), err);
}

void
addresses_free(struct addresses *m)
{
	if (!m)
		return;
	u64_map_clear(&m->pages);
	memory_free(m->numbers);
	memory_free(m->words);
	memory_free(m->ranks);
	memory_free(m->noted);
	memory_free(m);
}

bool
addresses_survey(struct addresses *m, uint64_t address, struct error *err)
{
	uint64_t page = address >> SURVEY_SHIFT;

	if (address >= MADE_UP_ADDRESS)
		return true;
	m->low_bits |= address;
	if (m->last_page == page + 1)
		return true;
	m->last_page = page + 1;
	m->has_unnoted = true;
	return pages_add(&m->pages, page, err);
}

/* Makes `page` the current one; appends an empty bitmap if it is new. */
static bool
note_page(struct addresses *m, uint64_t page, struct error *err)
{
	uint64_t known = m->pages.count;

	if (!pages_add(&m->pages, page, err))
		return false;
	m->last_noted = u64_map_get(&m->pages, page);
	if (known < m->pages.count) {
		if (!APPEND(m->noted, m->noted_count, m->noted_room, err,
			    (struct noted){ .page = page }))
			return false;
	}
	m->last_page = page + 1;
	return true;
}

bool
addresses_note(struct addresses *m, uint64_t address, struct error *err)
{
	uint64_t page = address >> SURVEY_SHIFT, *word, mask;

	if (!address || address & 7 || address >= MADE_UP_ADDRESS || m->has_unnoted) {
		m->has_unnoted = true;
		return addresses_survey(m, address, err);
	}
	m->low_bits |= address;
	if (m->last_page != page + 1 && !note_page(m, page, err))
		return false;
	word = &m->noted[m->last_noted].words[address >> 9 & (NOTED_WORDS - 1)];
	mask = UINT64_C(1) << (address >> 3 & 63);
	m->has_unnoted = *word & mask; /* two objects at one address */
	*word |= mask;
	return true;
}

/* Maps the surveyed pages to pages of 2^shift bytes. */
static bool
pages_coarser(struct u64_map *coarse, const struct u64_map *fine, unsigned shift, struct error *err)
{
	for (size_t i = 0; i < fine->room; i++)
		if (fine->slots[i].value != U64_MAP_NONE &&
		    !pages_add(coarse, fine->slots[i].key >> (shift - SURVEY_SHIFT), err))
			return false;
	return true;
}

static uint64_t
plan_bytes(const struct addresses *m, uint64_t pages_count, unsigned shift)
{
	uint64_t bitmap = UINT64_C(1) << (shift - m->granule_shift) >> 3;

	return pages_count *
	       (bitmap + bitmap / 4 + 2 * sizeof(struct u64_map_slot) + sizeof(uint64_t));
}

/* Large pages keep the page table in the cache; small ones waste fewer bits. */
static bool
plan_page_shift(struct addresses *m, struct error *err)
{
	static const unsigned shifts[] = { 22, 16 };
	struct u64_map best = m->pages;
	uint64_t best_bytes = plan_bytes(m, m->pages.count, SURVEY_SHIFT);

	m->page_shift = SURVEY_SHIFT;
	for (int i = 1; i >= 0; i--) {
		struct u64_map coarse = { 0 };
		uint64_t bytes;

		if (!pages_coarser(&coarse, &m->pages, shifts[i], err)) {
			memory_free(coarse.slots);
			if (best.slots != m->pages.slots)
				memory_free(best.slots);
			return false;
		}
		bytes = plan_bytes(m, coarse.count, shifts[i]);
		if (bytes - bytes / 8 > best_bytes) {
			memory_free(coarse.slots);
			continue;
		}
		if (best.slots != m->pages.slots)
			memory_free(best.slots);
		best = coarse;
		best_bytes = bytes;
		m->page_shift = shifts[i];
	}
	if (best.slots != m->pages.slots)
		memory_free(m->pages.slots);
	m->pages = best;
	return true;
}

static bool
plan_numbers(struct addresses *m, struct error *err)
{
	uint32_t count = 0;

	if (m->pages.count >= UINT32_MAX)
		return error_set(err, ERROR_INPUT, "objects lie in more than 2^32 pages of memory");
	m->numbers = memory_new(m->pages.count, sizeof(*m->numbers), err);
	if (!m->numbers)
		return false;
	for (size_t i = 0; i < m->pages.room; i++)
		if (m->pages.slots[i].value != U64_MAP_NONE)
			m->numbers[count++] = m->pages.slots[i].key;
	m->pages_count = count;
	SORT_NUMBERS(m->numbers, count);
	for (uint32_t i = 0; i < count; i++)
		u64_map_slot(&m->pages, m->numbers[i])->value = i;
	return true;
}

static void
place_noted(struct addresses *m)
{
	unsigned coarser = m->page_shift - SURVEY_SHIFT;

	for (size_t i = 0; i < m->noted_count && !m->has_unnoted; i++) {
		const struct noted *n = &m->noted[i];
		uint64_t word = u64_map_get(&m->pages, n->page >> coarser) * m->words_per_page +
				(n->page * NOTED_WORDS & (m->words_per_page - 1));

		memcpy(&m->words[word], n->words, sizeof(n->words));
	}
	m->are_placed = !m->has_unnoted;
	memory_free(m->noted);
	m->noted = NULL;
}

bool
addresses_are_placed(const struct addresses *m)
{
	return m->are_placed;
}

bool
addresses_plan(struct addresses *m, struct error *err)
{
	m->granule_shift = 3;
	while (m->low_bits & ((1U << m->granule_shift) - 1))
		m->granule_shift--;
	if (!plan_page_shift(m, err) || !plan_numbers(m, err))
		return false;
	m->last_page = 0;
	m->words_per_page = UINT64_C(1) << (m->page_shift - m->granule_shift) >> 6;
	m->words_count = m->words_per_page * m->pages_count;
	m->words = memory_new(m->words_count, sizeof(*m->words), err);
	if (!m->words)
		return false;
	place_noted(m);
	return true;
}

/* Finds the word and bit of an address; false if its page holds no object.
   Most addresses are on the page of the previous one. */
static inline bool
addresses_locate(const struct addresses *m, uint64_t address, struct addresses_page *last,
		 uint64_t *word, unsigned *bit)
{
	uint64_t page = address >> m->page_shift;
	uint64_t granule = address >> m->granule_shift;

	if (last->number != page + 1) {
		uint32_t place = u64_map_get(&m->pages, page);

		if (place == U64_MAP_NONE)
			return false;
		last->number = page + 1;
		last->first_word = place * m->words_per_page;
	}
	*word = last->first_word + (granule >> 6 & (m->words_per_page - 1));
	*bit = granule & 63;
	return !(address & ((1U << m->granule_shift) - 1));
}

bool
addresses_place(struct addresses *m, uint64_t address)
{
	struct addresses_page last = { 0 };
	uint64_t word, mask;
	unsigned bit;

	if (address >= MADE_UP_ADDRESS || !addresses_locate(m, address, &last, &word, &bit))
		return false;
	mask = UINT64_C(1) << bit;
	if (m->words[word] & mask)
		return false;
	m->words[word] |= mask;
	return true;
}

uint64_t
addresses_make_up(struct addresses *m)
{
	return MADE_UP_ADDRESS + (uint64_t)m->made_up_count++ * MADE_UP_STEP;
}

static inline unsigned
count_bits(uint64_t word)
{
	return (unsigned)__builtin_popcountll(word);
}

bool
addresses_seal(struct addresses *m, struct error *err)
{
	uint64_t count = 0;

	m->ranks = memory_new(m->words_count / WORDS_PER_RANK + 1, sizeof(*m->ranks), err);
	if (!m->ranks)
		return false;
	for (uint64_t i = 0; i < m->words_count; i += WORDS_PER_RANK) {
		m->ranks[i / WORDS_PER_RANK] = (uint32_t)count;
		count += count_bits(m->words[i]) + count_bits(m->words[i + 1]);
	}
	m->ranks[m->words_count / WORDS_PER_RANK] = (uint32_t)count;
	m->placed_count = (uint32_t)count;
	if (count + m->made_up_count >= NODE_NONE)
		return error_set(err, ERROR_INPUT, "more than 4,294,967,294 objects");
	return true;
}

void
addresses_parts(const struct addresses *m, struct addresses_parts *parts)
{
	*parts = (struct addresses_parts){
		.granule_shift = m->granule_shift,
		.page_shift = m->page_shift,
		.pages_count = m->pages_count,
		.made_up_count = m->made_up_count,
		.numbers = m->numbers,
		.words = m->words,
		.words_count = m->words_count,
	};
}

uint64_t
addresses_words_per_page(uint32_t granule_shift, uint32_t page_shift)
{
	if (granule_shift > 3 || (page_shift != 22 && page_shift != 16 && page_shift != 12))
		return 0;
	return UINT64_C(1) << (page_shift - granule_shift) >> 6;
}

static bool
restore_numbers(struct addresses *m, const struct addresses_parts *parts, struct error *err)
{
	uint64_t end = MADE_UP_ADDRESS >> parts->page_shift;

	for (uint32_t i = 0; i < parts->pages_count; i++) {
		uint64_t number = parts->numbers[i];

		if (number >= end || (i && number <= parts->numbers[i - 1]))
			return error_set(err, ERROR_INPUT,
					 "page %u of the addresses is out of order", i);
		if (!pages_add(&m->pages, number, err))
			return false;
	}
	return plan_numbers(m, err);
}

bool
addresses_restore(struct addresses *m, struct addresses_parts *parts, struct error *err)
{
	m->words_per_page = addresses_words_per_page(parts->granule_shift, parts->page_shift);
	if (!m->words_per_page)
		return error_set(err, ERROR_INPUT,
				 "addresses in pages of 2^%u bytes and units of 2^%u",
				 parts->page_shift, parts->granule_shift);
	m->granule_shift = parts->granule_shift;
	m->page_shift = parts->page_shift;
	m->made_up_count = parts->made_up_count;
	if (!restore_numbers(m, parts, err))
		return false;
	m->words_count = m->words_per_page * m->pages_count;
	m->words = memory_new(m->words_count, sizeof(*m->words), err);
	parts->words = m->words;
	parts->words_count = m->words_count;
	return m->words != NULL;
}

uint32_t
addresses_count(const struct addresses *m)
{
	return m->placed_count + m->made_up_count;
}

uint64_t
addresses_bytes(const struct addresses *m)
{
	return sizeof(*m) + m->pages.room * sizeof(struct u64_map_slot) +
	       m->pages_count * sizeof(uint64_t) + m->words_count * sizeof(uint64_t) +
	       (m->words_count / WORDS_PER_RANK + 1) * sizeof(uint32_t);
}

static inline uint32_t
rank_in_word(const struct addresses *m, uint64_t word, unsigned bit)
{
	uint32_t rank = m->ranks[word / WORDS_PER_RANK];

	if (word % WORDS_PER_RANK)
		rank += count_bits(m->words[word - 1]);
	return rank + count_bits(m->words[word] & ((UINT64_C(1) << bit) - 1));
}

node_id
addresses_find(const struct addresses *m, uint64_t address)
{
	struct addresses_page last = { 0 };

	return addresses_find_near(m, address, &last);
}

node_id
addresses_find_near(const struct addresses *m, uint64_t address, struct addresses_page *last)
{
	uint64_t word;
	unsigned bit;

	if (address >= MADE_UP_ADDRESS) {
		uint64_t index = (address - MADE_UP_ADDRESS) / MADE_UP_STEP;

		return index < m->made_up_count && address % MADE_UP_STEP == 0
			   ? m->placed_count + (uint32_t)index
			   : NODE_NONE;
	}
	if (!addresses_locate(m, address, last, &word, &bit) || !(m->words[word] >> bit & 1))
		return NODE_NONE;
	return rank_in_word(m, word, bit);
}

uint32_t
addresses_rank(const struct addresses *m, uint64_t address)
{
	uint64_t page = address >> m->page_shift, granule;
	uint32_t at;

	if (address >= MADE_UP_ADDRESS)
		return m->placed_count;
	LOWER_BOUND(at, 0, m->pages_count, m->numbers[at] < page);
	if (at == m->pages_count)
		return m->placed_count;
	if (m->numbers[at] != page)
		return m->ranks[at * m->words_per_page / WORDS_PER_RANK];
	/* Round up: an object inside the granule is not at a lower address. */
	granule = (address & ((UINT64_C(1) << m->page_shift) - 1)) + ((1U << m->granule_shift) - 1);
	granule >>= m->granule_shift;
	if (granule >> 6 >= m->words_per_page)
		return m->ranks[(at + 1) * m->words_per_page / WORDS_PER_RANK];
	return rank_in_word(m, at * m->words_per_page + (granule >> 6), granule & 63);
}

static unsigned
select_bit(uint64_t word, uint32_t skip)
{
	while (skip--)
		word &= word - 1;
	return (unsigned)__builtin_ctzll(word);
}

/* Returns the word that holds the bit of a placed id; `skip` bits precede
   it. */
static uint64_t
find_word(const struct addresses *m, node_id id, uint32_t *skip)
{
	uint64_t next, word;

	/* The last rank that is not above the id. */
	LOWER_BOUND(next, 1, m->words_count / WORDS_PER_RANK, m->ranks[next] <= id);
	word = (next - 1) * WORDS_PER_RANK;
	*skip = id - m->ranks[next - 1];
	if (*skip >= count_bits(m->words[word]))
		*skip -= count_bits(m->words[word++]);
	return word;
}

static uint64_t
word_address(const struct addresses *m, uint64_t word)
{
	return (m->numbers[word / m->words_per_page] << m->page_shift) +
	       ((word & (m->words_per_page - 1)) * 64 << m->granule_shift);
}

uint64_t
addresses_of(const struct addresses *m, node_id id)
{
	uint64_t word;
	uint32_t skip;

	if (id >= m->placed_count)
		return MADE_UP_ADDRESS + (uint64_t)(id - m->placed_count) * MADE_UP_STEP;
	word = find_word(m, id, &skip);
	return word_address(m, word) +
	       ((uint64_t)select_bit(m->words[word], skip) << m->granule_shift);
}

void
addresses_scan_init(struct addresses_scan *s, const struct addresses *m, node_id first)
{
	uint32_t skip;

	*s = (struct addresses_scan){ .addresses = m, .next = first };
	if (first >= m->placed_count)
		return;
	s->word = find_word(m, first, &skip);
	s->bits = m->words[s->word];
	s->base = word_address(m, s->word);
	while (skip--)
		s->bits &= s->bits - 1;
}

bool
addresses_scan_next(struct addresses_scan *s, uint64_t *address)
{
	const struct addresses *m = s->addresses;

	if (s->next >= m->placed_count) {
		*address = MADE_UP_ADDRESS + (uint64_t)(s->next - m->placed_count) * MADE_UP_STEP;
		return s->next < addresses_count(m) && ++s->next;
	}
	s->next++;
	if (!s->bits) {
		while (!m->words[++s->word])
			;
		s->bits = m->words[s->word];
		s->base = word_address(m, s->word);
	}
	*address = s->base + ((uint64_t)__builtin_ctzll(s->bits) << m->granule_shift);
	s->bits &= s->bits - 1;
	return true;
}
