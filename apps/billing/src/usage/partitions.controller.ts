import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Inject } from '@nestjs/common';
import { partitions, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, httpError, Input } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import type { ResumedWork } from '../periods/resumed-work.ts';
import { PERIOD_WORK, REPORTS } from '../provided.ts';
import { detachPartition, isMonth } from './detach-partition.ts';
import { beginDrop, requireDrop } from './drop-partition.ts';
import { listPartitions, type Month } from './partitions.ts';

/** A small month is dropped while whoever asked waits; of a larger one they are told how far it is. */
const DROP_WAIT_MS = 2_000;
const LOOK_MS = 50;

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
    let drop = await beginDrop(this.database, month, { actor: email, reason: body.reason });
    this.work.wake();
    const until = performance.now() + DROP_WAIT_MS;
    while (drop.state === 'dropping' && performance.now() < until) {
      await sleep(LOOK_MS);
      drop = await requireDrop(this.database, month);
    }
    return drop;
  }
}

function readMonth({ month }: { readonly month: string }): Month {
  if (!isMonth(month)) throw httpError(400, 'month: name it as 2026-11.', 'month', 'not_a_month');
  return month;
}
