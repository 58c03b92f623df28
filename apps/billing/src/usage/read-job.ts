import { parseUsageEvent, type UsageEvent } from '@tollgate/contracts';
import type { z } from 'zod';
import type { Rejected } from './post-batch.ts';

/** The good events of a queue job, and what is none, or none yet. */
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
    const parsed = parseUsageEvent(each);
    if (parsed.success) events.push(parsed.data);
    else
      rejected.push({
        requestId: requestIdOf(each),
        reason: parsed.error.message,
        event: each,
        waits: isOfAnotherRelease(each, parsed.error),
      });
  }
  return { events, rejected };
}

/** Issues of what a later release may know: a field more, one more of a list of names, another version of the whole. */
const OF_ANOTHER_RELEASE: ReadonlySet<string> = new Set([
  'unrecognized_keys',
  'invalid_key',
  'invalid_value',
]);

/** While a gateway is ahead of billing, or billing alone was put back, its events wait for the release that knows them. */
const isOfAnotherRelease = (event: unknown, { issues }: z.ZodError): boolean =>
  (typeof event === 'object' &&
    event !== null &&
    'v' in event &&
    typeof event.v === 'number' &&
    event.v > 2) ||
  issues.every(({ code }) => OF_ANOTHER_RELEASE.has(code));

/** Where it can be told, so that the gateway that sent the event hears that it was dealt with. */
const requestIdOf = (event: unknown): string | null =>
  typeof event === 'object' && event !== null && 'request_id' in event && typeof event.request_id === 'string'
    ? event.request_id
    : null;
