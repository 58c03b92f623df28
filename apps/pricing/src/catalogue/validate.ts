import type { Catalogue } from '@tollgate/contracts';

/** What a catalogue says that cannot be meant, each with the place; empty when it may be published. */
export function faultsOf(catalogue: Catalogue): string[] {
  const { vendors, models, groups, upstreams, pools } = catalogue;
  const namesOf = (list: readonly { name: string }[]) => new Set(list.map(({ name }) => name));
  const known = {
    vendor: namesOf(vendors),
    model: namesOf(models),
    group: namesOf(groups),
    upstream: namesOf(upstreams),
  };
  const faults: string[] = [];
  const mustKnow = (kind: keyof typeof known, name: string, place: string) => {
    if (name !== '*' && !known[kind].has(name)) faults.push(`${place}: there is no ${kind} "${name}"`);
  };

  for (const [kind, list] of Object.entries({ vendors, models, groups, upstreams, pools })) {
    const seen = new Set<string>();
    for (const { name } of list) {
      if (seen.has(name)) faults.push(`${kind}: "${name}" stands there twice`);
      seen.add(name);
    }
  }
  for (const model of models) mustKnow('vendor', model.vendor, `models.${model.name}.vendor`);
  for (const group of groups) {
    for (const name of group.models) mustKnow('model', name, `groups.${group.name}.models`);
  }
  for (const pool of pools) {
    for (const name of pool.groups) mustKnow('group', name, `pools.${pool.name}.groups`);
    for (const name of pool.models) mustKnow('model', name, `pools.${pool.name}.models`);
    for (const member of pool.members) {
      mustKnow('upstream', member.upstream, `pools.${pool.name}.members`);
      for (const name of Object.keys(member.model_map))
        mustKnow('model', name, `pools.${pool.name}.members.model_map`);
    }
  }
  return faults;
}
