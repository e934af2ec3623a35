#ifndef MODEL_ALLOCATIONS_SENTENCES_H
#define MODEL_ALLOCATIONS_SENTENCES_H

/* Sentences about allocations, for headings and for standard error. */
#include "model/allocations/rows.h"

enum { ALLOCATION_TEXT_BYTES = 320 };

enum sentence_topic {
	SENTENCE_TOTAL,
	SENTENCE_ALIVE,
	SENTENCE_GROWTH, /* the leak, if there is one */
	SENTENCE_DOUBT,  /* why numbers may be wrong, or that it has ended */
};

/* Writes the sentence of this number, the most important first. False: there are no more. */
bool allocation_sentence(const struct allocation_rows *rows, unsigned number,
			 enum sentence_topic *topic, char text[ALLOCATION_TEXT_BYTES]);
/* Whether the sentence of this topic says that further collections are needed, which may take long
   in a calm process. */
bool allocation_sentence_waits(const struct allocations *a, enum sentence_topic topic);
/* A sentence about some of the samples: their number, and the rate of those that rates are of. */
void allocation_sum_text(const struct allocation_sum *sum, const struct allocation_sum *rate,
			 const struct allocations *of, char text[ALLOCATION_TEXT_BYTES]);

#endif
