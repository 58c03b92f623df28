import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import {
  EVENT,
  UPSTREAM_TEST_MS,
  type UpstreamTest,
  upstreamTestClaimRedisKey,
  upstreamTestRedisKey,
  type UpstreamTestResult,
  upstreamTestResultSchema,
} from '@tollgate/contracts';
import { httpError, publishEvent, unavailable } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { REDIS } from '../provided.ts';

/** A gateway that hears of a test claims it at once. */
const CLAIMED_WITHIN_MS = 4_000;
const LOOK_EVERY_MS = 100;

/** Has a gateway try an upstream. */
@Injectable()
export class UpstreamTester {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** @throws HttpException 503 where no gateway does it. */
  async run(test: UpstreamTest): Promise<UpstreamTestResult> {
    const askedAt = performance.now();
    let isClaimed = false;
    try {
      await publishEvent(this.redis, EVENT.upstreamTest, test);
      while (performance.now() - askedAt < UPSTREAM_TEST_MS + CLAIMED_WITHIN_MS) {
        await sleep(LOOK_EVERY_MS);
        const text = await this.redis.get(upstreamTestRedisKey(test.id));
        if (text !== null) return upstreamTestResultSchema.parse(JSON.parse(text));
        isClaimed ||= (await this.redis.exists(upstreamTestClaimRedisKey(test.id))) === 1;
        if (!isClaimed && performance.now() - askedAt > CLAIMED_WITHIN_MS) break;
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
      null,
      'no_gateway',
    );
  }
}
