import { makeCustomer } from '../vendor-bill/priced-models.ts';
import { keyFor, ownName, putModel, putPool, putUpstream } from '../pools/own-pool.ts';
import { admin, type TestStack } from '../shared-stack.ts';

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
  for (const [key, { model, upstream }] of all) {
    const name = names[key as Name];
    await putUpstream(at, name, simulatorUrl, [name], upstream);
    await putModel(at, name, { max_output_tokens: null, ...model });
    await putPool(at, name, [name], { members: [{ upstream: name }] });
  }
  await admin(at, 'PUT', `/api/catalogue/groups/${group}`, { ratio: '1', models: Object.values(names) });
  await keyFor(at, group, Object.values(names));
  return { names, group, ...(await makeCustomer(at, group, '1000')) };
}
