import { priceSnapshotSchema } from '@tollgate/catalogue';
import { MESSAGE, snapshotRequestSchema } from '@tollgate/contracts';
import { freePort, TEST_SERVICE_SECRET } from '@tollgate/harness';
import { listenerTls } from '@tollgate/platform';
import { ServerTCP } from '@nestjs/microservices';

/** Of every model of a synthetic ledger, in pico-USD a token. */
export const SYNTHETIC_PRICES = {
  input: 3_000_017,
  cache_read: 300_007,
  output: 15_000_011,
  output_reasoning: 15_000_011,
} as const;
export const SYNTHETIC_MODELS = 20;
export const SYNTHETIC_VENDORS = 4;

const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, place) => ({ name: `${prefix}-${place}`, place }));

/** The same prices under every version that is asked for. */
const toSnapshot = (version: number) =>
  priceSnapshotSchema.parse({
    version,
    hash: '0'.repeat(64),
    published_at: '2026-01-01T00:00:00.000Z',
    catalogue: {
      vendors: named('vendor', SYNTHETIC_VENDORS).map(({ name }) => ({ name, description: '', icon: '' })),
      models: named('model', SYNTHETIC_MODELS).map(({ name, place }) => ({
        name,
        vendor: `vendor-${place % SYNTHETIC_VENDORS}`,
        description: '',
        tags: [],
        prices: SYNTHETIC_PRICES,
        tiers: [],
        request_price: 0,
        context_window: null,
        max_output_tokens: null,
        limits: {},
      })),
      groups: [{ name: 'default', ratio: '1', models: ['*'] }],
      upstreams: [],
      pools: [],
      discounts: [],
      auto_groups: [],
      limits: { client: {}, key: {}, route: {} },
    },
  });

interface AnsweredPrices {
  readonly url: string;
  stop(): void;
}

/** Answers billing's questions for prices, as pricing would. */
export async function answerPrices(): Promise<AnsweredPrices> {
  const port = await freePort();
  const server = new ServerTCP({ port, tlsOptions: listenerTls([TEST_SERVICE_SECRET]) });
  server.addHandler(MESSAGE.snapshotGet, (payload: unknown) => {
    const { version } = snapshotRequestSchema.parse(payload);
    return Promise.resolve(toSnapshot(Number(version)));
  });
  await new Promise<void>((resolve) => {
    server.listen(() => resolve());
  });
  return { url: `tcp://127.0.0.1:${port}`, stop: () => void server.close() };
}
