import { Controller, Inject } from '@nestjs/common';
import { partitions, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { awaitWork, type ResumedWork } from '../periods/resumed-work.ts';
import { PERIOD_WORK, REPORTS } from '../provided.ts';
import { detachPartition, isMonth } from './detach-partition.ts';
import { beginDrop, requireDrop } from './drop-partition.ts';
import { listPartitions, type Month } from './partitions.ts';

/** The months of the usage log, as the database keeps them. */
@Controller()
export class PartitionsController {
  constructor(
    @Inject(REPORTS) private readonly database: DataSource,
    @Inject(PERIOD_WORK) private readonly work: ResumedWork,
  ) {}

  @Handles(partitions.listPartitions)
  async list() {
    return { items: await listPartitions(this.database) };
  }

  @Handles(partitions.detachPartition)
  detach(
    @Input() { params, body }: RequestOf<typeof partitions.detachPartition>,
    @Caller() { email }: Session,
  ) {
    const month = readMonth(params);
    return detachPartition(this.database, month, { actor: email, reason: body.reason, now: new Date() });
  }

  @Handles(partitions.dropPartition)
  async drop(
    @Input() { params, body }: RequestOf<typeof partitions.dropPartition>,
    @Caller() { email }: Session,
  ) {
    const month = readMonth(params);
    await beginDrop(this.database, month, { actor: email, reason: body.reason });
    return awaitWork(this.work, () => requireDrop(this.database, month));
  }
}

function readMonth({ month }: { readonly month: string }): Month {
  if (!isMonth(month)) throw httpError(400, 'month: name it as 2026-11.', 'month', 'not_a_month');
  return month;
}
