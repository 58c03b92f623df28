import type { Catalogue } from '@tollgate/catalogue';
import {
  type EnvironmentProvider,
  findEnvironmentProviders,
  planProvider,
  PROVIDERS,
} from '@tollgate/providers';
import type { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { toProviderChanges } from './provider-changes.ts';

/**
 * Sets up every provider that the environment holds a credential of, and that is not there yet: what stands under its name
 * is somebody's, and is left as it is.
 *
 * @returns what was done, in words for whoever started it.
 */
export async function addEnvironmentProviders(
  store: SnapshotStore,
  environment: Readonly<Record<string, string | undefined>>,
  sealKey: Buffer,
): Promise<string[]> {
  const said: string[] = [];
  for (const found of findEnvironmentProviders(PROVIDERS, environment)) {
    said.push(await addProvider(store, found, sealKey));
  }
  return said;
}

async function addProvider(
  store: SnapshotStore,
  { provider, settings, variable, missing }: EnvironmentProvider,
  sealKey: Buffer,
): Promise<string> {
  const { name, title, models } = provider;
  const catalogue = (await store.current())?.catalogue;
  if (!catalogue) return `${variable} is set, but nothing is published that ${title} could be added to.`;
  if (!settings) {
    return `${variable} is set, but ${title} also needs ${missing.join(' and ')}: it was not set up.`;
  }
  if ([...catalogue.upstreams, ...catalogue.pools].some((entry) => entry.name === name)) {
    return `${title} (${variable}) is there already, and stays as it is.`;
  }
  try {
    const plan = planProvider(catalogue, provider, {
      ...settings,
      models: models.map((model) => ({ name: model.name })),
      groups: findOpenGroups(catalogue),
      leave_served: true,
    });
    await store.publish(toProviderChanges(plan, sealKey), {
      actor: 'seed',
      reason: `${title}: ${variable} is set`,
    });
    return [
      `${title} is set up with ${plan.pool?.entry.models.length ?? 0} models at their list prices, for ${variable} is set.`,
      ...plan.notes,
    ].join(' ');
  } catch (error) {
    return `${variable} is set, but ${title} could not be set up: ${(error as Error).message}`;
  }
}

/** Where everybody's keys are; keys of other groups are given models by whoever made the groups. */
const findOpenGroups = ({ groups }: Catalogue): string[] =>
  groups.filter(({ name }) => name === 'default').map(({ name }) => name);
