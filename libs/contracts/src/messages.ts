import { priceSnapshotSchema } from '@tollgate/catalogue';
import { z } from 'zod';
import { traceparentSchema } from './traceparent.ts';

/**
 * Name of the BullMQ queue that carries usage batches from gateways to billing, and of its first shard. The braces keep all
 * keys of a shard in one slot of a cluster, and let shards lie in different ones.
 */
export const USAGE_QUEUE = '{usage}';
export const USAGE_QUEUE_SHARDS_MAX = 64;

/** The queue of a shard. The first keeps its name however many there are. */
export const toUsageQueue = (shard: number): string => (shard === 0 ? USAGE_QUEUE : `{usage-${shard}}`);

/** The key of Redis under which BullMQ keeps a part of a queue, such as its list `wait`. */
export const toQueueKey = (queue: string, part: string): string => `bull:${queue}:${part}`;

/** Request and reply over the TCP transport. */
export const MESSAGE = {
  /** {@link KeyLookup} to billing; answers a KeyRecord or null. */
  keyLookup: 'key.lookup',
  /** {@link SnapshotRequest} to pricing; answers a PriceSnapshot or null. */
  snapshotGet: 'snapshot.get',
  /** {@link DraftRequest} to pricing; answers a DraftAnswer or null. */
  draftGet: 'draft.get',
  /** {@link SessionLookup} to billing; answers a Session or null. */
  sessionLookup: 'session.lookup',
  /** {@link SessionLookup} to billing; answers whether whoever is signed in proved who they are lately. */
  sessionFresh: 'session.fresh',
  /** {@link UsageLookup} to billing; answers a UsageLookup of those that are not in its books. */
  usageMissing: 'usage.missing',
  /** Usage events to billing, past a queue that refuses it; answers null once it is dealt with, as a job is. */
  usagePost: 'usage.post',
  /** A RequestBatch to billing; answers null once it is kept. */
  requestsNote: 'requests.note',
  /** {@link CreditLoad} to billing; answers null once Redis has the scopes. */
  creditLoad: 'credit.load',
  /** {@link BackgroundBegin} to billing; answers a BackgroundBegun. */
  backgroundBegin: 'background.begin',
  /** {@link BackgroundStart} to billing; answers whether the job is there to be started. */
  backgroundStart: 'background.start',
  /** A backgroundDropSchema to billing; answers null. */
  backgroundDrop: 'background.drop',
  /** A backgroundLeaseSchema to billing; answers LeasedJobs. */
  backgroundLease: 'background.lease',
  /** A backgroundPolledSchema to billing; answers null. */
  backgroundPolled: 'background.polled',
  /** {@link BackgroundEnd} to billing; answers null once it is in the books. */
  backgroundEnd: 'background.end',
  /** A backgroundFindSchema to billing; answers a FoundJob or null. */
  backgroundFind: 'background.find',
  /** {@link AuditReport} to billing; answers an AuditReported. */
  auditReport: 'audit.report',
  /** {@link AuditNote} to billing; answers null once it is written down. */
  auditNote: 'audit.note',
} as const;

/** Fan-out over Redis publish/subscribe: every replica hears every one. */
export const EVENT = {
  snapshotPublished: 'snapshot.published',
  keyChanged: 'key.changed',
  /** HealthTransition from a gateway to the others. */
  upstreamHealth: 'upstream.health',
  /** CredentialEnabled from pricing to gateways. */
  credentialEnabled: 'credential.enabled',
  /** UpstreamTest from pricing to gateways: one of them carries it out. */
  upstreamTest: 'upstream.test',
} as const;

export const keyLookupSchema = z.strictObject({ key_hash: z.string().regex(/^[0-9a-f]{64}$/) });

export const snapshotRequestSchema = z.strictObject({
  version: z.union([z.int().positive(), z.literal('current')]),
  /** With a number: the snapshot of this hash, whatever number it has, and no other. */
  hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** The span that asks, where it is traced. */
  traceparent: traceparentSchema.optional(),
});

export const draftRequestSchema = z.strictObject({ name: z.string().min(1).max(128) });

/** What a draft would be if it were published now: a snapshot that has no version yet, or why it cannot be one. */
export const draftAnswerSchema = z.strictObject({
  snapshot: priceSnapshotSchema.extend({ version: z.literal(0) }).nullable(),
  faults: z.array(z.string()),
});
export type DraftAnswer = z.infer<typeof draftAnswerSchema>;

/** The raw Cookie header of the caller. */
export const sessionLookupSchema = z.strictObject({ cookie: z.string().max(8192) });

/** Requests whose usage a gateway wants to know to be in the books. */
export const usageLookupSchema = z.strictObject({ request_ids: z.array(z.string().max(64)).max(2_000) });
export type UsageLookup = z.infer<typeof usageLookupSchema>;

/** What a later release adds to it is passed over: a gateway of this one must hear of new prices all the same. */
export const snapshotPublishedSchema = z.object({
  version: z.int().positive(),
  hash: z.string(),
  /** The span of the publication, where it is traced. */
  traceparent: traceparentSchema.optional(),
});

export const keyChangedSchema = z.strictObject({ key_hash: z.string().regex(/^[0-9a-f]{64}$/) });
export type KeyChanged = z.infer<typeof keyChangedSchema>;

/**
 * Redis string that holds the JSON of a KeyRecord, or `null` for a key that is gone; written by billing after each change
 * and look-up, read by gateways.
 */
export const keyRecordRedisKey = (keyHash: string): string => `tollgate:key:${keyHash}`;

/** How long a copy stands after billing last said that it is right. */
export const KEY_COPY_TTL_MS = 24 * 3_600_000;
/** Redis string that is there while there are copies of key records. */
export const KEY_COPIES_REDIS_KEY = 'tollgate:key-copies';

/** Redis string that holds the JSON of the newest PriceSnapshot, written by pricing. */
export const CURRENT_SNAPSHOT_REDIS_KEY = 'tollgate:snapshot:current';

/** Redis string that holds the JSON of a PriceSnapshot for some days after it was published, should the database lose it. */
export const publishedSnapshotRedisKey = (version: number): string => `tollgate:snapshot:${version}`;
