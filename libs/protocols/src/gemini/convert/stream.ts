import { geminiUsage } from '../usage.ts';
import type { DecodeAnswerContext, EncodeAnswerContext } from '../../convert/conversion.ts';
import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type {
  AnswerEvent,
  AnswerPart,
  OpenedBlock,
  StreamDecoder,
  StreamEncoder,
} from '../../neutral/answer.ts';
import type { Citation, ReasoningState } from '../../neutral/request.ts';
import { eventsOfPart } from '../../neutral/assemble.ts';
import { failureError } from '../../failure.ts';
import { relayError, type RelayError } from '../../relay-error.ts';
import { findGeminiFailure, geminiErrorBody } from '../errors.ts';
import {
  encodeCall,
  decodeCitations,
  encodeGeminiUsage,
  geminiFinish,
  geminiFinishWord,
  encodeGrounding,
  encodeInlineData,
  isBroken,
  decodePart,
} from './answer.ts';
import { bareCall, wrapSignature } from './signature.ts';

const BROKEN_CALL = relayError('upstream_error', 'The upstream made a tool call that cannot be read.');
const CUT = relayError('upstream_error', 'The upstream broke off before its answer was complete.');

/** Parts of this format are whole where they are calls, and pieces where they are text. */
export function geminiStreamDecoder(context: DecodeAnswerContext): StreamDecoder {
  let id = '';
  let started = false;
  let blocks = 0;
  let running: { block: number; kind: 'text' | 'thinking' } | undefined;
  let calls = false;
  let finish = '';
  let usage: JsonObject | undefined;
  let failed = false;
  let cited: Citation[] = [];

  function* close(): Generator<AnswerEvent> {
    if (running) yield { type: 'close', block: running.block };
    running = undefined;
  }

  function* take(part: AnswerPart): Generator<AnswerEvent> {
    if (part.kind === 'tool_call') {
      yield* close();
      calls = true;
      const { input, ...opened } = part;
      const block = blocks++;
      yield { type: 'open', block, opened };
      if (input !== '') yield { type: 'delta', block, text: input };
      yield { type: 'close', block };
      return;
    }
    if (part.kind === 'image') {
      yield* close();
      return yield* eventsOfPart(blocks++, part);
    }
    const kind = part.kind === 'thinking' ? 'thinking' : 'text';
    if (running?.kind !== kind) {
      yield* close();
      running = { block: blocks++, kind };
      yield { type: 'open', block: running.block, opened: { kind } };
    }
    if (part.text !== '') yield { type: 'delta', block: running.block, text: part.text };
    if (part.kind === 'thinking' && part.state) {
      yield { type: 'state', block: running.block, state: part.state };
      yield* close();
    }
  }

  function* fail(error: RelayError): Generator<AnswerEvent> {
    failed = true;
    yield { type: 'error', error };
  }

  function* read(event: unknown): Generator<AnswerEvent> {
    const failure = findGeminiFailure(event);
    if (failure) return yield* fail(failureError(failure));
    if (!started) {
      started = true;
      id = textAt(event, 'responseId');
      yield { type: 'start', id };
    }
    usage = objectAt(event, 'usageMetadata') ?? usage;
    if (someTextAt(objectAt(event, 'promptFeedback'), 'blockReason')) finish ||= 'SAFETY';
    const candidate = listAt(event, 'candidates').find(
      (each) => !isObject(each) || (each['index'] ?? 0) === 0,
    );
    for (const part of listAt(objectAt(candidate, 'content'), 'parts')) {
      for (const each of decodePart(part, id, blocks, context)) yield* take(each);
    }
    cited = decodeCitations(candidate).length > 0 ? decodeCitations(candidate) : cited;
    finish = textAt(candidate, 'finishReason') || finish;
    if (isBroken(finish)) yield* fail(BROKEN_CALL);
  }

  function* end(): Generator<AnswerEvent> {
    if (failed) return;
    if (finish === '') return yield* fail(CUT);
    if (running?.kind === 'text')
      for (const citation of cited) yield { type: 'citation', block: running.block, citation };
    yield* close();
    if (usage) yield { type: 'usage', tokens: geminiUsage.toTokens(usage) };
    yield { type: 'finish', reason: geminiFinish(finish, calls) };
  }

  return { read: (event) => [...read(event)], end: () => [...end()] };
}

export function geminiStreamEncoder(context: EncodeAnswerContext): StreamEncoder {
  const asArray = context.framing === 'json-array';
  let id = '';
  let first = true;
  let opened: OpenedBlock | undefined;
  let input = '';
  let thought = '';
  let states: ReasoningState[] = [];
  let cited: Citation[] = [];
  let usage: JsonObject | undefined;

  function chunk(body: JsonObject): string {
    const text = JSON.stringify(body);
    const framed = asArray ? `${first ? '[' : ',\r\n'}${text}` : `data: ${text}\r\n\r\n`;
    first = false;
    return framed;
  }

  function parts(list: JsonObject[], more: JsonObject = {}, usageMetadata: JsonObject = {}): string {
    return chunk({
      candidates: [{ content: { role: 'model', parts: list }, index: 0, ...more }],
      ...usageMetadata,
      modelVersion: context.model,
      responseId: id,
    });
  }

  function signed(): JsonObject {
    const taken = states;
    states = [];
    return taken.length === 0 ? {} : { thoughtSignature: wrapSignature(taken, context.states) };
  }

  let isFirstCall = true;
  function signedCall(): JsonObject {
    const bare = isFirstCall && states.length === 0;
    isFirstCall = false;
    return bare ? bareCall(context.states) : signed();
  }

  function delta(text: string): string {
    switch (opened?.kind) {
      case 'text':
      case 'refusal':
        return parts([{ text, ...signed() }]);
      case 'thinking':
        thought += text;
        return parts([{ text, thought: true }]);
      case 'image':
        return parts([{ inlineData: encodeInlineData({ ...opened, data: text }), ...signed() }]);
      case 'tool_call':
        input += text;
        return '';
      default:
        return '';
    }
  }

  function close(): string {
    const closing = opened;
    opened = undefined;
    return closing?.kind === 'tool_call'
      ? parts([{ functionCall: encodeCall({ ...closing, input }), ...signedCall() }])
      : '';
  }

  return {
    write(event) {
      switch (event.type) {
        case 'start':
          ({ id } = event);
          return '';
        case 'open':
          ({ opened } = event);
          input = '';
          thought = '';
          return '';
        case 'delta':
          return delta(event.text);
        case 'state':
          states.push(thought === '' ? event.state : { ...event.state, text: thought });
          return '';
        case 'citation':
          cited = [...cited, event.citation];
          return '';
        case 'close':
          return close();
        case 'usage':
          usage = encodeGeminiUsage(event.tokens);
          return '';
        case 'finish':
          return parts(
            states.length > 0 ? [{ text: '', ...signed() }] : [{ text: '' }],
            {
              finishReason: geminiFinishWord(event.reason),
              ...(cited.length > 0 ? encodeGrounding(cited) : {}),
            },
            usage ? { usageMetadata: usage } : {},
          );
        case 'error':
          return chunk(geminiErrorBody(event.error)) + (asArray ? ']' : '');
      }
    },
    end: () => (asArray ? `${first ? '[' : ''}]` : ''),
  };
}
