import type { Protocol } from '@tollgate/vocabulary';
import { isObject, objectAt, textAt } from '../json.ts';
import type { StreamFraming } from '../protocol.ts';
import { errorBody, type RelayError, responsesCode } from '../relay-error.ts';

/**
 * The bytes that tell a client that its stream broke, in the form that the official SDK of the protocol raises as an
 * error. `begun`: something was sent already. `last` is the last event that passed: Responses clients want its sequence and response continued.
 */
export function renderStreamError(
  protocol: Protocol,
  framing: StreamFraming,
  error: RelayError,
  last: unknown,
  begun: boolean = last !== undefined,
): Buffer {
  const body = errorBody(protocol, error, undefined);
  switch (protocol) {
    case 'openai-chat':
      return Buffer.from(`data: ${JSON.stringify(body)}\n\n`);
    case 'openai-responses':
      return Buffer.from(responsesError(error, last).map(sse).join(''));
    case 'anthropic-messages':
      return Buffer.from(sse({ type: 'error', ...body }));
    case 'gemini':
      return Buffer.from(
        framing === 'json-array'
          ? `${last !== undefined ? ',' : begun ? '' : '['}${JSON.stringify(body)}]`
          : `data: ${JSON.stringify(body)}\n\n`,
      );
  }
}

const sse = (event: { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function responsesError(error: RelayError, last: unknown): { type: string }[] {
  const sequence =
    isObject(last) && typeof last['sequence_number'] === 'number' ? last['sequence_number'] + 1 : 0;
  const code = responsesCode(error.kind);
  const id = textAt(objectAt(last, 'response'), 'id') || 'resp_unknown';
  const failed = {
    id,
    object: 'response',
    status: 'failed',
    output: [],
    error: { code, message: error.message },
  };
  return [
    { type: 'error', ...{ code, message: error.message, param: null, sequence_number: sequence } },
    { type: 'response.failed', ...{ sequence_number: sequence + 1, response: failed } },
  ];
}
