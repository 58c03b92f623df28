import {
  canonicalJson,
  type Catalogue,
  CATALOGUE_SECTIONS,
  type CatalogueSection,
  type EntrySection,
} from '@tollgate/catalogue';
import { applyChanges, type AccountDiscount, type CatalogueChange } from './change.ts';

/**
 * The changes that make sections of a catalogue what they were in another one, entry by entry and in its order: after
 * all of them the two are the same. Credentials come back with their secrets.
 */
export function changesTo(
  target: Catalogue,
  current: Catalogue,
  sections: readonly CatalogueSection[] = CATALOGUE_SECTIONS,
): CatalogueChange[] {
  return sections.flatMap((section): CatalogueChange[] => {
    if (canonicalJson(current[section]) === canonicalJson(target[section])) return [];
    switch (section) {
      case 'limits':
        return [{ op: 'limits', limits: target.limits }];
      case 'auto_groups':
        return [{ op: 'auto-groups', groups: target.auto_groups }];
      case 'discounts':
        return discountChanges(target, current);
      default:
        return entryChanges(section, target, current);
    }
  });
}

function entryChanges(section: EntrySection, target: Catalogue, current: Catalogue): CatalogueChange[] {
  const existing = new Map(current[section].map((entry) => [entry.name, canonicalJson(entry)]));
  const names = new Set(target[section].map(({ name }) => name));
  const removals = [...existing.keys()]
    .filter((name) => !names.has(name))
    .map((name): CatalogueChange => ({ op: 'delete', section, name }));
  const puts = putsOf(section, target);
  const changed = puts.filter(
    ({ entry }) => 'name' in entry && existing.get(entry.name) !== canonicalJson(entry),
  );
  const sparing = [...removals, ...changed];
  const result = applyChanges(current, sparing);
  if (canonicalJson(result[section]) === canonicalJson(target[section])) return sparing;
  // The order differs too: then everything is taken out and put back in its order.
  return [...[...existing.keys()].map((name): CatalogueChange => ({ op: 'delete', section, name })), ...puts];
}

type Put = Extract<CatalogueChange, { op: 'put' }>;

const putsOf = (section: EntrySection, target: Catalogue): Put[] =>
  target[section].map((entry) => ({ op: 'put', section, entry }) as Put);

function discountChanges(target: Catalogue, current: Catalogue): CatalogueChange[] {
  const had = new Set(current.discounts.map(({ account_id }) => account_id));
  const has = new Map<string, AccountDiscount[]>();
  for (const { account_id, ...discount } of target.discounts) {
    has.set(account_id, [...(has.get(account_id) ?? []), discount]);
  }
  return [
    ...[...had].map((account_id): CatalogueChange => ({ op: 'discounts', account_id, discounts: [] })),
    ...[...has].map(([account_id, discounts]): CatalogueChange => ({
      op: 'discounts',
      account_id,
      discounts,
    })),
  ];
}
