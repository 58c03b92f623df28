import { type Exchange, begun } from './conversation.ts';
import { type KeptChat, parseChats, findTitle, withChat } from './kept-chats.ts';
import { DEFAULT_SETTINGS } from './parameters.ts';

const exchange = (text: string, more: Partial<Exchange> = {}): Exchange => {
  const [made] = begun([], {
    id: 1,
    input: { kind: 'prompt', text, pictures: [] },
    model: 'm',
    format: 'openai',
    request: { path: '/v1/chat/completions', body: {} },
  });
  if (!made) throw new Error('nothing was begun');
  return { ...made, status: 'done', ...more };
};
const chat = (id: string, ...conversation: readonly Exchange[]): KeptChat => ({
  id,
  userId: 'u',
  at: '2026-11-24T00:00:00Z',
  settings: DEFAULT_SETTINGS,
  lanes: [{ model: 'm', format: 'openai', conversation }],
});

test('a chat that goes on stands first, once', () => {
  const before = [chat('a', exchange('one')), chat('b', exchange('two'))];
  const kept = withChat(before, chat('b', exchange('two'), exchange('three')));
  expect(kept.map(({ id }) => id)).toEqual(['b', 'a']);
  expect(kept[0]?.lanes[0]?.conversation).toHaveLength(2);
});

test('thirty are kept, and the oldest go', () => {
  let kept: readonly KeptChat[] = [];
  for (let number = 1; number <= 40; number += 1) kept = withChat(kept, chat(String(number), exchange('x')));
  expect(kept).toHaveLength(30);
  expect(kept.at(-1)?.id).toBe('11');
});

test('a picture that is too long to be kept goes, what was said stays', () => {
  const picture = { name: 'big.png', type: 'image/png', base64: 'A'.repeat(3_000_000) };
  const [kept] = withChat(
    [],
    chat('a', exchange('', { input: { kind: 'prompt', text: 'What is this?', pictures: [picture] } })),
  );
  expect(JSON.stringify(kept).length).toBeLessThan(10_000);
  expect(kept && findTitle(kept)).toBe('What is this?');
});

test('what would not fit at all leaves nothing behind that breaks the rest', () => {
  expect(withChat([], chat('a', exchange('x'.repeat(3_000_000))))).toEqual([]);
});

test('what ran when the page was left was stopped', () => {
  const [kept] = parseChats(JSON.stringify([chat('a', exchange('x', { status: 'running' }))]));
  expect(kept?.lanes[0]?.conversation[0]?.status).toBe('stopped');
});

test.each([null, '', '{', '{}', '[1,{"id":1}]'])('of %j nothing is read', (text) => {
  expect(parseChats(text)).toEqual([]);
});
