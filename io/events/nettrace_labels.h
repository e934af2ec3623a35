#ifndef IO_EVENTS_NETTRACE_LABELS_H
#define IO_EVENTS_NETTRACE_LABELS_H

/*
 * Label lists of format 6, which events refer to by number:
 *
 *   u32 number of the first list, u32 count of lists, labels
 *   label   u8 kind, with 80 if it is the last of its list; 16 bytes, 8 bytes,
 *           one or two texts, a varint or a byte, as enum label_kind has it
 *
 * Only version labels are used; they override the version of the kind.
 */
#include "io/base/bytes.h"
#include "model/base/u64_map.h"

/* Maps lists to versions. Damage fails `b`; false sets `err`: no memory. */
bool nettrace_labels_read(struct u64_map *versions, struct bytes *b, struct error *err) MUST_USE;

#endif
