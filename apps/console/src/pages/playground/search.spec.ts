import { readPlaygroundSearch } from './search.ts';

test.each([
  [
    { model: 'm', format: 'gemini' },
    { model: 'm', format: 'gemini' },
  ],
  [{ model: 'm', format: 'toString' }, { model: 'm' }],
  [
    { beside: 'n', besideFormat: 'anthropic', group: 'vip' },
    { beside: 'n', besideFormat: 'anthropic', group: 'vip' },
  ],
  [{ besideFormat: 'anthropic' }, {}],
  [{ model: 7, other: 'x' }, { model: '7' }],
  [{ task: 'draw' }, { task: 'draw' }],
])('the address %j is read as %j', (given, search) => {
  expect(readPlaygroundSearch(given)).toEqual(search);
});
