#include "tests/drive/run_tests.h"

/* Apart, so that a program with a main() of its own can link the rest. */
int
main(void)
{
	return tests_run();
}
