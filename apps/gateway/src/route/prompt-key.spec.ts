import { promptKey } from './prompt-key.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = { role: 'system', content: 'You are brief.' };

test.each<[string, object, object]>([
  [
    'Chat',
    { messages: [system, user('Hi')] },
    { messages: [system, user('Hi'), assistant('Hello'), user('Go on')] },
  ],
  [
    'Messages',
    { system: 'You are brief.', messages: [user('Hi')] },
    { system: 'You are brief.', messages: [user('Hi'), assistant('Hello'), user('Go on')] },
  ],
  [
    'Responses',
    { instructions: 'You are brief.', input: [user('Hi')] },
    { instructions: 'You are brief.', input: [user('Hi'), assistant('Hello'), user('Go on')] },
  ],
  [
    'Gemini',
    { systemInstruction: { parts: [{ text: 'You are brief.' }] }, contents: [user('Hi')] },
    {
      systemInstruction: { parts: [{ text: 'You are brief.' }] },
      contents: [user('Hi'), assistant('Hello'), user('Go on')],
    },
  ],
])('all turns of a %s conversation have one key', (_format, first, second) => {
  expect(promptKey({ ...second })).toBe(promptKey({ ...first }));
  expect(promptKey({ ...first })).toContain('Hi');
});

test('conversations that begin in another way have other keys', () => {
  const keys = [
    { messages: [system, user('Hi')] },
    { messages: [system, user('Ho')] },
    { messages: [user('Hi')] },
    { messages: [{ ...system, content: 'You are long.' }, user('Hi')] },
  ].map(promptKey);
  expect(new Set(keys).size).toBe(4);
});

test('no more of a prompt is looked at than tells it apart', () => {
  expect(promptKey({ messages: [user('x'.repeat(1_000_000))] }).length).toBeLessThan(4_200);
  const many = Array.from({ length: 100_000 }, (_, index) => assistant(String(index)));
  expect(promptKey({ messages: many }).length).toBeLessThan(4_200);
});

test.each([[{}], [{ messages: null }], [{ messages: [1, null, 'text'] }], [{ input: 'plain' }]])(
  'the odd body %j has a key',
  (body) => {
    expect(typeof promptKey(body)).toBe('string');
  },
);
