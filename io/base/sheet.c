#include "io/base/sheet.h"
#include "model/base/arena.h"
#include <string.h>

bool
sheet_reserve(struct sheet *s, size_t more, struct error *err)
{
	size_t room = s->room;
	uint8_t *data;

	if (more <= room - s->len)
		return true;
	while (room - s->len < more)
		room = room ? room * 2 : 4096;
	data = memory_resize(s->data, room, 1, err);
	if (!data)
		return false;
	s->data = data;
	s->room = room;
	return true;
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
sheet_put_number(struct sheet *s, uint64_t value, unsigned bytes,
		 struct error *err)
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
