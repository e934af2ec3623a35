#ifndef IO_EVENTS_NETTRACE_HEADER_H
#define IO_EVENTS_NETTRACE_HEADER_H

/*
 * The header of an event stream: its process and clock.
 *
 *   8 × u16   year, month, day of the week, day, hour, minute, second, ms: UTC
 *   u64, u64  clock at that time, ticks per second
 *   u32       the size of a pointer
 *
 *   formats 4 and 5: u32 pid, u32 processors, u32 sampling rate
 *   format 6: u32 n, n pairs of texts: "ProcessId" "123"
 */
#include "io/base/bytes.h"
#include "io/events/nettrace.h"

enum { NETTRACE_TRACE4_BYTES = 48 };

/* Damage fails the cursor `b`; values are not checked. */
void nettrace_header_read4(struct nettrace_header *h, struct bytes *b);
void nettrace_header_read6(struct nettrace_header *h, struct bytes *b);
/* As nettrace_time(). */
int64_t nettrace_header_time(const struct nettrace_header *h, uint64_t timestamp);

#endif
