import { Readable } from 'node:stream';
import { TOKEN_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import { freeTextCell } from '../exports/formats/csv.ts';
import type { UsageEntry, UsageFilter, UsagePage } from './usage-log.ts';

const ROWS_AT_A_TIME = 2_000;

const COLUMNS: readonly (readonly [name: string, value: (entry: UsageEntry) => string | number | boolean])[] =
  [
    ['request_id', (entry) => entry.request_id],
    ['occurred_at', (entry) => entry.occurred_at],
    ['account_id', (entry) => entry.account_id],
    ['key_id', (entry) => entry.key_id],
    ['group', (entry) => entry.group],
    ['group_ratio', (entry) => entry.group_ratio],
    ['discount_ratio', (entry) => entry.discount_ratio],
    ['model', (entry) => entry.model],
    ['protocol', (entry) => entry.protocol],
    ['operation', (entry) => entry.operation],
    ['stream', (entry) => entry.stream],
    ['pricing_version', (entry) => entry.pricing_version],
    ...TOKEN_KINDS.map((kind) => [`tokens_${kind}`, (entry: UsageEntry) => entry.tokens[kind] ?? 0] as const),
    ...UNIT_KINDS.map((kind) => [`units_${kind}`, (entry: UsageEntry) => entry.units[kind] ?? 0] as const),
    ['service_tier', (entry) => entry.service_tier],
    ['region', (entry) => entry.region ?? ''],
    ['counted', ({ lines }) => [...new Set(lines.flatMap(({ counted }) => counted))].sort().join(' ')],
    ['disputed', ({ disputed }) => disputed?.status ?? ''],
    // Of a request of one model the other columns say it all.
    ['lines', ({ lines }) => (lines.length > 1 ? JSON.stringify(lines) : '')],
    ['cost_usd', (entry) => entry.cost_usd],
    ['usage_source', (entry) => entry.usage_source],
    ['outcome', (entry) => entry.outcome],
    ['http_status', (entry) => entry.http_status],
    ['latency_ms', (entry) => entry.latency_ms],
    ['first_byte_ms', (entry) => entry.first_byte_ms],
  ];

const cell = (value: string | number | boolean): string =>
  typeof value === 'string' ? freeTextCell(value) : String(value);

/**
 * The whole usage log of a filter as CSV with a header, newest first; a page of it is in memory at a time.
 *
 * @param read answers a page: {@link usageLog}.
 */
export function usageCsv(
  read: (filter: UsageFilter) => Promise<UsagePage>,
  filter: Omit<UsageFilter, 'cursor' | 'limit'>,
): Readable {
  async function* lines(): AsyncGenerator<string> {
    yield `${COLUMNS.map(([name]) => name).join(',')}\r\n`;
    let cursor: string | undefined;
    do {
      const { items, next } = await read({ ...filter, cursor, limit: ROWS_AT_A_TIME });
      const rows = items.map((entry) => `${COLUMNS.map(([, value]) => cell(value(entry))).join(',')}\r\n`);
      if (rows.length > 0) yield rows.join('');
      cursor = next ?? undefined;
    } while (cursor !== undefined);
  }
  return Readable.from(lines());
}
