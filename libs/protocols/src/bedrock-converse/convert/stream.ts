import type { DecodeAnswerContext } from '../../convert/conversion.ts';
import { customText } from '../../convert/tool-input.ts';
import { failureError } from '../../failure.ts';
import { given, type JsonObject, numberAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerEvent, OpenedBlock, StreamDecoder } from '../../neutral/answer.ts';
import { relayError } from '../../relay-error.ts';
import { findConverseFailure } from '../errors.ts';
import { converseUsage } from '../usage.ts';
import { converseFinish, decodeConverseCitation, decodeImage, redacted, signed } from './answer.ts';

const CUT = relayError('upstream_error', 'The upstream broke off before its answer was complete.');

/** Blocks of text and of thought have no beginning of their own: their first piece is it. */
export function converseStreamDecoder({ names }: DecodeAnswerContext): StreamDecoder {
  const open = new Set<number>();
  /** Input of free-form tools: it is inside a JSON object, so that it is whole only at its end. */
  const custom = new Map<number, string>();
  const signatures = new Map<number, string>();
  /** Blocks of what only the vendor's own tools say. */
  const unread = new Set<number>();
  let calls = false;
  let stop: JsonObject | undefined;
  let usage: JsonObject | undefined;
  let ended = false;

  function* begin(block: number, opened: OpenedBlock): Generator<AnswerEvent> {
    if (open.has(block)) return;
    open.add(block);
    yield { type: 'open', block, opened };
  }

  function* start(block: number, said: JsonObject): Generator<AnswerEvent> {
    const call = objectAt(said, 'toolUse');
    if (!call || someTextAt(call, 'type') !== undefined) {
      unread.add(block);
      return;
    }
    calls = true;
    const named = names.fromUpstream(textAt(call, 'name'));
    if (named.custom) custom.set(block, '');
    yield* begin(block, { kind: 'tool_call', id: textAt(call, 'toolUseId'), ...named });
  }

  function* delta(block: number, piece: JsonObject): Generator<AnswerEvent> {
    if (typeof piece['text'] === 'string') {
      yield* begin(block, { kind: 'text' });
      yield { type: 'delta', block, text: piece['text'] };
    }
    const call = objectAt(piece, 'toolUse');
    if (call) yield* argumentsOf(block, textAt(call, 'input'));
    const thought = objectAt(piece, 'reasoningContent');
    if (thought) yield* think(block, thought);
    for (const citation of decodeConverseCitation(objectAt(piece, 'citation'))) {
      yield* begin(block, { kind: 'text' });
      yield { type: 'citation', block, citation };
    }
    for (const part of decodeImage(objectAt(piece, 'image') ?? {}))
      if (part.kind === 'image') {
        yield* begin(block, { kind: 'image', mediaType: part.mediaType });
        yield { type: 'delta', block, text: part.data };
      }
  }

  function* argumentsOf(block: number, piece: string): Generator<AnswerEvent> {
    if (unread.has(block)) return;
    const held = custom.get(block);
    if (held !== undefined) custom.set(block, held + piece);
    else if (piece !== '') yield { type: 'delta', block, text: piece };
  }

  function* think(block: number, thought: JsonObject): Generator<AnswerEvent> {
    yield* begin(block, { kind: 'thinking' });
    const text = textAt(thought, 'text');
    if (text !== '') yield { type: 'delta', block, text };
    const signature = textAt(thought, 'signature');
    if (signature !== '') signatures.set(block, (signatures.get(block) ?? '') + signature);
    const hidden = textAt(thought, 'redactedContent');
    if (hidden !== '') yield { type: 'state', block, state: redacted(hidden) };
  }

  function* close(block: number): Generator<AnswerEvent> {
    if (!open.delete(block)) return;
    const held = custom.get(block);
    if (held !== undefined) yield { type: 'delta', block, text: customText(held) };
    const signature = signatures.get(block);
    if (signature !== undefined) yield { type: 'state', block, state: signed(signature) };
    yield { type: 'close', block };
  }

  function* finish(): Generator<AnswerEvent> {
    ended = true;
    for (const block of open) yield* close(block);
    if (usage) yield { type: 'usage', tokens: converseUsage.toTokens(usage) };
    const { finish: reason, stopSequence } = converseFinish(stop, calls);
    yield { type: 'finish', reason, ...given({ stopSequence }) };
  }

  function* read(event: unknown): Generator<AnswerEvent> {
    const failure = findConverseFailure(event);
    if (failure) {
      ended = true;
      return yield { type: 'error', error: failureError(failure) };
    }
    if (objectAt(event, 'messageStart')) return yield { type: 'start', id: '' };
    const begun = objectAt(event, 'contentBlockStart');
    if (begun) return yield* start(indexOf(begun), objectAt(begun, 'start') ?? {});
    const piece = objectAt(event, 'contentBlockDelta');
    if (piece) return yield* delta(indexOf(piece), objectAt(piece, 'delta') ?? {});
    const over = objectAt(event, 'contentBlockStop');
    if (over) return yield* close(indexOf(over));
    stop = objectAt(event, 'messageStop') ?? stop;
    const metadata = objectAt(event, 'metadata');
    if (!metadata) return;
    usage = objectAt(metadata, 'usage');
    // Nothing comes behind it, and it says nothing where the answer was cut.
    if (stop) yield* finish();
  }

  return {
    read: (event) => [...read(event)],
    end() {
      if (ended) return [];
      return stop ? [...finish()] : [{ type: 'error', error: CUT }];
    },
  };
}

const indexOf = (event: JsonObject): number => numberAt(event, 'contentBlockIndex') ?? 0;
