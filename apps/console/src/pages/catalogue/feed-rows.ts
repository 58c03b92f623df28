import { planPriceFeed } from '@tollgate/providers/plan-price-feed';
import { readPriceFeed } from '@tollgate/providers/price-feed';
import type { Catalogue, Model } from '../../api/catalogue.ts';
import type { Change } from '../../api/drafts.ts';
import { entriesAfter, withChange } from './changes.ts';

/** What a price file says of one model, beside what holds. */
export interface FeedRow {
  readonly name: string;
  readonly isNew: boolean;
  readonly input: FeedPrice;
  readonly output: FeedPrice;
  /** As it would be written. */
  readonly entry: Model;
}

interface FeedPrice {
  /** Undefined of a model that is new. */
  readonly from: number | undefined;
  readonly to: number;
}

export interface FeedComparison {
  /** Where files of its kind are published. */
  readonly source: string;
  readonly rows: readonly FeedRow[];
  readonly unchanged: number;
  /** Models of the catalogue that it does not know. */
  readonly unknown: readonly string[];
  /** What of it could not be read, in its words. */
  readonly skipped: readonly string[];
}

/** Compares a price file with the catalogue as a draft would have it. @throws PriceFeedError for text that is no price file. */
export function compareFeed(
  text: string,
  live: Catalogue,
  changes: readonly Change[],
  stated: { readonly source: string; readonly date: string },
): FeedComparison {
  const feed = readPriceFeed(text);
  const source = { source: stated.source.trim() || feed.source, date: stated.date };
  const models = entriesAfter(live, changes, 'models');
  const vendors = entriesAfter(live, changes, 'vendors');
  const before = new Map(models.map((model) => [model.name, model.prices]));
  const plan = planPriceFeed({ models, vendors, pools: live.pools }, feed, source);
  const toRow = (entry: Model): FeedRow => {
    const held = before.get(entry.name);
    const toPrice = (kind: 'input' | 'output') => ({ from: held?.[kind], to: entry.prices[kind] ?? 0 });
    return {
      name: entry.name,
      isNew: held === undefined,
      input: toPrice('input'),
      output: toPrice('output'),
      entry,
    };
  };
  const isInTiers = ({ name, tiers }: { readonly name: string; readonly tiers: readonly object[] }) =>
    name !== '' && tiers.length <= 8;
  return {
    source: feed.source,
    rows: [
      ...plan.changed.filter(isInTiers).map((entry) => toRow(toEntry(entry))),
      ...plan.lacking
        .filter(isInTiers)
        .map((entry) =>
          toRow({ ...toEntry(entry), description: '', tags: [], request_price: 0, limits: {} }),
        ),
    ],
    unchanged: plan.same,
    unknown: plan.unknown,
    skipped: [...feed.skipped, ...plan.notes],
  };
}

/** Lists of a plan are as nobody changes them; those of a draft are one's own. */
const toEntry = <T extends { readonly prices: object; readonly tiers: readonly object[] }>(entry: T) =>
  structuredClone(entry) as unknown as Model;

/** The changes of a draft with the rows that were picked. */
export const withRows = (changes: readonly Change[], rows: readonly FeedRow[]): readonly Change[] =>
  rows.reduce((before, { entry }) => withChange(before, { op: 'put', section: 'models', entry }), changes);

/** By how much a price changes, in percent with its sign; undefined where it does not, or where there was none. */
export function toPercent({ from, to }: FeedPrice): string | undefined {
  if (from === undefined || from === 0 || from === to) return undefined;
  const percent = Math.round((to / from - 1) * 1_000) / 10;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`;
}
