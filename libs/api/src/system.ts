import { z } from 'zod';
import { timestamp } from './common.ts';
import { auditReport } from './ledger-audits.ts';
import { defineResource } from './route.ts';

/** How a part of the system answered. */
const partOf = <S extends z.ZodType>(state: S) =>
  z.object({
    up: z.boolean(),
    latency_ms: z.number().meta({ description: 'Until it answered or failed' }),
    error: z.string().nullable(),
    state: state.nullable().meta({ description: 'What it said; null where it did not' }),
  });

const gatewayState = z
  .object({
    gateway: z.string(),
    seen_at: timestamp,
    started_at: timestamp,
    version: z.string().meta({ description: 'Of the software' }),
    snapshot_version: z.int().nullable().meta({ description: 'The prices that it serves' }),
    spool_files: z.int().meta({ description: 'Files whose events are not confirmed to be in the books' }),
    pending_events: z.int().meta({ description: 'Neither on its disk nor in the queue yet' }),
  })
  .meta({ id: 'GatewayState' });

const system = z
  .object({
    at: timestamp,
    billing: z.object({ version: z.string(), started_at: timestamp }),
    pricing: partOf(z.object({ version: z.int(), hash: z.string(), published_at: z.string() })).meta({
      description: 'The version that is published: null before the first',
    }),
    postgres: partOf(
      z.object({
        version: z.string(),
        bytes: z.number(),
        connections: z.int(),
        max_connections: z.int(),
        rejected_events: z.int(),
      }),
    ),
    redis: partOf(
      z.object({
        version: z.string(),
        role: z.string(),
        bytes: z.number(),
        most_bytes: z.number(),
        connections: z.int(),
        uptime_s: z.number(),
      }),
    ),
    gateways: partOf(z.array(gatewayState)),
    queue: partOf(z.object({ waiting: z.int(), active: z.int(), delayed: z.int(), failed: z.int() })),
    audit: auditReport
      .extend({ at: timestamp })
      .nullable()
      .meta({ description: 'The last audit of the ledger by this process' }),
  })
  .meta({ id: 'System' });

export const systemState = defineResource({
  showSystem: {
    method: 'GET',
    path: '/api/system',
    summary: 'Tell how every part of the deployment is',
    description: 'One that is away is told as down and does not make the answer fail.',
    permission: 'system:read',
    answer: system,
  },
});
