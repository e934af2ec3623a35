/*
 * Any bytes as a program in a single file: what is found lies in it. The first byte says how long
 * the path is that follows.
 */
#include "tests/drive/fuzz.h"
#include "io/pe/bundle.h"
#include <stdlib.h>

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bundle bundle;
	char path[256] = "/";
	struct error err;
	const uint8_t *found;
	size_t path_len, len;

	if (size < 1 || size - 1 < data[0])
		return 0;
	path_len = data[0] < sizeof(path) - 2 ? data[0] : sizeof(path) - 2;
	memcpy(path + 1, data + 1, path_len);
	error_clear(&err);
	if (!bundle_open(&bundle, data, size, &err)) {
		if (err.kind != ERROR_INPUT || !err.message[0])
			abort();
		return 0;
	}
	found = bundle_find(&bundle, path, &len);
	if (found && (found < data || len > size || (size_t)(found - data) > size - len))
		abort();
	return 0;
}
