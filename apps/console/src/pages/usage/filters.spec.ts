import fc from 'fast-check';
import { toFilter, readFilters } from './filters.ts';

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
    from: '2026-11-01',
    to: '2026-11-30',
  };
  const search = readFilters(everything);
  expect(search).toEqual(everything);
  expect(toFilter(search)).toEqual({
    account_id: ACCOUNT,
    request_id: 'req_1',
    key_id: KEY,
    model: 'sim-chat',
    status: 429,
    error_code: 'rate_limit_exceeded',
    operation: 'embed',
    upstream: 'east',
    from: new Date(2026, 10, 1).toISOString(),
    to: new Date(2026, 11, 1).toISOString(),
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
  [{ status: 'any', code: 'Not a code', operation: 'dance' }],
])('%j asks for the whole log', (search) => {
  expect(toFilter(readFilters(search))).toEqual({});
});

test('an operator may ask for all accounts, and for all that failed', () => {
  const search = { account: 'all', status: 'error' };
  expect(toFilter(readFilters(search))).toEqual({ account_id: 'all', status: 'error' });
});

test('a single day is a whole one', () => {
  const { from, to } = toFilter(readFilters({ from: '2026-03-29', to: '2026-03-29' }));
  expect([from, to]).toEqual([new Date(2026, 2, 29).toISOString(), new Date(2026, 2, 30).toISOString()]);
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
