#ifndef TESTS_MADE_MCP_REQUESTS_H
#define TESTS_MADE_MCP_REQUESTS_H

/*
 * Made-up requests of a client of the Model Context Protocol, by the schemas that tools/list
 * answers: most are right in part, so that they reach a heap.
 */
#include <jansson.h>
#include <stdint.h>

/* Returns a number below `limit`, and advances the state. */
uint32_t mcp_random(uint64_t *state, uint32_t limit);

/* Returns a request, a cancellation or another notification. */
json_t *mcp_made_request(uint64_t *state);
/* Change, add or remove one argument of the message, if it calls a tool. */
void mcp_change_argument(json_t *message, uint64_t *state);

#endif
