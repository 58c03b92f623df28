import { type Entries, pickNamed } from '@tollgate/catalogue/entry-differences';
import type { Catalogue, Published } from '../../api/catalogue.ts';
import type { Change, Draft, DraftEntry } from '../../api/drafts.ts';

export type EditedSection = 'vendors' | 'models' | 'groups';
export type Entry<S extends EditedSection> = Catalogue[S][number];

/** What a change is about: a later one about the same takes the place of an earlier one. */
export function describeSubject(change: Change): string {
  switch (change.op) {
    case 'put':
      return `${change.section}/${change.entry.name}`;
    case 'delete':
      return `${change.section}/${change.name}`;
    case 'discounts':
      return `discounts/${change.account_id}`;
    default:
      return change.op === 'limits' ? 'limits' : 'auto_groups';
  }
}

/** The subject of a difference, in the words of {@link describeSubject}. */
export const subjectOfDifference = ({ section, name }: { section: string; name: string }): string =>
  section === 'limits' || section === 'auto_groups' ? section : `${section}/${name}`;

/** The changes of a draft with one more; what it said of the same subject before is forgotten. */
export const withChange = (changes: readonly Change[], change: Change): readonly Change[] => [
  ...without(changes, describeSubject(change)),
  change,
];

export const without = (changes: readonly Change[], subject: string): readonly Change[] =>
  changes.filter((change) => describeSubject(change) !== subject);

/** Takes an entry away: one that only the draft has leaves no change behind. */
export function withRemoval(
  changes: readonly Change[],
  live: Catalogue,
  section: EditedSection,
  name: string,
): readonly Change[] {
  const isLive = live[section].some((entry) => entry.name === name);
  return isLive
    ? withChange(changes, { op: 'delete', section, name })
    : without(changes, `${section}/${name}`);
}

/** A section as it would be after the changes. */
export function entriesAfter<S extends EditedSection>(
  live: Catalogue,
  changes: readonly Change[],
  section: S,
): readonly Entry<S>[] {
  let entries: readonly Entry<S>[] = live[section];
  for (const change of changes) {
    if (change.op === 'delete' && change.section === section)
      entries = entries.filter(({ name }) => name !== change.name);
    if (change.op !== 'put' || change.section !== section) continue;
    const entry = change.entry as Entry<S>;
    const at = entries.findIndex(({ name }) => name === entry.name);
    entries = at < 0 ? [...entries, entry] : entries.with(at, entry);
  }
  return entries;
}

/** The pools in their order as they would be after the changes. */
export function poolsAfter(live: Catalogue, changes: readonly Change[]): Catalogue['pools'] {
  let pools = live.pools;
  for (const change of changes) {
    if (change.op === 'delete' && change.section === 'pools')
      pools = pools.filter(({ name }) => name !== change.name);
    if (change.op !== 'put' || change.section !== 'pools') continue;
    const { entry, before } = change;
    const at = pools.findIndex(({ name }) => name === entry.name);
    if (before === undefined) pools = at < 0 ? [...pools, entry] : pools.with(at, entry);
    else {
      const others = pools.filter(({ name }) => name !== entry.name);
      const place = others.findIndex(({ name }) => name === before);
      pools = others.toSpliced(place < 0 ? others.length : place, 0, entry);
    }
  }
  return pools;
}

/** What the group `auto` would try after the changes. */
export const autoGroupsAfter = (live: Catalogue, changes: readonly Change[]): readonly string[] =>
  changes.findLast((change) => change.op === 'auto-groups')?.groups ?? live.auto_groups;

type EntryStatus = 'live' | 'changed' | 'added';

/** What a change is made on: the catalogue and a draft of it, as they were when somebody looked. */
export interface Seen {
  readonly live: Published;
  /** Undefined where none was looked at. */
  readonly draft: Pick<Draft, 'revision' | 'changes'> | undefined;
}

/** An entry as a draft would have it. */
export const findEntry = <S extends EditedSection>(
  { live, draft }: Seen,
  section: S,
  entry: string,
): Entry<S> | undefined =>
  entriesAfter(live.catalogue, draft?.changes ?? [], section).find(({ name }) => name === entry);

/** Some entries of a section as a draft would have them, without those that are not there. */
export const pickEntries =
  (section: EditedSection, names: readonly string[]) =>
  ({ live, draft }: Seen): Entries =>
    pickNamed(entriesAfter(live.catalogue, draft?.changes ?? [], section), names);

/** What the group `auto` would try, as an entry. */
export const pickAutoGroups = ({ live, draft }: Seen): Entries =>
  new Map([['auto', { groups: autoGroupsAfter(live.catalogue, draft?.changes ?? []) }]]);

/** How an entry of a draft stands to what is live. */
export function findEntryStatus(
  live: Catalogue,
  changes: readonly Change[],
  section: EditedSection,
  name: string,
): EntryStatus {
  const isPut = changes.some(
    (change) => change.op === 'put' && describeSubject(change) === `${section}/${name}`,
  );
  if (!isPut) return 'live';
  return live[section].some((entry) => entry.name === name) ? 'changed' : 'added';
}

/** Names of a section that another entry may not take. */
export const takenNames = (
  live: Catalogue,
  changes: readonly Change[],
  section: EditedSection,
): Set<string> => new Set(entriesAfter(live, changes, section).map(({ name }) => name));

/** The vendor of a model that is put, where there is none yet. */
export function withVendor(changes: readonly Change[], live: Catalogue, made: Change): readonly Change[] {
  if (made.op !== 'put' || made.section !== 'models') return changes;
  const { vendor: name } = made.entry;
  if (entriesAfter(live, changes, 'vendors').some((vendor) => vendor.name === name)) return changes;
  return withChange(changes, { op: 'put', section: 'vendors', entry: { name, description: '', icon: '' } });
}

/** The name, or the first numbered one, under which there is no draft or one that is still written to. */
export function findFreeName(name: string, drafts: readonly Pick<DraftEntry, 'name' | 'status'>[]): string {
  const closed = new Set(drafts.filter(({ status }) => status !== 'open').map((draft) => draft.name));
  let free = name;
  for (let number = 2; closed.has(free); number += 1) free = `${name}-${number}`;
  return free;
}
