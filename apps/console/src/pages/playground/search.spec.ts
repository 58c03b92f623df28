import { readPlaygroundSearch } from './search.ts';

test.each([
  [
    { model: 'm', format: 'gemini' },
    { model: 'm', format: 'gemini' },
  ],
  [{ model: 'm', format: 'toString' }, { model: 'm' }],
  [
    { beside: 'n', group: 'vip' },
    { beside: ['n'], group: 'vip' },
  ],
  [{ beside: ['n@openai', 7, ''] }, { beside: ['n@openai'] }],
  [{ settings: { seed: '7', topP: 1, stop: '' } }, { settings: { seed: '7' } }],
  [
    { settings: 'x', chat: 'c', prompt: 'Hi' },
    { chat: 'c', prompt: 'Hi' },
  ],
  [{ model: 7, other: 'x' }, { model: '7' }],
  [{ task: 'draw' }, { task: 'draw' }],
])('the address %j is read as %j', (given, search) => {
  expect(readPlaygroundSearch(given)).toEqual(search);
});
