import { bytes, wholeNumber, wholeSeconds } from '@tollgate/platform/process';
import type { z } from 'zod';

const MIB = 1024 * 1024;

/** What operators may set of the WebSocket connections of a gateway. */
export const websocketSettings = {
  WEBSOCKETS: wholeNumber(0)
    .default(10_000)
    .describe(
      'WebSocket connections to `/v1/responses` that one process has open at once; beyond it, and always with `0`, clients are told 426, on which those that know both send a `POST`',
    ),
  WEBSOCKETS_PER_KEY: wholeNumber(1).default(500).describe('Those of one API key'),
  WEBSOCKET_IDLE_S: wholeSeconds(1)
    .default(900)
    .describe('A WebSocket connection over which nothing is asked for so long is closed'),
  WEBSOCKET_AGE_S: wholeSeconds(1)
    .default(3_600)
    .describe(
      'The greatest age of a WebSocket connection; what is under way is answered first. Clients know the hour that OpenAI allows',
    ),
  WEBSOCKET_MEMORY_BYTES: bytes(0)
    .default(64 * MIB)
    .describe(
      'Memory of one process for the conversations that WebSocket connections go on from with `store: false`; one of them may take an eighth. What is forgotten is sent in full by its client',
    ),
};

/** Of one process. */
export interface SocketLimits {
  /** Connections; 0 serves none. */
  readonly inAll: number;
  readonly perKey: number;
  readonly idleMs: number;
  readonly maxAgeMs: number;
  /** For the conversations that connections go on from. */
  readonly memoryBytes: number;
}

export const toSocketLimits = (config: z.infer<z.ZodObject<typeof websocketSettings>>): SocketLimits => ({
  inAll: config.WEBSOCKETS,
  perKey: config.WEBSOCKETS_PER_KEY,
  idleMs: config.WEBSOCKET_IDLE_S * 1_000,
  maxAgeMs: config.WEBSOCKET_AGE_S * 1_000,
  memoryBytes: config.WEBSOCKET_MEMORY_BYTES,
});
