/*
 * What vendors charge beside tokens is charged on to the last pico-USD. The simulator keeps a bill of its own, by the vendors'
 * rules and without any code of ours; here it is held against the books.
 */
import { randomUUID } from 'node:crypto';
import { waitFor } from '@tollgate/harness';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { type Books, openBooks } from '../books.ts';
import type { Answer } from '../call.ts';
import { type OwnSimulator, requestId, startOwnSimulator } from '../pools/own-pool.ts';
import { admin, sharedStack } from '../shared-stack.ts';
import { CLOUD_DOOR_NAMES } from '../pools.ts';
import { CLOUD_FEATURES } from './cloud-features.ts';
import { FEATURES } from './features.ts';
import {
  chosenAt,
  CHOSEN_PLACES,
  makePricedModels,
  type PricedModels,
  readVendorBill,
} from './priced-models.ts';
import { expectSameBill, listShown } from './same-bill.ts';
import { sendPriced, type Sent } from './send.ts';

const at = sharedStack();
let simulator: OwnSimulator;
let books: Books;
let priced: PricedModels;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  priced = await makePricedModels(at, simulator.url);
});
afterAll(async () => {
  await books.close();
  await simulator.close();
});

const send = (sent: Sent) => sendPriced(at.baseUrl, priced, sent);
const expectCharged = (answer: Answer, mark: string) => expectSameBill(answer, { mark, books, simulator });

describe.each(CLIENT_PROTOCOLS)('%s', (format) => {
  describe.each([false, true])('streaming: %s', (stream) => {
    test.each(FEATURES[format])('$what: the books charge what the vendor does', async (feature) => {
      const mark = randomUUID();
      const answer = await send({ format, stream, mark, ...feature });
      expect(listShown(await expectCharged(answer, mark))).toEqual(
        expect.arrayContaining([...feature.shows]),
      );
    });
  });
});

describe.each(CLOUD_DOOR_NAMES)('behind %s', (door) => {
  describe.each([false, true])('streaming: %s', (stream) => {
    test.each(CLOUD_FEATURES[door])(
      'asked in $format, $what: the books charge what the cloud does',
      async (feature) => {
        const mark = randomUUID();
        const answer = await send({ at: door, stream, mark, ...feature });
        expect(listShown(await expectCharged(answer, mark))).toEqual(
          expect.arrayContaining([...feature.shows]),
        );
      },
    );
  });
});

describe.each(CHOSEN_PLACES)('%s', (place) => {
  test.each([false, true])(
    'the tier that the operator has set costs what Bedrock charges for it; streaming: %s',
    async (stream) => {
      const mark = randomUUID();
      const { tier, set_parameters } = chosenAt(place);
      const answer = await send({ format: 'openai-chat', at: place, stream, mark, more: {} });
      expect(listShown(await expectCharged(answer, mark))).toContain(tier);
      const [sent] = (await simulator.requests()).filter(({ body }) => body.includes(mark));
      expect(JSON.parse(sent?.body ?? '{}')).toMatchObject(set_parameters);
    },
  );
});

const PAIRS = CLIENT_PROTOCOLS.flatMap((from) =>
  CLIENT_PROTOCOLS.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe.each(PAIRS)('a request in %s at an upstream of %s', (format, served) => {
  test.each([false, true])(
    'a tier is charged where it is carried, and listed where it is not; streaming: %s',
    async (stream) => {
      const mark = randomUUID();
      const { field, carriedTo } = TIERS[format];
      const more = { [field]: 'priority' };
      const answer = await send({ format, at: served, stream, mark, more });
      const row = await expectCharged(answer, mark);
      const isCarried = carriedTo.includes(served);
      expect(row['service_tier']).toBe(isCarried ? 'priority' : 'standard');
      const dropped = (answer.headers.get('x-tollgate-dropped') ?? '').split(',').map((each) => each.trim());
      expect(dropped.includes(field)).toBe(!isCarried);
    },
  );

  test('a tool of the vendor is refused by its name, and nothing is sent', async () => {
    const mark = randomUUID();
    const answer = await send({ format, at: served, stream: false, mark, more: { tools: [TOOLS[format]] } });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('tools')]);
    const bill = await readVendorBill(simulator.url);
    expect(bill.flatMap(({ latest }) => latest).filter(({ asked }) => asked === mark)).toEqual([]);
  });
});

/** How a tier is asked for, and which formats take it over. */
const TIERS: Readonly<
  Record<ClientProtocol, { readonly field: string; readonly carriedTo: readonly ClientProtocol[] }>
> = {
  'openai-chat': { field: 'service_tier', carriedTo: ['openai-responses'] },
  'openai-responses': { field: 'service_tier', carriedTo: ['openai-chat'] },
  'anthropic-messages': { field: 'service_tier', carriedTo: [] },
  gemini: { field: 'serviceTier', carriedTo: [] },
};
const TOOLS: Readonly<Record<ClientProtocol, object>> = {
  'openai-chat': { type: 'openrouter:web_search' },
  'openai-responses': { type: 'web_search' },
  'anthropic-messages': { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
  gemini: { googleSearch: {} },
};

test.each([
  [0.000123456789, '123456789'],
  // Ten times the list price of these few tokens is far less, and so is 1 USD.
  [3, null],
])('an upstream that says it charges %d USD', async (cost, believed) => {
  for (const stream of [false, true]) {
    const script = { cost };
    const answer = await send({ format: 'openai-chat', stream, mark: randomUUID(), more: {}, script });
    const row = await books.usage(requestId(answer));
    expect(row['upstream_cost_pico']).toBe(believed);
  }
  if (believed === null)
    await waitFor(async () => {
      const { upstreams } = await admin(at, 'GET', '/api/catalogue/health');
      return upstreams.some(
        ({ upstream, gateways }) =>
          upstream === priced.models['openai-chat'] &&
          gateways.some(({ last_error }) => last_error?.reason === 'usage beyond what is possible'),
      );
    }, 'the note in the health of the upstream');
});
