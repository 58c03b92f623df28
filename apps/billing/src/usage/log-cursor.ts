import { z } from 'zod';

/** Where a request stands in a log by its time. */
export interface LogPlace {
  /** To the microsecond, which a Date does not hold. */
  readonly occurredAt: string;
  readonly requestId: string;
}

export const OCCURRED_EXACTLY = `to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS occurred_exactly`;

const cursorSchema = z.tuple([z.iso.datetime(), z.string().regex(/^[\u0020-\uffff]+$/)]);

export const makeCursor = ({ occurredAt, requestId }: LogPlace): string =>
  Buffer.from(JSON.stringify([occurredAt, requestId])).toString('base64url');

/** Undefined for what is no cursor of ours: then the log begins at its newest entry. */
export function readCursor(cursor: string): LogPlace | undefined {
  try {
    const [occurredAt, requestId] = cursorSchema.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    );
    return { occurredAt, requestId };
  } catch {
    return undefined;
  }
}

/**
 * The conditions of what comes after a place; their values are added to `values`.
 *
 * @param byId whether the log is in the order of ids alone.
 * @param isOldestFirst in place of newest first.
 */
export function continueAfter(
  after: LogPlace | undefined,
  values: unknown[],
  byId: boolean,
  isOldestFirst = false,
): string[] {
  if (!after) return [];
  const side = isOldestFirst ? '>' : '<';
  if (byId) return [`request_id ${side} $${values.push(after.requestId)}`];
  const occurredAt = `$${values.push(after.occurredAt)}`;
  const requestId = `$${values.push(after.requestId)}`;
  // The first is implied by the second, but only the first spares the months that are newer.
  return [
    `occurred_at ${side}= ${occurredAt}`,
    `(occurred_at, request_id) ${side} (${occurredAt}, ${requestId})`,
  ];
}

const SLACK_MS = 60_000;

/** Above the ids of all that came before a time, as gateways make them: `req_` and twelve digits of milliseconds. */
export const idAfter = (to: string): string =>
  `req_${Math.max(0, Date.parse(to) + SLACK_MS)
    .toString(16)
    .padStart(12, '0')}`;
