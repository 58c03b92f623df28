import { Module } from '@nestjs/common';
import { PartitionsController } from './partitions.controller.ts';
import { RejectedController } from './rejected.controller.ts';
import { UsageReviewsController } from './usage-reviews.controller.ts';
import { UsageController } from './usage.controller.ts';

@Module({
  controllers: [PartitionsController, RejectedController, UsageReviewsController, UsageController],
})
export class UsageModule {}
