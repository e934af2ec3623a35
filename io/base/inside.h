#ifndef IO_BASE_INSIDE_H
#define IO_BASE_INSIDE_H

/*
 * Opens files by paths that another process or a core names. Such a path is hostile: it may lead
 * out of the process's root by a symbolic link, or to a device, and opening some devices acts (a
 * watchdog, a tape). So a path is resolved below a root folder first, without opening what it leads
 * to (O_PATH); only a regular file is then opened, through /proc/self/fd, which cannot become
 * another file in between.
 */
#include "io/base/file.h"

/* Resolves a path below the folder `root`, which it cannot leave; `flags` are those of open(), with
 * O_PATH. Without openat2() (Linux 5.6), no component may be a symbolic link or "..". Returns -1
 * and sets errno. */
int inside_resolve(int root, const char *path, int flags);
/* A regular file below the folder `root`, "" for this machine's root. Returns
 * -1 and sets errno. */
int inside_open_fd(const char *root, const char *path);
/* Looks at what the path leads to. Returns -1 and sets errno. */
int inside_stat(const char *root, const char *path, struct stat *st);
/* Reads a regular file below `root`. False sets `err`. */
bool inside_open(struct file *f, const char *root, const char *path, struct error *err) MUST_USE;

#endif
