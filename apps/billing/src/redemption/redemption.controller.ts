import { Controller, Inject, Res } from '@nestjs/common';
import { redemption, type RequestOf } from '@tollgate/api';
import type { Session } from '@tollgate/contracts';
import type { ResilientLimiter } from '@tollgate/limits';
import { Caller, Handles, Input } from '@tollgate/platform';
import type { FastifyReply } from 'fastify';
import type { DataSource } from 'typeorm';
import { audit } from '../audit-log/audit.ts';
import { countTry, triesOfClient, triesOfPerson } from '../auth/tries.ts';
import { shownToCustomer } from '../ledger/transaction-list.ts';
import { DATABASE, LIMITER } from '../provided.ts';
import { listBatches, listCodes } from './redemption-list.ts';
import { RedemptionService } from './redemption.service.ts';

@Controller()
export class RedemptionController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LIMITER) private readonly limiter: ResilientLimiter,
    @Inject(RedemptionService) private readonly redemption: RedemptionService,
  ) {}

  @Handles(redemption.createRedemptionBatch)
  create(
    @Input() { headers, body }: RequestOf<typeof redemption.createRedemptionBatch>,
    @Caller() caller: Session,
  ) {
    return this.redemption.create(caller, headers['idempotency-key'], body);
  }

  @Handles(redemption.listRedemptionBatches)
  list(@Input() { query }: RequestOf<typeof redemption.listRedemptionBatches>) {
    return listBatches(this.database, query);
  }

  /** Whoever reads the codes is in the audit log. */
  @Handles(redemption.listRedemptionCodes)
  async codes(@Input() { params, query }: RequestOf<typeof redemption.listRedemptionCodes>) {
    const codes = await listCodes(this.database, params.id, query);
    await audit(this.database, {
      action: 'redemption.show-codes',
      object: `redemption batch ${params.id}`,
    });
    return codes;
  }

  @Handles(redemption.revokeRedemptionCodes)
  async revoke(
    @Input() { params, body }: RequestOf<typeof redemption.revokeRedemptionCodes>,
    @Caller() caller: Session,
  ) {
    return { revoked: await this.redemption.revoke(caller, params.id, body) };
  }

  @Handles(redemption.redeemCode)
  async redeem(
    @Input() { body }: RequestOf<typeof redemption.redeemCode>,
    @Caller() caller: Session,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const tries = [triesOfClient('redeem', reply.request), triesOfPerson('redeem', caller.user_id)];
    await countTry(this.limiter, reply, tries, 'redeem a code');
    return shownToCustomer(await this.redemption.redeem(caller, body.code));
  }
}
