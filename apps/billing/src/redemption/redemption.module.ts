import { Module } from '@nestjs/common';
import { RedemptionController } from './redemption.controller.ts';
import { RedemptionService } from './redemption.service.ts';

@Module({
  controllers: [RedemptionController],
  providers: [RedemptionService],
})
export class RedemptionModule {}
