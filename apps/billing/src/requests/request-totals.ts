import type { AnswerOf, requests } from '@tollgate/api';
import { formatUsd } from '@tollgate/money';
import { column, readRow } from '@tollgate/platform';
import { INPUT_TOKEN_KINDS, type MeterKind, OUTPUT_TOKEN_KINDS } from '@tollgate/vocabulary';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { findMeterColumn } from '../usage/meter-columns.ts';
import { toUsageConditions, type UsageFilter } from '../usage/usage-log.ts';
import { type RequestFilter, toFilters } from './request-list.ts';
import { IS_FAILED, type RecordFilter, toRecordConditions } from './uncharged.ts';

type Runs = Pick<DataSource, 'query'>;

const sumOf = (kinds: readonly MeterKind[]): string =>
  `coalesce(sum(${kinds.map(findMeterColumn).join(' + ')}), 0)::bigint`;

const chargedRow = z.object({
  requests: column.bigint,
  failed: column.bigint,
  cost: column.text,
  tokens_in: column.bigint,
  tokens_out: column.bigint,
});
const unchargedRow = z.object({ requests: column.bigint, failed: column.bigint });
const NONE = { requests: 0, failed: 0, cost: '0', tokens_in: 0, tokens_out: 0 };

/** What all requests that fit add up to, as the log has them. */
export async function sumRequests(
  database: Runs,
  filter: Omit<RequestFilter, 'limit' | 'cursor'>,
): Promise<AnswerOf<typeof requests.sumRequests>> {
  const { ofCharged, ofUncharged } = toFilters({ ...filter, limit: 1 });
  const [charged = NONE, uncharged = NONE] = await Promise.all([
    ofCharged && sumCharged(database, ofCharged),
    ofUncharged && sumUncharged(database, ofUncharged),
  ]);
  return {
    requests: Number(charged.requests) + Number(uncharged.requests),
    failed: Number(charged.failed) + Number(uncharged.failed),
    tokens_in: Number(charged.tokens_in),
    tokens_out: Number(charged.tokens_out),
    charged_usd: formatUsd(BigInt(charged.cost)),
  };
}

function sumCharged(database: Runs, filter: UsageFilter) {
  const { joined, values } = toUsageConditions(filter);
  return readRow(
    database,
    chargedRow,
    `SELECT count(*) AS requests, count(*) FILTER (WHERE outcome = 'upstream_cut') AS failed,
       coalesce(sum(cost_pico), 0)::text AS cost, ${sumOf(INPUT_TOKEN_KINDS)} AS tokens_in,
       ${sumOf(OUTPUT_TOKEN_KINDS)} AS tokens_out FROM billing.usage WHERE ${joined()}`,
    values,
  );
}

function sumUncharged(database: Runs, filter: RecordFilter) {
  const { joined, values } = toRecordConditions(filter);
  return readRow(
    database,
    unchargedRow,
    `SELECT count(*) AS requests, count(*) FILTER (WHERE ${IS_FAILED}) AS failed
     FROM billing.request_record WHERE ${joined()}`,
    values,
  );
}
