#include "io/base/sheet.h"
#include "model/base/arena.h"
#include <string.h>

bool
sheet_reserve(struct sheet *s, size_t more, struct error *err)
{
	return MAKE_ROOM(s->data, s->len + more, s->room, err);
}

bool
sheet_put(struct sheet *s, const void *bytes, size_t len, struct error *err)
{
	if (!sheet_reserve(s, len, err))
		return false;
	if (len)
		memcpy(s->data + s->len, bytes, len);
	s->len += len;
	return true;
}

bool
sheet_put_number(struct sheet *s, uint64_t value, unsigned bytes, struct error *err)
{
	uint8_t out[8];

	for (unsigned i = 0; i < bytes; i++)
		out[i] = (uint8_t)(value >> 8 * i);
	return sheet_put(s, out, bytes, err);
}

void
sheet_clear(struct sheet *s)
{
	memory_free(s->data);
	*s = (struct sheet){ 0 };
}
