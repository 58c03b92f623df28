import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { relayError, type RelayError } from '@tollgate/protocols';

/** The deployments of Tollgate that a request has come through, as RFC 9110 7.6.3 has it of Via. */
export const HOPS_HEADER = 'x-tollgate-hops';

export interface Hops {
  /** Why a request that has come through these is refused. */
  refusal(headers: IncomingHttpHeaders): RelayError | undefined;
  /** What its upstream is told. */
  next(headers: IncomingHttpHeaders): string;
}

/**
 * Stops requests that go round in a circle. An upstream may be a Tollgate too, and one that leads back to us would use up a
 * key's limits and credit in a moment. So each deployment adds its own mark, and refuses a request that has it already.
 *
 * @param sealKey what all gateways of a deployment share, and no other one has.
 * @param maxHops how many other deployments a request may have come through.
 */
export function createHops(sealKey: Buffer, maxHops: number): Hops {
  const own = createHmac('sha256', sealKey).update(HOPS_HEADER).digest('hex').slice(0, 12);
  const marksOf = (headers: IncomingHttpHeaders): string[] =>
    String(headers[HOPS_HEADER] ?? '')
      .split(',')
      .map((mark) => mark.trim())
      .filter((mark) => mark !== '');
  return {
    refusal(headers) {
      if (headers[HOPS_HEADER] === undefined) return undefined;
      const marks = marksOf(headers);
      if (marks.includes(own)) return LOOP;
      return marks.length > maxHops ? tooMany(marks.length, maxHops) : undefined;
    },
    next: (headers) => (headers[HOPS_HEADER] === undefined ? own : [...marksOf(headers), own].join(', ')),
  };
}

const LOOP = relayError(
  'invalid_request',
  'This request has come through this service before: one of its upstreams leads back to it. The operators must take that upstream out of the pool.',
);

const tooMany = (count: number, maxHops: number): RelayError =>
  relayError(
    'invalid_request',
    `This request has come through ${count} services of this kind, and ${maxHops} may stand before this one. The operators must shorten the chain, or raise MAX_HOPS.`,
  );
