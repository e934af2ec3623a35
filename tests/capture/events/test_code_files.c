/*
 * Names of code without a method, from the mappings of a made-up process and those of a real one.
 */
#include "capture/events/code_files.h"
#include "capture/process/proc.h"
#include "tests/drive/captures.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PID = 4711 };

static const char mappings[] =
    "10000000-10001000 r--p 00000000 fe:00 7   /app/Shop.dll\n"
    "10001000-10010000 ---p 00000000 00:00 0\n"
    "10010000-10030000 r-xp 00000000 fe:00 7   /app/Shop.dll\n"
    "10030000-10040000 rw-p 00020000 fe:00 7   /app/Shop.dll\n"
    "20000000-20040000 r--s 00000000 fe:00 7   /app/Shop.dll\n"
    "30000000-30010000 r--p 00000000 fe:00 8   /app/my lib.so (deleted)\n"
    "30010000-30020000 r-xp 00010000 fe:00 8   /app/my lib.so (deleted)\n"
    "40000000-40010000 r-xs 00000000 00:01 9   /memfd:doublemapper (deleted)\n"
    "50000000-50010000 r-xp 00000000 00:00 0\n"
    "60000000-60010000 r-xp 00000000 00:00 0   [vdso]\n"
    "70000000-70001000 r--p 00000000 fe:00 7   /dotnet/shared/"
    "Microsoft.NETCore.App/10.0.0/System.Linq.dll\n"
    "70010000-70020000 r-xp 00000000 fe:00 7   /dotnet/shared/"
    "Microsoft.NETCore.App/10.0.0/System.Linq.dll\n"
    "damaged\n"
    "80000000-80010000 r-xp 00000000 fe:00 6   /after/damage.so\n";

static const struct place {
	uint64_t address; /* to return to */
	const char *name, *module;
	bool is_framework;
} places[] = {
	{ 0x10010001, "Shop.dll+0x10001", "Shop.dll", false },
	{ 0x10030000, "Shop.dll+0x30000", "Shop.dll", false },
	{ 0x10010000, "code at 0x10010000", "", false }, /* before its code */
	{ 0x10030001, "code at 0x10030001", "", false }, /* data */
	{ 0x20000010, "code at 0x20000010", "", false },
	{ 0x30010010, "my lib.so+0x10010", "my lib.so", false },
	{ 0x40000010, "code at 0x40000010", "", false },
	{ 0x50000010, "code at 0x50000010", "", false },
	{ 0x60000010, "code at 0x60000010", "", false },
	{ 0x70010010, "System.Linq.dll+0x10010", "System.Linq.dll", true },
	{ 0x80000010, "code at 0x80000010", "", false },
};

static void
check_place(struct methods *m, const struct place *place)
{
	struct allocation_method found;
	struct arena texts;
	struct error err = { 0 };

	arena_init(&texts, 0);
	assert_ok(methods_find(m, place->address, &texts, &found, &err), &err);
	assert_true(found.is_unknown);
	assert_string_equal(found.name, place->name);
	assert_string_equal(found.module, place->module);
	assert_int_equal(found.is_framework, place->is_framework);
	arena_clear(&texts);
}

TEST_IN_FOLDER(places_in_files)
{
	struct error err = { 0 };
	struct methods *m = methods_new(&err);

	assert_non_null(m);
	assert_int_equal(mkdir(in_folder("4711"), 0700), 0);
	file_write(in_folder("4711/maps"), mappings, sizeof mappings - 1);
	/* A second reading adds nothing. */
	for (int i = 0; i < 2; i++)
		assert_ok(code_files_read(m, in_folder("."), PID, &err), &err);
	for (size_t i = 0; i < COUNT_OF(places); i++)
		check_place(m, &places[i]);
	methods_free(m);
	unlink(in_folder("4711/maps"));
	rmdir(in_folder("4711"));
}

TEST_IN_FOLDER(a_process_that_has_ended)
{
	static const struct place place = { 0x10010001, "code at 0x10010001", "", false };
	struct error err = { 0 };
	struct methods *m = methods_new(&err);

	assert_non_null(m);
	assert_ok(code_files_read(m, in_folder("."), PID, &err), &err);
	check_place(m, &place);
	methods_free(m);
}

/* The start of its code, of which the map begins elsewhere. */
TEST(code_of_a_real_process)
{
	struct error err = { 0 };
	struct methods *m;
	struct allocation_method found;
	struct arena texts;
	char line[512];
	uint64_t start;
	struct target *t;

	if (is_skipped("10.0"))
		return;
	t = target_start("10.0", TARGET_HERE, NULL, NULL);
	assert_true(proc_maps_code(PROC_FOLDER, target_pid(t), "libcoreclr.so", line, sizeof line));
	start = strtoull(line, NULL, 16);
	arena_init(&texts, 0);
	m = methods_new(&err);
	assert_non_null(m);
	assert_ok(code_files_read(m, PROC_FOLDER, target_pid(t), &err), &err);
	assert_ok(methods_find(m, start + 1, &texts, &found, &err), &err);
	assert_memory_equal(found.name, "libcoreclr.so+0x", 16);
	assert_true(strtoull(found.name + 14, NULL, 16) > 1);
	methods_free(m);
	arena_clear(&texts);
	target_free(t);
}
