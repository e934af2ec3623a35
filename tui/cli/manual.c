#include "tui/cli/manual.h"
#include "manual_builtin.h"
#include "model/base/text.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 78,
	INDENT = 7, /* of paragraphs, and of what stands below a tag */
	TEXT_BYTES = 4096,
	ARGS_MAX = 32,
	DEPTH_MAX = 8,
	/* Stand for characters at which no line and no argument ends. */
	HARD_BLANK = 1,
	HARD_QUOTE = 2,
};

/* --- pages --------------------------------------------------------------- */

enum { PAGES = sizeof builtin_manual / sizeof builtin_manual[0] };

const char *
manual_page(const char *name)
{
	for (size_t i = 0; i < PAGES; i++) {
		const char *own = builtin_manual[i].name;
		size_t len = strcspn(own, ".");

		if (!strncmp(name, own, len) &&
		    (!name[len] || name[len] == '(' || name[len] == '.'))
			return builtin_manual[i].text;
	}
	return NULL;
}

const char *
manual_name(size_t i)
{
	return i < PAGES ? builtin_manual[i].name : NULL;
}

/* --- lines ---------------------------------------------------------------- */

struct printer {
	FILE *to;
	unsigned base, indent;            /* of paragraphs, and of the present one */
	unsigned bases[DEPTH_MAX], depth; /* outside of .RS */
	bool is_verbatim;                 /* lines are not filled */
	bool is_compact;                  /* .PD 0: no lines between */
	bool awaits_tag;                  /* the next line is that of .TP */
	unsigned tag_indent;              /* of the text below tags, until it changes */
	unsigned column;                  /* 0: at the begin of a line */
	bool has_gap;                     /* the last line is empty */
};

static void
go_to(struct printer *p, unsigned column)
{
	for (; p->column < column; p->column++)
		fputc(' ', p->to);
}

static void
end_line(struct printer *p)
{
	if (p->column)
		fputc('\n', p->to);
	p->column = 0;
}

static void
leave_gap(struct printer *p)
{
	end_line(p);
	if (!p->has_gap)
		fputc('\n', p->to);
	p->has_gap = true;
}

static void
put_word(struct printer *p, char *word)
{
	for (char *at = word; *at; at++)
		if (*at == HARD_BLANK || *at == HARD_QUOTE)
			*at = *at == HARD_BLANK ? ' ' : '"';
	fputs(word, p->to);
	p->column += (unsigned)text_width(word);
	p->has_gap = false;
}

/* Fills lines with the words of a text. */
static void
put_words(struct printer *p, char *text)
{
	char *rest = text;

	for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(rest, " ", &rest)) {
		if (p->column > p->indent && p->column + 1 + (unsigned)text_width(word) > WIDTH)
			end_line(p);
		go_to(p, p->column > p->indent ? p->column + 1 : p->indent);
		put_word(p, word);
	}
}

static void
put_text(struct printer *p, char *text)
{
	if (p->awaits_tag) {
		p->awaits_tag = false;
		go_to(p, p->indent);
		put_words(p, text);
		p->indent += p->tag_indent;
		if (p->column + 1 > p->indent)
			end_line(p);
	} else if (!p->is_verbatim) {
		put_words(p, text);
	} else if (*text) {
		go_to(p, p->indent);
		put_word(p, text);
		end_line(p);
	} else {
		leave_gap(p);
	}
}

/* --- escapes -------------------------------------------------------------- */

/* Copies one escape, which begins at the backslash; returns what follows. */
static const char *
copy_escape(const char *at, char **to)
{
	static const struct {
		char name[3];
		const char *text;
	} named[] = {
		{ "aq", "'" }, { "dq", "\2" }, { "ha", "^" }, { "ti", "~" }, { "lq", "“" },
		{ "rq", "”" }, { "en", "–" },  { "mu", "×" }, { "<-", "←" },
	};
	const char *text = "";

	switch (at[1]) {
	case 'f':
		return at[2] ? at + 3 : at + 2;
	case '(':
		for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
			if (!strncmp(at + 2, named[i].name, 2))
				text = named[i].text;
		*to = stpcpy(*to, text);
		return at + 2 + strnlen(at + 2, 2);
	case ' ':
	case '~':
		*(*to)++ = HARD_BLANK;
		return at + 2;
	case 'e':
	case '\\':
		*(*to)++ = '\\';
		return at + 2;
	case '-':
		*(*to)++ = '-';
		return at + 2;
	default: /* \& \% \| */
		return at[1] ? at + 2 : at + 1;
	}
}

static void
copy_plain(const char *from, size_t len, char to[TEXT_BYTES])
{
	const char *end = from + len;
	char *const limit = to + TEXT_BYTES - 8;

	while (from < end && to < limit)
		if (*from == '\\')
			from = copy_escape(from, &to);
		else
			*to++ = *from++;
	*to = '\0';
}

/* --- requests ------------------------------------------------------------- */

/* Cuts off an argument; quotes hold blanks together, and two are one. */
static char *
take_arg(char **line)
{
	char *from = *line + strspn(*line, " "), *to = from, *arg = from;
	bool is_quoted = *from == '"';

	if (!*from)
		return NULL;
	from += is_quoted;
	while (*from && (is_quoted || *from != ' ')) {
		if (is_quoted && *from == '"' && *++from != '"')
			break;
		*to++ = *from++;
	}
	*line = from + (*from != '\0');
	*to = '\0';
	return arg;
}

static size_t
split(char *line, char *args[ARGS_MAX])
{
	size_t count = 0;

	while (count < ARGS_MAX && (args[count] = take_arg(&line)))
		count++;
	return count;
}

static unsigned
number_of(size_t count, char *args[], size_t i, unsigned otherwise)
{
	return i < count ? (unsigned)atoi(args[i]) % WIDTH : otherwise;
}

static void
begin_paragraph(struct printer *p)
{
	end_line(p);
	if (!p->is_compact)
		leave_gap(p);
	p->indent = p->base;
}

static void
begin_section(struct printer *p, unsigned column, size_t count, char *args[])
{
	p->base = INDENT;
	p->depth = 0;
	p->is_compact = false;
	p->tag_indent = INDENT;
	leave_gap(p);
	p->indent = column;
	for (size_t i = 0; i < count; i++)
		put_words(p, args[i]);
	end_line(p);
	p->indent = p->base;
}

static void
begin_item(struct printer *p, char *tag, unsigned indent)
{
	begin_paragraph(p);
	p->tag_indent = indent;
	p->awaits_tag = true;
	if (tag)
		put_text(p, tag);
}

static void
nest(struct printer *p, unsigned indent)
{
	end_line(p);
	if (p->depth < DEPTH_MAX)
		p->bases[p->depth++] = p->base;
	p->indent = p->base += indent;
}

static void
unnest(struct printer *p)
{
	end_line(p);
	if (p->depth)
		p->base = p->bases[--p->depth];
	p->indent = p->base;
}

/* Requests with two fonts join their arguments, the others part them. */
static void
put_args(struct printer *p, const char *name, size_t count, char *args[])
{
	char text[TEXT_BYTES] = "";
	size_t len = 0;

	for (size_t i = 0; i < count && len < sizeof text; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s",
					i && !name[1] ? " " : "", args[i]);
	put_text(p, text);
}

static void
obey(struct printer *p, char *line)
{
	char *args[ARGS_MAX];
	size_t count = split(line, args);
	const char *name = count ? args[0] : "";
	char **rest = args + 1;

	count -= count > 0;
	if (!strcmp(name, "SH"))
		begin_section(p, 0, count, rest);
	else if (!strcmp(name, "SS"))
		begin_section(p, 3, count, rest);
	else if (!strcmp(name, "PP"))
		begin_paragraph(p), p->tag_indent = INDENT;
	else if (!strcmp(name, "TP"))
		begin_item(p, NULL, number_of(count, rest, 0, p->tag_indent));
	else if (!strcmp(name, "IP"))
		begin_item(p, count ? rest[0] : NULL, number_of(count, rest, 1, p->tag_indent));
	else if (!strcmp(name, "PD"))
		p->is_compact = count > 0;
	else if (!strcmp(name, "RS"))
		nest(p, number_of(count, rest, 0, INDENT));
	else if (!strcmp(name, "RE"))
		unnest(p);
	else if (!strcmp(name, "nf") || !strcmp(name, "EX"))
		end_line(p), p->is_verbatim = true;
	else if (!strcmp(name, "fi") || !strcmp(name, "EE"))
		p->is_verbatim = false;
	else if (!strcmp(name, "br"))
		end_line(p);
	else if (*name && strspn(name, "BIR") == strlen(name))
		put_args(p, name, count, rest);
	else if (!strcmp(name, "TH") && count >= 2)
		fprintf(p->to, "%s(%s)\n", rest[0], rest[1]);
}

void
manual_print(const char *page, FILE *to)
{
	struct printer p = { .to = to, .base = INDENT, .indent = INDENT, .tag_indent = INDENT };
	char text[TEXT_BYTES];

	while (*page) {
		size_t len = strcspn(page, "\n");

		copy_plain(page, len, text);
		if (*page == '.')
			obey(&p, text + 1);
		else
			put_text(&p, text);
		page += len + (page[len] == '\n');
	}
	end_line(&p);
}
