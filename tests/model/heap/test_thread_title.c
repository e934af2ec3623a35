/* Threads in words, and the operating system's id back from these. */
#include "model/heap/thread_title.h"
#include "tests/drive/run_tests.h"

static const struct title {
	const char *text;
	uint32_t id;
	uint64_t os_id, found;
} titles[] = {
	{ "thread 12 (OS 4712)", 12, 4712, 4712 },
	{ "OS thread 4712", 0, 4712, 4712 },
	{ "thread 12", 12, 0, 12 }, /* as older files name stacks */
};

TEST(names_threads)
{
	char out[THREAD_TITLE_BYTES];

	for (size_t i = 0; i < COUNT_OF(titles); i++) {
		assert_string_equal(thread_title(titles[i].id, titles[i].os_id, out),
				    titles[i].text);
		assert_int_equal(thread_title_os_id(out), titles[i].found);
	}
}

TEST(finds_ids_before_names)
{
	assert_int_equal(thread_title_os_id("thread 12 (OS 4712) worker 9 (OS 1)"), 4712);
	assert_int_equal(thread_title_os_id("thread 4712 hoarder (OS 1)"), 4712);
	assert_int_equal(thread_title_os_id("ended thread worker"), 0);
	assert_int_equal(thread_title_os_id(""), 0);
}
