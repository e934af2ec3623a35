#ifndef MODEL_ANALYSIS_FINDING_WHY_H
#define MODEL_ANALYSIS_FINDING_WHY_H

/*
 * What looks wrong about the objects of a finding, in words. For finding_text.c, which completes
 * the sentence.
 */
#include "model/analysis/findings.h"
#include "model/table/facts.h"
#include "model/base/format.h"

/* Columns of a type name: two of them and the words around them must fit. */
enum { NAME_SHOWN = 100, NAME_BYTES = 320 };

/* The numbers and names of a sentence. */
struct finding_words {
	const struct facts *facts;
	const struct finding *finding;
	char count[FORMAT_BYTES], whole[FORMAT_BYTES], nodes[FORMAT_BYTES];
	char type[NAME_BYTES], other_type[NAME_BYTES]; /* "" if there is none */
};

typedef void finding_writer(const struct finding_words *w, char *out, size_t size);
/* Write the rest of a sentence that begins with finding_what(). */
extern finding_writer *const finding_whys[FINDING_KIND_COUNT];

/* Writes "one collectible load context" or "3 collectible load contexts". */
void finding_contexts(const struct finding_words *w, char *out, size_t size);
/* Returns the form of a verb for a count: "has" or "have". */
static inline const char *
verb_for(uint64_t count, const char *of_one, const char *of_many)
{
	return count == 1 ? of_one : of_many;
}

#endif
