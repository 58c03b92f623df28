import fc from 'fast-check';
import { readFilters } from './filters.ts';
import { toFilter } from './request-filter.ts';
import { toTimes } from './times.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000002';
const KEY = '0198f1c2-7d1e-7000-8000-000000000001';

test('an address with every filter is read and asked for', () => {
  const everything = {
    account: ACCOUNT,
    request: 'req_1',
    key: KEY,
    model: 'sim-chat',
    status: '429',
    code: 'rate_limit_exceeded',
    operation: 'embed',
    upstream: 'east',
    said: 'no such model',
    attempts: '2',
    firstByte: '800',
    tokens: '1000',
    charge: '0.01',
    from: '2026-11-01',
    to: '2026-11-30',
  };
  const search = readFilters(everything);
  expect(search).toEqual(everything);
  expect(toFilter(search, 'Asia/Shanghai')).toEqual({
    account_id: ACCOUNT,
    request_id: 'req_1',
    key_id: KEY,
    model: 'sim-chat',
    status: 429,
    error_code: 'rate_limit_exceeded',
    operation: 'embed',
    upstream: 'east',
    message: 'no such model',
    min_attempts: 2,
    min_first_byte_ms: 800,
    min_tokens: 1_000,
    min_charge_usd: '0.01',
    from: '2026-10-31T16:00:00.000Z',
    to: '2026-11-30T16:00:00.000Z',
  });
});

test.each([
  [{}],
  [{ key: 'not-a-key' }],
  [{ account: 'not-an-account', request: ' ' }],
  [{ from: '2026-13-01' }],
  [{ from: '2026-02-30' }],
  [{ from: '01.11.2026', to: 7 }],
  [{ from: '2026-11-02', to: '2026-11-01' }],
  [{ model: '', other: 'x' }],
  [{ attempts: '0', firstByte: '-1', tokens: 'many', charge: '1e3', said: ' ' }],
  [{ status: 'any', code: 'Not a code', operation: 'dance' }],
])('%j asks for the whole log', (search) => {
  expect(toFilter(readFilters(search), 'Asia/Shanghai')).toEqual({});
});

test('an operator may ask for all accounts, and for all that failed', () => {
  const search = { account: 'all', status: 'error' };
  expect(toFilter(readFilters(search), 'Asia/Shanghai')).toEqual({ account_id: 'all', status: 'error' });
});

test('a single day is a whole one', () => {
  const { from, to } = toFilter(readFilters({ from: '2026-03-29', to: '2026-03-29' }), 'Asia/Shanghai');
  expect([from, to]).toEqual(['2026-03-28T16:00:00.000Z', '2026-03-29T16:00:00.000Z']);
});

test.each([
  ['2026-11-23T16:00:00Z', '2026-11-24T16:00:00Z', { from: '2026-11-24', to: '2026-11-24' }],
  [
    '2026-11-24T02:00:00Z',
    '2026-11-24T03:00:00Z',
    { from: '2026-11-24', to: '2026-11-24', hours: '10:00-11:00' },
  ],
  [
    '2026-11-24T15:00:00Z',
    '2026-11-24T16:00:00Z',
    { from: '2026-11-24', to: '2026-11-25', hours: '23:00-00:00' },
  ],
  [
    '2026-11-24T15:00:00Z',
    '2026-11-24T15:40:00Z',
    { from: '2026-11-24', to: '2026-11-24', hours: '23:00-23:40' },
  ],
])('%s to %s stands in the address, and is asked for again', (from, to, search) => {
  expect(toTimes(from, to, 'Asia/Shanghai')).toEqual(search);
  const asked = toFilter(readFilters(search), 'Asia/Shanghai');
  expect([asked.from, asked.to].map((at) => Date.parse(at ?? ''))).toEqual(
    [from, to].map((at) => Date.parse(at)),
  );
});

test('hours without days are none', () => {
  expect(readFilters({ hours: '10:00-11:00', from: '2026-11-24' })).toEqual({ from: '2026-11-24' });
  expect(readFilters({ hours: '24:00-25:00', from: '2026-11-24', to: '2026-11-24' })).toEqual({
    from: '2026-11-24',
    to: '2026-11-24',
  });
});

test('whatever an address holds, what is read of it reads the same again', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('account', 'request', 'key', 'model', 'status', 'code', 'from', 'to', 'x'),
        fc.jsonValue(),
      ),
      (search) => {
        const read = readFilters(search);
        expect(readFilters({ ...read })).toEqual(read);
      },
    ),
  );
});

test('a stretch that ends now holds what came in this minute', () => {
  expect(toTimes('2026-11-24T15:00:00Z', '2026-11-24T15:39:20.125Z', 'Asia/Shanghai')).toEqual({
    from: '2026-11-24',
    to: '2026-11-24',
    hours: '23:00-23:40',
  });
});
