import { Module } from '@nestjs/common';
import { ReconciliationController } from './reconciliation.controller.ts';

@Module({
  controllers: [ReconciliationController],
})
export class ReconciliationModule {}
