#ifndef TESTS_JUDGE_CHAINS_H
#define TESTS_JUDGE_CHAINS_H

/* Chains of async calls as text. What fails fails the test. */
#include "model/analysis/async.h"

enum { CHAIN_TEXT_BYTES = 8192 };

/* "A 0 < B < C 1 itself": who waits for whom, with states, and the end. */
void chain_write(const struct heap *h, const struct async_calls *c, const struct async_chain *chain,
		 char out[CHAIN_TEXT_BYTES]);
struct async_calls *chains_find(const struct async_input *in);
/* Each group has the chains of one text, and no two groups have the same. */
void chains_check_groups(const struct heap *h, const struct async_calls *c);
/* The objects of a group are what looking for them one by one finds. */
void chains_check_sums(const struct heap *h, const struct async_calls *c);

#endif
