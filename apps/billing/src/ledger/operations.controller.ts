import { Controller, Inject, Res } from '@nestjs/common';
import { type LedgerOperation, ledgerOperations, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import { OperationsService } from './operations.service.ts';
import { shownToBookkeeper } from './transaction-list.ts';

type Headers = RequestOf<typeof ledgerOperations.enterPayment>['headers'];

/** What those who keep the books enter: 201 for a new transaction, 200 for the same one asked for again. */
@Controller()
export class OperationsController {
  constructor(@Inject(OperationsService) private readonly operations: OperationsService) {}

  @Handles(ledgerOperations.enterPayment)
  payment(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterPayment>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'payment', ...body }, reply);
  }

  @Handles(ledgerOperations.enterGrant)
  grant(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterGrant>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'grant', ...body }, reply);
  }

  @Handles(ledgerOperations.enterPayout)
  payout(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterPayout>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'payout', ...body }, reply);
  }

  @Handles(ledgerOperations.enterRefund)
  refund(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterRefund>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'refund', ...body }, reply);
  }

  @Handles(ledgerOperations.enterCorrection)
  correction(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterCorrection>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'correction', ...body }, reply);
  }

  @Handles(ledgerOperations.enterAdjustment)
  adjustment(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterAdjustment>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'adjustment', ...body }, reply);
  }

  @Handles(ledgerOperations.enterWriteOff)
  writeOff(
    @Input() { headers, body }: RequestOf<typeof ledgerOperations.enterWriteOff>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    return this.#enter(caller, headers, { kind: 'write_off', ...body }, reply);
  }

  async #enter(caller: Session, headers: Headers, operation: LedgerOperation, reply: FastifyReply) {
    const key = headers['idempotency-key'];
    const { transaction, repeated } = await this.operations.post(caller, key, operation);
    if (repeated) void reply.code(200);
    return shownToBookkeeper(transaction);
  }
}
