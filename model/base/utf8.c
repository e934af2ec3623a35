#include "model/base/utf8.h"

int
utf8_bytes_to_follow(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first < 0xc2 || first > 0xf4)
		return -1;
	return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

uint32_t
utf8_decode(const char *text, size_t *used)
{
	static const uint32_t smallest[] = { 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)text[0];
	int follow = utf8_bytes_to_follow(first);
	uint32_t c;

	*used = 1;
	if (follow <= 0)
		return follow == 0 ? first : UTF8_BROKEN;
	c = first & (0x3fu >> follow);
	for (int i = 1; i <= follow; i++) {
		unsigned char next = (unsigned char)text[i];

		if ((next & 0xc0) != 0x80)
			return UTF8_BROKEN;
		c = c << 6 | (next & 0x3f);
	}
	if (c < smallest[follow] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return UTF8_BROKEN;
	*used = (size_t)follow + 1;
	return c;
}

size_t
utf8_put(uint32_t c, char out[UTF8_MAX_BYTES])
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if ((c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return 0;
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}
