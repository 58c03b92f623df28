import { isObject, parseJson } from '../json.ts';
import type { AnswerEvent, OpenedBlock } from './answer.ts';

type BlockEvent = Extract<AnswerEvent, { block: number }>;

/** Sources belong to a text, and a state to a thought: no client reads them elsewhere. */
const fits = ({ type }: BlockEvent, kind: OpenedBlock['kind']): boolean =>
  type === 'citation' ? kind === 'text' : type === 'state' ? kind === 'thinking' : true;

/**
 * Orders the blocks of a stream one after the other, as most clients want them: events of a block that began while another is
 * open wait until that one ends. A tool call with complete arguments ends when the next block begins, so that calls that an
 * upstream sends in sequence are passed on in sequence.
 */
export function createSerialiser(): (event: AnswerEvent) => AnswerEvent[] {
  let current: number | undefined;
  let kind: OpenedBlock['kind'] = 'text';
  let isCall = false;
  let input = '';
  /** Of the input, as it was looked at. */
  let known = { length: 0, isWhole: false };
  const done = new Set<number>();
  /** Blocks that wait, in the order in which they began. */
  const waiting = new Map<number, BlockEvent[]>();

  function pass(event: BlockEvent, passed: AnswerEvent[]): void {
    if (event.type === 'open') {
      if (current !== undefined) return;
      current = event.block;
      kind = event.opened.kind;
      isCall = event.opened.kind === 'tool_call' && !event.opened.custom;
      input = '';
      known = { length: 0, isWhole: false };
    }
    if (event.block !== current || !fits(event, kind)) return;
    if (event.type === 'delta' && isCall) input += event.text;
    passed.push(event);
    if (event.type !== 'close') return;
    done.add(current);
    current = undefined;
  }

  /** Each block that begins asks it again: nothing is parsed twice. */
  function isWhole(): boolean {
    if (input.length !== known.length) known = { length: input.length, isWhole: isObject(parseJson(input)) };
    return known.isWhole;
  }

  const closeCurrent = (passed: AnswerEvent[]): void => {
    if (current !== undefined) pass({ type: 'close', block: current }, passed);
  };

  /** Lets blocks pass that waited, up to one that is not at its end. */
  function passWaiting(passed: AnswerEvent[]): void {
    for (const [block, events] of waiting) {
      if (current !== undefined && !(isCall && isWhole())) return;
      closeCurrent(passed);
      waiting.delete(block);
      for (const event of events) if (!done.has(block)) pass(event, passed);
    }
  }

  function take(event: BlockEvent): AnswerEvent[] {
    const passed: AnswerEvent[] = [];
    if (done.has(event.block)) return passed;
    if (event.block === current) pass(event, passed);
    else if (event.type !== 'open') waiting.get(event.block)?.push(event);
    else if (!waiting.has(event.block)) waiting.set(event.block, [event]);
    if (current === undefined || event.type === 'open') passWaiting(passed);
    return passed;
  }

  return (event) => {
    if ('block' in event) return take(event);
    // After an error nothing that is open may look as if it were whole.
    if (event.type !== 'finish') return [event];
    const rest: AnswerEvent[] = [];
    while (current !== undefined) {
      closeCurrent(rest);
      passWaiting(rest);
    }
    return [...rest, event];
  };
}
