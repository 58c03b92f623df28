import {
  discountSchema,
  groupSchema,
  poolSchema,
  modelInputSchema,
  upstreamInputSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { autoGroupsBody, limitsBody } from '../admin/schemas.ts';
import { modelFrom, poolChange, upstreamFrom } from '../admin/stated-entries.ts';
import { type CatalogueChange, leadsToSameHost, SECTIONS, type StatedUpstream } from '../catalogue/change.ts';
import { RESTORABLE } from '../catalogue/restore.ts';
import { DRAFT_STATUSES } from '../database/draft.entity.ts';

const name = vendorSchema.shape.name;
const put = <S extends string, T extends z.ZodType>(section: S, entry: T) =>
  z.strictObject({ op: z.literal('put'), section: z.literal(section), entry });

/** A change as an admin writes it: what the routes of the catalogue accept, with the name in the entry. */
const statedChange = z.union([
  put('vendors', vendorSchema),
  put('models', modelInputSchema),
  put('groups', groupSchema),
  put('upstreams', upstreamInputSchema),
  put('pools', poolSchema).extend({ before: name.optional() }),
  z.strictObject({ op: z.literal('delete'), section: z.enum(SECTIONS), name }),
  z.strictObject({ op: z.literal('limits'), limits: limitsBody }),
  z.strictObject({ op: z.literal('auto-groups'), groups: autoGroupsBody.shape.groups }),
  z.strictObject({
    op: z.literal('discounts'),
    account_id: discountSchema.shape.account_id,
    discounts: z.array(discountSchema.omit({ account_id: true })).max(200),
  }),
]);
type StatedChange = z.infer<typeof statedChange>;

export const draftBody = z
  .strictObject({
    reason: z.string().trim().min(1).max(500),
    changes: z.array(statedChange).max(2_000),
  })
  .meta({
    examples: [
      {
        reason: 'Prices of the new contract with Acme',
        changes: [
          {
            op: 'put',
            section: 'models',
            entry: { name: 'acme-large', vendor: 'acme', prices: { input: 2_500_000, output: 12_500_000 } },
          },
          { op: 'delete', section: 'groups', name: 'trial' },
          {
            op: 'discounts',
            account_id: '0198f1c2-7d1e-7000-8000-000000000001',
            discounts: [{ models: ['*'], ratio: '0.9' }],
          },
        ],
      },
    ],
  });
export type DraftBody = z.infer<typeof draftBody>;

/** The revision that was looked at: another one is not published. */
export const publishBody = z
  .strictObject({ revision: z.int().positive().optional() })
  .meta({ examples: [{ revision: 3 }] });

export const scheduleBody = z
  .strictObject({ effective_at: momentSchema })
  .meta({ examples: [{ effective_at: '2027-01-01T00:00:00+01:00' }] });

/** A version whose entries are to hold again. */
export const restoreBody = z
  .strictObject({
    version: z.int().positive(),
    reason: z.string().trim().min(1).max(500).optional(),
    sections: z.array(z.enum(RESTORABLE)).min(1).optional(),
  })
  .meta({ examples: [{ version: 12, sections: ['models', 'groups'] }] });

export const draftsQuery = z.object({
  status: z.enum(DRAFT_STATUSES).optional(),
  after: name.optional().meta({ description: '`next` of the page before', examples: ['2027-prices'] }),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});

/** The changes as they are stored: prices complete, credentials sealed. */
export const changesFrom = (
  stated: readonly StatedChange[],
  earlier: readonly CatalogueChange[],
  sealKey: Buffer,
): CatalogueChange[] => stated.map((change) => changeFrom(change, earlier, sealKey));

function changeFrom(
  change: StatedChange,
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
function withDraftSecrets(upstream: StatedUpstream, earlier: readonly CatalogueChange[]): StatedUpstream {
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
export const shownChanges = (changes: readonly CatalogueChange[]): object[] =>
  changes.map((change) => {
    if (change.op === 'put-before')
      return { op: 'put', section: 'pools', entry: change.pool, before: change.before };
    if (change.op !== 'put' || change.section !== 'upstreams') return change;
    const { credentials, ...entry } = change.entry;
    const shown = credentials?.map(({ sealed, ...rest }) => ({ ...rest, has_secret: sealed !== undefined }));
    return { ...change, entry: { ...entry, ...(shown ? { credentials: shown } : {}) } };
  });
