import type { EntityManager } from 'typeorm';
import { usageSums } from '../periods/usage-rows.ts';

/** What is added up in `billing.served_hour`. */
export const SERVED_SUMS = [
  'requests',
  'latency_ms',
  'first_byte_ms',
  'cost_pico',
  'upstream_cost_pico',
  'unknown_cost_requests',
  'unknown_cost_pico',
] as const;

const COLUMNS = [
  'occurred_at',
  'upstream',
  'model',
  'outcome',
  'latency_ms',
  'first_byte_ms',
  'cost_pico',
  'upstream_cost_pico',
];

/** All usage that was ever posted, and lost attempts as rows of `billing.served_hour`. */
export const servedHours = async (
  runs: Pick<EntityManager, 'query'>,
  condition = 'true',
): Promise<string> => `
  SELECT date_trunc('hour', occurred_at, 'UTC') AS hour, upstream, model, outcome, sum(requests) AS requests,
    sum(latency_ms) AS latency_ms, sum(first_byte_ms) AS first_byte_ms,
    sum(cost_pico) AS cost_pico, coalesce(sum(upstream_cost_pico), 0) AS upstream_cost_pico,
    coalesce(sum(requests) FILTER (WHERE upstream_cost_pico IS NULL), 0) AS unknown_cost_requests,
    coalesce(sum(cost_pico) FILTER (WHERE upstream_cost_pico IS NULL), 0) AS unknown_cost_pico
  FROM (${await usageSums(runs, COLUMNS)} UNION ALL
    SELECT occurred_at, upstream, model, 'lost', latency_ms, 0, 0, upstream_cost_pico, 1::bigint FROM billing.lost_attempt
    UNION ALL SELECT occurred_at, upstream, model, 'lost', latency_ms, 0, 0, upstream_cost_pico, attempts FROM billing.lost_rollup
  ) AS served WHERE ${condition} GROUP BY 1, 2, 3, 4`;
