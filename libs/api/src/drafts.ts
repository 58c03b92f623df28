import {
  CATALOGUE_SECTIONS,
  discountSchema,
  ENTRY_SECTIONS,
  groupSchema,
  poolSchema,
  modelInputSchema,
  SERVING_WARNINGS,
  upstreamInputSchema,
  vendorSchema,
} from '@tollgate/catalogue';
import { momentSchema } from '@tollgate/contracts';
import { z } from 'zod';
import { autoGroupsBody, commonLimitsBody } from './catalogue.ts';
import { ifMatch, timestamp } from './common.ts';
import { defineResource } from './route.ts';
import {
  accountDiscount,
  commonLimits,
  draftUpstream,
  entryDifference,
  group,
  hash,
  model,
  pool,
  vendor,
} from './shown-catalogue.ts';

const DRAFT_STATUSES = ['open', 'scheduled', 'published', 'failed'] as const;
export type DraftStatus = (typeof DRAFT_STATUSES)[number];

const name = vendorSchema.shape.name;
const put = <S extends string, T extends z.ZodType>(section: S, entry: T) =>
  z.strictObject({ op: z.literal('put'), section: z.literal(section), entry });

const remove = z.strictObject({ op: z.literal('delete'), section: z.enum(ENTRY_SECTIONS), name });
const autoGroups = z.strictObject({
  op: z.literal('auto-groups'),
  groups: autoGroupsBody.shape.groups,
});
const discounts = z.strictObject({
  op: z.literal('discounts'),
  account_id: discountSchema.shape.account_id,
  discounts: z.array(accountDiscount).max(200),
});

/** A change as an admin writes it: what the routes of the catalogue accept, with the name in the entry. */
const changeInput = z.union([
  put('vendors', vendorSchema),
  put('models', modelInputSchema),
  put('groups', groupSchema),
  put('upstreams', upstreamInputSchema),
  put('pools', poolSchema).extend({ before: name.optional() }),
  remove,
  z.strictObject({ op: z.literal('limits'), limits: commonLimitsBody }),
  autoGroups,
  discounts,
]);
export type ChangeInput = z.infer<typeof changeInput>;

/** The same as it is shown: complete, without secrets. Written back as it is, it means the same. */
const draftChange = z
  .union([
    put('vendors', vendor),
    put('models', model),
    put('groups', group),
    put('upstreams', draftUpstream),
    put('pools', pool).extend({ before: name.optional() }),
    remove,
    z.strictObject({ op: z.literal('limits'), limits: commonLimits }),
    autoGroups,
    discounts,
  ])
  .meta({ id: 'DraftChange' });
export type ShownChange = z.infer<typeof draftChange>;

const draftBody = z
  .strictObject({
    reason: z.string().trim().min(1).max(500),
    changes: z.array(changeInput).max(2_000),
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

/** A version whose entries are to hold again. */
const restoreBody = z
  .strictObject({
    version: z.int().positive(),
    reason: z.string().trim().min(1).max(500).optional(),
    sections: z.array(z.enum(CATALOGUE_SECTIONS)).min(1).optional(),
  })
  .meta({ examples: [{ version: 12, sections: ['models', 'groups'] }] });

const draftEntry = z
  .object({
    name: z.string(),
    reason: z.string(),
    revision: z.int().meta({ description: 'Rises with every change of what the draft says' }),
    status: z.enum(DRAFT_STATUSES),
    effective_at: timestamp.nullable().meta({ description: 'The day on which it is published by itself' }),
    actor: z.string().meta({ description: 'Who changed it last' }),
    changed_at: timestamp,
    version: z.int().nullable().meta({ description: 'The one that it was published as' }),
    failure: z.string().nullable().meta({ description: 'Why it could not be published on its day' }),
  })
  .meta({ id: 'DraftEntry' });

const servingWarning = z.object({
  code: z.enum(SERVING_WARNINGS),
  name: z.string().meta({ description: 'Of the model or pool' }),
});

const draft = draftEntry
  .extend({
    changes: z.array(draftChange),
    base_version: z
      .int()
      .meta({ description: 'The version that it would be published on; 0 before the first' }),
    faults: z.array(z.string()).meta({ description: 'What keeps it from being published' }),
    warnings: z.array(servingWarning).meta({
      description:
        'What nobody could call or what would get no requests, and is not so before it is published',
    }),
    differences: z.array(entryDifference).meta({ description: 'What publishing it now would change' }),
  })
  .meta({ id: 'Draft' });

/** What is no name is answered with 404 where a draft is looked for, with 400 where one is made. */
const params = z.strictObject({ name: z.string().meta({ examples: ['2027-prices'] }) });
const permission = 'catalogue:write';
const fixed = 'The draft is published, or scheduled: take it off the schedule first.';

const revision = z
  .int()
  .positive()
  .optional()
  .meta({ description: 'The one that was looked at: another one is not published' });

export const drafts = defineResource({
  listDrafts: {
    method: 'GET',
    path: '/api/catalogue/drafts',
    summary: 'List drafts by name, without their changes',
    permission,
    query: z.object({
      status: z.enum(DRAFT_STATUSES).optional(),
      after: name.optional().meta({ description: '`next` of the page before', examples: ['2027-prices'] }),
      limit: z.coerce.number().int().min(1).max(100).default(20),
    }),
    answer: z.object({
      items: z.array(draftEntry.extend({ changes: z.int().meta({ description: 'How many' }) })),
      next: z.string().nullable().meta({ description: '`after` of the next page; null where there is none' }),
    }),
  },
  showDraft: {
    method: 'GET',
    path: '/api/catalogue/drafts/:name',
    summary: 'Show a draft and what it would change now',
    permission,
    params,
    answer: draft,
  },
  writeDraft: {
    method: 'PUT',
    path: '/api/catalogue/drafts/:name',
    summary: 'Make a draft, or replace what it says',
    permission,
    params,
    headers: ifMatch('The revision that is replaced, 0 for none; another one is answered with 412'),
    body: draftBody,
    answer: draft,
    errors: { 409: fixed, 412: 'The revision that `if-match` names is not the newest.' },
  },
  restoreVersion: {
    method: 'POST',
    path: '/api/catalogue/drafts/:name/restore',
    summary: 'Make a draft that brings a version back',
    description: 'All of it, or some sections. There must be no draft of that name yet.',
    permission,
    params,
    body: restoreBody,
    answer: draft,
    errors: {
      404: 'There is no such version.',
      409: 'A credential of then cannot be opened.',
      412: 'There is a draft of that name.',
    },
  },
  removeDraft: {
    method: 'DELETE',
    path: '/api/catalogue/drafts/:name',
    summary: 'Delete a draft',
    permission,
    params,
    status: 204,
    errors: { 409: fixed },
  },
  publishDraft: {
    method: 'POST',
    path: '/api/catalogue/drafts/:name/publish',
    summary: 'Publish a draft now',
    /** It may set secrets, like an upstream. */
    reauthenticate: true,
    description: 'On top of what is current.',
    permission,
    params,
    body: z.strictObject({ revision }).meta({ examples: [{ revision: 3 }] }),
    answer: z.object({ name: z.string(), status: z.literal('published'), version: z.int(), hash }),
    errors: { 409: 'The draft was changed meanwhile, or is published.' },
  },
  scheduleDraft: {
    method: 'PUT',
    path: '/api/catalogue/drafts/:name/schedule',
    summary: 'Let a draft be published on its day',
    reauthenticate: true,
    permission,
    params,
    body: z
      .strictObject({ effective_at: momentSchema.meta({ description: 'Still to come' }), revision })
      .meta({ examples: [{ effective_at: '2027-01-01T00:00:00+01:00', revision: 3 }] }),
    answer: draftEntry,
    errors: { 409: 'The draft was changed meanwhile, is published, or waits for another day.' },
  },
  unscheduleDraft: {
    method: 'DELETE',
    path: '/api/catalogue/drafts/:name/schedule',
    summary: 'Take a draft off the schedule',
    permission,
    params,
    answer: draftEntry,
    errors: { 409: 'The draft is published.' },
  },
});
