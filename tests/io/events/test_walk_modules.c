/* Names from the files of modules: only from those that the process had. */
#include "io/pe/module_files.h"
#include "tests/made/made_module.h"
#include "tests/drive/files.h"
#include "tests/drive/run_tests.h"
#include "tests/made/walks.h"
#include "io/formats/sources.h"
#include <string.h>
#include <unistd.h>

static const struct pe_build told = { "told by traces.", 3 };
static const struct pe_build newer = { "made later.....", 3 };
static const struct pe_build older = { "told by traces.", 2 };

static const struct module_row {
	const char *name;
	const struct pe_build *trace, *file; /* NULL: does not say */
	bool has_file, is_live, is_used;
	const char *warning;
} rows[] = {
	{ "the same", &told, &told, true, false, true, NULL },
	{ "another", &told, &newer, true, false, false, "1 module here is" },
	{ "of another age", &told, &older, true, false, false,
	  "1 module here is not the build that the process had" },
	{ "not told", NULL, &told, true, false, false, NULL },
	{ "the file does not say", &told, NULL, true, false, false, "1 mod" },
	{ "no file", &told, &told, false, false, false, NULL },
	{ "live, not told", NULL, &told, true, true, true, NULL },
	{ "live, the same", &told, &told, true, true, true, NULL },
	{ "live, replaced", &told, &newer, true, true, false, "1 module here is" },
};

static void
put_trace(struct trace *t, const struct module_row *row, const char *path)
{
	struct blob b = { 0 };

	trace_begin(t, TRACE_4, 8);
	trace_gc_start(t, 1, 2);
	trace_type(t, WALKS_TYPE, 0x77, 0x02000000 + MADE_ENTRY, "Entry[System.String]");
	blob_u32(&b, 1); /* a static variable */
	blob_u64(&b, 1);
	blob_u16(&b, 0);
	blob_u64(&b, 0x900);
	blob_u64(&b, walks_address(1));
	blob_u64(&b, 0x1234);
	blob_u32(&b, 0);
	blob_text16(&b, "Current");
	trace_event(t, KIND_STATICS, &b);
	blob_free(&b);
	walks_put_objects(t, 0, 5);
	trace_gc_end(t, 1, 2);
	trace_module(t, 0x77, path); /* comes first, and says less */
	if (row->trace)
		trace_module_build(t, 0x77, path, row->trace);
	trace_end(t);
}

static const struct heap *
load(const struct trace *t, bool is_live, struct error *err)
{
	struct walk_options options = { .module = module_files_find };
	const struct heap *h;

	if (is_live) {
		options.context = module_files_new(NULL, NULL, err);
		h = walk_read(t->out.data, t->out.len, &options, NULL, NULL, NULL, err);
		module_files_free(options.context);
		return h;
	}
	file_write(in_folder("trace"), t->out.data, t->out.len);
	return sources_load(&(struct load_how){ .path = in_folder("trace"), .what = LOAD_ALL },
			    err);
}

static void
check_row(const struct module_row *row)
{
	const char *name = row->is_used ? "A.Table<string>.Entry" : "Entry<string>";
	const char *field = row->is_used ? "A.Cache.Current" : "Current";
	struct blob module = { 0 };
	const struct heap *h;
	struct error err = { 0 };
	struct trace t;
	const char *path = in_folder("test.dll");

	made_module_put(&module, true, row->file);
	if (row->has_file)
		file_write(path, module.data, module.len);
	put_trace(&t, row, path);
	h = load(&t, row->is_live, &err);
	if (!h)
		fail_msg("%s: %s", row->name, err.message);
	if (strcmp(heap_type(h, 0)->name, name) != 0 || strcmp(h->roots[0].name, field) != 0)
		fail_msg("%s: %s, %s", row->name, heap_type(h, 0)->name, h->roots[0].name);
	if (h->info.warnings_count != (row->warning != NULL) ||
	    (row->warning && strncmp(h->info.warnings[0], row->warning, strlen(row->warning)) != 0))
		fail_msg("%s: %s", row->name,
			 h->info.warnings_count ? h->info.warnings[0] : "no warning");
	if (!row->is_live)
		assert_string_equal(h->info.walks[0].path, in_folder("trace#1"));
	heap_free(h);
	trace_free(&t);
	blob_free(&module);
	unlink(in_folder("test.dll"));
}

TEST(test_builds)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_row(&rows[i]);
}

/*
 * A name that is too long for an event is missing from it. No type is nameless, and each has a row
 * of its own.
 */
TEST(test_names_that_are_too_long)
{
	static const char *const wanted[2][TYPES_COUNT] = {
		{ "A.Table<…>#55000000", "A.Table<…>#55000001", "B" },
		{ "test.dll!#02000006<…>#55000000", "test.dll!#02000006<…>#55000001", "B" },
	};
	const char *path = in_folder("test.dll");
	struct blob module = { 0 };

	made_module_put(&module, true, &told);
	for (int i = 0; i < 2; i++) {
		struct error err = { 0 };
		const struct heap *h;
		struct trace t;

		file_write(path, module.data, module.len);
		trace_begin(&t, TRACE_4, 8);
		for (unsigned k = 0; k < TYPES_COUNT; k++)
			trace_type(&t, WALKS_TYPE + k, 0x77, 0x02000000 + MADE_GENERIC,
				   k < 2 ? "" : "B");
		walks_put(&t, 1, 30, NO_TYPES);
		trace_module_build(&t, 0x77, path, i ? &newer : &told);
		trace_end(&t);
		h = load(&t, false, &err);
		assert_non_null(h);
		assert_int_equal(h->types_count, TYPES_COUNT);
		for (type_id k = 0; k < TYPES_COUNT; k++)
			assert_string_equal(h->types[k].raw, wanted[i][k]);
		heap_free(h);
		trace_free(&t);
	}
	blob_free(&module);
	unlink(in_folder("test.dll"));
}

/* What a trace names may be anything: nothing but ordinary files is read. */
TEST(test_strange_paths)
{
	static const char *const paths[] = { "-",         "",
					     "test.dll",  "/",
					     "/dev/zero", "/proc/self/fd/0",
					     "C:\\x.dll", "/nowhere/x.dll" };
	struct module_files *files;
	struct error err = { 0 };

	files = module_files_new(NULL, NULL, &err);
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		assert_null(module_files_find(files, paths[i]));
	module_files_free(files);
}

static int
remove_files(void **state)
{
	return unlink(in_folder("trace")) || folder_remove(state);
}
TESTS_BETWEEN(folder_make, remove_files);
