import { randomBytes } from 'node:crypto';
import { USAGE_QUEUE, type UsageEvent } from '@tollgate/contracts';
import { waitFor } from '@tollgate/harness';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { OwnStack } from './own-stack.ts';

const DAYS = 90;
const PER_JOB = 200;

/** A past request, but for what is its own alone. */
interface PastRequest {
  readonly template: Omit<
    UsageEvent,
    'request_id' | 'occurred_at' | 'outcome' | 'latency_ms' | 'first_byte_ms'
  >;
  readonly occurred_at: Date;
  readonly outcome: UsageEvent['outcome'];
  readonly latency_ms: number;
  readonly first_byte_ms: number;
}

/** More on working days than on others. */
const PAST_EVENTS = `
  SELECT jsonb_build_object(
      'v', 2, 'account_id', account_id, 'key_id', key_id, 'group', group_name, 'model', model, 'pool', pool,
      'upstream', upstream, 'upstream_model', upstream_model, 'protocol', protocol, 'stream', stream,
      'snapshot_version', snapshot_version, 'usage_source', usage_source, 'http_status', http_status,
      'lines', jsonb_build_array(jsonb_build_object('model', model, 'counts', jsonb_build_object(
        'input', tokens_input, 'cache_read', tokens_cache_read, 'output', tokens_output)))) AS template,
    occurred_at - hour * interval '1 hour' + (n % 50) * interval '67 seconds' AS occurred_at,
    380 + (n * 7919 + hour * 31) % 2400 AS latency_ms,
    90 + (n * 104729 + hour * 17) % 290 AS first_byte_ms,
    CASE (n + hour) % 97 WHEN 0 THEN 'upstream_cut' WHEN 1 THEN 'client_aborted' ELSE 'completed' END AS outcome
  FROM (SELECT *, (row_number() OVER (ORDER BY occurred_at))::int AS n FROM billing.usage) AS u,
    generate_series(2, ${DAYS} * 24) AS hour
  WHERE (n * 131 + hour * 37) % 100 <
    CASE WHEN extract(isodow FROM now() - hour * interval '1 hour') > 5 THEN 2 ELSE 4 + (hour / 97) % 5 END`;

/** Posts requests like those in the books on each of the days before: charts need a past, and the books are to be right. */
export async function postDemoPast({
  databaseUrl,
  redisUrl,
}: Pick<OwnStack, 'databaseUrl' | 'redisUrl'>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null, replyMapping: 'legacy' });
  const queue = new Queue(USAGE_QUEUE, { connection, defaultJobOptions: { removeOnComplete: true } });
  await client.connect();
  try {
    // Usage from before there was its key would be booked as of now.
    for (const table of ['account', 'api_key'])
      await client.query(`UPDATE billing.${table} SET created_at = created_at - $1 * interval '1 day'`, [
        DAYS + 1,
      ]);
    const past = (await client.query<PastRequest>(PAST_EVENTS)).rows;
    const before = await countUsage(client);
    const events: UsageEvent[] = past.map(({ template, occurred_at, ...rest }) => ({
      ...template,
      ...rest,
      request_id: newRequestId(occurred_at),
      occurred_at: occurred_at.toISOString(),
    }));
    const jobs = Array.from({ length: Math.ceil(events.length / PER_JOB) }, (_, n) => ({
      name: 'usage',
      data: { events: events.slice(n * PER_JOB, (n + 1) * PER_JOB) },
    }));
    await queue.addBulk(jobs);
    await waitFor(
      async () => (await countUsage(client)) === before + events.length,
      `${events.length} requests of the days before`,
      60_000,
    );
  } finally {
    await queue.close();
    connection.disconnect();
    await client.end();
  }
}

const countUsage = async (client: pg.Client): Promise<number> =>
  Number((await client.query<{ rows: string }>('SELECT count(*) AS rows FROM billing.usage')).rows[0]?.rows);

const newRequestId = (at: Date): string =>
  `req_${at.getTime().toString(16).padStart(12, '0')}${randomBytes(10).toString('hex')}`;
