import type { Protocol } from '@tollgate/vocabulary';
import type { StreamFraming } from '../protocol.ts';

const COMMENT = Buffer.from(': keep-alive\n\n');
const PING = Buffer.from('event: ping\ndata: {"type":"ping"}\n\n');
const NEWLINE = Buffer.from('\n');

const IDLE: Readonly<Record<Protocol, Buffer>> = {
  'openai-chat': COMMENT,
  'openai-responses': COMMENT,
  'anthropic-messages': PING,
  // Some Gemini clients fail on a comment; an empty line, or white space in an array, harms none.
  gemini: NEWLINE,
};

/** What may be sent between two events so that nobody on the way takes a silent stream for a dead one. */
export const keepAlive = (protocol: Protocol, framing: StreamFraming): Buffer =>
  framing === 'none' ? Buffer.alloc(0) : IDLE[protocol];
