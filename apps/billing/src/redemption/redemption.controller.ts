import {
  Body,
  Controller,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { ResilientLimiter } from '@tollgate/limits';
import { Allow, httpError } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { audit } from '../audit-log/audit.ts';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { countTry, triesOfClient, triesOfPerson } from '../auth/tries.ts';
import { IDEMPOTENCY_HEADER, idempotencyKeyOf } from '../ledger/idempotency-key.ts';
import { shownToCustomer } from '../ledger/transaction-list.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import {
  batchBody,
  batchListQuery,
  codeListQuery,
  type NewBatch,
  redeemBody,
  type Revocation,
  revokeBody,
} from './redemption-bodies.ts';
import { listBatches, listCodes } from './redemption-list.ts';
import { RedemptionService } from './redemption.service.ts';

@Controller('api/redemption')
@UseGuards(SignedInGuard)
export class RedemptionController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(RedemptionService) private readonly redemption: RedemptionService,
  ) {}

  /** Makes codes, which are in this answer and nowhere else. */
  @Post('batches')
  @Allow('ledger:write')
  @ApiHeader(IDEMPOTENCY_HEADER)
  create(@Req() request: SignedInRequest, @Body({ schema: batchBody }) body: NewBatch): Promise<object> {
    return this.redemption.create(request.person, idempotencyKeyOf(request), body);
  }

  @Get('batches')
  @Allow('ledger:read-all')
  list(@Query({ schema: batchListQuery }) query: z.infer<typeof batchListQuery>): Promise<object> {
    return listBatches(this.database, query);
  }

  /** The codes themselves: whoever reads them can redeem them. */
  @Get('batches/:id/codes')
  @Allow('ledger:read-all')
  async codes(
    @Param('id') id: string,
    @Query({ schema: codeListQuery }) query: z.infer<typeof codeListQuery>,
  ): Promise<object> {
    const batchId = batchIdOf(id);
    const codes = await listCodes(this.database, batchId, query);
    await audit(this.database, { action: 'redemption.show-codes', object: `redemption batch ${batchId}` });
    return codes;
  }

  /** Takes back a code, or all codes of the batch, that nobody has redeemed. */
  @Post('batches/:id/revoke')
  @Allow('ledger:write')
  @HttpCode(200)
  async revoke(
    @Req() { person }: SignedInRequest,
    @Param('id') id: string,
    @Body({ schema: revokeBody }) body: Revocation,
  ): Promise<object> {
    return { revoked: await this.redemption.revoke(person, batchIdOf(id), body) };
  }

  /** Gives a code's credit to the account of whoever is signed in. */
  @Post('redeem')
  @Allow('redemption-codes:redeem')
  @HttpCode(200)
  async redeem(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: redeemBody }) { code }: z.infer<typeof redeemBody>,
  ): Promise<object> {
    const { person } = request;
    const tries = [triesOfClient('redeem', request), triesOfPerson('redeem', person.user_id)];
    await countTry(this.limiter, reply, tries, 'redeem a code');
    return shownToCustomer(await this.redemption.redeem(person, code));
  }
}

function batchIdOf(text: string): string {
  if (!z.uuid().safeParse(text).success) throw httpError(404, 'There is no such batch.', 'id');
  return text;
}
