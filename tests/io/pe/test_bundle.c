/* Programs in a single file: made-up ones, cut and damaged. */
#include "io/pe/bundle.h"
#include "tests/drive/run_tests.h"
#include "tests/made/traces.h"

static const uint8_t signature[32] = {
	0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38, 0x72, 0x7b, 0x93,
	0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
	0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae,
};

static void
put_name(struct blob *b, const char *name)
{
	uint8_t len = (uint8_t)strlen(name);

	blob_put(b, &len, 1);
	blob_put(b, name, len);
}

static void
put_file(struct blob *b, uint32_t version, size_t at, size_t len, size_t packed, const char *name)
{
	blob_u64(b, at);
	blob_u64(b, len);
	if (version >= 6)
		blob_u64(b, packed);
	blob_put(b, "\1", 1);
	put_name(b, name);
}

/* Code, the signature of a file that is none, ours, two files, the list. */
static void
make_program(struct blob *b, uint32_t version)
{
	static const char files[] = "filler FIRST second";
	size_t files_at, place_at, list_at;

	*b = (struct blob){ 0 };
	blob_put(b, "\177ELF code ", 10);
	blob_u64(b, UINT64_MAX);
	blob_put(b, signature, sizeof(signature));
	place_at = b->len;
	blob_u64(b, 0);
	blob_put(b, signature, sizeof(signature));
	files_at = b->len;
	blob_put(b, files, sizeof(files));
	list_at = b->len;
	memcpy(b->data + place_at, &list_at, sizeof(list_at));
	blob_u32(b, version);
	blob_u32(b, 0);
	blob_u32(b, 3);
	put_name(b, "theId");
	for (int i = 0; version >= 2 && i < 5; i++)
		blob_u64(b, 0);
	put_file(b, version, files_at + 7, 5, 0, "first.dll");
	put_file(b, version, files_at + 13, 6, 0, "sub/second.dll");
	put_file(b, version, files_at, 7, 3, "packed.dll");
}

TEST(finds_files_by_their_paths)
{
	static const uint32_t versions[] = { 1, 2, 6 };
	static const struct {
		const char *path, *content;
		uint32_t until; /* versions before this one; 0: all */
	} rows[] = {
		{ "/app/first.dll", "FIRST", 0 },
		{ "/app/sub/second.dll", "second", 0 },
		{ "/app/second.dll", NULL, 0 },
		{ "/app/notfirst.dll", NULL, 0 },
		{ "first.dll", NULL, 0 }, /* never: they are absolute */
		{ "", NULL, 0 },
		{ "/app/packed.dll", NULL, 0 },
		{ "/app/packed.dll", "filler ", 6 },
	};
	for (int v = 0; v < 3; v++) {
		struct bundle bundle;
		struct error err = { 0 };
		struct blob b;

		make_program(&b, versions[v]);
		assert_ok(bundle_open(&bundle, b.data, b.len, &err), &err);
		assert_int_equal(bundle.files_count, 3);
		for (size_t i = 0; i < COUNT_OF(rows); i++) {
			size_t len = 0;
			const uint8_t *found = bundle_find(&bundle, rows[i].path, &len);

			if (rows[i].until ? versions[v] >= rows[i].until
					  : versions[v] < 6 && i == 6)
				continue; /* another row is for this one */
			assert_int_equal(found != NULL, rows[i].content != NULL);
			if (!found)
				continue;
			assert_int_equal(len, strlen(rows[i].content));
			assert_memory_equal(found, rows[i].content, len);
		}
		blob_free(&b);
	}
}

/* Of a program that is cut anywhere: a sentence, or files that are there. */
TEST(survives_every_cut)
{
	struct blob b;

	make_program(&b, 6);
	for (size_t len = 0; len <= b.len; len++) {
		struct bundle bundle;
		struct error err = { 0 };
		size_t found_len;
		const uint8_t *found;

		if (!bundle_open(&bundle, b.data, len, &err)) {
			assert_int_equal(err.kind, ERROR_INPUT);
			assert_true(err.message[0] && len < b.len);
			continue;
		}
		found = bundle_find(&bundle, "/app/first.dll", &found_len);
		assert_true(!found || found + found_len <= b.data + len);
	}
	blob_free(&b);
}

TEST(refuses_what_is_damaged)
{
	/* clang-format off */
	static const struct {
		size_t at; /* from the list's start */
		uint8_t byte;
		const char *message; /* NULL: it opens, and finds nothing */
	} rows[] = {
		{ 8, 200, "the count of files" },
		{ 11, 0x80, "the count of files" },
		{ 12, 0xff, NULL },              /* an id beyond the end */
		{ 12 + 6 + 40 + 3, 0xff, NULL }, /* a file beyond the end */
		{ 12 + 6 + 40 + 11, 0xff, NULL },
		{ 12 + 6 + 40 + 15, 0x80, NULL },
	};
	/* clang-format on */
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct bundle bundle;
		struct error err = { 0 };
		struct blob b;
		uint64_t list;
		size_t len;

		make_program(&b, 6);
		memcpy(&list, b.data + 10 + 8 + 32, sizeof(list));
		b.data[list + rows[i].at] = rows[i].byte;
		if (bundle_open(&bundle, b.data, b.len, &err)) {
			assert_null(rows[i].message);
			assert_null(bundle_find(&bundle, "/app/first.dll", &len));
		} else if (rows[i].message) {
			assert_non_null(strstr(err.message, rows[i].message));
		}
		blob_free(&b);
	}
}
