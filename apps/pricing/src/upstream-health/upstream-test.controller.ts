import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, upstreams } from '@tollgate/api';
import type { Catalogue } from '@tollgate/catalogue';
import {
  EVENT,
  UPSTREAM_TEST_MS,
  type UpstreamTest,
  upstreamTestClaimRedisKey,
  upstreamTestRedisKey,
  type UpstreamTestResult,
  upstreamTestResultSchema,
} from '@tollgate/contracts';
import { Handles, httpError, Input, publishEvent, unavailable } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { REDIS } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { chooseTest } from './choose-test.ts';

type TestUpstream = typeof upstreams.testUpstream;

/** A gateway that hears of a test claims it at once. */
const CLAIMED_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 100;

@Controller()
export class UpstreamTestController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  @Handles(upstreams.testUpstream)
  async test(@Input() { params: { name }, body }: RequestOf<TestUpstream>) {
    const snapshot = await this.snapshots.current();
    const chosen = chosenFor(snapshot?.catalogue, name, body);
    const test: UpstreamTest = { id: randomUUID(), version: snapshot?.version ?? 1, ...chosen.test };
    const result = await this.#carriedOut(test);
    return {
      upstream: name,
      credential: test.credential,
      protocol: test.protocol,
      model: chosen.model,
      ...result,
    };
  }

  async #carriedOut(test: UpstreamTest): Promise<UpstreamTestResult> {
    const askedAt = Date.now();
    let isClaimed = false;
    try {
      await publishEvent(this.redis, EVENT.upstreamTest, test);
      while (Date.now() - askedAt < UPSTREAM_TEST_MS + CLAIMED_WITHIN_MS) {
        await sleep(LOOK_EVERY_MS);
        const text = await this.redis.get(upstreamTestRedisKey(test.id));
        if (text !== null) return upstreamTestResultSchema.parse(JSON.parse(text));
        isClaimed ||= (await this.redis.exists(upstreamTestClaimRedisKey(test.id))) === 1;
        if (!isClaimed && Date.now() - askedAt > CLAIMED_WITHIN_MS) break;
      }
    } catch (error) {
      throw unavailable(
        'Gateways cannot be asked at the moment: Redis does not answer. Try again shortly.',
        error,
      );
    }
    throw httpError(
      503,
      isClaimed ? 'The gateway that tries it does not answer.' : 'No gateway is there to try it.',
    );
  }
}

function chosenFor(catalogue: Catalogue | undefined, name: string, body: RequestOf<TestUpstream>['body']) {
  const chosen = catalogue && chooseTest(catalogue, name, body);
  if (!chosen) throw httpError(404, `There is no upstream "${name}".`, 'name');
  if ('fault' in chosen) throw httpError(400, chosen.fault, chosen.param);
  return chosen;
}
