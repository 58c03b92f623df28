import { canonicalJson, type Catalogue } from '@tollgate/catalogue';
import fc from 'fast-check';
import { arbitraryCatalogue } from '../../testing/arbitrary-catalogue.ts';
import { groupOf, poolOf, smallCatalogue } from '../../testing/catalogues.ts';
import { applyChanges } from './change.ts';
import { changesTo } from './restore.ts';

test('made on any catalogue the changes give the wanted one, and there are none only where it stands', () => {
  fc.assert(
    fc.property(arbitraryCatalogue, arbitraryCatalogue, (wanted, current) => {
      const changes = changesTo(wanted, current);
      expect(canonicalJson(applyChanges(current, changes))).toBe(canonicalJson(wanted));
      expect(changes.length === 0).toBe(canonicalJson(wanted) === canonicalJson(current));
    }),
    { numRuns: 300 },
  );
});

test('an entry that stands as it should is not touched', () => {
  const wanted = smallCatalogue();
  const current: Catalogue = {
    ...wanted,
    groups: wanted.groups.map((group) => (group.name === 'partner' ? { ...group, ratio: '2' } : group)),
    vendors: [...wanted.vendors, { name: 'newcomer', description: '', icon: '' }],
  };
  expect(changesTo(wanted, current)).toEqual([
    { op: 'delete', section: 'vendors', name: 'newcomer' },
    { op: 'put', section: 'groups', entry: groupOf('partner', { ...wanted.groups[1] }) },
  ]);
});

test('pools that stood in another order are put back in theirs', () => {
  const [first, second] = [poolOf('first', { members: [] }), poolOf('second', { members: [] })];
  const wanted = { ...smallCatalogue(), pools: [first, second] };
  const current = { ...wanted, pools: [second, first] };
  expect(applyChanges(current, changesTo(wanted, current)).pools).toEqual([first, second]);
});

test('only the sections that are named come back', () => {
  const wanted = smallCatalogue();
  const current = { ...wanted, groups: [], auto_groups: ['default'], pools: [] };
  expect(changesTo(wanted, current, ['auto_groups'])).toEqual([{ op: 'auto-groups', groups: [] }]);
});
