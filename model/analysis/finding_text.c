#include "model/analysis/finding_text.h"
#include "model/analysis/finding_words.h"

static void
write_with(finding_writer *write, const struct facts *facts, const struct finding *f,
	   struct text *out)
{
	struct finding_words w = { .facts = facts, .finding = f, .cuts_names = !out->arena };

	if (write)
		write(&w, out);
}

void
finding_what(const struct facts *facts, const struct finding *f, struct text *out)
{
	write_with(f->kind->what, facts, f, out);
}

void
finding_why(const struct facts *facts, const struct finding *f, struct text *out)
{
	write_with(f->kind->why, facts, f, out);
	write_with(write_ended, facts, f, out);
}

void
finding_held(const struct facts *facts, const struct finding *f, struct text *out)
{
	write_with(f->kind->held, facts, f, out);
}

/* Returns the length of a text without its last clause, which begins at a comma, colon or semicolon
   outside brackets; 0 if it is a single clause. */
static size_t
without_last_clause(const char *text, size_t len)
{
	size_t end = 0;
	int depth = 0;

	for (size_t i = 0; i + 1 < len; i++) {
		depth += strchr("<([", text[i]) != NULL;
		depth -= strchr(">)]", text[i]) != NULL;
		if (depth <= 0 && strchr(",:;", text[i]) && text[i + 1] == ' ')
			end = i;
	}
	return end;
}

/* Adds finding_held() with the words before it. Returns false if there is none. */
static bool
add_held(const struct facts *facts, const struct finding *f, struct text *out)
{
	size_t begin = out->len, held;

	text_add(out, f->kind->held == held_by_type ? ", kept mostly by " : ", kept by ");
	held = out->len;
	finding_held(facts, f, out);
	if (out->len > held)
		return true;
	text_shorten(out, begin);
	return false;
}

bool
finding_text_without(const struct facts *facts, const struct finding *f, unsigned dropped,
		     struct text *out)
{
	unsigned left = dropped;
	size_t what, why, held;
	bool is_held;

	finding_what(facts, f, out);
	what = out->len;
	text_add(out, " ");
	why = out->len;
	finding_why(facts, f, out);
	for (; left && out->len > why; left--)
		text_shorten(out, why + without_last_clause(out->bytes + why, out->len - why));
	if (out->len == why)
		text_shorten(out, what);
	if (dropped)
		text_add(out, " …");
	held = out->len;
	is_held = add_held(facts, f, out);
	if (left)
		text_shorten(out, held);
	return left < 1U + is_held;
}

void
finding_text(const struct facts *facts, const struct finding *f, struct text *out)
{
	(void)finding_text_without(facts, f, 0, out);
}
