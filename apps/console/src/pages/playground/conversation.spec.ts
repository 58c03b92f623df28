import { begun, changed, type Conversation, isRunning, openCalls, listTurns } from './conversation.ts';
import { NO_ANSWER } from './formats/format.ts';

const prompt = (text: string) => ({ kind: 'prompt' as const, text, pictures: [] });
const call = { id: 'c1', name: 'f', args: '{}' };
const request = { path: '/', body: {} };

const ask = (before: Conversation, id: number, text: string) =>
  begun(before, { id, input: prompt(text), model: 'm', format: 'openai', request });
const end = (
  before: Conversation,
  id: number,
  status: 'done' | 'stopped' | 'failed',
  answer: Partial<typeof NO_ANSWER> = {},
) => changed(before, id, { status, answer: { ...NO_ANSWER, ...answer } });

test('an exchange runs from its beginning to its end', () => {
  const asked = ask([], 1, 'Hello');
  expect([isRunning([]), isRunning(asked), isRunning(end(asked, 1, 'done'))]).toEqual([false, true, false]);
});

test('what was said goes into the next request in its order', () => {
  const answered = end(ask([], 1, 'Hello'), 1, 'done', { text: 'Hi', calls: [call] });
  const results = { kind: 'results' as const, results: [{ id: 'c1', name: 'f', output: 'ok' }] };
  expect(listTurns(answered, results)).toEqual([
    { role: 'user', text: 'Hello', pictures: [] },
    { role: 'assistant', format: 'openai', answer: { ...NO_ANSWER, text: 'Hi', calls: [call] } },
    { role: 'tool', results: results.results },
  ]);
});

test.each([
  ['failed', { text: 'Half' }, []],
  ['stopped', { text: '', reasoning: 'Hm' }, []],
  [
    'stopped',
    { text: 'Half', calls: [call], native: [{ half: true }] },
    [{ text: 'Half', calls: [], native: [] }],
  ],
] as const)('of a request that was %s with %j, %j goes on', (status, answer, kept) => {
  const before = end(ask([], 1, 'Hello'), 1, status, answer);
  const answers = listTurns(before, prompt('Again')).flatMap((turn) =>
    turn.role === 'assistant' ? [turn.answer] : [],
  );
  expect(answers).toEqual(kept.map((each) => ({ ...NO_ANSWER, ...each })));
  expect(listTurns(before, prompt('Again')).length).toBe(1 + 2 * kept.length);
});

test('calls want results as soon as the answer is whole, until something else was said', () => {
  const asked = ask([], 1, 'Hello');
  const calling = changed(asked, 1, { answer: { ...NO_ANSWER, calls: [call] } });
  const called = changed(calling, 1, { status: 'done' });
  expect(openCalls(calling)).toEqual([]);
  expect(openCalls(called)).toEqual([call]);
  expect(openCalls(ask(called, 2, 'Never mind'))).toEqual([]);
});
