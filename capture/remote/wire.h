#ifndef CAPTURE_REMOTE_WIRE_H
#define CAPTURE_REMOTE_WIRE_H

/*
 * The contents of the messages of frame.h as structs: numbers in little endian, texts with their
 * length in 16 bits. Reading checks all of it, as the other side may send anything.
 */
#include "model/base/progress.h"
#include "model/heap/live.h"

/* Every question; each uses some of the fields. */
struct wire_ask {
	int32_t pid;
	uint32_t capture;                          /* an earlier one; 0: none */
	bool from_memory, has_conservative_stacks; /* as in struct live_options */
	uint32_t runtime;
	bool wants_joins;
	uint64_t time_ns; /* as in struct live_allocations */
	uint32_t buffer_mb;
	bool is_random, without_survival;
};

/* SAY_PROGRESS */
struct wire_progress {
	uint64_t done, total;
	bool is_about;
	char stage[64], counted[32]; /* "": none, bytes */
	struct live_watch watch;
};

/* SAY_END */
struct wire_end {
	struct error err; /* ERROR_NONE: success */
	uint32_t capture;
	bool is_complete;
	char text[256];   /* what a capture cost; why a stream ended */
	char who[96];     /* "process 4711 (api)" */
	char runtime[48]; /* "10.0.9" */
	uint32_t buffer_mb;
	bool is_random, is_cut;
	/* As in struct live_allocations. */
	uint64_t survival_stop_ns;
	uint32_t sessions;
	struct live_room target;
};

/* SAY_CODE: as struct method_image. */
struct wire_code {
	uint64_t start, end, base;
	char path[1024];
};

enum wire_kind {
	WIRE_ASK,
	WIRE_PROGRESS,
	WIRE_END,
	WIRE_PROCESS, /* struct live_process */
	WIRE_CARD,    /* struct live_card */
	WIRE_CODE,
};

enum { WIRE_BYTES = 4096 };
/* Writes the struct; returns the length. */
size_t wire_put(enum wire_kind kind, const void *from, uint8_t to[WIRE_BYTES]);
/* Reads a struct that takes up all `len` bytes. */
bool wire_take(enum wire_kind kind, const uint8_t *bytes, size_t len, void *to,
	       struct error *err) MUST_USE;

#endif
