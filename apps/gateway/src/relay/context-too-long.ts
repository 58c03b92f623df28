import type { IncomingHttpHeaders } from 'node:http';
import { parseJson, type Protocol } from '@tollgate/protocols';

/** Whether an upstream's refusal already bears the sign by which agents of its format know that the context is too short. */
export function saysTooLong(protocol: Protocol, body: Buffer): boolean {
  const text = body.toString('utf8');
  switch (protocol) {
    case 'openai-chat':
    case 'openai-responses':
      return codeOf(parseJson(text)) === 'context_length_exceeded';
    case 'anthropic-messages':
      return /prompt is too long/i.test(text);
    case 'gemini':
      return true;
  }
}

function codeOf(body: unknown): unknown {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/**
 * Codex shortens a conversation when the stream of an answer fails with `context_length_exceeded`, as OpenAI tells it; from
 * a status of 400 it takes only the words.
 */
export const readsErrorsInStreams = (request: {
  readonly protocol: Protocol;
  readonly stream: boolean;
  readonly headers: IncomingHttpHeaders;
}): boolean =>
  request.protocol === 'openai-responses' &&
  request.stream &&
  /^codex/i.test(String(request.headers['originator'] ?? ''));
