import { Module } from '@nestjs/common';
import { PeriodsController } from './periods.controller.ts';

@Module({
  controllers: [PeriodsController],
})
export class PeriodsModule {}
