#include "tests/drive/svg.h"
#include <string.h>

enum { MARGIN = 8, CELL_WIDTH = 8, CELL_HEIGHT = 17, BASELINE = 13 };

static void
write_text(FILE *to, const char *text, size_t len)
{
	for (; len; text++, len--)
		switch (*text) {
		case '&':
			fputs("&amp;", to);
			break;
		case '<':
			fputs("&lt;", to);
			break;
		case '>':
			fputs("&gt;", to);
			break;
		default:
			putc(*text, to);
		}
}

static bool
looks_the_same(const struct pty_cell *a, const struct pty_cell *b)
{
	return a->ink == b->ink && a->paper == b->paper && a->is_bold == b->is_bold &&
	       a->is_underlined == b->is_underlined;
}

/* Cells of one look; `blanks` of them at its end have nothing to show. */
struct run {
	struct pty_cell look;
	char text[8192];
	int row, column, width, blanks;
};

static void
write_run(FILE *to, const struct run *r, unsigned background)
{
	int x = MARGIN + r->column * CELL_WIDTH;
	int y = MARGIN + r->row * CELL_HEIGHT;
	int shown = r->width - r->blanks;

	if (r->look.paper != background)
		fprintf(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
			x, y, r->width * CELL_WIDTH, CELL_HEIGHT, r->look.paper);
	if (!shown)
		return;
	fprintf(to, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>", x,
		y + BASELINE, shown * CELL_WIDTH, r->look.ink,
		r->look.is_bold ? " font-weight=\"bold\"" : "",
		r->look.is_underlined ? " text-decoration=\"underline\"" : "");
	write_text(to, r->text, strlen(r->text) - (size_t)r->blanks);
	fputs("</text>\n", to);
}

static void
run_add(struct run *r, const struct pty_cell *cell)
{
	strncat(r->text, cell->text, sizeof r->text - strlen(r->text) - 1);
	r->blanks = strcmp(cell->text, " ") ? 0 : r->blanks + 1;
	r->width++;
}

static void
write_row(FILE *to, struct pty *p, int row, int columns, unsigned background)
{
	struct run run = { .row = row };
	struct pty_cell cell;

	for (int column = 0; column < columns; column++) {
		if (!pty_cell(p, row, column, &cell))
			break;
		if (run.width && !looks_the_same(&run.look, &cell)) {
			write_run(to, &run, background);
			run = (struct run){ .row = row, .column = column };
		}
		run.look = cell;
		run_add(&run, &cell);
	}
	if (run.width)
		write_run(to, &run, background);
}

void
svg_write(FILE *to, struct pty *p, int rows, int columns, const char *title)
{
	int width = columns * CELL_WIDTH + 2 * MARGIN;
	int height = rows * CELL_HEIGHT + 2 * MARGIN;
	struct pty_cell corner;

	if (!pty_cell(p, rows - 1, columns - 1, &corner))
		return;
	fprintf(to,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"DejaVu Sans Mono, Menlo, "
		"Consolas, monospace\" font-size=\"13.29\" xml:space=\"preserve\">\n<title>",
		width, height, width, height);
	write_text(to, title, strlen(title));
	fprintf(to, "</title>\n<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#%06x\"/>\n", width,
		height, corner.paper);
	for (int row = 0; row < rows; row++)
		write_row(to, p, row, columns, corner.paper);
	fputs("</svg>\n", to);
}
