/*
 * A main() for a fuzz target without a fuzzer: runs the target on every file in the given folders,
 * and on the first and last half of each file. A target that finds a defect aborts.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
replay_file(const char *path)
{
	FILE *in = fopen(path, "rb");
	uint8_t *data = NULL;
	long size = -1;
	bool is_read = false;

	if (in && fseek(in, 0, SEEK_END) == 0)
		size = ftell(in);
	if (size >= 0 && fseek(in, 0, SEEK_SET) == 0)
		data = malloc((size_t)size + 1);
	if (data)
		is_read = fread(data, 1, (size_t)size, in) == (size_t)size;
	if (in)
		fclose(in);
	if (!is_read) {
		free(data);
		return false;
	}
	LLVMFuzzerTestOneInput(data, (size_t)size);
	LLVMFuzzerTestOneInput(data, (size_t)size / 2);
	LLVMFuzzerTestOneInput(data + size / 2, (size_t)(size - size / 2));
	free(data);
	return true;
}

int
main(int argc, char **argv)
{
	int passed = 0, failed = 0;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		const struct dirent *entry;
		char path[4096];

		if (!folder) {
			perror(argv[i]);
			failed++;
			continue;
		}
		while ((entry = readdir(folder)) != NULL) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			/* Printed first: if the target aborts, this is the input. */
			printf("%s\n", path);
			fflush(stdout);
			if (replay_file(path))
				passed++;
			else
				failed++;
		}
		closedir(folder);
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed || passed == 0;
}
