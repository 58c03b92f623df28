import type { Catalogue, Model } from '@tollgate/catalogue';

/** Snapshots do not change: their lists of models are made into tables once, as each event is priced by one of a thousand. */
const tables = new WeakMap<readonly Model[], ReadonlyMap<string, Model>>();

export function findModel({ models }: Pick<Catalogue, 'models'>, name: string): Model | undefined {
  const known = tables.get(models);
  if (known) return known.get(name);
  const table = new Map(models.map((model) => [model.name, model]));
  tables.set(models, table);
  return table.get(name);
}
