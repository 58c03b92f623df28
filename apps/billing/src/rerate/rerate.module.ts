import { Module } from '@nestjs/common';
import { RerateController } from './rerate.controller.ts';

@Module({
  controllers: [RerateController],
})
export class RerateModule {}
