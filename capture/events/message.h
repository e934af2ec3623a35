#ifndef CAPTURE_EVENTS_MESSAGE_H
#define CAPTURE_EVENTS_MESSAGE_H

/*
 * What goes over a runtime's diagnostics socket, as bytes. All little endian.
 *
 *   0  14  "DOTNET_IPC_V1", NUL
 *  14   2  u16 size of all, these 20 bytes included
 *  16   1  u8 command set      (0xff: a reply)
 *  17   1  u8 command          (reply: 0 done, 0xff refused)
 *  18   2  u16 0
 *  20      payload; refused: u32 reason, perhaps more
 *
 * A string is a u32 count of UTF-16 units with the NUL at their end, and the
 * units; count 0: no string. No input or output is done here.
 */
#include "io/base/bytes.h"
#include "model/base/arena.h"

enum {
	MESSAGE_HEADER_BYTES = 20,
	MESSAGE_REQUEST_MAX = 1024, /* ours are small */
	MESSAGE_ADVERTISE_BYTES = 34,
};

/* ---- requests ----------------------------------------------------------- */

struct message {
	uint8_t data[MESSAGE_REQUEST_MAX];
	size_t len;
};

void message_process_info(struct message *m, unsigned version); /* 1, 2, 3 */
void message_environment(struct message *m);
void message_stop(struct message *m, uint64_t session_id);

/* A session with one provider of events. */
struct tracing_request {
	unsigned command;     /* CollectTracing2 … 6 */
	uint32_t buffer_mb;   /* not 0 */
	const char *provider; /* at most 64 characters of ASCII */
	uint64_t keywords;
	uint32_t level;
	/* What to tell when it stops; commands 2 and 3: all or nothing. */
	uint64_t rundown_keywords;
	/* Events that are not wanted; commands 5 and 6, the others send all. */
	const uint32_t *unwanted;
	uint32_t unwanted_count; /* at most 16 */
	bool blocks; /* the program waits for us and loses nothing; command 6 */
};
/*
 * Beware: runtimes up to 9 die of a request that they cannot read, such as one
 * for a buffer of 0 MB. An unknown command is harmless.
 */
void message_collect(struct message *m, const struct tracing_request *request);

/* ---- replies ------------------------------------------------------------ */

#define REASON_BAD_ENCODING    UINT32_C(0x80131384)
#define REASON_UNKNOWN_COMMAND UINT32_C(0x80131385)

struct reply {
	bool is_done;          /* else refused */
	uint32_t payload_size; /* still to be read */
};
/* The first 20 bytes; false with a sentence: not what a runtime sends. */
bool reply_read(struct reply *r, const uint8_t head[MESSAGE_HEADER_BYTES],
		struct error *err) MUST_USE;
/* "it has no room for another session", for a REASON_ or any other. */
const char *message_reason_text(uint32_t reason);

/* What a runtime says of itself. Texts are cut and free of control characters.
 */
struct runtime_info {
	uint64_t pid; /* as it sees itself */
	uint8_t cookie[16];
	char system[16], machine[16]; /* "Linux", "x64" */
	char assembly[64];            /* "" before version 2 of the command */
	char version[48];             /* "10.0.9"; "" likewise */
};
/* The payload of a reply to message_process_info(). */
bool runtime_info_read(struct runtime_info *info, unsigned version,
		       const uint8_t *payload, size_t len,
		       struct error *err) MUST_USE;
/* The 10 of "10.0.9"; 0 if there is no number. */
unsigned runtime_info_major(const struct runtime_info *info);

/* What a runtime sends when it connects to us. */
struct advertise {
	uint8_t cookie[16];
	uint64_t pid; /* as it sees itself */
};
bool advertise_read(struct advertise *a,
		    const uint8_t data[MESSAGE_ADVERTISE_BYTES]) MUST_USE;

/*
 * The environment block that follows a reply to message_environment(), as
 * NAME=VALUE, one a line; NULL sets `err`.
 */
enum { MESSAGE_ENVIRONMENT_MAX = 4 << 20 };
const char *environment_read(const uint8_t *data, size_t len, struct arena *a,
			     struct error *err);

#endif
