import type { RequestBatch } from '@tollgate/contracts';
import { hasRows } from '@tollgate/platform';
import type { DataSource, EntityManager } from 'typeorm';

/** Batches that wait while one is written. Gateways send what is refused again. */
const MAX_WAITING = 16;

/** Keeps what gateways tell of requests that made no usage. */
export interface RequestNotes {
  /** Resolves once the batch is kept; one that was taken before changes nothing. @throws while too many wait. */
  note(batch: RequestBatch): Promise<void>;
}

/** One batch at a time: whatever comes of requests that failed, it takes one connection. */
export function createRequestNotes(database: DataSource): RequestNotes {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    async note(batch) {
      if (waiting >= MAX_WAITING) throw new Error('Too many batches of requests wait to be kept.');
      waiting += 1;
      const write = () => database.transaction((manager) => writeBatch(manager, batch));
      const written = last.then(write, write);
      last = written.catch(() => {});
      await written.finally(() => (waiting -= 1));
    },
  };
}

async function writeBatch(manager: EntityManager, { id, records, counts }: RequestBatch): Promise<void> {
  const isNew = await hasRows(
    manager,
    'INSERT INTO billing.request_batch (id) VALUES ($1) ON CONFLICT (id) DO NOTHING RETURNING id',
    [id],
  );
  if (!isNew) return;
  if (records.length > 0) await manager.query(INSERT_RECORDS, [JSON.stringify(records)]);
  if (counts.length > 0) await manager.query(ADD_COUNTS, [JSON.stringify(counts)]);
}

const INSERT_RECORDS = `
  INSERT INTO billing.request_record (request_id, occurred_at, account_id, key_id, is_charged, model, operation, protocol,
    stream, http_status, error_code, message, limited_by, pool, attempts, upstreams, first_byte_ms, latency_ms)
  SELECT request_id, occurred_at, account_id, key_id, is_charged, model, operation, protocol, stream, http_status,
    error_code, message, limited_by, pool, attempts,
    ARRAY(SELECT DISTINCT attempt ->> 'upstream' FROM jsonb_array_elements(attempts) AS attempt),
    first_byte_ms, latency_ms
  FROM jsonb_to_recordset($1::jsonb) AS given (request_id text, occurred_at timestamptz, account_id uuid, key_id uuid,
    is_charged boolean, model text, operation text, protocol text, stream boolean, http_status int, error_code text,
    message text, limited_by text, pool text, attempts jsonb, first_byte_ms int, latency_ms int)
  ON CONFLICT (request_id) DO NOTHING`;

/** In one order, so that batches that are written at once wait for each other and never in a circle. */
const ADD_COUNTS = `
  INSERT INTO billing.request_minute AS m (account_id, minute, http_status, error_code, requests, recorded)
  SELECT account_id, minute, http_status, error_code, sum(requests), sum(recorded)
  FROM jsonb_to_recordset($1::jsonb) AS given (account_id uuid, minute timestamptz, http_status int, error_code text,
    requests bigint, recorded bigint)
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (account_id, minute, http_status, error_code) DO UPDATE SET
    requests = m.requests + excluded.requests, recorded = m.recorded + excluded.recorded`;
