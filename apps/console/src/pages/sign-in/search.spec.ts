import { readSignInSearch } from './search.ts';

test.each([
  [{}, {}],
  [
    { next: '/usage', arrived: 1 },
    { next: '/usage', arrived: true },
  ],
  [{ next: 'https://evil.example', arrived: 'yes' }, {}],
  [{ step: 1 }, { step: true }],
  [{ step: 'verify' }, {}],
  [{ problem: 'domain' }, { problem: 'domain' }],
  [{ problem: '<b>call 555</b>' }, {}],
])('of the address %j the sign-in takes %j', (search, taken) => {
  expect(readSignInSearch(search)).toEqual(taken);
});
