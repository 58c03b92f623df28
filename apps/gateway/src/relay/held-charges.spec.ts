import { groupSchema, type Model, modelSchema, poolSchema, upstreamSchema } from '@tollgate/catalogue';
import { usageEventSchema } from '@tollgate/contracts';
import { measureTask, type Metered } from '@tollgate/metering';
import { boundExtras, findTaskClient, type JsonObject, type TaskForm } from '@tollgate/protocols';
import { type FeatureTerms, METER_KINDS, SERVICE_TIERS, TOKEN_KINDS, UNIT_KINDS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { keyRecord } from '../../testing/keys.ts';
import { priceSnapshot } from '../../testing/price-snapshot.ts';
import { reserve, type Reservation } from '../admit/reserve.ts';
import { buildRoutingTable, type RoutingTable } from '../route/routing-table.ts';
import { createUpstreamClients } from '../upstreams/upstream-clients.ts';
import { boundUnits } from './admit-request.ts';
import { toPricedLine, usageEvent } from './usage-event.ts';

type Prices = Readonly<Record<string, number>>;

/** A model that sells whatever may be sold, at any prices, and one that draws for it. */
function tableWith(
  prices: Prices,
  unitPrices: Prices,
  isBounded: boolean,
  terms: FeatureTerms,
): RoutingTable {
  const sold = {
    prices,
    unit_prices: unitPrices,
    service_tiers: { priority: '2', fast: '6', flex: '0.5', batch: '0.4', reserved: '3' },
    regions: { us: '1.1' },
    features: {
      web_search: terms,
      service_tier: terms,
      speed: terms,
      inference_geo: terms,
      image_generation: terms,
    },
    image_models: ['drawing'],
    request_price: 77,
  };
  const limits = isBounded ? { context_window: 4_000, max_output_tokens: 900 } : { max_output_tokens: null };
  const model = (name: string, of: object): Model =>
    modelSchema.parse({ name, vendor: 'v', ...limits, ...of });
  const snapshot = priceSnapshot({
    models: [model('m', sold), model('drawing', { prices })],
    groups: [groupSchema.parse({ name: 'g', ratio: '1.3', models: ['*'] })],
    upstreams: [
      upstreamSchema.parse({ name: 'u', base_url: 'https://u.example', protocols: ['openai-chat'] }),
    ],
    pools: [poolSchema.parse({ name: 'p', groups: ['*'], models: ['*'], members: [{ upstream: 'u' }] })],
  });
  return buildRoutingTable(
    snapshot,
    createUpstreamClients(Buffer.alloc(32)).update(snapshot.catalogue.upstreams),
  );
}

const count = fc.oneof(fc.nat(3_000), fc.constantFrom(0, 5_000_000, 2 ** 53 - 1, 2 ** 60, Infinity));
const countsOf = <Kind extends string>(kinds: readonly Kind[]) =>
  fc.dictionary(fc.constantFrom(...kinds), count) as fc.Arbitrary<Partial<Record<Kind, number>>>;

/** Whatever an upstream may say, in numbers that no event holds too: of tokens, units, tiers, regions and of models that worked for it. */
const anyMetered: fc.Arbitrary<Metered> = fc.record({
  tokens: countsOf(TOKEN_KINDS),
  source: fc.constantFrom('upstream', 'partial', 'estimated'),
  extras: fc.record(
    {
      serviceTier: fc.constantFrom(...SERVICE_TIERS),
      region: fc.constantFrom('us', 'eu'),
      unknownTier: fc.constant('golden'),
      units: countsOf(UNIT_KINDS),
      pictures: count,
      others: fc.array(
        fc.record({
          model: fc.constantFrom(undefined, 'm', 'drawing', 'drawing-2026', 'other'),
          counts: countsOf(METER_KINDS),
        }),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  ),
});

const price = fc.integer({ min: 0, max: 100_000_000_000 });
const pricesFor = (kinds: readonly string[]) =>
  fc
    .tuple(...kinds.map(() => price))
    .map((prices) => Object.fromEntries(kinds.map((kind, at) => [kind, prices[at] ?? 0])));
const anyTable = fc
  .tuple(
    pricesFor(TOKEN_KINDS),
    pricesFor(UNIT_KINDS),
    fc.boolean(),
    fc.constantFrom('priced', 'free' as const),
  )
  .map((of) => tableWith(...of));

type Asked = Pick<Parameters<typeof reserve>[1], 'bound' | 'extras' | 'output' | 'task'>;

const reserveFor = (table: RoutingTable, asked: Asked): Reservation => {
  const reservation = reserve(table, {
    requestId: 'r',
    arrivedAt: 0,
    key: keyRecord(),
    model: 'm',
    protocol: 'openai-chat',
    ...asked,
  });
  if (!reservation) throw new Error('the table lacks what it was made of');
  return reservation;
};

/** Micro-USD of what is booked, by the event that books it, as billing reads it. */
function chargeFor(reservation: Reservation, metered: Metered): number {
  const event = usageEvent({
    requestId: 'req_of_this_test',
    arrivedAt: 0,
    firstByteMs: 1,
    latencyMs: 2,
    key: keyRecord(),
    protocol: 'openai-chat',
    model: 'm',
    stream: false,
    snapshotVersion: 1,
    snapshotHash: '0'.repeat(64),
    candidate: { upstreamModel: 'm', pool: { name: 'p' }, client: { upstream: { name: 'u' } } },
    status: 200,
    end: 'complete',
    metered,
    bound: reservation.boundOf('m'),
  });
  const { lines } = usageEventSchema.parse(JSON.parse(JSON.stringify(event)));
  return reservation.costOf(lines.map(toPricedLine));
}

function expectWithinHold(askedFor: fc.Arbitrary<Asked>): void {
  fc.assert(
    fc.property(anyTable, askedFor, anyMetered, (table, asked, metered) => {
      const reservation = reserveFor(table, asked);
      expect(chargeFor(reservation, metered)).toBeLessThanOrEqual(reservation.hold?.amount ?? 0);
    }),
  );
}

/** As the gateway measures a task. */
function askTask(form: TaskForm, body: JsonObject): Asked {
  const { bound, maxUnits } = measureTask(form, body);
  const read = findTaskClient(form).output?.(body) ?? {
    ok: true,
    output: { limit: 0, raisedTo: 0, beside: 0, answers: 1 },
  };
  if (!read.ok) throw new Error(read.fault.message);
  return {
    task: form.task,
    bound,
    extras: (_served, model) => boundUnits(maxUnits, model),
    output: read.output,
  };
}

const text = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' });
const few = fc.integer({ min: 1, max: 4 });
const picture = { image_url: 'data:image/png;base64,UE5H' };
const sounds = fc.record({
  prompt: text,
  file: fc.record({
    filename: fc.constant('a.mp3'),
    bytes: fc.integer({ min: 1, max: 3_000_000 }),
    beginning: fc.constant(''),
  }),
});
const images = {
  prompt: text,
  n: few,
  size: fc.constantFrom('auto', '1024x1024', '1536x1024'),
  quality: fc.constantFrom('low', 'high', 'auto'),
};

const TASK_BODIES: readonly (readonly [TaskForm, fc.Arbitrary<JsonObject>])[] = [
  [{ task: 'embed', format: 'openai' }, fc.record({ input: fc.array(text, { minLength: 1, maxLength: 5 }) })],
  [
    { task: 'rerank', format: 'jina' },
    fc.record({ query: text, documents: fc.array(text, { minLength: 1, maxLength: 250 }) }),
  ],
  [{ task: 'moderate', format: 'openai' }, fc.record({ input: text })],
  [{ task: 'complete', format: 'openai' }, fc.record({ prompt: text, max_tokens: fc.nat(50), n: few })],
  [{ task: 'draw', format: 'openai' }, fc.record(images)],
  [{ task: 'edit', format: 'openai' }, fc.record({ ...images, images: fc.constant([picture, picture]) })],
  [{ task: 'transcribe', format: 'openai' }, sounds],
  [{ task: 'translate', format: 'openai' }, sounds],
  [{ task: 'speak', format: 'openai' }, fc.record({ input: text, voice: fc.constant('alloy') })],
];

describe('whatever an upstream reports, the charge is not more than the hold', () => {
  test.each(TASK_BODIES)('of %j', (form, body) => {
    expectWithinHold(body.map((each) => askTask(form, each)));
  });

  test('of a response of a session, and of what is written down in it', () => {
    const limit = fc.option(fc.integer({ min: 1, max: 4_096 }));
    const units = fc.constantFrom({}, { audio_milliseconds: 300_000 });
    expectWithinHold(
      fc.tuple(fc.nat(32_000), limit, units).map(([input, max, most]) => ({
        task: 'realtime' as const,
        bound: () => ({ input, textOnly: false }),
        output: { limit: max, raisedTo: 0, beside: 0, answers: 1 },
        extras: (_served: unknown, model: Model) => boundUnits(most, model),
      })),
    );
  });

  test('of a conversation whose tools draw, search and ask for a tier', () => {
    const body = fc.record(
      {
        service_tier: fc.constantFrom('priority', 'flex', 'default'),
        max_tool_calls: few,
        tools: fc.subarray([{ type: 'image_generation', model: 'drawing' }, { type: 'web_search' }]),
      },
      { requiredKeys: [] },
    );
    expectWithinHold(
      fc.tuple(body, fc.boolean()).map(([asks, textOnly]) => ({
        bound: () => ({ input: 500, textOnly }),
        output: { limit: 60, raisedTo: 0, beside: 0, answers: 1 },
        extras: (served) => boundExtras('openai-responses', asks, served),
      })),
    );
  });
});
