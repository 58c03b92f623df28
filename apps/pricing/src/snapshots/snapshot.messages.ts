import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { MESSAGE, type PriceSnapshot, snapshotRequestSchema } from '@tollgate/contracts';
import { SnapshotStore } from './snapshot-store.ts';

/** What gateways and billing ask for. */
@Controller()
export class SnapshotMessages {
  constructor(@Inject(SnapshotStore) private readonly snapshots: SnapshotStore) {}

  @MessagePattern(MESSAGE.snapshotGet)
  get(@Payload() payload: unknown): Promise<PriceSnapshot | null> {
    const { version } = snapshotRequestSchema.parse(payload);
    return version === 'current' ? this.snapshots.current() : this.snapshots.byVersion(version);
  }
}
