import { AUTO_GROUP } from '@tollgate/catalogue';
import type { KeyRecord } from '@tollgate/contracts';
import type { RoutedGroup, RoutedModel, RoutingTable } from './routing-table.ts';

/** Records and tables are replaced as a whole when something of them changes. */
const views = new WeakMap<RoutingTable, WeakMap<KeyRecord, RoutingTable>>();

/** The table as a key sees it: a model that is not on the key's list is not there, for nobody that reads it. */
export function restrictTable(table: RoutingTable, key: KeyRecord): RoutingTable {
  if (key.models === null) return table;
  const ofTable = views.get(table) ?? new WeakMap<KeyRecord, RoutingTable>();
  views.set(table, ofTable);
  const held = ofTable.get(key);
  if (held) return held;
  const names = key.group === AUTO_GROUP ? table.autoGroups : [key.group];
  const view = { ...table, groups: new Map(names.flatMap((name) => listed(table, name, key.models ?? []))) };
  ofTable.set(key, view);
  return view;
}

function listed(table: RoutingTable, name: string, names: readonly string[]): [string, RoutedGroup][] {
  const group = table.groups.get(name);
  if (!group) return [];
  const models = names.flatMap((model): [string, RoutedModel][] => {
    const routed = group.models.get(model);
    return routed ? [[model, routed]] : [];
  });
  return [[name, { ...group, models: new Map(models) }]];
}

/** What a key may use, by name; undefined when its group is not there any more. */
export function listVisibleModels(
  table: RoutingTable,
  key: KeyRecord,
): ReadonlyMap<string, RoutedModel> | undefined {
  const { groups, autoGroups } = restrictTable(table, key);
  if (key.group !== AUTO_GROUP) return groups.get(key.group)?.models;
  // The first group that offers a model is the one that it is used under.
  return new Map([...autoGroups].reverse().flatMap((name) => [...(groups.get(name)?.models ?? [])]));
}
