import { makeCustomer } from '../vendor-bill/priced-models.ts';
import { keyFor, ownName, publish, toGroup, toModel, toPool, toUpstream } from '../pools/own-pool.ts';
import type { TestStack } from '../shared-stack.ts';

/** A model for tasks, and how its only upstream is asked. */
interface TaskModel {
  readonly model: object;
  readonly upstream: object;
  /** What the vendor charges, as its page says it. */
  readonly atVendor: object;
}

/** Models of these names with an upstream each, in a group of their own, and whoever pays for them. */
export async function makeTaskModels<Name extends string>(
  at: TestStack,
  simulatorUrl: string,
  models: Readonly<Record<Name, TaskModel>>,
) {
  const group = ownName('tasks');
  const names = Object.fromEntries(Object.keys(models).map((name) => [name, `${group}-${name}`])) as Record<
    Name,
    string
  >;
  const all = Object.entries<TaskModel>(models);
  const prices = all.map(([name, { atVendor }]) => [names[name as Name], atVendor]);
  await fetch(`${simulatorUrl}/__sim/prices`, {
    method: 'PUT',
    body: JSON.stringify(Object.fromEntries(prices)),
  });
  await publish(at, [
    ...all.flatMap(([key, { model, upstream }]) => {
      const name = names[key as Name];
      return [
        toUpstream(name, simulatorUrl, [name], upstream),
        toModel(name, { max_output_tokens: null, ...model }),
        toPool(name, [name], { members: [{ upstream: name }] }),
      ];
    }),
    toGroup(group, Object.values(names)),
  ]);
  await keyFor(at, group, Object.values(names));
  return { names, group, ...(await makeCustomer(at, group, '1000')) };
}
