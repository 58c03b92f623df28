import { type PriceSnapshot, toPriceTerms } from '@tollgate/catalogue';
import { column, readRows } from '@tollgate/platform/sql';
import type { Client } from 'pg';
import { z } from 'zod';
import type { Row } from '../columns.ts';
import type { ExportPlan } from '../export-job.ts';
import { selectLines } from '../../usage/line-rows.ts';
import { type FocusPrices, FocusRows, type UsageGroup } from '../focus/focus-rows.ts';
import { FocusSpans } from '../focus/focus-spans.ts';
import { toPages } from '../pages.ts';
import { streamCopy } from './copy-stream.ts';
import { toCondition } from './filter.ts';
import { groupQuery, listPlaces, readGroups, toUsageGroup } from './focus-groups.ts';
import { withValues } from './page-query.ts';
import type { Batch, ExportSource } from './source.ts';

/** The prices of a version that usage was posted under. */
export type SnapshotOf = (version: number) => Promise<PriceSnapshot>;

const GROUPS_AT_ONCE = 250;

/**
 * The usage of an account, key, group, model, service tier and region on a day, as charges of FOCUS; the key of a row is its group's place.
 *
 * @param reader is busy until the last of them is read: nothing else can be asked of it meanwhile.
 * @param database answers when days and months begin.
 */
export async function focusSource(
  reader: Client,
  database: Client,
  plan: ExportPlan,
  snapshotOf: SnapshotOf,
): Promise<ExportSource> {
  const lists = await priceLists(reader, plan, snapshotOf);
  const spans = new FocusSpans(database);
  const charges = new FocusRows(plan.providerName);
  async function* read(afterKey: number): AsyncGenerator<Batch> {
    const inAll = toCondition(plan.filters, plan.watermark, 4);
    const values = [tiersOf(lists), plan.id, afterKey, ...inAll.values];
    let key = afterKey;
    const query = withValues(groupQuery(inAll.text), values);
    for await (const copied of streamCopy(reader, query, GROUPS_AT_ONCE)) {
      const groups = readGroups(copied);
      await spans.load(groups.flatMap(listPlaces));
      const batch: { rows: Row[]; keys: number[] } = { rows: [], keys: [] };
      for (const found of groups) {
        const group = toUsageGroup(found, spans);
        key += 1;
        for (const row of charges.of(group, listOf(lists, group))) {
          batch.rows.push(row);
          batch.keys.push(key);
        }
      }
      yield batch;
    }
  }
  return { total: null, pages: (start) => toPages(read(start.afterKey), start) };
}

type PriceLists = ReadonlyMap<string, FocusPrices>;
const listKey = (version: number, model: string): string => `${version} ${model}`;

const usedPricesRow = z.object({ snapshot_version: column.int, model: column.text });

/** The price list of each version and model that was used. */
async function priceLists(client: Client, plan: ExportPlan, snapshotOf: SnapshotOf): Promise<PriceLists> {
  const inAll = toCondition(plan.filters, plan.watermark, 1);
  const rows = await readRows(
    client,
    usedPricesRow,
    `SELECT snapshot_version, model FROM (${selectLines('billing.usage', ['snapshot_version'], inAll.text)}) AS used
     GROUP BY 1, 2 ORDER BY 1, 2`,
    inAll.values,
  );
  const lists = new Map<string, FocusPrices>();
  let snapshot: PriceSnapshot | undefined;
  for (const { snapshot_version: version, model } of rows) {
    if (snapshot?.version !== version) snapshot = await snapshotOf(version);
    const list = snapshot.catalogue.models.find(({ name }) => name === model);
    if (!list) throw new Error(`version ${version} has no model "${model}"`);
    const { vendor, prices, tiers, request_price, unit_prices, service_tiers, regions, features } =
      toPriceTerms(list);
    lists.set(listKey(version, model), {
      vendor,
      prices,
      tiers,
      request_price,
      unit_prices,
      service_tiers,
      regions,
      // What is given away costs nothing more, whatever the list says of it.
      features,
    });
  }
  return lists;
}

function listOf(lists: PriceLists, { priceVersion, model }: UsageGroup): FocusPrices {
  const list = lists.get(listKey(priceVersion, model));
  if (!list) throw new Error(`there are no prices of "${model}"`);
  return list;
}

/** Where the tiers of a price list begin, for the database, which finds the tier of each request. */
const tiersOf = (lists: PriceLists): string =>
  JSON.stringify(
    [...lists]
      .filter(([, { tiers }]) => tiers.length > 0)
      .map(([key, { tiers }]) => ({
        list: key,
        // A tier holds above its length: from the next whole number on.
        starts: tiers.map(({ above_input_tokens }) => above_input_tokens + 1),
      })),
  );
