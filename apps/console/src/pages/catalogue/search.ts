import { readTexts } from '../../shared/search-params.ts';

export const TABS = ['models', 'groups', 'vendors', 'offers', 'feed', 'changes', 'versions'] as const;
export type Tab = (typeof TABS)[number];

/** What the address of the catalogue says. */
export interface CatalogueSearch {
  readonly tab?: Tab;
  /** The draft that is looked at and written to; without it what is live. */
  readonly draft?: string;
  /** The entry of the tab that is edited; "+" is a new one. */
  readonly edit?: string;
  readonly find?: string;
  /** A model that is added as an upstream offers it: its name there. */
  readonly upstream?: string;
  readonly model?: string;
  /** The versions that are compared. */
  readonly from?: number;
  readonly to?: number;
}

export type ChangeSearch = (change: {
  [name in keyof CatalogueSearch]?: CatalogueSearch[name] | undefined;
}) => Promise<void>;

const isVersion = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0;

/** Takes what it understands of an address and leaves the rest. */
export function readCatalogueSearch(search: Readonly<Record<string, unknown>>): CatalogueSearch {
  const { tab, ...texts } = readTexts(search, ['tab', 'draft', 'edit', 'find', 'upstream', 'model']);
  const known = TABS.find((each) => each === tab);
  const { from, to } = search;
  return {
    ...(known === undefined ? {} : { tab: known }),
    ...texts,
    ...(isVersion(from) && isVersion(to) ? { from, to } : {}),
  };
}
