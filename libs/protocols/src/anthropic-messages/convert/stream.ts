import { messagesUsage } from '../usage.ts';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { customText } from '../../convert/tool-input.ts';
import { given, isObject, type JsonObject, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerEvent, OpenedBlock, StreamDecoder, StreamEncoder } from '../../neutral/answer.ts';
import { failureError } from '../../failure.ts';
import { relayError } from '../../relay-error.ts';
import type { RawUsage } from '../../codec.ts';
import { findMessagesFailure, messagesErrorBody } from '../errors.ts';
import {
  citationBlock,
  decodeCitation,
  encodeMessagesUsage,
  imageNote,
  isRedacted,
  createMessage,
  messagesFinish,
  messagesFinishWord,
  redacted,
  redactedBlock,
  signatureFor,
  signed,
} from './answer.ts';

export function messagesStreamDecoder({ names }: DecodeAnswerContext): StreamDecoder {
  let usage: RawUsage | undefined;
  let calls = false;
  let stop: JsonObject | undefined;
  let ended = false;
  /** Input of a free-form tool: it is inside a JSON object, so that it is whole only at its end. */
  const custom = new Map<number, string>();
  const signatures = new Map<number, string>();

  function* open(block: number, content: JsonObject): Generator<AnswerEvent> {
    switch (textAt(content, 'type')) {
      case 'text':
        yield { type: 'open', block, opened: { kind: 'text' } };
        if (textAt(content, 'text')) yield { type: 'delta', block, text: textAt(content, 'text') };
        return;
      case 'thinking':
        yield { type: 'open', block, opened: { kind: 'thinking' } };
        if (textAt(content, 'thinking')) yield { type: 'delta', block, text: textAt(content, 'thinking') };
        return;
      case 'redacted_thinking':
        yield { type: 'open', block, opened: { kind: 'thinking' } };
        yield { type: 'state', block, state: redacted(textAt(content, 'data')) };
        return;
      case 'tool_use': {
        calls = true;
        const named = names.fromUpstream(textAt(content, 'name'));
        if (named.custom) custom.set(block, '');
        yield { type: 'open', block, opened: { kind: 'tool_call', id: textAt(content, 'id'), ...named } };
        const input = objectAt(content, 'input');
        if (input && Object.keys(input).length > 0) yield* argumentsOf(block, JSON.stringify(input));
      }
    }
  }

  function* argumentsOf(block: number, piece: string): Generator<AnswerEvent> {
    const held = custom.get(block);
    if (held !== undefined) custom.set(block, held + piece);
    else if (piece !== '') yield { type: 'delta', block, text: piece };
  }

  function* delta(block: number, piece: JsonObject): Generator<AnswerEvent> {
    switch (textAt(piece, 'type')) {
      case 'text_delta':
        return yield { type: 'delta', block, text: textAt(piece, 'text') };
      case 'thinking_delta':
        return yield { type: 'delta', block, text: textAt(piece, 'thinking') };
      case 'input_json_delta':
        return yield* argumentsOf(block, textAt(piece, 'partial_json'));
      case 'signature_delta':
        signatures.set(block, (signatures.get(block) ?? '') + textAt(piece, 'signature'));
        return;
      case 'citations_delta':
        for (const citation of decodeCitation(objectAt(piece, 'citation')))
          yield { type: 'citation', block, citation };
    }
  }

  function* close(block: number): Generator<AnswerEvent> {
    const held = custom.get(block);
    if (held !== undefined) yield { type: 'delta', block, text: customText(held) };
    const signature = signatures.get(block);
    if (signature !== undefined) yield { type: 'state', block, state: signed(signature) };
    yield { type: 'close', block };
  }

  function* finish(): Generator<AnswerEvent> {
    ended = true;
    if (usage) yield { type: 'usage', tokens: messagesUsage.toTokens(usage) };
    yield {
      type: 'finish',
      reason: messagesFinish(textAt(stop, 'stop_reason'), calls),
      ...given({ stopSequence: someTextAt(stop, 'stop_sequence') }),
    };
  }

  function* read(event: unknown): Generator<AnswerEvent> {
    const block = isObject(event) && typeof event['index'] === 'number' ? event['index'] : 0;
    usage = messagesUsage.findInEvent(event, usage)?.usage ?? usage;
    const failure = findMessagesFailure(event);
    if (failure) {
      ended = true;
      return yield { type: 'error', error: failureError(failure) };
    }
    switch (textAt(event, 'type')) {
      case 'message_start':
        return yield { type: 'start', id: textAt(objectAt(event, 'message'), 'id') };
      case 'content_block_start':
        return yield* open(block, objectAt(event, 'content_block') ?? {});
      case 'content_block_delta':
        return yield* delta(block, objectAt(event, 'delta') ?? {});
      case 'content_block_stop':
        return yield* close(block);
      case 'message_delta':
        if (textAt(objectAt(event, 'delta'), 'stop_reason')) stop = objectAt(event, 'delta');
        return;
      case 'message_stop':
        return yield* finish();
    }
  }

  return {
    read: (event) => [...read(event)],
    end() {
      if (ended) return [];
      // Some servers end without the last event once the reason is told.
      if (stop) return [...finish()];
      return [
        {
          type: 'error',
          error: relayError('upstream_error', 'The upstream broke off before its answer was complete.'),
        },
      ];
    },
  };
}

export function messagesStreamEncoder(context: EncodeAnswerContext): StreamEncoder {
  let index = -1;
  let opened: OpenedBlock | undefined;
  let state: Extract<AnswerEvent, { type: 'state' }>['state'] | undefined;
  let custom = '';
  /** The beginning of a thought waits until it shows whether it has a text. */
  let begun = false;
  let usage = encodeMessagesUsage({});

  const event = (type: string, fields: JsonObject = {}) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const delta = (piece: JsonObject) => event('content_block_delta', { index, delta: piece });

  function open(block: OpenedBlock): string {
    index += 1;
    opened = block;
    state = undefined;
    custom = '';
    begun = false;
    return block.kind === 'thinking' ? '' : begin(emptyBlock(block));
  }

  function begin(block: JsonObject): string {
    if (begun) return '';
    begun = true;
    return event('content_block_start', { index, content_block: block });
  }

  function piece(text: string): string {
    switch (opened?.kind) {
      case 'text':
      case 'refusal':
        return delta({ type: 'text_delta', text });
      case 'image':
        return delta({ type: 'text_delta', text: imageNote(opened.mediaType) });
      case 'thinking':
        return begin(emptyBlock(opened)) + delta({ type: 'thinking_delta', thinking: text });
      case 'tool_call':
        if (!opened.custom) return delta({ type: 'input_json_delta', partial_json: text });
        custom += text;
        return '';
      default:
        return '';
    }
  }

  function close(): string {
    const rest =
      opened?.kind === 'thinking'
        ? isRedacted(state) && !begun
          ? begin(redactedBlock(state))
          : begin(emptyBlock(opened)) +
            delta({ type: 'signature_delta', signature: signatureFor(state, context.states) })
        : opened?.kind === 'tool_call' && opened.custom
          ? delta({ type: 'input_json_delta', partial_json: JSON.stringify({ input: custom }) })
          : '';
    opened = undefined;
    return rest + event('content_block_stop', { index });
  }

  return {
    write(each) {
      switch (each.type) {
        case 'start':
          return event('message_start', { message: createMessage(each.id, [], usage, undefined, context) });
        case 'open':
          return open(each.opened);
        case 'delta':
          return piece(each.text);
        case 'state':
          ({ state } = each);
          return '';
        case 'citation':
          return delta({ type: 'citations_delta', citation: citationBlock(each.citation) });
        case 'close':
          return close();
        case 'usage':
          usage = encodeMessagesUsage(each.tokens);
          return '';
        case 'finish':
          return (
            event('message_delta', {
              delta: {
                stop_reason: messagesFinishWord(each.reason),
                stop_sequence: each.stopSequence ?? null,
              },
              usage,
            }) + event('message_stop')
          );
        case 'error':
          return event('error', messagesErrorBody(each.error, undefined));
      }
    },
    end: () => '',
  };
}

function emptyBlock(block: OpenedBlock): JsonObject {
  switch (block.kind) {
    case 'text':
    case 'refusal':
    case 'image':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_call':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
  }
}
