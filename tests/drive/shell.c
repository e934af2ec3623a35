#include "tests/drive/shell.h"
#include "tests/drive/run_tests.h"
#include <sys/wait.h>

const char *
program_path(void)
{
	const char *path = getenv("HEAPTOP");

	return path ? path : "build/heaptop";
}

int
shell_prints(char *text, size_t size, const char *format, ...)
{
	char line[8192];
	va_list arguments;
	size_t len;
	int status;
	FILE *from;

	va_start(arguments, format);
	len = (size_t)vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	assert_true(len < sizeof(line));
	fflush(NULL);
	from = popen(line, "r");
	assert_non_null(from);
	len = fread(text, 1, size - 1, from);
	text[len] = '\0';
	status = pclose(from);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
