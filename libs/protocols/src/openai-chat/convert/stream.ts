import { chatUsage } from '../usage.ts';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { keptState } from '../../convert/reasoning-state.ts';
import { customText } from '../../convert/tool-input.ts';
import { failureError } from '../../failure.ts';
import { relayError } from '../../relay-error.ts';
import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../json.ts';
import { eventsOfPart } from '../../neutral/assemble.ts';
import type { AnswerEvent, OpenedBlock, StreamDecoder, StreamEncoder } from '../../neutral/answer.ts';
import type { ReasoningState } from '../../neutral/request.ts';
import { findChatFailure, openaiErrorBody } from '../errors.ts';
import { findCalls, type MessagePiece, findPieces, type WrittenCall } from '../message.ts';
import {
  encodeAnnotation,
  callIdFor,
  chatFinish,
  chatFinishWord,
  chatId,
  decodeCitation,
  encodeChatUsage,
  extraContent,
  findSignature,
  encodeImage,
  withText,
} from './answer.ts';
import { createStreamCalls } from './stream-calls.ts';

/** The usage of a Chat stream may come after its finish reason: both are told at the end. */
export function chatStreamDecoder({ names }: DecodeAnswerContext): StreamDecoder {
  let started = false;
  let answer = '';
  let blocks = 0;
  let running: { block: number; kind: OpenedBlock['kind'] } | undefined;
  const calls = createStreamCalls();
  let finish = '';
  let refused = false;
  let usage: JsonObject | undefined;
  let failed = false;

  function* text(kind: 'text' | 'refusal' | 'thinking', piece: string): Generator<AnswerEvent> {
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

  function* call(delta: WrittenCall): Generator<AnswerEvent> {
    const call = calls.of(delta);
    call.id ||= delta.id;
    call.input += delta.input;
    if (call.block < 0 && delta.name !== '') {
      yield* closeRunning();
      const state = findSignature(delta.whole);
      if (state) yield* stateBlock(state);
      call.block = blocks++;
      const named = names.fromUpstream(delta.name);
      call.wrapped = named.custom && !delta.custom;
      const opened = {
        ...named,
        kind: 'tool_call' as const,
        id: call.id || callIdFor(answer, call.ordinal),
        custom: named.custom || delta.custom,
      };
      yield { type: 'open', block: call.block, opened };
    }
    if (call.block < 0 || call.wrapped) return;
    // What came before the name had to wait for it.
    const text = call.input.slice(call.passed);
    call.passed = call.input.length;
    if (text !== '') yield { type: 'delta', block: call.block, text };
  }

  function* image(piece: Extract<MessagePiece, { kind: 'image' }>): Generator<AnswerEvent> {
    yield* closeRunning();
    yield* eventsOfPart(blocks++, piece);
  }

  function* stateBlock(state: ReasoningState): Generator<AnswerEvent> {
    const block = blocks++;
    yield { type: 'open', block, opened: { kind: 'thinking' } };
    yield { type: 'state', block, state };
    yield { type: 'close', block };
  }

  function* read(event: unknown): Generator<AnswerEvent> {
    const failure = findChatFailure(event);
    if (failure) {
      failed = true;
      yield { type: 'error', error: failureError(failure) };
      return;
    }
    const id = textAt(event, 'id');
    // Some servers begin with a chunk that has neither an id nor choices.
    if (!started && (id !== '' || listAt(event, 'choices').length > 0)) {
      started = true;
      answer = id;
      yield { type: 'start', id };
    }
    usage = chatUsage.findInBody(event) ?? usage;
    const choice = listAt(event, 'choices').find((each) => !isObject(each) || (each['index'] ?? 0) === 0);
    const delta = objectAt(choice, 'delta');
    for (const piece of findPieces(delta)) {
      refused ||= piece.kind === 'refusal';
      yield* piece.kind === 'image' ? image(piece) : text(piece.kind, piece.text);
    }
    for (const annotation of listAt(delta, 'annotations').flatMap(decodeCitation)) {
      if (running?.kind === 'text') yield { type: 'citation', block: running.block, citation: annotation };
    }
    for (const each of findCalls(delta)) yield* call(each);
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
    for (const { block, wrapped, input } of calls.calls) {
      if (block < 0) continue;
      if (wrapped) yield { type: 'delta', block, text: customText(input) };
      yield { type: 'close', block };
    }
    if (usage) yield { type: 'usage', tokens: chatUsage.toTokens(usage) };
    yield { type: 'finish', reason: chatFinish(finish, { calls: calls.calls.length > 0, refusal: refused }) };
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
      case 'image':
        return delta({ images: [encodeImage({ ...opened, data: text })] });
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
          return delta({ annotations: [encodeAnnotation(event.citation)] });
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
          return sse(openaiErrorBody(event.error));
      }
    },
    end: () => 'data: [DONE]\n\n',
  };
}
