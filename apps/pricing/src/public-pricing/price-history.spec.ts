import type { Catalogue } from '@tollgate/catalogue';
import fc from 'fast-check';
import { arbitraryCatalogue } from '../../testing/arbitrary-catalogue.ts';
import { makeModel, smallCatalogue } from '../../testing/catalogues.ts';
import {
  type TestEnvironment,
  type RunningPricing,
  startTestEnvironment,
  startPricingOn,
} from '../../testing/pricing-service.ts';
import { PriceHistory, type PricePoint } from './price-history.ts';

const by = { actor: 'owner@pricing.example', reason: 'test' };
const publishedAt = (version: number) => new Date(Date.UTC(2026, 0, version)).toISOString();

function historyOf(catalogues: readonly Pick<Catalogue, 'models' | 'groups'>[]): PriceHistory {
  const history = new PriceHistory();
  catalogues.forEach((catalogue, index) =>
    history.add({ version: index + 1, publishedAt: publishedAt(index + 1), catalogue }),
  );
  return history;
}

/** What a catalogue says of a model in a group, looked up by hand. */
function saidBy({ models, groups }: Pick<Catalogue, 'models' | 'groups'>, name: string, groupName: string) {
  const model = models.find((each) => each.name === name);
  const group = groups.find((each) => each.name === groupName);
  if (!model || !group || !(group.models.includes('*') || group.models.includes(name))) return null;
  const { prices, tiers, request_price, unit_prices, service_tiers, regions } = model;
  return { ratio: group.ratio, prices, tiers, request_price, unit_prices, service_tiers, regions };
}
const saidIn = ({ version: _version, published_at: _at, group_ratio: ratio, ...list }: PricePoint) =>
  list.prices && { ratio, ...list };

test('at every version the history says what the catalogue of that version says, and every point is a change', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryCatalogue, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('a', 'b', 'd/e'),
      fc.constantFrom('a', 'b', 'c.1'),
      (catalogues, model, group) => {
        const points = historyOf(catalogues).of(model, group);
        if (!points) {
          expect(catalogues.some(({ models }) => models.some(({ name }) => name === model))).toBe(false);
          return;
        }
        for (const [index, catalogue] of catalogues.entries()) {
          const point = points.findLast(({ version }) => version <= index + 1);
          expect(point ? saidIn(point) : null).toEqual(saidBy(catalogue, model, group));
        }
        for (const [index, point] of points.entries()) {
          expect(point.published_at).toBe(publishedAt(point.version));
          const before = points[index - 1];
          expect(saidIn(point)).not.toEqual(before ? saidIn(before) : null);
        }
      },
    ),
  );
});

test('a version that does not follow the one before is refused', () => {
  const history = historyOf([smallCatalogue(), smallCatalogue()]);
  expect(() => history.add({ version: 2, publishedAt: publishedAt(2), catalogue: smallCatalogue() })).toThrow(
    RangeError,
  );
});

describe('over HTTP', () => {
  let environment: TestEnvironment;
  let pricing: RunningPricing;
  beforeEach(async () => {
    environment = await startTestEnvironment();
    pricing = await startPricingOn(environment, { PUBLIC_REQUESTS_PER_MINUTE: '12' });
  });
  afterEach(async () => {
    await pricing.stop();
    await environment.stop();
  });
  const get = (query: string, headers: Record<string, string> = {}) =>
    fetch(`${pricing.url}/api/pricing/history${query}`, { headers });
  const publish = (models: Catalogue['models']) =>
    environment.store.publish(
      [{ op: 'replace', catalogue: { ...smallCatalogue(), models, groups, pools: [] } }],
      by,
    );
  const groups = smallCatalogue()
    .groups.slice(0, 1)
    .map((group) => ({ ...group, name: 'default', ratio: '1', models: ['*'], fallbacks: {} }));
  const [large, ...others] = smallCatalogue().models;
  if (!large) throw new Error('the small catalogue has models');
  const searched = { unit_prices: { searches: 10_000_000_000 }, service_tiers: { priority: '2' } } as const;
  const dearer = makeModel(large.name, { input: 9_000_000, output: 18_000_000 }, searched);
  const nothingBeside = { unit_prices: {}, service_tiers: {}, regions: {} };

  test('anybody reads at which versions a price changed; other versions are left out', async () => {
    const first = await publish([large, ...others]);
    await publish([large]);
    const third = await publish([dearer, ...others]);
    const answer = await get(`?model=${large.name}`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      model: large.name,
      group: 'default',
      price_unit: 'micro-USD per million tokens',
      request_price_unit: 'micro-USD per request',
      unit_price_unit: 'micro-USD per million units',
      snapshot_version: 3,
      points: [
        {
          version: 1,
          published_at: first.snapshot.published_at,
          group_ratio: '1',
          prices: large.prices,
          tiers: large.tiers,
          request_price: 0,
          ...nothingBeside,
        },
        {
          version: 3,
          published_at: third.snapshot.published_at,
          group_ratio: '1',
          prices: dearer.prices,
          tiers: [],
          request_price: 0,
          ...nothingBeside,
          ...searched,
        },
      ],
    });
  });

  test('a price of searches alone is a change', async () => {
    await publish([large]);
    await publish([{ ...large, unit_prices: searched.unit_prices }]);
    const { points } = (await (await get(`?model=${large.name}`)).json()) as { points: PricePoint[] };
    expect(points.map(({ unit_prices }) => unit_prices)).toEqual([{}, searched.unit_prices]);
  });

  test('a publication shows at once, and until then the ETag holds', async () => {
    await publish([large, ...others]);
    const etag = (await get(`?model=${large.name}`)).headers.get('etag') ?? '';
    const held = await get(`?model=${large.name}`, { 'if-none-match': etag });
    expect([held.status, await held.text()]).toEqual([304, '']);
    await publish([dearer, ...others]);
    const changed = await get(`?model=${large.name}`, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(((await changed.json()) as { points: PricePoint[] }).points).toHaveLength(2);
  });

  test('many versions are read whole, by many who ask at once', async () => {
    for (let price = 1; price <= 45; price += 1)
      await publish([makeModel(large.name, { input: price, output: 0 })]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => get(`?model=${large.name}`)));
    for (const answer of answers) {
      const { points } = (await answer.json()) as { points: PricePoint[] };
      expect(points.map(({ version, prices }) => [version, prices?.input])).toEqual(
        Array.from({ length: 45 }, (_, index) => [index + 1, index + 1]),
      );
    }
  });

  test.each([
    ['?model=never-was', 404, 'model'],
    ['', 400, 'model'],
    ['?model=%00', 400, 'model'],
    ['?model=acme-large&group=', 400, 'group'],
  ])('the query "%s" is answered with %i, naming %s', async (query, status, param) => {
    await publish([large]);
    const answer = await get(query);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { param } });
  });

  test('a group that does not have the model has no points', async () => {
    await publish([large]);
    expect(await (await get(`?model=${large.name}&group=nobody`)).json()).toMatchObject({ points: [] });
  });

  test('what one address may ask in a minute holds for the prices and their history together', async () => {
    await publish([large]);
    const statuses: number[] = [];
    for (let times = 0; times < 30; times += 1) {
      const path = times % 2 === 0 ? '/api/pricing' : `/api/pricing/history?model=${large.name}`;
      statuses.push((await fetch(pricing.url + path)).status);
    }
    expect(statuses).toContain(429);
    expect(statuses.slice(0, 12)).not.toContain(429);
  });
});
