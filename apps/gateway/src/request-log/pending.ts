import { randomUUID } from 'node:crypto';
import type { RequestBatch, RequestCount, RequestRecord } from '@tollgate/contracts';

/** What may wait: beyond it records are given up first, and counts of ends that are not counted yet. */
const MAX = { records: 2_000, counts: 10_000 };
/** What travels together. */
const BATCH = { records: 500, counts: 2_000 };

const MINUTE_MS = 60_000;

/** An end to be counted. */
export interface CountedEnd extends Pick<RequestCount, 'account_id' | 'http_status' | 'error_code'> {
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** Records and counts that wait for their batch. */
interface Pending {
  /** @returns whether there is room for it. */
  keep(record: RequestRecord): boolean;
  /** @returns whether it is counted. */
  count(end: CountedEnd, isRecorded: boolean): boolean;
  isEmpty(): boolean;
  /** Takes what goes next; undefined where nothing waits. */
  takeBatch(): RequestBatch | undefined;
}

export function createPending(max: typeof MAX = MAX): Pending {
  let records: RequestRecord[] = [];
  const counts = new Map<string, RequestCount>();
  return {
    keep(record) {
      if (records.length >= max.records) return false;
      records.push(record);
      return true;
    },
    count({ account_id, http_status, error_code, arrivedAt }, isRecorded) {
      const minute = Math.floor(arrivedAt / MINUTE_MS) * MINUTE_MS;
      const name = `${account_id} ${minute} ${http_status} ${error_code}`;
      const before = counts.get(name);
      if (!before && counts.size >= max.counts) return false;
      counts.set(name, {
        account_id,
        minute: new Date(minute).toISOString(),
        http_status,
        error_code,
        requests: (before?.requests ?? 0) + 1,
        recorded: (before?.recorded ?? 0) + (isRecorded ? 1 : 0),
      });
      return true;
    },
    isEmpty: () => records.length === 0 && counts.size === 0,
    takeBatch() {
      if (records.length === 0 && counts.size === 0) return undefined;
      const some = records.slice(0, BATCH.records);
      records = records.slice(some.length);
      const counted = [...counts].slice(0, BATCH.counts);
      for (const [name] of counted) counts.delete(name);
      return { id: randomUUID(), records: some, counts: counted.map(([, count]) => count) };
    },
  };
}
