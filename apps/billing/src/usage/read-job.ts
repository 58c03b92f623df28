import { type UsageEvent, usageEventSchema } from '@tollgate/contracts';
import type { Rejected } from './post-batch.ts';

/** The good events of a queue job, and what was none. */
export function readJob(data: unknown): { events: UsageEvent[]; rejected: Rejected[] } {
  const list: unknown =
    typeof data === 'object' && data !== null && 'events' in data ? data.events : undefined;
  if (!Array.isArray(list)) {
    const reason = 'the job holds no list of events';
    return { events: [], rejected: [{ requestId: null, reason, event: data ?? null }] };
  }
  const events: UsageEvent[] = [];
  const rejected: Rejected[] = [];
  for (const each of list as unknown[]) {
    const parsed = usageEventSchema.safeParse(each);
    if (parsed.success) events.push(parsed.data);
    else rejected.push({ requestId: requestIdOf(each), reason: parsed.error.message, event: each });
  }
  return { events, rejected };
}

/** Where it can be told, so that the gateway that sent the event hears that it was dealt with. */
const requestIdOf = (event: unknown): string | null =>
  typeof event === 'object' && event !== null && 'request_id' in event && typeof event.request_id === 'string'
    ? event.request_id
    : null;
