import type { Session } from '@tollgate/contracts';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { clientBlock } from '@tollgate/api/address-range';
import type { Logger } from './logging.ts';

const WINDOW_MS = 60_000;
const MAX_LINES = 60;
const MAX_LINES_OF_CLIENT = 10;
const AUDITED_FOR_MS = 3_600_000;
const MAX_AUDITED = 10_000;

/** 401: nobody is signed in; 403: they may not; 429: they tried too often. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

/** Somebody was kept from something. */
export interface Refusal {
  readonly status: number;
  /** What a program does about it, such as `reauthentication_required`. */
  readonly code: string | null;
  readonly message: string;
  /** With the names of its parameters: what somebody wrote in their place may be a secret. */
  readonly route: string;
}

/** What a service knows of who is refused, and where it writes that down. */
export interface RefusalAudit {
  readonly personOf: (request: FastifyRequest) => Session | undefined;
  /** Writes it down where the operators look for what people did. */
  readonly audit: (refusal: Refusal, person: Session, request: FastifyRequest) => Promise<void>;
}

/** Hears of every error that a route answers with; those that are no refusals it leaves. */
export type NoteRefusal = (
  request: FastifyRequest,
  status: number,
  error: { readonly message: string; readonly code: string | null },
) => void;

/**
 * Logs refusals, and hands those of people who are known to the audit log. Neither can be flooded: ten lines a minute of one
 * client, sixty of all, and the number of those that were left out; one entry an hour for a person, a route and a status.
 *
 * @param now in milliseconds.
 */
export function createRefusalLog(
  logger: Pick<Logger, 'warn' | 'error'>,
  audit?: RefusalAudit,
  now: () => number = () => performance.now(),
): NoteRefusal {
  const mayLog = lineBudget(logger, now);
  // With `max` it would make places for all of them at once.
  const auditedAt = new LRUCache<string, number>({ maxSize: MAX_AUDITED, sizeCalculation: () => 1 });
  return (request, status, { message, code }) => {
    if (!REFUSALS.has(status)) return;
    const { method, routeOptions, ip: address, id: request_id } = request;
    const route = `${method} ${routeOptions.url ?? ''}`;
    const person = audit?.personOf(request);
    if (mayLog(address)) {
      const who = person && { user_id: person.user_id, role: person.role };
      logger.warn({ event: 'access_refused', status, code, route, address, request_id, ...who }, message);
    }
    if (!audit || !person) return;
    const name = `${person.user_id} ${route} ${status}`;
    if (now() - (auditedAt.get(name) ?? -Infinity) < AUDITED_FOR_MS) return;
    auditedAt.set(name, now());
    audit.audit({ status, code, message, route }, person, request).catch((error: unknown) => {
      auditedAt.delete(name);
      logger.error(
        { event: 'refusal_not_audited', err: error, request_id },
        'a refusal could not be written into the audit log',
      );
    });
  };
}

/** Whether a line more may be logged of a client; what was left out of a minute is told with the first line after it. */
function lineBudget(logger: Pick<Logger, 'warn'>, now: () => number): (address: string) => boolean {
  const ofClient = new Map<string, number>();
  let [begunAt, lines, leftOut] = [-Infinity, 0, 0];
  const begin = () => {
    if (leftOut > 0)
      logger.warn({ event: 'access_refusals_left_out', count: leftOut }, 'more was refused than is logged');
    ofClient.clear();
    [begunAt, lines, leftOut] = [now(), 0, 0];
  };
  return (address) => {
    if (now() - begunAt >= WINDOW_MS) begin();
    const client = clientBlock(address);
    const before = ofClient.get(client) ?? 0;
    if (lines >= MAX_LINES || before >= MAX_LINES_OF_CLIENT) {
      leftOut += 1;
      return false;
    }
    ofClient.set(client, before + 1);
    lines += 1;
    return true;
  };
}
