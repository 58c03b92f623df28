import { parseJson } from '../json.ts';
import type { AnswerEvent } from './answer.ts';

type BlockEvent = Extract<AnswerEvent, { block: number }>;

/**
 * Puts the blocks of a stream one after the other, as most clients want them: events of a block that began while
 * another is open wait for its end. A tool call whose arguments are whole ends when the next block begins, so that
 * calls that an upstream sends in turn are passed on in turn.
 */
export function createSerialiser(): (event: AnswerEvent) => AnswerEvent[] {
  let current: number | undefined;
  let isCall = false;
  let input = '';
  const done = new Set<number>();
  const waiting: BlockEvent[] = [];

  function take(event: BlockEvent): AnswerEvent[] {
    if (done.has(event.block)) return [];
    if (event.type === 'open' && current === undefined) {
      current = event.block;
      isCall = event.opened.kind === 'tool_call';
      input = '';
      return [event];
    }
    if (event.block !== current) {
      if (event.type === 'open' && current !== undefined && isCall && parseJson(input) !== undefined) {
        return [...take({ type: 'close', block: current }), ...take(event)];
      }
      waiting.push(event);
      return [];
    }
    if (event.type === 'delta') input += event.text;
    if (event.type !== 'close') return [event];
    current = undefined;
    done.add(event.block);
    return [event, ...waiting.splice(0).flatMap(take)];
  }

  return (event) => {
    if ('block' in event) return take(event);
    if (event.type !== 'finish' && event.type !== 'error') return [event];
    const rest: AnswerEvent[] = [];
    while (current !== undefined) rest.push(...take({ type: 'close', block: current }));
    return [...rest, event];
  };
}
