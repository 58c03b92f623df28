import { createMetrics } from '@tollgate/platform';
import { makeGroup, smallCatalogue } from '../../testing/catalogues.ts';
import { type TestEnvironment, silent, startTestEnvironment } from '../../testing/pricing-service.ts';
import type { CatalogueChange } from '../catalogue/change.ts';
import { DraftStore } from '../drafts/draft-store.ts';
import { publishNextDue } from '../drafts/publish-drafts.ts';
import { servePricingMetrics } from './pricing-metrics.ts';

const actor = 'owner@pricing.example';
const group = (models: string[]): CatalogueChange => ({
  op: 'put',
  section: 'groups',
  entry: makeGroup('g', { models }),
});

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await startTestEnvironment();
});
afterAll(() => environment.stop());

test('a draft that failed on its day counts until it is written again; one that is late counts as overdue', async () => {
  const metrics = createMetrics('pricing');
  servePricingMetrics(metrics, environment.database);
  const shown = async () =>
    Promise.all(
      ['drafts_failed', 'drafts_overdue', 'version'].map(async (name) => {
        const text = await metrics.getSingleMetricAsString(`tollgate_pricing_${name}`);
        return Number(/ (\d+)$/m.exec(text)?.[1]);
      }),
    );
  await environment.store.publish([{ op: 'replace', catalogue: smallCatalogue() }], {
    actor,
    reason: 'test',
  });
  const drafts = new DraftStore(environment.database);
  const write = (models: string[]) =>
    drafts.write('autumn', { reason: 'because', changesOn: () => [group(models)] }, { actor });
  await write(['gone']);
  await drafts.schedule('autumn', 1, new Date('2020-01-01'), actor);
  expect(await shown()).toEqual([0, 1, 1]);
  await publishNextDue(environment.store, silent);
  expect(await shown()).toEqual([1, 0, 1]);
  await write([]);
  expect(await shown()).toEqual([0, 0, 1]);
});
