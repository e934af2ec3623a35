#ifndef TUI_BASE_ORIGIN_H
#define TUI_BASE_ORIGIN_H

/* The origin of a setting or key binding. */
#include "model/base/error.h"

enum origin_kind {
	ORIGIN_DEFAULT,
	ORIGIN_SYSTEM_RC,
	ORIGIN_RC,
	ORIGIN_ENVIRONMENT,
	ORIGIN_COMMAND_LINE,
	ORIGIN_PROMPT,
};
struct origin {
	enum origin_kind kind;
	uint32_t line;    /* of a file */
	const char *file; /* borrowed; lives as long as the settings */
};

enum { ORIGIN_BYTES = 256 };
/* "default", "~/.config/heaptop/heaptoprc:3", "command line", "prompt"
 */
const char *origin_text(const struct origin *o, char out[ORIGIN_BYTES]);

#endif
