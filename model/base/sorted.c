#include "model/base/sorted.h"
#include <stdlib.h>

int
compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int
compare_u64_pair(const void *a, const void *b)
{
	int order = compare_u64(a, b);

	return order ? order : compare_u64((const uint64_t *)a + 1, (const uint64_t *)b + 1);
}

void
sort_by_first(void *items, size_t count, size_t size, size_t key_size)
{
	if (count)
		qsort(items, count, size, key_size == sizeof(uint32_t) ? compare_u32 : compare_u64);
}
