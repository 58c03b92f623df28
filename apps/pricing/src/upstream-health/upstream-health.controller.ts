import { Controller, Get, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { type CredentialEnabled, EVENT } from '@tollgate/contracts';
import { Allow, httpError, unavailable, publishEvent } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { AdminGuard, type AdminRequest } from '../admin/admin.guard.ts';
import { REDIS } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { healthOf } from './health-view.ts';
import { readGateways } from './read-gateways.ts';

/** How the upstreams are, as the gateways know it. */
@Controller('api/catalogue')
@UseGuards(AdminGuard)
export class UpstreamHealthController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  @Get('health')
  @Allow('catalogue:write')
  async health(): Promise<object> {
    const snapshot = await this.snapshots.current();
    const gateways = await this.#orAway(readGateways(this.redis));
    return healthOf(snapshot?.catalogue.upstreams ?? [], gateways);
  }

  @Post('upstreams/:name/credentials/:credential/enable')
  @Allow('catalogue:write')
  @HttpCode(202)
  async enable(
    @Req() request: AdminRequest,
    @Param('name') upstream: string,
    @Param('credential') credential: string,
  ): Promise<object> {
    const snapshot = await this.snapshots.current();
    const known = snapshot?.catalogue.upstreams.find(({ name }) => name === upstream);
    if (!known?.credentials.some(({ name }) => name === credential))
      throw httpError(404, `There is no credential "${credential}" of an upstream "${upstream}".`);
    const event: CredentialEnabled = { upstream, credential, by: request.admin?.email ?? 'unknown' };
    await this.#orAway(publishEvent(this.redis, EVENT.credentialEnabled, event));
    return { upstream, credential, enabled: true };
  }

  async #orAway<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw unavailable(
        'Gateways cannot be asked at the moment: Redis does not answer. Try again shortly.',
        error,
      );
    }
  }
}
