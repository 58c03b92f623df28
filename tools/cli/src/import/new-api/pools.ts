import { slug, type Move } from '../move.ts';
import type { MovedChannel } from './channels.ts';

type Pool = Move['catalogue']['pools'][0];

/** The pools that serve each group's models with the channels that did: models of the same channels share one. */
export function movedPools(
  channels: readonly MovedChannel[],
  groupNames: ReadonlyMap<string, string>,
  known: ReadonlySet<string>,
): Pool[] {
  return [...groupNames].flatMap(([group, name]) => {
    const own = channels.filter(({ groups }) => groups.includes(group));
    const models = [...new Set(own.flatMap((each) => each.models))].filter((model) => known.has(model));
    const together = Map.groupBy(models, (model) =>
      serving(own, model)
        .map(({ upstream }) => upstream.name)
        .join(),
    );
    return [...together.values()].map((served, index) =>
      poolOf(
        `moved-${slug(name)}${together.size === 1 ? '' : `-${index + 1}`}`,
        name,
        served,
        serving(own, served[0] ?? ''),
      ),
    );
  });
}

const serving = (channels: readonly MovedChannel[], model: string): MovedChannel[] =>
  channels.filter(({ models }) => models.includes(model));

/** The highest priority of new-api is the first one here, which is 0. */
function poolOf(
  name: string,
  group: string,
  models: readonly string[],
  channels: readonly MovedChannel[],
): Pool {
  const ranks = [...new Set(channels.map(({ channel }) => channel.priority))].sort((a, b) => b - a);
  return {
    name,
    groups: [group],
    models: [...models],
    members: channels.map(({ channel, upstream, modelMap }) => ({
      upstream: upstream.name,
      priority: ranks.indexOf(channel.priority),
      weight: Math.max(1, channel.weight),
      model_map: Object.fromEntries(
        models.flatMap((model) => {
          const theirs = modelMap.get(model);
          return theirs === undefined || theirs === model ? [] : [[model, theirs]];
        }),
      ),
      cost_ratio: null,
    })),
    strategy: 'weighted',
    attempts: 3,
    retry_percent: 20,
    hedge: false,
  };
}
