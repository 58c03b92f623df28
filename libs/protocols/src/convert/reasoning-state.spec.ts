import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { ReasoningState } from '../neutral/request.ts';
import { createStateWrapper, keptState } from './reasoning-state.ts';

const wrapper = createStateWrapper(Buffer.from('one key'));

const anyState: fc.Arbitrary<ReasoningState> = fc.record(
  {
    format: fc.constantFrom(...CLIENT_PROTOCOLS),
    kind: fc.constantFrom('signed' as const, 'redacted' as const),
    data: fc.string({ unit: 'grapheme' }),
    id: fc.string(),
    text: fc.string({ unit: 'grapheme' }),
  },
  { requiredKeys: ['format', 'kind', 'data'] },
);
const anyStates = fc.array(anyState, { maxLength: 3 });

test('what was wrapped is unwrapped as it was', () => {
  fc.assert(
    fc.property(anyStates, (states) => {
      expect(wrapper.unwrap(wrapper.wrap(states))).toEqual(states);
    }),
  );
});

test('a wrapped text holds only characters that every client keeps', () => {
  fc.assert(
    fc.property(anyStates, (states) => {
      expect(wrapper.wrap(states)).toMatch(/^tg1\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    }),
  );
});

test('a text with any one character changed, added or left out is not opened', () => {
  const text = wrapper.wrap([{ format: 'gemini', kind: 'signed', data: 'R0VN' }]);
  const spoilt = [...text].flatMap((character, at) => [
    `${text.slice(0, at)}${character === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`,
    `${text.slice(0, at)}${text.slice(at + 1)}`,
    `${text.slice(0, at)}.${text.slice(at)}`,
  ]);
  const opened = [...spoilt, `${text}A`, `${text}.`].filter(
    (each) => (wrapper.unwrap(each) ?? []).length > 0,
  );
  expect(opened).toEqual([]);
});

test('a text that another key sealed is not opened', () => {
  const other = createStateWrapper(Buffer.from('another key'));
  const states: ReasoningState[] = [{ format: 'gemini', kind: 'signed', data: 'R0VN' }];
  expect(wrapper.unwrap(other.wrap(states))).toEqual([]);
});

test('gateways with the same key open what the others sealed', () => {
  const other = createStateWrapper(Buffer.from('one key'));
  const states: ReasoningState[] = [{ format: 'gemini', kind: 'signed', data: 'R0VN' }];
  expect(wrapper.unwrap(other.wrap(states))).toEqual(states);
});

test.each(['', 'EqMBCkYIAxgCKkD', 'gAAAAABo.payload.mac', 'tg1', 'tg2.e30.e30'])(
  'a state of a vendor itself is told apart: %j',
  (text) => {
    expect(wrapper.unwrap(text)).toBeNull();
  },
);

test.each(CLIENT_PROTOCOLS)('a %s client keeps a state of its own vendor as it is', (format) => {
  fc.assert(
    fc.property(anyState, (state) => {
      const kept = keptState([state], format, wrapper);
      expect(kept).toBe(state.format === format ? state.data : wrapper.wrap([state]));
    }),
  );
});

test('several states, or none, are wrapped also for their own vendor', () => {
  const state: ReasoningState = { format: 'gemini', kind: 'signed', data: 'R0VN' };
  expect(wrapper.unwrap(keptState([state, state], 'gemini', wrapper))).toEqual([state, state]);
  expect(wrapper.unwrap(keptState([], 'gemini', wrapper))).toEqual([]);
});

test('what a former key wrapped is opened while that key is named, and nothing that was changed', () => {
  const [former, next] = [Buffer.from('a former key'), Buffer.from('the next key')];
  const states = [{ format: 'gemini' as const, kind: 'signed' as const, data: 'abc' }];
  const wrapped = createStateWrapper(former).wrap(states);
  expect(createStateWrapper(next, [former]).unwrap(wrapped)).toEqual(states);
  expect(createStateWrapper(next).unwrap(wrapped)).toEqual([]);
  expect(createStateWrapper(next, [former]).unwrap(`${wrapped.slice(0, -1)}!`)).toEqual([]);
});
