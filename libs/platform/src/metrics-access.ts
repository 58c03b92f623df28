import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressMatcher, normaliseAddressRange } from '@tollgate/api/address-range';
import { splitAtCommas } from './comma-separated.ts';

const NOBODY = 'none';

/** The settings of every service that are about who reads its metrics. */
export const metricsConfigShape = {
  METRICS_FROM: z
    .string()
    .default('127.0.0.0/8,::1')
    .transform((list) => splitAtCommas(list).filter((entry) => entry !== NOBODY))
    .refine((ranges) => ranges.every((range) => normaliseAddressRange(range) !== undefined), {
      error: 'must be addresses or CIDR ranges, comma-separated, or "none"',
    })
    .describe(
      'Addresses or CIDR ranges, comma-separated, of who may read `/metrics` without `METRICS_TOKEN`, and not through a proxy; `none` is nobody',
    ),
  METRICS_TOKEN: z
    .string()
    .min(32, 'must have at least 32 characters')
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
    .optional()
    .describe(
      'Whoever shows it as a bearer token may read `/metrics`, from wherever; at least 32 characters',
    ),
} as const;

/** Whether a request may read a service's metrics. */
export type MetricsAccess = (request: FastifyRequest) => boolean;

/**
 * Who comes with the token, or straight from one of the addresses. An address alone says little: behind a load balancer
 * that rewrites addresses the whole internet comes from a private one, so none but our own machine is one unless it is
 * named.
 */
export function metricsAccess({
  METRICS_FROM,
  METRICS_TOKEN,
}: z.infer<z.ZodObject<typeof metricsConfigShape>>): MetricsAccess {
  const isNamed = addressMatcher(METRICS_FROM.flatMap((range) => normaliseAddressRange(range) ?? []));
  const expected = METRICS_TOKEN === undefined ? undefined : digest(METRICS_TOKEN);
  return ({ headers, raw }) => {
    const [, shown] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '') ?? [];
    if (shown !== undefined) return expected !== undefined && timingSafeEqual(digest(shown), expected);
    const isForwarded = PROXIED.some((name) => headers[name] !== undefined);
    return !isForwarded && isNamed(raw.socket.remoteAddress ?? '');
  };
}

const PROXIED = ['x-forwarded-for', 'forwarded', 'via'];

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
