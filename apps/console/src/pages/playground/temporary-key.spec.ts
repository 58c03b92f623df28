import { type TemporaryKey, usableKey } from './temporary-key.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const key: TemporaryKey = {
  key: 'sk-x',
  masked: 'sk-…',
  group: 'default',
  userId: 'u1',
  until: '2026-11-21T12:30:00Z',
};
const params = { group: 'default', userId: 'u1', now };

test.each([
  ['there is time left', {}, {}, true],
  ['it ends within the minute', { until: '2026-11-21T12:00:59Z' }, {}, false],
  ['it is of another group', { group: 'vip' }, {}, false],
  ['it is of somebody who was here before', {}, { userId: 'u2' }, false],
  ['it says no time', { until: 'soon' }, {}, false],
])('a kept key of which %s, %j, asked for with %j, is usable: %s', (_when, own, asked, isUsable) => {
  const kept = { ...key, ...own };
  expect(usableKey(JSON.stringify(kept), { ...params, ...asked })).toEqual(isUsable ? kept : null);
});

test.each([null, '', '{', '[]', '7', '"sk-x"', 'null'])('what is kept as %j is no key', (kept) => {
  expect(usableKey(kept, params)).toBeNull();
});
