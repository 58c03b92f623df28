import {
  CATALOGUE_SECTIONS,
  catalogueSchema,
  credentialSchema,
  discountSchema,
  groupSchema,
  modelSchema,
  poolSchema,
  priceSnapshotSchema,
  upstreamSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { z } from 'zod';

export const hash = z.string().meta({ description: "SHA-256 of the catalogue's canonical JSON" });

export const vendor = vendorSchema.meta({ id: 'Vendor' });
export const model = modelSchema.meta({ id: 'Model' });
export const group = groupSchema.meta({ id: 'Group' });
export const pool = poolSchema.meta({ id: 'Pool' });
const shownCredential = credentialSchema
  .omit({ sealed: true })
  .extend({ has_secret: z.boolean() })
  .meta({ id: 'Credential', description: 'Without its secret, which is never shown' });
const upstream = upstreamSchema.extend({ credentials: z.array(shownCredential) }).meta({ id: 'Upstream' });
/** As a draft states it: without credentials those that stand are kept. */
export const draftUpstream = upstreamSchema.extend({ credentials: z.array(shownCredential).optional() });
export const accountDiscount = discountSchema.omit({ account_id: true }).meta({ id: 'AccountDiscount' });
export const commonLimits = catalogueSchema.shape.limits.meta({ id: 'CommonLimits' });

const catalogue = catalogueSchema
  .extend({
    vendors: z.array(vendor),
    models: z.array(model),
    groups: z.array(group),
    upstreams: z.array(upstream),
    pools: z.array(pool),
    limits: commonLimits,
  })
  .meta({ id: 'Catalogue' });

/** A version with all that it says, but for secrets. */
export const shownSnapshot = priceSnapshotSchema.extend({ catalogue }).meta({ id: 'PublishedCatalogue' });

const fieldDifference = z
  .object({
    path: z.string().meta({ description: 'A JSON Pointer into the entry; the empty one is the whole entry' }),
    from: z.unknown().optional().meta({ description: 'Left out where nothing stood' }),
    to: z.unknown().optional().meta({ description: 'Left out where nothing stands any more' }),
  })
  .meta({ id: 'FieldDifference' });

export const entryDifference = z
  .object({
    section: z.enum(CATALOGUE_SECTIONS),
    name: z.string().meta({
      description:
        'Of discounts the account, of limits what they are for, of automatic groups "auto"; "*" is the section itself, whose order changed',
    }),
    change: z.enum(['added', 'removed', 'changed']),
    fields: z.array(fieldDifference),
  })
  .meta({ id: 'EntryDifference', description: 'A secret that changed is seen to have changed, no more' });
