import type { ClientProtocol } from '@tollgate/vocabulary';
import { at, type Event, isList, isMap, isText, must, mustBeUsage, readEvents } from './client-events.ts';
import type { Framing } from './streams.ts';
import { validResponsesStream } from './valid-responses.ts';

const CHAT_FINISH = ['stop', 'length', 'tool_calls', 'content_filter'];
export const STOP_REASONS = [
  'end_turn',
  'stop_sequence',
  'max_tokens',
  'model_context_window_exceeded',
  'tool_use',
  'refusal',
  'pause_turn',
];
const GEMINI_FINISH = ['STOP', 'MAX_TOKENS', 'SAFETY'];

/** Whether a client of this format can read the whole stream: shapes, order and end; throws what is wrong. */
export function mustBeStream(protocol: ClientProtocol, framing: Framing, text: string): void {
  const events = readEvents(framing, text);
  must(events.length > 0, 'A stream without an event', text);
  VALID[protocol](events);
}

type Events = readonly (Event | '[DONE]')[];

const VALID: Readonly<Record<ClientProtocol, (events: Events) => void>> = {
  'openai-chat': validChatStream,
  'openai-responses': validResponsesStream,
  'anthropic-messages': validMessagesStream,
  gemini: validGeminiStream,
};

function validChatStream(events: Events): void {
  let calls = 0;
  let finished = false;
  for (const [index, event] of events.entries()) {
    const last = index === events.length - 1;
    if (event === '[DONE]') {
      must(last && finished, 'The end comes too early', events);
      return;
    }
    if (event['error'] !== undefined) {
      must(last && isText(at(event, 'error', 'message')), 'An error is not the last event', events);
      return;
    }
    must(event['object'] === 'chat.completion.chunk' && isText(event['id']), 'Not a chunk', event);
    if (event['usage']) mustBeUsage(event['usage']);
    const choices = event['choices'];
    must(isList(choices) && choices.length <= 1, 'Wrong choices', event);
    if (choices.length === 0) continue;
    must(!finished, 'A choice after its finish reason', events);
    const delta = at(choices, 0, 'delta');
    must(isMap(delta), 'No delta', event);
    if (index === 0) must(at(delta, 'role') === 'assistant', 'The first chunk has no role', event);
    for (const key of ['content', 'refusal', 'reasoning_content']) {
      const value = at(delta, key);
      must(value === undefined || value === null || isText(value), `${key} is no text`, event);
    }
    const called = at(delta, 'tool_calls');
    if (called !== undefined) {
      must(isList(called) && called.length === 1, 'Wrong calls', event);
      const [call] = called;
      const named = at(call, 'function') ?? at(call, 'custom');
      const begins = isText(at(named, 'name'));
      must(at(call, 'index') === (begins ? calls++ : calls - 1), 'A call out of order', events);
      if (begins) must(isText(at(call, 'id')), 'A call without an id', event);
      must(isText(at(named, 'arguments') ?? at(named, 'input')), 'A call without arguments', event);
    }
    const finish = at(choices, 0, 'finish_reason');
    if (finish === null) continue;
    must(CHAT_FINISH.includes(String(finish)), 'Unknown finish reason', event);
    finished = true;
  }
  must(false, 'The stream has no end', events);
}

const PIECES: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
};

function validMessagesStream(events: Events): void {
  let open: string | undefined;
  let index = -1;
  let stopped = false;
  for (const [place, event] of events.entries()) {
    must(event !== '[DONE]', 'An end that this format does not have', events);
    const last = place === events.length - 1;
    const type = event['type'];
    if (type === 'error') {
      must(last && isText(at(event, 'error', 'message')), 'An error is not the last event', events);
      return;
    }
    must((place === 0) === (type === 'message_start'), 'message_start is not the first event', events);
    if (type === 'message_start') {
      must(isText(at(event, 'message', 'id')), 'No id', event);
      mustBeUsage(at(event, 'message', 'usage'));
    } else if (type === 'content_block_start') {
      must(open === undefined && event['index'] === ++index && !stopped, 'A block out of order', events);
      open = String(at(event, 'content_block', 'type'));
      must(Object.hasOwn(PIECES, open), 'Unknown block', event);
      if (open === 'tool_use')
        must(
          isText(at(event, 'content_block', 'name')) && isText(at(event, 'content_block', 'id')),
          'No name',
          event,
        );
    } else if (type === 'content_block_delta') {
      const piece = String(at(event, 'delta', 'type'));
      must(event['index'] === index && (PIECES[open ?? ''] ?? []).includes(piece), 'A wrong delta', events);
    } else if (type === 'content_block_stop') {
      must(open !== undefined && event['index'] === index, 'A stop out of order', events);
      open = undefined;
    } else if (type === 'message_delta') {
      must(open === undefined && !stopped, 'message_delta out of order', events);
      must(STOP_REASONS.includes(String(at(event, 'delta', 'stop_reason'))), 'Unknown stop reason', event);
      mustBeUsage(event['usage']);
      stopped = true;
    } else {
      must(type === 'message_stop' && stopped && last, 'Unknown or early event', events);
      return;
    }
  }
  must(false, 'The stream has no end', events);
}

function validGeminiStream(events: Events): void {
  for (const [index, event] of events.entries()) {
    const last = index === events.length - 1;
    must(event !== '[DONE]', 'An end that this format does not have', events);
    if (event['error'] !== undefined) {
      must(last && isText(at(event, 'error', 'message')), 'An error is not the last event', events);
      return;
    }
    mustBeParts(at(event, 'candidates', 0, 'content', 'parts'));
    if (event['usageMetadata'] !== undefined) mustBeUsage(event['usageMetadata']);
    const finish = at(event, 'candidates', 0, 'finishReason');
    must(last === (finish !== undefined), 'The finish reason is not at the end', events);
    if (last) must(GEMINI_FINISH.includes(String(finish)), 'Unknown finish reason', event);
  }
}

export function mustBeParts(parts: unknown): void {
  must(isList(parts), 'No parts', parts);
  for (const part of parts) {
    const call = at(part, 'functionCall');
    if (call === undefined) must(isText(at(part, 'text')), 'A part of no kind', part);
    else
      must(
        isText(at(call, 'name')) && isText(at(call, 'id')) && isMap(at(call, 'args')),
        'A wrong call',
        part,
      );
    const signature = at(part, 'thoughtSignature');
    must(signature === undefined || isText(signature), 'A wrong signature', part);
  }
}
