#ifndef CAPTURE_EVENTS_MESSAGE_H
#define CAPTURE_EVENTS_MESSAGE_H

/*
 * Messages of a runtime's diagnostics protocol as bytes, little endian; no input or output is done
 * here.
 *
 *   0  14  "DOTNET_IPC_V1", NUL
 *  14   2  u16 size including these 20 bytes
 *  16   1  u8 command set      (0xff: a reply)
 *  17   1  u8 command          (reply: 0 done, 0xff refused)
 *  18   2  u16 0
 *  20      payload; refused: u32 reason, perhaps more
 *
 * A string is a u32 count of UTF-16 units including a final NUL, then the units; count 0: no
 * string.
 */
#include "io/base/bytes.h"
#include "model/base/error.h"

enum {
	MESSAGE_HEADER_BYTES = 20,
	MESSAGE_REQUEST_MAX = 1024,
	MESSAGE_ADVERTISE_BYTES = 34,
};

/* ---- requests ----------------------------------------------------------- */

struct message {
	uint8_t data[MESSAGE_REQUEST_MAX];
	size_t len;
};

void message_process_info(struct message *m, unsigned version); /* 1, 2, 3 */
void message_resume(struct message *m); /* a runtime that waits at its start */
void message_stop(struct message *m, uint64_t session_id);

/* A session with one event provider. */
struct tracing_request {
	unsigned command;     /* CollectTracing2 … 6 */
	uint32_t buffer_mb;   /* not 0 */
	const char *provider; /* at most 64 characters of ASCII */
	uint64_t keywords;
	uint32_t level;
	/* Events of the rundown at its end; commands 2 and 3: all or none. */
	uint64_t rundown_keywords;
	/* Ids of events to filter out; commands 5 and 6 only. */
	const uint32_t *unwanted;
	uint32_t unwanted_count; /* at most 16 */
	bool wants_stacks;       /* command 2: has them in any case */
	bool blocks;             /* the program waits for us instead of losing events; 6 */
};
/*
 * Runtimes up to 9 crash on a malformed request, such as one for a buffer of 0 MB. An unknown
 * command is harmless.
 */
void message_collect(struct message *m, const struct tracing_request *request);

/* ---- replies ------------------------------------------------------------ */

#define REASON_BAD_ENCODING    UINT32_C(0x80131384)
#define REASON_UNKNOWN_COMMAND UINT32_C(0x80131385)

struct reply {
	bool is_done;          /* else refused */
	uint32_t payload_size; /* that follows */
};
/* Reads the first 20 bytes; false: this is not a runtime's reply. */
bool reply_read(struct reply *r, const uint8_t head[MESSAGE_HEADER_BYTES],
		struct error *err) MUST_USE;
/* "it has no room for another event session", or a text for any other reason.
 */
const char *message_reason_text(uint32_t reason);

/* A runtime's own description. Texts are truncated, without control characters.
 */
struct runtime_info {
	uint64_t pid; /* in its own pid namespace */
	uint8_t cookie[16];
	char system[16], machine[16]; /* "Linux", "x64" */
	char assembly[64];            /* "" in version 1 of the command */
	char version[48];             /* "10.0.9"; "" in version 1 */
};
/* Reads the payload of a reply to message_process_info(). */
bool runtime_info_read(struct runtime_info *info, unsigned version, const uint8_t *payload,
		       size_t len, struct error *err) MUST_USE;
/* The 10 of "10.0.9"; 0 if there is no number. */
unsigned runtime_info_major(const struct runtime_info *info);

/* Sent by a runtime when it connects to a reversed port. */
struct advertise {
	uint8_t cookie[16];
	uint64_t pid; /* in its own pid namespace */
};
bool advertise_read(struct advertise *a, const uint8_t data[MESSAGE_ADVERTISE_BYTES]) MUST_USE;

#endif
