import type { ShownChange, ChangeInput } from '@tollgate/api';
import { modelFrom, poolChange, upstreamFrom } from '../admin/complete-entries.ts';
import { shownHeaders } from '../admin/shown.ts';
import { type CatalogueChange, leadsToSameHost, type UpstreamInput } from '../catalogue/change.ts';

/** The changes as they are stored: prices complete, credentials sealed. */
export const changesFrom = (
  stated: readonly ChangeInput[],
  earlier: readonly CatalogueChange[],
  sealKey: Buffer,
): CatalogueChange[] => stated.map((change) => changeFrom(change, earlier, sealKey));

function changeFrom(
  change: ChangeInput,
  earlier: readonly CatalogueChange[],
  sealKey: Buffer,
): CatalogueChange {
  if (change.op === 'discounts') return { ...change, account_id: change.account_id.toLowerCase() };
  if (change.op !== 'put') return change;
  switch (change.section) {
    case 'models':
      return { op: 'put', section: 'models', entry: modelFrom(change.entry) };
    case 'upstreams': {
      const entry = withDraftSecrets(upstreamFrom(change.entry, sealKey), earlier);
      return { op: 'put', section: 'upstreams', entry };
    }
    case 'pools':
      return poolChange(change.entry, change.before);
    default:
      return change;
  }
}

/** A draft is not shown its secrets: one that comes back without is the one that was written before. */
function withDraftSecrets(upstream: UpstreamInput, earlier: readonly CatalogueChange[]): UpstreamInput {
  const entry = earlier.findLast(
    (change): change is Extract<CatalogueChange, { section: 'upstreams'; op: 'put' }> =>
      change.op === 'put' && change.section === 'upstreams' && change.entry.name === upstream.name,
  )?.entry;
  const before = entry?.credentials;
  if (entry === undefined || before === undefined || !leadsToSameHost(entry, upstream)) return upstream;
  const credentials = upstream.credentials?.map((credential) => ({
    ...before.find(({ name, sealed }) => name === credential.name && sealed !== undefined),
    ...credential,
  }));
  return { ...upstream, credentials: credentials ?? before };
}

/** The changes as they are shown; written back as they are they mean the same. */
export const shownChanges = (changes: readonly CatalogueChange[]): ShownChange[] => changes.map(shownChange);

function shownChange(change: CatalogueChange): ShownChange {
  switch (change.op) {
    case 'put-before':
      return { op: 'put', section: 'pools', entry: change.pool, before: change.before };
    case 'put': {
      if (change.section !== 'upstreams') return change;
      const { credentials, ...entry } = change.entry;
      const shown = credentials?.map(({ sealed, ...rest }) => ({
        ...rest,
        has_secret: sealed !== undefined,
      }));
      const set_headers = shownHeaders(entry.set_headers);
      return { ...change, entry: { ...entry, set_headers, ...(shown && { credentials: shown }) } };
    }
    case 'auto-groups':
      return { ...change, groups: [...change.groups] };
    case 'discounts':
      return { ...change, discounts: [...change.discounts] };
    case 'replace':
      throw new Error('A draft holds single changes, never a whole catalogue.');
    default:
      return change;
  }
}
