import type { ModelOperation } from '@tollgate/vocabulary';

/** A model as the lists show it. */
export interface ListedModel {
  readonly id: string;
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
  readonly displayName?: string;
  readonly description?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** What it is for. */
  readonly operations: readonly ModelOperation[];
}

type ListQuery = Readonly<Record<string, string | undefined>>;

/** How a format shows models to its clients. */
export interface ModelList {
  readonly renderModel: (model: ListedModel) => object;
  /** Paged as the format's clients ask; without a size everything is one page. */
  readonly renderList: (models: readonly ListedModel[], query: ListQuery) => object;
}

/** The size of a page that a query asks for; all where it asks for none. */
export function parsePageSize(text: string | undefined, all: number): number {
  const size = Number.parseInt(text ?? '', 10);
  return Number.isInteger(size) && size > 0 ? size : Math.max(1, all);
}
