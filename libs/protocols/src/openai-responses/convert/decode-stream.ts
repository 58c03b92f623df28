import { responsesUsage } from '../usage.ts';
import { findResponsesFailure } from '../errors.ts';
import type { DecodeAnswerContext } from '../../convert/conversion.ts';
import { given, listAt, numberAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { AnswerEvent, OpenedBlock, StreamDecoder } from '../../neutral/answer.ts';
import { failureError } from '../../failure.ts';
import { eventsOfPart } from '../../neutral/assemble.ts';
import { relayError } from '../../relay-error.ts';
import { decodeCitation, partsOfItem, responsesFinish, findState } from './answer.ts';

/** Blocks of a Responses stream: one for each content part, each piece of reasoning and each call. */
export function responsesStreamDecoder(context: DecodeAnswerContext): StreamDecoder {
  const { names } = context;
  const blocks = new Map<string, { block: number; kind: OpenedBlock['kind']; filled: boolean }>();
  const seen: { kind: string }[] = [];
  let started = false;
  let ended = false;

  function* open(key: string, opened: OpenedBlock): Generator<AnswerEvent> {
    if (blocks.has(key)) return;
    const block = seen.length;
    seen.push(opened);
    blocks.set(key, { block, kind: opened.kind, filled: false });
    yield { type: 'open', block, opened };
  }

  function* delta(key: string, opened: OpenedBlock, text: string): Generator<AnswerEvent> {
    yield* open(key, opened);
    const held = blocks.get(key);
    if (!held || text === '') return;
    held.filled = true;
    yield { type: 'delta', block: held.block, text };
  }

  function* close(key: string, whole: string): Generator<AnswerEvent> {
    const held = blocks.get(key);
    if (!held) return;
    // Some servers send no deltas, only what is done.
    if (!held.filled && whole !== '') yield { type: 'delta', block: held.block, text: whole };
    held.filled = true;
    yield { type: 'close', block: held.block };
  }

  const callOf = (item: unknown): OpenedBlock => ({
    ...names.fromUpstream(textAt(item, 'name')),
    ...given({ namespace: someTextAt(item, 'namespace') }),
    kind: 'tool_call',
    id: textAt(item, 'call_id'),
    custom: textAt(item, 'type') === 'custom_tool_call',
  });

  function* added(key: string, item: unknown): Generator<AnswerEvent> {
    const type = textAt(item, 'type');
    if (type === 'function_call' || type === 'custom_tool_call') yield* open(key, callOf(item));
    if (type === 'reasoning') yield* open(key, { kind: 'thinking' });
  }

  function* done(key: string, item: unknown): Generator<AnswerEvent> {
    const type = textAt(item, 'type');
    if (type === 'function_call') yield* close(key, textAt(item, 'arguments'));
    if (type === 'custom_tool_call') yield* close(key, textAt(item, 'input'));
    if (type === 'reasoning') {
      const state = findState(item);
      const held = blocks.get(key);
      if (state && held) yield { type: 'state', block: held.block, state };
      yield* close(key, '');
    }
  }

  /** Some servers tell items only when they are done, or only in the response at the end. */
  function* whole(key: string, item: unknown): Generator<AnswerEvent> {
    for (const [index, part] of partsOfItem(item, context).entries()) {
      const partKey = part.kind === 'text' || part.kind === 'refusal' ? `${key} part ${index}` : key;
      if (blocks.has(partKey)) continue;
      const block = seen.length;
      seen.push(part);
      blocks.set(partKey, { block, kind: part.kind, filled: true });
      yield* eventsOfPart(block, part);
    }
  }

  function* finish(response: unknown): Generator<AnswerEvent> {
    ended = true;
    if (seen.length === 0)
      for (const [index, item] of listAt(response, 'output').entries()) yield* whole(`item ${index}`, item);
    const usage = responsesUsage.findInBody(response);
    if (usage) yield { type: 'usage', tokens: responsesUsage.toTokens(usage) };
    yield { type: 'finish', reason: responsesFinish(response, seen) };
  }

  function* read(event: unknown): Generator<AnswerEvent> {
    const item = `item ${numberAt(event, 'output_index') ?? ''}`;
    const part = `${item} part ${numberAt(event, 'content_index') ?? ''}`;
    const text = textAt(event, 'delta');
    const failure = findResponsesFailure(event);
    if (failure) {
      if (!ended) yield { type: 'error', error: failureError(failure) };
      ended = true;
      return;
    }
    switch (textAt(event, 'type')) {
      case 'response.created':
      case 'response.in_progress':
        if (!started) yield { type: 'start', id: textAt(objectAt(event, 'response'), 'id') };
        started = true;
        return;
      case 'response.output_item.added':
        return yield* added(item, objectAt(event, 'item'));
      case 'response.output_item.done':
        yield* added(item, objectAt(event, 'item'));
        yield* done(item, objectAt(event, 'item'));
        return yield* whole(item, objectAt(event, 'item'));
      case 'response.output_text.delta':
        return yield* delta(part, { kind: 'text' }, text);
      case 'response.output_text.done':
        yield* open(part, { kind: 'text' });
        return yield* close(part, textAt(event, 'text'));
      case 'response.refusal.delta':
        return yield* delta(part, { kind: 'refusal' }, text);
      case 'response.refusal.done':
        yield* open(part, { kind: 'refusal' });
        return yield* close(part, textAt(event, 'refusal'));
      case 'response.output_text.annotation.added': {
        const held = blocks.get(part);
        for (const citation of decodeCitation(objectAt(event, 'annotation'))) {
          if (held) yield { type: 'citation', block: held.block, citation };
        }
        return;
      }
      case 'response.reasoning_summary_part.added':
        // Parts of a summary are paragraphs.
        if (blocks.get(item)?.filled) yield* delta(item, { kind: 'thinking' }, '\n\n');
        return;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        return yield* delta(item, { kind: 'thinking' }, text);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta': {
        const held = blocks.get(item);
        if (held && text !== '') {
          held.filled = true;
          yield { type: 'delta', block: held.block, text };
        }
        return;
      }
      case 'response.completed':
      case 'response.incomplete':
        return yield* finish(objectAt(event, 'response'));
    }
  }

  return {
    read: (event) => [...read(event)],
    end: () =>
      ended
        ? []
        : [
            {
              type: 'error',
              error: relayError('upstream_error', 'The upstream broke off before its answer was complete.'),
            },
          ],
  };
}
