import { toFilter } from './entry-filter.ts';
import { readAuditSearch } from './search.ts';

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
  const { from, to } = toFilter({ from: '2026-11-21', to: '2026-11-21' }, 'Asia/Shanghai');
  expect([from, to]).toEqual(['2026-11-20T16:00:00.000Z', '2026-11-21T16:00:00.000Z']);
});
