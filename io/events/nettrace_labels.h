#ifndef IO_EVENTS_NETTRACE_LABELS_H
#define IO_EVENTS_NETTRACE_LABELS_H

/*
 * The lists of labels of format 6, which its events name by number:
 *
 *   u32 number of the first list, u32 how many lists, labels
 *   label   u8 kind, with 80 if it is the last of its list; 16 bytes, 8 bytes,
 *           one or two texts, a varint or a byte, as enum label_kind has it
 *
 * Only versions are of use, which go before those of the kinds of events.
 */
#include "io/base/bytes.h"
#include "model/base/u64_map.h"

/* List → version. What is damaged shows in `b`; false sets `err`: no memory. */
bool nettrace_labels_read(struct u64_map *versions, struct bytes *b,
			  struct error *err) MUST_USE;

#endif
