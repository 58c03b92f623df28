import { Module } from '@nestjs/common';
import { HeldCredit } from './held-credit.ts';
import { LedgerController } from './ledger.controller.ts';
import { MarginsController } from './margins.controller.ts';
import { OperationsController } from './operations.controller.ts';
import { OperationsService } from './operations.service.ts';

@Module({
  controllers: [LedgerController, MarginsController, OperationsController],
  providers: [HeldCredit, OperationsService],
})
export class LedgerModule {}
