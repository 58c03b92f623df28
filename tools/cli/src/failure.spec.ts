import { toReason } from './failure.ts';

const refused = Object.assign(new AggregateError([new Error('connect ECONNREFUSED ::1:1')]), {
  code: 'ECONNREFUSED',
});

test.each([
  [new Error('fetch failed', { cause: refused }), 'ECONNREFUSED'],
  [
    new Error('fetch failed', { cause: new Error('getaddrinfo ENOTFOUND nowhere') }),
    'getaddrinfo ENOTFOUND nowhere',
  ],
  [refused, 'ECONNREFUSED'],
  [new Error('not the address of a Redis'), 'not the address of a Redis'],
])('%s is told as %s', (error, reason) => {
  expect(toReason(error)).toBe(reason);
});
