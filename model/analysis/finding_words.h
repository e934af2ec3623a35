#ifndef MODEL_ANALYSIS_FINDING_WORDS_H
#define MODEL_ANALYSIS_FINDING_WORDS_H

/*
 * For the files that find something and say it: numbers and names of sentences, and the writers
 * that several kinds of findings share.
 */
#include "model/analysis/findings.h"
#include "model/base/format.h"
#include "model/base/text.h"
#include "model/table/facts.h"

enum {
	WORDS_NAMES = 4,   /* names of one part of a sentence, at most */
	WORDS_NUMBERS = 6, /* numbers of one part */
	NAME_SHOWN = 100,  /* columns of a name: two and the words around them must fit */
	NAME_BYTES = 320,
};

struct finding_words {
	const struct facts *facts;
	const struct finding *finding;
	bool cuts_names; /* to NAME_SHOWN columns */
	unsigned names_count, numbers_count;
	char names[WORDS_NAMES][NAME_BYTES];
	char numbers[WORDS_NUMBERS][FORMAT_BYTES];
};

/* These return texts in `w`, the first a name that is cut in its middle if it is long. */
const char *words_name(struct finding_words *w, const char *name);
const char *words_count(struct finding_words *w, uint64_t count);
const char *words_size(struct finding_words *w, uint64_t bytes);
const char *words_share(struct finding_words *w, uint64_t part, uint64_t whole);
/* Returns the name of a type, of finding->type, and of finding->holder_type; "" for TYPE_NONE. */
const char *words_type_name(struct finding_words *w, type_id type);
const char *words_type(struct finding_words *w);
const char *words_holder(struct finding_words *w);
/* Returns "one" or the number. */
const char *words_one_or(struct finding_words *w, uint64_t count);
/* Returns the form of a verb for a count: "has" or "have". */
static inline const char *
verb_for(uint64_t count, const char *of_one, const char *of_many)
{
	return count == 1 ? of_one : of_many;
}

finding_writer what_count; /* "50 Foo" */
finding_writer what_part;  /* "50 of 51 Foo", "all 50 Foo" */
finding_writer what_named; /* "50 Foo" of objects of several types; why_others() counts the rest */
finding_writer what_such;  /* "50 objects such as Foo" */
/* Writes "and 21 others ", or nothing if what_named() has named all objects. */
finding_writer why_others;
/* Writes a root; the call for which a thread waits says more than the name of the thread. */
void words_root(struct finding_words *w, const struct root *root, struct text *out);
/* Adds which reader of a queue has ended, and with which exception: find_ended.c. */
finding_writer write_ended;
finding_writer held_by_root; /* "static Sessions" */
finding_writer held_by_type; /* "Foo[]": the sentence says "mostly" */
/* Writes the static variable that keeps the subject, or else the root of all objects of a sample.
 */
finding_writer held_by_same_root;

#endif
