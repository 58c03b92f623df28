import { toFilter, readAuditSearch } from './search.ts';

test('who, what and when are taken from the address', () => {
  const search = { actor: 'a@b.example', action: 'key.', from: '2026-11-01', to: '2026-11-21' };
  expect(readAuditSearch(search)).toEqual(search);
});

test.each([[{ action: 'Key' }], [{ from: '2026-13-45' }], [{ to: 'soon' }], [{ actor: '' }]])(
  '%j says nothing that the page understands',
  (search) => {
    expect(readAuditSearch(search)).toEqual({});
  },
);

test('a day is asked for from its first moment to the first of the next', () => {
  const { from = '', to = '' } = toFilter({ from: '2026-11-21', to: '2026-11-21' });
  expect(new Date(from)).toEqual(new Date('2026-11-21T00:00:00'));
  expect(new Date(to)).toEqual(new Date('2026-11-22T00:00:00'));
});
