import { canonicalJson, type Catalogue } from '@tollgate/catalogue';
import fc from 'fast-check';
import { arbitraryCatalogue } from '../../testing/arbitrary-catalogue.ts';
import { makeGroup, makePool, smallCatalogue } from '../../testing/catalogues.ts';
import { applyChanges } from './change.ts';
import { changesTo } from './restore.ts';

test('made on any catalogue the changes give the wanted one, and there are none only where it stands', () => {
  fc.assert(
    fc.property(arbitraryCatalogue, arbitraryCatalogue, (target, current) => {
      const changes = changesTo(target, current);
      expect(canonicalJson(applyChanges(current, changes))).toBe(canonicalJson(target));
      expect(changes.length === 0).toBe(canonicalJson(target) === canonicalJson(current));
    }),
    { numRuns: 300 },
  );
});

test('an entry that stands as it should is not touched', () => {
  const target = smallCatalogue();
  const current: Catalogue = {
    ...target,
    groups: target.groups.map((group) => (group.name === 'partner' ? { ...group, ratio: '2' } : group)),
    vendors: [...target.vendors, { name: 'newcomer', description: '', icon: '' }],
  };
  expect(changesTo(target, current)).toEqual([
    { op: 'delete', section: 'vendors', name: 'newcomer' },
    { op: 'put', section: 'groups', entry: makeGroup('partner', { ...target.groups[1] }) },
  ]);
});

test('pools that stood in another order are put back in theirs', () => {
  const [first, second] = [makePool('first', { members: [] }), makePool('second', { members: [] })];
  const target = { ...smallCatalogue(), pools: [first, second] };
  const current = { ...target, pools: [second, first] };
  expect(applyChanges(current, changesTo(target, current)).pools).toEqual([first, second]);
});

test('only the sections that are named come back', () => {
  const target = smallCatalogue();
  const current = { ...target, groups: [], auto_groups: ['default'], pools: [] };
  expect(changesTo(target, current, ['auto_groups'])).toEqual([{ op: 'auto-groups', groups: [] }]);
});
