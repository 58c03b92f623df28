import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { keptState } from '../../convert/reasoning-state.ts';
import { errorBody, relayError } from '../../relay-error.ts';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../json.ts';
import type { AnswerEvent, OpenedBlock, StreamDecoder, StreamEncoder } from '../../neutral/answer.ts';
import type { ReasoningState } from '../../neutral/request.ts';
import { openaiChat } from '../codec.ts';
import {
  annotationOf,
  callIdFor,
  chatFinish,
  chatFinishWord,
  chatId,
  citationOf,
  encodeChatUsage,
  extraContent,
  openaiErrorMessage,
  signatureOf,
  withText,
} from './answer.ts';

/** The usage of a Chat stream may come after its finish reason: both are told at the end. */
export function chatStreamDecoder({ names }: DecodeAnswerContext): StreamDecoder {
  let started = false;
  let answer = '';
  let blocks = 0;
  let running: { block: number; kind: OpenedBlock['kind'] } | undefined;
  const calls = new Map<number, { block: number; opened: boolean; id: string; input: string }>();
  let finish = '';
  let refused = false;
  let usage: JsonObject | undefined;
  let failed = false;

  function* text(kind: 'text' | 'refusal' | 'thinking', piece: string): Generator<AnswerEvent> {
    if (piece === '') return;
    if (running?.kind !== kind) {
      yield* closeRunning();
      running = { block: blocks++, kind };
      yield { type: 'open', block: running.block, opened: { kind } };
    }
    yield { type: 'delta', block: running.block, text: piece };
  }

  function* closeRunning(): Generator<AnswerEvent> {
    if (running) yield { type: 'close', block: running.block };
    running = undefined;
  }

  function* call(delta: unknown): Generator<AnswerEvent> {
    const index = isObject(delta) && typeof delta['index'] === 'number' ? delta['index'] : 0;
    const custom = objectAt(delta, 'custom');
    const named = custom ?? objectAt(delta, 'function');
    const known = calls.get(index) ?? { block: -1, opened: false, id: '', input: '' };
    known.id ||= textAt(delta, 'id');
    const name = textAt(named, 'name');
    const piece = custom ? textAt(custom, 'input') : textAt(named, 'arguments');
    calls.set(index, known);
    if (!known.opened && name !== '') {
      yield* closeRunning();
      const state = signatureOf(delta);
      if (state) yield* stateBlock(state);
      known.opened = true;
      known.block = blocks++;
      const opened = {
        ...names.fromUpstream(name),
        kind: 'tool_call' as const,
        id: known.id || callIdFor(answer, index),
        custom: custom !== undefined,
      };
      yield { type: 'open', block: known.block, opened };
    }
    known.input += piece;
    if (!known.opened) return;
    // What came before the name had to wait for it.
    if (known.input !== '') yield { type: 'delta', block: known.block, text: known.input };
    known.input = '';
  }

  function* stateBlock(state: ReasoningState): Generator<AnswerEvent> {
    const block = blocks++;
    yield { type: 'open', block, opened: { kind: 'thinking' } };
    yield { type: 'state', block, state };
    yield { type: 'close', block };
  }

  function* read(event: unknown): Generator<AnswerEvent> {
    if (isObject(event) && event['error']) {
      failed = true;
      yield {
        type: 'error',
        error: relayError('upstream_error', openaiErrorMessage(event) ?? 'The upstream broke off.'),
      };
      return;
    }
    const id = textAt(event, 'id');
    // Some servers begin with a chunk that has neither an id nor choices.
    if (!started && (id !== '' || listAt(event, 'choices').length > 0)) {
      started = true;
      answer = id;
      yield { type: 'start', id };
    }
    usage = objectAt(event, 'usage') ?? usage;
    const choice = listAt(event, 'choices').find((each) => !isObject(each) || (each['index'] ?? 0) === 0);
    const delta = objectAt(choice, 'delta');
    yield* text('thinking', textAt(delta, 'reasoning_content') || textAt(delta, 'reasoning'));
    yield* text('text', textAt(delta, 'content'));
    const refusal = textAt(delta, 'refusal');
    refused ||= refusal !== '';
    yield* text('refusal', refusal);
    for (const annotation of listAt(delta, 'annotations').flatMap(citationOf)) {
      if (running?.kind === 'text') yield { type: 'citation', block: running.block, citation: annotation };
    }
    for (const each of listAt(delta, 'tool_calls')) yield* call(each);
    finish = textAt(choice, 'finish_reason') || finish;
  }

  function* end(): Generator<AnswerEvent> {
    if (failed) return;
    if (finish === '') {
      yield {
        type: 'error',
        error: relayError('upstream_error', 'The upstream broke off before its answer was complete.'),
      };
      return;
    }
    yield* closeRunning();
    for (const { block, opened } of calls.values()) if (opened) yield { type: 'close', block };
    if (usage) yield { type: 'usage', tokens: openaiChat.tokensOf(usage) };
    yield { type: 'finish', reason: chatFinish(finish, { calls: calls.size > 0, refusal: refused }) };
  }

  return { read: (event) => [...read(event)], end: () => [...end()] };
}

export function chatStreamEncoder(context: EncodeAnswerContext): StreamEncoder {
  let id = '';
  let opened: OpenedBlock | undefined;
  let calls = 0;
  let thought = '';
  let filled = false;
  let states: ReasoningState[] = [];
  let usage: JsonObject | undefined;

  const sse = (body: unknown) => `data: ${JSON.stringify(body)}\n\n`;
  const chunk = (choices: JsonObject[], more: JsonObject = {}) =>
    sse({
      id,
      object: 'chat.completion.chunk',
      created: context.created,
      model: context.model,
      choices,
      ...(context.includeUsage ? { usage: null } : {}),
      ...more,
    });
  const delta = (part: JsonObject, finish: string | null = null) =>
    chunk([{ index: 0, delta: part, logprobs: null, finish_reason: finish }]);

  function open(block: OpenedBlock): string {
    opened = block;
    filled = false;
    if (block.kind === 'thinking') thought = '';
    if (block.kind !== 'tool_call') return '';
    const extra = states.length > 0 ? extraContent(keptState(states, 'openai-chat', context.states)) : {};
    states = [];
    const named = block.custom
      ? { type: 'custom', custom: { name: block.name, input: '' } }
      : { type: 'function', function: { name: block.name, arguments: '' } };
    return delta({ tool_calls: [{ index: calls++, id: block.id, ...named, ...extra }] });
  }

  function piece(text: string): string {
    filled = true;
    switch (opened?.kind) {
      case 'text':
        return delta({ content: text });
      case 'refusal':
        return delta({ refusal: text });
      case 'thinking':
        thought += text;
        return delta({ reasoning_content: text });
      case 'tool_call':
        return delta({
          tool_calls: [
            {
              index: calls - 1,
              ...(opened.custom ? { custom: { input: text } } : { function: { arguments: text } }),
            },
          ],
        });
      default:
        return '';
    }
  }

  return {
    write(event) {
      switch (event.type) {
        case 'start':
          id = chatId(event.id);
          return delta({ role: 'assistant', content: '', refusal: null });
        case 'open':
          return open(event.opened);
        case 'delta':
          return piece(event.text);
        case 'state':
          states.push(withText(event.state, thought));
          return '';
        case 'citation':
          return delta({ annotations: [annotationOf(event.citation)] });
        case 'close':
          // Clients parse the arguments, and an empty text is no JSON.
          return opened?.kind === 'tool_call' && !opened.custom && !filled ? piece('{}') : '';
        case 'usage':
          usage = encodeChatUsage(event.tokens);
          return '';
        case 'finish':
          return (
            delta({}, chatFinishWord(event.reason)) +
            (usage && context.includeUsage ? chunk([], { usage }) : '')
          );
        case 'error':
          return sse(errorBody('openai-chat', event.error, undefined));
      }
    },
    end: () => 'data: [DONE]\n\n',
  };
}
