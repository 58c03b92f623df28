import { groupSchema, type PriceSnapshot } from '@tollgate/catalogue';
import type { UsageEvent } from '@tollgate/contracts';
import { type Counts, TOKEN_KINDS, type TokenCounts, type TokenKind } from '@tollgate/vocabulary';

let made = 0;

/** What matters of an event to a test; the counts of its one line may stand by themselves. */
export type EventFields = Partial<UsageEvent> & {
  readonly tokens?: Counts;
  readonly reported_tokens?: Counts;
};

/** An id as gateways make them, of a request at a moment. */
export const requestIdAt = (at: string, n: number): string =>
  `req_${Date.parse(at).toString(16).padStart(12, '0')}${n.toString(16).padStart(20, '0')}`;

const OCCURRED_AT = '2026-11-21T10:00:00.000Z';

/** An event of a request that ended well; what matters to a test is stated there. */
export const usageEvent = ({
  tokens = { input: 3, output: 5 },
  reported_tokens: reported,
  ...of
}: EventFields = {}): UsageEvent => ({
  v: 2,
  request_id: `${requestIdAt(of.occurred_at ?? OCCURRED_AT, (made += 1))}${of.lost ? '.1' : ''}`,
  occurred_at: OCCURRED_AT,
  account_id: '0198f1c2-7d1e-7000-8000-000000000001',
  key_id: '0198f1c2-7d1e-7000-8000-000000000002',
  group: 'default',
  model: 'm',
  pool: 'main',
  upstream: 'east',
  upstream_model: 'm-upstream',
  protocol: 'openai-chat',
  stream: false,
  snapshot_version: 1,
  lines: [{ model: of.model ?? 'm', counts: tokens }],
  ...(reported === undefined ? {} : { reported_lines: [{ model: of.model ?? 'm', counts: reported }] }),
  usage_source: 'upstream',
  outcome: 'completed',
  http_status: 200,
  latency_ms: 12,
  first_byte_ms: 8,
  ...of,
});

/** A snapshot with one model at the given prices and one group at the given ratio. */
export const snapshotWith = (prices: Partial<Record<TokenKind, number>>, ratio: string): PriceSnapshot => ({
  version: 1,
  hash: '0'.repeat(64),
  published_at: '2026-11-21T00:00:00.000Z',
  catalogue: {
    vendors: [{ name: 'acme', description: '', icon: '' }],
    models: [
      {
        name: 'm',
        vendor: 'acme',
        description: '',
        tags: [],
        prices: Object.fromEntries(TOKEN_KINDS.map((kind) => [kind, prices[kind] ?? 0])) as Record<
          TokenKind,
          number
        >,
        tiers: [],
        request_price: 0,
        context_window: null,
        max_output_tokens: null,
        limits: {},
      },
    ],
    groups: [groupSchema.parse({ name: 'default', ratio, models: ['*'] })],
    upstreams: [],
    pools: [],
    discounts: [],
    auto_groups: [],
    limits: { client: {}, key: {}, route: {} },
  },
});

/**
 * What tokens cost in pico-USD, worked out as a fraction over the whole billion: the nearest whole number, the even
 * one of two that are equally near.
 */
export function expectedCost(
  tokens: TokenCounts,
  prices: Partial<Record<TokenKind, number>>,
  ratio: string,
): bigint {
  const unit = 1_000_000_000n;
  const [whole = '0', places = ''] = ratio.split('.');
  const billionths = BigInt(whole) * unit + BigInt(places.padEnd(9, '0'));
  const exact = TOKEN_KINDS.reduce(
    (sum, kind) => sum + BigInt(tokens[kind] ?? 0) * BigInt(prices[kind] ?? 0) * billionths,
    0n,
  );
  const floor = exact / unit;
  const rest = exact - floor * unit;
  const distance = rest + rest - unit;
  if (distance < 0n) return floor;
  if (distance > 0n) return floor + 1n;
  return floor + (floor & 1n);
}
