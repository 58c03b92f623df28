import fc from 'fast-check';
import { relayError } from '../relay-error.ts';
import type { AnswerEvent, OpenedBlock } from './answer.ts';
import { assemble } from './assemble.ts';
import { createSerialiser } from './serialise.ts';

const open = (block: number, kind: 'text' | 'thinking' | 'refusal' = 'text'): AnswerEvent => ({
  type: 'open',
  block,
  opened: { kind },
});
const call = (block: number, custom = false): AnswerEvent => ({
  type: 'open',
  block,
  opened: { kind: 'tool_call', id: `c${block}`, name: 'now', custom },
});
const delta = (block: number, text: string): AnswerEvent => ({ type: 'delta', block, text });
const close = (block: number): AnswerEvent => ({ type: 'close', block });
const finish: AnswerEvent = { type: 'finish', reason: 'stop' };
const error: AnswerEvent = { type: 'error', error: relayError('upstream_error', 'Lost.') };

/** What has passed after each event. */
const stepwise = (events: readonly AnswerEvent[]): AnswerEvent[][] => events.map(createSerialiser());
const serialised = (events: readonly AnswerEvent[]): AnswerEvent[] => stepwise(events).flat();

test('blocks that come one after the other pass at once', () => {
  const events = [open(0), delta(0, 'a'), delta(0, 'b'), close(0), call(1), delta(1, '{}'), close(1), finish];
  expect(stepwise(events)).toEqual(events.map((event) => [event]));
});

test('events of a block wait while another is open', () => {
  const events = [open(0), open(1), delta(1, 'b'), delta(0, 'a'), close(1), close(0)];
  expect(stepwise(events)).toEqual([
    [open(0)],
    [],
    [],
    [delta(0, 'a')],
    [],
    [close(0), open(1), delta(1, 'b'), close(1)],
  ]);
});

test('a call whose arguments are whole ends when the next block begins', () => {
  const events = [call(0), delta(0, '{"a":'), delta(0, '1}'), call(1), delta(1, '{'), close(0), finish];
  expect(stepwise(events)).toEqual([
    [call(0)],
    [delta(0, '{"a":')],
    [delta(0, '1}')],
    [close(0), call(1)],
    [delta(1, '{')],
    [],
    [close(1), finish],
  ]);
});

test.each([
  ['are not whole', call(0), '{"a":'],
  ['are no object', call(0), '12'],
  ['are free text', call(0, true), '{}'],
])('a call whose arguments %s goes on while the next block waits', (_, opened, input) => {
  const events = [opened, delta(0, input), call(1), delta(1, '{}'), delta(0, ' '), close(0)];
  expect(stepwise(events).slice(2)).toEqual([[], [], [delta(0, ' ')], [close(0), call(1), delta(1, '{}')]]);
});

test('the finish lets everything pass that waits, and closes it', () => {
  const events = [open(0), open(1), delta(1, 'b'), call(2), finish];
  expect(serialised(events)).toEqual([
    open(0),
    close(0),
    open(1),
    delta(1, 'b'),
    close(1),
    call(2),
    close(2),
    finish,
  ]);
});

test('an error passes alone: nothing that was open looks whole', () => {
  expect(stepwise([call(0), delta(0, '{'), open(1), error])).toEqual([
    [call(0)],
    [delta(0, '{')],
    [],
    [error],
  ]);
});

test('events of no block pass at once, also while blocks wait', () => {
  const usage: AnswerEvent = { type: 'usage', tokens: { input: 1 } };
  const start: AnswerEvent = { type: 'start', id: 'x' };
  expect(stepwise([start, open(0), open(1), usage])).toEqual([[start], [open(0)], [], [usage]]);
});

test('a block that is told to begin twice begins once', () => {
  expect(serialised([open(0), open(0), open(1), open(1), finish])).toEqual([
    open(0),
    close(0),
    open(1),
    close(1),
    finish,
  ]);
});

test('sources of anything but a text, and states of anything but a thought, are left out', () => {
  const citation: AnswerEvent = { type: 'citation', block: 0, citation: { url: 'https://example.com' } };
  const state: AnswerEvent = {
    type: 'state',
    block: 0,
    state: { format: 'gemini', kind: 'signed', data: 'R0VN' },
  };
  expect(serialised([open(0, 'text'), citation, state])).toEqual([open(0, 'text'), citation]);
  expect(serialised([open(0, 'thinking'), citation, state])).toEqual([open(0, 'thinking'), state]);
  expect(serialised([call(0), citation, state])).toEqual([call(0)]);
});

test('events of a block that is over, or never began, are left out', () => {
  expect(serialised([open(0), close(0), delta(0, 'late'), close(0), open(0), delta(7, 'x'), finish])).toEqual(
    [open(0), close(0), finish],
  );
});

const anyOpened: fc.Arbitrary<OpenedBlock> = fc.oneof(
  fc.record({ kind: fc.constantFrom('text' as const, 'refusal' as const, 'thinking' as const) }),
  fc.record({
    kind: fc.constant('tool_call' as const),
    id: fc.string(),
    name: fc.string(),
    custom: fc.boolean(),
  }),
);

/** Blocks with their deltas, and an order in which a careless upstream tells them. */
const anyInterleaving = fc
  .tuple(
    fc.array(fc.tuple(anyOpened, fc.array(fc.constantFrom('a', '{', '}', '{}', '"x"'))), { maxLength: 5 }),
    fc.infiniteStream(fc.nat()),
  )
  .map(([blocks, choices]) => {
    const queues = blocks.map(([opened, texts], block): AnswerEvent[] => [
      { type: 'open', block, opened },
      ...texts.map((text) => delta(block, text)),
      close(block),
    ]);
    const events: AnswerEvent[] = [];
    let begun = 1;
    while (queues.some((queue) => queue.length > 0)) {
      const { value } = choices.next();
      // Blocks begin in the order of their numbers.
      const at = (value ?? 0) % Math.min(begun, queues.length);
      const event = queues[at]?.shift();
      if (event) events.push(event);
      begun = Math.min(queues.length, begun + (event === undefined || event.type === 'open' ? 1 : 0));
    }
    return [...events, finish];
  });

test('blocks never overlap, in whatever order they are told', () => {
  fc.assert(
    fc.property(anyInterleaving, (events) => {
      let current: number | undefined;
      for (const event of serialised(events)) {
        if (!('block' in event)) continue;
        expect(event.block).toBe(event.type === 'open' ? event.block : current);
        if (event.type === 'open') expect(current).toBeUndefined();
        current = event.type === 'close' ? undefined : event.block;
      }
      expect(current).toBeUndefined();
    }),
  );
});

test('every block keeps its texts, but for what comes after the arguments of a call were whole', () => {
  fc.assert(
    fc.property(anyInterleaving, (events) => {
      const assembled = assemble(events);
      const passed = assemble(serialised(events));
      const textsOf = (answer: typeof assembled) =>
        'choices' in answer
          ? (answer.choices[0]?.parts ?? []).map((part) =>
              part.kind === 'tool_call' && !part.custom ? part.id : JSON.stringify(part),
            )
          : [];
      expect(textsOf(passed)).toEqual(textsOf(assembled));
    }),
  );
});
