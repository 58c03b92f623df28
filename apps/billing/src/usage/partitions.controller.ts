import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { Allow, httpError } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { REPORTS } from '../provided.ts';
import { type Detached, detachPartition, isMonth } from './detach-partition.ts';
import { listPartitions, type Partition } from './partitions.ts';

export const detachBody = z
  .strictObject({ reason: z.string().trim().min(1).max(500) })
  .meta({ examples: [{ reason: 'Older than our retention of two years' }] });

/** The months of the usage log, as the database keeps them. */
@Controller('api/usage/partitions')
@UseGuards(SignedInGuard)
export class PartitionsController {
  constructor(@Inject(REPORTS) private readonly database: DataSource) {}

  /** Every month with its size, oldest first. */
  @Get()
  @Allow('partitions:read')
  async list(): Promise<{ readonly items: readonly Partition[] }> {
    return { items: await listPartitions(this.database) };
  }

  /** Takes a closed month out of the log. For owners; a month is taken out once, however often it is asked for. */
  @Post(':month/detach')
  @Allow('partitions:detach')
  @HttpCode(200)
  detach(
    @Req() request: SignedInRequest,
    @Param('month') month: string,
    @Body({ schema: detachBody }) { reason }: z.infer<typeof detachBody>,
  ): Promise<Detached> {
    const { email } = request.person;
    if (!isMonth(month)) throw httpError(400, 'month: name it as 2026-11.', 'month');
    return detachPartition(this.database, month, { actor: email, reason, now: new Date() });
  }
}
