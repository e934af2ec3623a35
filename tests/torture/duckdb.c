/*
 * Runs one SQL statement in DuckDB, an engine that is not ours, which is loaded from its library.
 * Declares the few functions of its C interface that are used.
 *
 *   duckdb LIBRARY STATEMENT
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The layout of duckdb_result; its members are only passed on. */
struct result {
	uint64_t counts[3];
	void *columns;
	char *message;
	void *internal;
};

/* Functions return 0 if they succeed. */
struct library {
	int (*open)(const char *path, void **database);
	int (*connect)(void *database, void **connection);
	int (*query)(void *connection, const char *sql, struct result *result);
	const char *(*error)(struct result *result);
};

static int
load(struct library *l, const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{ "duckdb_open", &l->open },
		{ "duckdb_connect", &l->connect },
		{ "duckdb_query", &l->query },
		{ "duckdb_result_error", &l->error },
	};

	for (size_t i = 0; library && i < 4; i++) {
		void *found = dlsym(library, functions[i].name);

		/* ISO C has no cast from an object to a function. */
		memcpy(functions[i].to, &found, sizeof found);
		if (!found)
			library = NULL;
	}
	return library != NULL;
}

int
main(int argc, char **argv)
{
	struct library l = { 0 };
	struct result result = { { 0 }, NULL, NULL, NULL };
	void *database, *connection;

	if (argc != 3 || !load(&l, argv[1])) {
		fprintf(stderr, "duckdb: %s\n", argc == 3 ? dlerror() : "LIBRARY STATEMENT");
		return 2;
	}
	if (l.open(NULL, &database) || l.connect(database, &connection)) {
		fprintf(stderr, "duckdb: no database\n");
		return 2;
	}
	if (l.query(connection, argv[2], &result)) {
		fprintf(stderr, "duckdb: %s\n", l.error(&result));
		return 1;
	}
	return 0;
}
