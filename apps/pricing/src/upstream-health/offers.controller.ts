import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, upstreams } from '@tollgate/api';
import { type Catalogue, EMPTY_CATALOGUE, type Upstream } from '@tollgate/catalogue';
import { Handles, httpError, Input, unavailable } from '@tollgate/platform';
import { suggestModel } from '@tollgate/providers';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { findOwn } from '@tollgate/vocabulary';
import { REDIS } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { UpstreamTester } from './upstream-tester.ts';

/** Redis hash: of each upstream the list that it gave last, as JSON. It can be asked again, so nobody misses what is lost. */
const LISTS_REDIS_KEY = 'tollgate:upstream-models';
const MAX_MODELS = 5_000;

const listSchema = z.object({ at: z.iso.datetime(), base_url: z.string(), models: z.array(z.string()) });
type ModelList = z.infer<typeof listSchema>;

/** Which models upstreams have, by the lists that they give. */
@Controller()
export class OffersController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(UpstreamTester) private readonly tester: UpstreamTester,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  @Handles(upstreams.listOffers)
  async list() {
    const catalogue = (await this.snapshots.current())?.catalogue ?? EMPTY_CATALOGUE;
    const lists = await this.#orAway(this.redis.hgetall(LISTS_REDIS_KEY));
    return {
      items: catalogue.upstreams.map((upstream) =>
        toOffer(catalogue, upstream, parseList(findOwn(lists, upstream.name), upstream)),
      ),
    };
  }

  @Handles(upstreams.fetchOffer)
  async fetch(@Input() { params: { name } }: RequestOf<typeof upstreams.fetchOffer>) {
    const snapshot = await this.snapshots.current();
    const upstream = snapshot?.catalogue.upstreams.find((each) => each.name === name);
    const [protocol] = upstream?.protocols ?? [];
    if (!snapshot || !upstream || !protocol)
      throw httpError(404, `There is no upstream "${name}".`, 'name', 'no_such_upstream', { name });
    const { models, error } = await this.tester.run({
      id: randomUUID(),
      version: snapshot.version,
      upstream: name,
      credential: upstream.credentials[0]?.name ?? null,
      protocol,
      model: null,
    });
    const list: ModelList | undefined = models && {
      at: new Date().toISOString(),
      base_url: upstream.base_url,
      models: [...new Set(models)].slice(0, MAX_MODELS),
    };
    if (list) await this.#orAway(this.redis.hset(LISTS_REDIS_KEY, name, JSON.stringify(list)));
    const known = list ?? parseList(await this.#orAway(this.redis.hget(LISTS_REDIS_KEY, name)), upstream);
    return { ...toOffer(snapshot.catalogue, upstream, known), error };
  }

  async #orAway<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw unavailable('What upstreams offer is not known at the moment: Redis does not answer.', error);
    }
  }
}

/** Of another address it says nothing any more. */
function parseList(text: string | null | undefined, { base_url }: Upstream): ModelList | undefined {
  const list = text ? listSchema.parse(JSON.parse(text)) : undefined;
  return list?.base_url === base_url ? list : undefined;
}

/** What is served under another name is no new model. */
function toOffer({ models, pools }: Catalogue, upstream: Upstream, list: ModelList | undefined) {
  const members = pools.flatMap((pool) => pool.members).filter((member) => member.upstream === upstream.name);
  const known = new Set([
    ...models.map(({ name }) => name),
    ...members.flatMap(({ model_map }) => Object.values(model_map)),
  ]);
  const lacking = (list?.models ?? []).filter((name) => !known.has(name));
  return {
    upstream: upstream.name,
    fetched_at: list?.at ?? null,
    count: list?.models.length ?? 0,
    lacking: lacking.map((name) => ({ name, suggestion: suggestModel(upstream, name) })),
  };
}
