import { Controller, Inject } from '@nestjs/common';
import { type RequestOf, upstreams } from '@tollgate/api';
import { EVENT, type Session } from '@tollgate/contracts';
import {
  Caller,
  Handles,
  httpError,
  Input,
  publishEvent,
  readGatewayHealth,
  unavailable,
} from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { REDIS } from '../provided.ts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { toHealthView } from './health-view.ts';

/** How the upstreams are, as the gateways know it. */
@Controller()
export class UpstreamHealthController {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  @Handles(upstreams.showHealth)
  async health() {
    const snapshot = await this.snapshots.current();
    const gateways = await this.#orAway(readGatewayHealth(this.redis));
    return toHealthView(snapshot?.catalogue.upstreams ?? [], gateways);
  }

  @Handles(upstreams.enableCredential)
  async enable(@Input() { params }: RequestOf<typeof upstreams.enableCredential>, @Caller() caller: Session) {
    const { name: upstream, credential } = params;
    const snapshot = await this.snapshots.current();
    const known = snapshot?.catalogue.upstreams.find(({ name }) => name === upstream);
    if (!known?.credentials.some(({ name }) => name === credential))
      throw httpError(
        404,
        `There is no credential "${credential}" of an upstream "${upstream}".`,
        'credential',
        'no_such_credential',
        { name: credential },
      );
    await this.#orAway(
      publishEvent(this.redis, EVENT.credentialEnabled, { upstream, credential, by: caller.email }),
    );
    return { upstream, credential, enabled: true as const };
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
