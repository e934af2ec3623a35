/* Can the themes that come with the program be read, and with which eyes? */
#include "tests/drive/run_tests.h"
#include "tui/term/theme.h"
#include <string.h>

/* Colours as light: 0 to 1, and twice as much is twice as bright. */
struct light {
	double red, green, blue;
};

/* x to the power of 1/n by Newton's method: no libm. */
static double
root(double x, int n)
{
	double guess = 1;

	for (int i = 0; x > 0 && i < 200; i++) {
		double power = 1;

		for (int k = 1; k < n; k++)
			power *= guess;
		guess -= (guess * power - x) / (n * power);
	}
	return x > 0 ? guess : 0;
}

static double
channel(uint8_t value)
{
	double x = (value / 255.0 + 0.055) / 1.055;

	/* x^2.4 */
	return value <= 10 ? value / 255.0 / 12.92 : x * x * root(x * x, 5);
}

static struct light
light_of(struct colour c)
{
	return (struct light){ channel(c.red), channel(c.green), channel(c.blue) };
}

/* --- contrast, as WCAG 2 has it ------------------------------------------- */

static double
luminance(struct light c)
{
	return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
}

static double
contrast(struct colour a, struct colour b)
{
	double x = luminance(light_of(a)) + 0.05;
	double y = luminance(light_of(b)) + 0.05;

	return x > y ? x / y : y / x;
}

/* --- eyes ------------------------------------------------------------------
 */

/* Machado, Oliveira and Fernandes 2009, where one kind of cones is missing. */
enum eyes { EYES_USUAL, EYES_PROTAN, EYES_DEUTAN, EYES_TRITAN };
static const double eyes[][3][3] = {
	[EYES_USUAL] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	[EYES_PROTAN] = { { 0.152286, 1.052583, -0.204868 },
			  { 0.114503, 0.786281, 0.099216 },
			  { -0.003882, -0.048116, 1.051998 } },
	[EYES_DEUTAN] = { { 0.367322, 0.860646, -0.227968 },
			  { 0.280085, 0.672501, 0.047413 },
			  { -0.011820, 0.042940, 0.968881 } },
	[EYES_TRITAN] = { { 1.255528, -0.076749, -0.178779 },
			  { -0.078411, 0.930809, 0.147602 },
			  { 0.004733, 0.691367, 0.303900 } },
};

static double
seen_channel(const double row[3], struct light c)
{
	double seen = row[0] * c.red + row[1] * c.green + row[2] * c.blue;

	return seen < 0 ? 0 : seen > 1 ? 1 : seen;
}

static struct light
seen_with(enum eyes which, struct light c)
{
	return (struct light){ seen_channel(eyes[which][0], c), seen_channel(eyes[which][1], c),
			       seen_channel(eyes[which][2], c) };
}

/* CIE L*a*b*, in which equal distances look about equal. */
static double
lab_part(double t)
{
	return t > 0.008856 ? root(t, 3) : 7.787 * t + 16.0 / 116;
}

static void
lab_of(struct light c, double lab[3])
{
	double x = lab_part((0.4124 * c.red + 0.3576 * c.green + 0.1805 * c.blue) / 0.9505);
	double y = lab_part(luminance(c));
	double z = lab_part((0.0193 * c.red + 0.1192 * c.green + 0.9505 * c.blue) / 1.089);

	lab[0] = 116 * y - 16;
	lab[1] = 500 * (x - y);
	lab[2] = 200 * (y - z);
}

static double
distance(enum eyes which, struct colour a, struct colour b)
{
	double one[3], other[3], sum = 0;

	lab_of(seen_with(which, light_of(a)), one);
	lab_of(seen_with(which, light_of(b)), other);
	for (int i = 0; i < 3; i++)
		sum += (one[i] - other[i]) * (one[i] - other[i]);
	return root(sum, 2);
}

/* --- tests ----------------------------------------------------------------
 */

static const struct colour black = { COLOUR_RGB, 0, 0, 0, 0 };
static const struct colour white = { COLOUR_RGB, 0, 255, 255, 255 };
static const struct colour red = { COLOUR_RGB, 0, 255, 0, 0 };
static const struct colour green = { COLOUR_RGB, 0, 0, 140, 0 };

/* Against figures that others publish. */
TEST(sums_are_right)
{
	assert_true(contrast(black, white) > 20.99);
	assert_true(contrast(black, white) < 21.01);
	assert_true(contrast(red, white) > 3.99);
	assert_true(contrast(red, white) < 4.01);
	assert_true(distance(EYES_USUAL, black, white) > 99.9);
	assert_true(distance(EYES_USUAL, black, white) < 100.1);
	assert_true(distance(EYES_USUAL, red, red) < 0.001);
	/* What they are about: red and green. */
	assert_true(distance(EYES_USUAL, red, green) > 100);
	assert_true(distance(EYES_DEUTAN, red, green) < 40);
}

static const struct {
	const char *name;
	double contrast;
	enum eyes eyes[2];
} themes[] = {
	{ "dark", 4.5, { EYES_USUAL, EYES_USUAL } },
	{ "light", 4.5, { EYES_USUAL, EYES_USUAL } },
	{ "high-contrast", 7.0, { EYES_USUAL, EYES_USUAL } },
	{ "deuteranopia", 4.5, { EYES_DEUTAN, EYES_PROTAN } },
	{ "tritanopia", 4.5, { EYES_TRITAN, EYES_TRITAN } },
};

TEST(text_can_be_read)
{
	struct theme theme;
	struct error err = { 0 };

	for (size_t t = 0; t < COUNT_OF(themes); t++) {
		assert_true(theme_load(&theme, themes[t].name, &err));
		for (int i = 0; i < STYLE_COUNT; i++) {
			const struct look *look = &theme.looks[i];
			double ratio = contrast(look->front, look->back);

			assert_int_equal(look->front.kind, COLOUR_RGB);
			assert_int_equal(look->back.kind, COLOUR_RGB);
			if (ratio < themes[t].contrast)
				print_error("%s: %s has only %.2f:1\n", themes[t].name,
					    style_name((enum style)i), ratio);
			assert_true(ratio >= themes[t].contrast);
		}
	}
}

/* Styles that stand beside each other and mean different things. */
TEST(meanings_are_told_apart)
{
	enum { FAR_ENOUGH = 15 }; /* 2 is just seen, side by side */
	static const enum style meanings[] = {
		STYLE_NORMAL,  STYLE_TYPE,  STYLE_ROOT,  STYLE_CYCLE,  STYLE_TAGGED,
		STYLE_WARNING, STYLE_ERROR, STYLE_MATCH, STYLE_CURSOR, STYLE_STATUS,
	};
	struct theme theme;
	struct error err = { 0 };

	for (size_t t = 0; t < 2 * COUNT_OF(themes); t++) {
		enum eyes which = themes[t / 2].eyes[t % 2];

		assert_true(theme_load(&theme, themes[t / 2].name, &err));
		for (size_t i = 0; i < COUNT_OF(meanings); i++)
			for (size_t j = 0; j < i; j++) {
				struct look a = theme.looks[meanings[i]];
				struct look b = theme.looks[meanings[j]];
				bool is_far = distance(which, a.front, b.front) > FAR_ENOUGH ||
					      distance(which, a.back, b.back) > FAR_ENOUGH;

				if (!is_far)
					print_error("%s: %s is like %s\n", theme.name,
						    style_name(meanings[i]),
						    style_name(meanings[j]));
				assert_true(is_far);
			}
	}
}

/* Areas differ by their backgrounds, beside the screen's own, and still do with 256 colours. */
TEST(areas_are_told_apart)
{
	enum { FAR_ENOUGH = 12 };
	struct theme theme;
	struct error err = { 0 };

	for (size_t t = 0; t < 2 * COUNT_OF(themes); t++) {
		enum eyes which = themes[t / 2].eyes[t % 2];

		assert_true(theme_load(&theme, themes[t / 2].name, &err));
		for (int i = STYLE_AREA_1; i <= STYLE_AREA_5; i++)
			for (int j = STYLE_AREA_1; j <= i; j++) {
				int other = i == j ? STYLE_NORMAL : j;
				double far =
				    distance(which, theme.looks[i].back, theme.looks[other].back);

				if (far < FAR_ENOUGH ||
				    colour_nearest(theme.looks[i].back, 256) ==
					colour_nearest(theme.looks[other].back, 256))
					fail_msg("%s: %s is like %s: %.1f", theme.name,
						 style_name((enum style)i),
						 style_name((enum style)other), far);
			}
	}
}

/* By more than a hue: an attribute, or a background of its own. */
TEST(no_meaning_is_a_hue_alone)
{
	static const enum style meanings[] = {
		STYLE_HEADER, STYLE_SORTED, STYLE_CURSOR, STYLE_ROOT, STYLE_CYCLE,   STYLE_MATCH,
		STYLE_TAGGED, STYLE_STATUS, STYLE_ERROR,  STYLE_KEY,  STYLE_WARNING,
	};
	struct theme theme;
	struct error err = { 0 };
	const char *name;

	for (unsigned t = 0; (name = theme_builtin_name(t)) != NULL; t++) {
		assert_true(theme_load(&theme, name, &err));
		for (size_t i = 0; i < COUNT_OF(meanings); i++) {
			const struct look *look = &theme.looks[meanings[i]];
			const struct look *normal = &theme.looks[STYLE_NORMAL];
			bool is_told = look->attrs != normal->attrs ||
				       memcmp(&look->back, &normal->back, sizeof look->back) != 0;

			if (!is_told)
				print_error("%s: %s is a colour alone\n", name,
					    style_name(meanings[i]));
			assert_true(is_told);
		}
		/* Which column is sorted by, besides its arrow. */
		assert_memory_not_equal(&theme.looks[STYLE_SORTED].attrs,
					&theme.looks[STYLE_HEADER].attrs, 1);
	}
}
