import { toFilter } from './entry-filter.ts';
import { readLedgerSearch } from './search.ts';

const ACCOUNT = '0198f1c2-7d1e-7000-8000-000000000001';

test('an address with every filter is read and asked for', () => {
  const search = { account: ACCOUNT, kind: 'grant', from: '2026-11-01', to: '2026-11-30', number: 42 };
  expect(readLedgerSearch(search)).toEqual(search);
  expect(toFilter(readLedgerSearch(search), 'Asia/Shanghai')).toEqual({
    account_id: ACCOUNT,
    kind: 'grant',
    from: '2026-10-31T16:00:00.000Z',
    to: '2026-11-30T16:00:00.000Z',
  });
});

test.each([{}, { account: 'Acme' }, { kind: 'gift' }, { number: '42' }, { number: -1 }, { number: 1.5 }])(
  '%j is the whole ledger',
  (search) => {
    expect(readLedgerSearch(search)).toEqual({});
    expect(toFilter({}, 'Asia/Shanghai')).toEqual({});
  },
);
