import { Controller, Inject } from '@nestjs/common';
import { partitions, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { REPORTS } from '../provided.ts';
import { detachPartition, isMonth } from './detach-partition.ts';
import { listPartitions } from './partitions.ts';

/** The months of the usage log, as the database keeps them. */
@Controller()
export class PartitionsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  @Handles(partitions.listPartitions)
  async list() {
    return { items: await listPartitions(this.database) };
  }

  @Handles(partitions.detachPartition)
  detach(
    @Input() { params, body }: RequestOf<typeof partitions.detachPartition>,
    @Caller() { email }: Session,
  ) {
    const { month } = params;
    if (!isMonth(month)) throw httpError(400, 'month: name it as 2026-11.', 'month', 'not_a_month');
    return detachPartition(this.database, month, { actor: email, reason: body.reason, now: new Date() });
  }
}
