import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type DraftAnswer, draftRequestSchema, MESSAGE } from '@tollgate/contracts';
import { SnapshotStore } from '../snapshots/snapshot-store.ts';
import { draftAnswer } from './draft-preview.ts';
import { DraftStore } from './draft-store.ts';

/** What billing asks for to say what usage would have cost. */
@Controller()
export class DraftMessages {
  constructor(
    @Inject(DraftStore) private readonly drafts: DraftStore,
    @Inject(SnapshotStore) private readonly snapshots: SnapshotStore,
  ) {}

  @MessagePattern(MESSAGE.draftGet)
  async get(@Payload() payload: unknown): Promise<DraftAnswer | null> {
    const draft = await this.drafts.find(draftRequestSchema.parse(payload).name);
    return draft && draftAnswer(draft, this.snapshots);
  }
}
