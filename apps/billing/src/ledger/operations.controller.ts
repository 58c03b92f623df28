import { Body, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import { Allow } from '@tollgate/platform';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { SignedInGuard, type SignedInRequest } from '../auth/signed-in.guard.ts';
import { IDEMPOTENCY_HEADER, idempotencyKeyOf } from './idempotency-key.ts';
import {
  adjustmentBody,
  correctionBody,
  grantBody,
  type Operation,
  paymentBody,
  payoutBody,
  refundBody,
  writeOffBody,
} from './operation-bodies.ts';
import { OperationsService } from './operations.service.ts';
import { shownToBookkeeper } from './transaction-list.ts';

/** What those who keep the books enter: 201 for a new transaction, 200 for the same one asked for again. */
@Controller('api/ledger')
@UseGuards(SignedInGuard)
@ApiHeader(IDEMPOTENCY_HEADER)
export class OperationsController {
  constructor(@Inject(OperationsService) private readonly operations: OperationsService) {}

  /** Money of a customer has come in. */
  @Post('payments')
  @Allow('ledger:write')
  payment(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: paymentBody }) body: z.infer<typeof paymentBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'payment', ...body });
  }

  /** Credit is given away. */
  @Post('grants')
  @Allow('ledger:write')
  grant(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: grantBody }) body: z.infer<typeof grantBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'grant', ...body });
  }

  /** Money goes back to a customer, out of their balance. */
  @Post('payouts')
  @Allow('ledger:write')
  payout(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: payoutBody }) body: z.infer<typeof payoutBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'payout', ...body });
  }

  /** A customer gets back what a request cost, or a part of it. */
  @Post('refunds')
  @Allow('ledger:write')
  refund(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: refundBody }) body: z.infer<typeof refundBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'refund', ...body });
  }

  /** A transaction that somebody entered is undone. */
  @Post('corrections')
  @Allow('ledger:write')
  correction(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: correctionBody }) body: z.infer<typeof correctionBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'correction', ...body });
  }

  /** A balance is raised or lowered. */
  @Post('adjustments')
  @Allow('ledger:write')
  adjustment(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: adjustmentBody }) body: z.infer<typeof adjustmentBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'adjustment', ...body });
  }

  /** A debt is given up. */
  @Post('write-offs')
  @Allow('ledger:write')
  writeOff(
    @Req() request: SignedInRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Body({ schema: writeOffBody }) body: z.infer<typeof writeOffBody>,
  ): Promise<object> {
    return this.#enter(request, reply, { kind: 'write_off', ...body });
  }

  async #enter(request: SignedInRequest, reply: FastifyReply, operation: Operation): Promise<object> {
    const key = idempotencyKeyOf(request);
    const { transaction, repeated } = await this.operations.post(request.person, key, operation);
    void reply.code(repeated ? 200 : 201);
    return shownToBookkeeper(transaction);
  }
}
