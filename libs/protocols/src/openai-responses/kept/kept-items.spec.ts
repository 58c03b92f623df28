import fc from 'fast-check';
import type { JsonObject } from '../../json.ts';
import { itemId, partOfItemId, partOfResponseId, responseId } from './kept-ids.ts';
import { expandInput, type KeptAnswer, type KeptQuestion, type LookedUp } from './kept-items.ts';

const FIRST = responseId('req_1');
const SECOND = responseId('req_2');
const partOf = (response: string) => partOfResponseId(response) ?? '';
const reference = (id: string) => ({ type: 'item_reference', id });
const message = (response: string, index: number, text: string) => ({
  type: 'message',
  id: itemId('msg', response, index),
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const reasoning = {
  type: 'reasoning',
  id: itemId('rs', FIRST, 0),
  summary: [],
  encrypted_content: 'tg1.x.y',
};
const call = { type: 'function_call', id: itemId('fc', FIRST, 1), call_id: 'c', name: 'f', arguments: '{}' };

/** What everything that is kept answers to a request, looked up as often as it asks. */
function expand(
  body: JsonObject,
  kept: { answers?: Record<string, KeptAnswer>; questions?: Record<string, KeptQuestion> },
) {
  const answers = new Map<string, KeptAnswer | null>();
  const questions = new Map<string, KeptQuestion | null>();
  const found: LookedUp = { answers, questions };
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const expanded = expandInput(body, found, (id) => id.includes('tg1'));
    if (expanded.missing.answers.size + expanded.missing.questions.size === 0) return expanded;
    for (const part of expanded.missing.answers) answers.set(part, kept.answers?.[part] ?? null);
    for (const part of expanded.missing.questions) questions.set(part, kept.questions?.[part] ?? null);
  }
  throw new Error('it never has enough');
}

test('every id of an answer tells which answer it is of, and no other id does', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.constantFrom('msg', 'rs', 'fc', 'ctc'),
      fc.nat(9_999),
      (seed, prefix, index) => {
        const response = responseId(`req_${seed}`);
        expect(partOfItemId(itemId(prefix, response, index))).toBe(partOf(response));
      },
    ),
  );
  for (const id of [
    'resp_1',
    'msg_1',
    'rs_tg1abc',
    `resp_${'g'.repeat(40)}`,
    'msg_',
    `xx_${'a'.repeat(40)}1`,
  ]) {
    expect(partOfItemId(id)).toBeUndefined();
    expect(partOfResponseId(id)).toBeUndefined();
  }
});

test('references come to be the items that they name, in their places', () => {
  const user = { role: 'user', content: 'Hello' };
  const result = { type: 'function_call_output', call_id: 'c', output: 'Sunny' };
  const body = { input: [user, reference(reasoning.id), reference(call.id), result] };
  const { input, dropped, lost } = expand(body, {
    answers: { [partOf(FIRST)]: { output: [reasoning, call] } },
  });
  expect({ input, dropped, lost }).toEqual({
    input: [user, reasoning, call, result],
    dropped: [],
    lost: undefined,
  });
});

test('reasoning without its state gets it back', () => {
  const { encrypted_content: _state, ...bare } = reasoning;
  const kept = { answers: { [partOf(FIRST)]: { output: [reasoning] } } };
  expect(expand({ input: [bare] }, kept).input).toEqual([reasoning]);
  expect(expand({ input: [bare] }, {})).toMatchObject({ input: undefined, dropped: [], lost: undefined });
});

test('a conversation goes on from the id of its last answer, however many there were', () => {
  const kept = {
    answers: {
      [partOf(FIRST)]: { output: [reasoning, call] },
      [partOf(SECOND)]: { output: [message(SECOND, 0, 'It is sunny')] },
    },
    questions: {
      [partOf(FIRST)]: { input: [{ role: 'user', content: 'Weather?' }] },
      [partOf(SECOND)]: {
        previous: FIRST,
        input: [{ type: 'function_call_output', call_id: 'c', output: 'S' }],
      },
    },
  };
  const { input, previous } = expand({ previous_response_id: SECOND, input: 'And tomorrow?' }, kept);
  expect(previous).toBe(true);
  expect(input).toEqual([
    { role: 'user', content: 'Weather?' },
    reasoning,
    call,
    { type: 'function_call_output', call_id: 'c', output: 'S' },
    message(SECOND, 0, 'It is sunny'),
    { role: 'user', content: 'And tomorrow?' },
  ]);
});

test.each<[string, JsonObject, string]>([
  [
    'a message',
    { input: [{ role: 'user', content: 'x' }, reference(itemId('msg', FIRST, 0))] },
    'input[1].id',
  ],
  ['an item of an answer that has others', { input: [reference(itemId('msg', SECOND, 7))] }, 'input[0].id'],
  ['an answer', { previous_response_id: FIRST, input: 'x' }, 'previous_response_id'],
  [
    'an answer whose question was not kept',
    { previous_response_id: SECOND, input: 'x' },
    'previous_response_id',
  ],
])('%s that is not kept is said to be lost', (_what, body, param) => {
  const kept = { answers: { [partOf(SECOND)]: { output: [message(SECOND, 0, 'x')] } } };
  expect(expand(body, kept).lost).toMatchObject({ param });
});

test('a reference to reasoning that is nowhere is left out, and named', () => {
  const body = { input: [reference('rs_abc'), reference(reasoning.id), { role: 'user', content: 'x' }] };
  expect(expand(body, {})).toMatchObject({
    input: [{ role: 'user', content: 'x' }],
    dropped: ['input[0]', 'input[1]'],
    lost: undefined,
  });
});

test.each<JsonObject>([
  { input: 'Hello' },
  { input: [reference('rs_tg1wrapped'), reference('msg_tg1wrapped'), reference('msg_68af')] },
  { input: [message(FIRST, 0, 'told in full')], previous_response_id: 'resp_tg1wrapped' },
  { input: [{ role: 'user', content: 'x' }] },
  {},
])('%j stays as it is', (body) => {
  expect(expand(body, {})).toMatchObject({ input: undefined, previous: false, dropped: [], lost: undefined });
});
