import { Module } from '@nestjs/common';
import { ExportsController } from './exports.controller.ts';
import { SchedulesController } from './schedules/schedules.controller.ts';

@Module({
  controllers: [ExportsController, SchedulesController],
})
export class ExportsModule {}
