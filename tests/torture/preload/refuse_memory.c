/*
 * A library to be preloaded: the REFUSE_AT-th request for memory or a thread is refused, and with
 * REFUSE_REST=1 all behind it as well. With REFUSE_COUNT the number of requests goes to the file of
 * that name at the end. Only for glibc, whose own functions it calls.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long requests;

static int
is_refused(void)
{
	const char *at = getenv("REFUSE_AT");
	const char *rest = getenv("REFUSE_REST");
	long number = atomic_fetch_add(&requests, 1) + 1;

	if (!at || number < atol(at))
		return 0;
	if (number > atol(at) && (!rest || *rest != '1'))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *
malloc(size_t size)
{
	return is_refused() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return is_refused() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *old, size_t size)
{
	return is_refused() ? NULL : __libc_realloc(old, size);
}

void *
mmap(void *address, size_t len, int protection, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);

	if (!real)
		real = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
	return is_refused() ? MAP_FAILED : real(address, len, protection, flags, fd, offset);
}

void *
mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
	static void *(*real)(void *, size_t, size_t, int, ...);

	if (!real)
		real = (void *(*)(void *, size_t, size_t, int, ...))dlsym(RTLD_NEXT, "mremap");
	return is_refused() ? MAP_FAILED : real(old, old_len, len, flags);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	return is_refused() ? NULL : __libc_memalign(alignment, size);
}

int
posix_memalign(void **to, size_t alignment, size_t size)
{
	void *memory = is_refused() ? NULL : __libc_memalign(alignment, size);

	if (!memory)
		return ENOMEM;
	*to = memory;
	return 0;
}

int
pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
	       void *context)
{
	static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	if (!real)
		real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
				void *))dlsym(RTLD_NEXT, "pthread_create");
	return is_refused() ? EAGAIN : real(thread, attributes, run, context);
}

__attribute__((destructor)) static void
write_count(void)
{
	const char *path = getenv("REFUSE_COUNT");
	long count = requests;
	FILE *to = path ? fopen(path, "w") : NULL;

	if (!to)
		return;
	fprintf(to, "%ld\n", count);
	fclose(to);
}
