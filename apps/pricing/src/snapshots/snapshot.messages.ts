import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { Tracer } from '@opentelemetry/api';
import type { UnverifiedSnapshot } from '@tollgate/catalogue';
import { MESSAGE, snapshotRequestSchema } from '@tollgate/contracts';
import { TRACER } from '../provided.ts';
import { traceAnswer } from './publication-traces.ts';
import { SnapshotStore, toPublished } from './snapshot-store.ts';

/** What gateways and billing ask for. */
@Controller()
export class SnapshotMessages {
  constructor(
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
    @Inject(TRACER) private readonly tracer: Tracer | null,
  ) {}

  @MessagePattern(MESSAGE.snapshotGet)
  get(@Payload() payload: unknown): Promise<UnverifiedSnapshot | null> {
    const { version, hash, traceparent } = snapshotRequestSchema.parse(payload);
    return traceAnswer(this.tracer ?? undefined, traceparent, async () => {
      const found =
        version === 'current' ? await this.snapshots.current() : await this.snapshots.named(version, hash);
      return found && toPublished(found);
    });
  }
}
