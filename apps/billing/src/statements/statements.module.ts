import { Module } from '@nestjs/common';
import { StatementsController } from './statements.controller.ts';

@Module({
  controllers: [StatementsController],
})
export class StatementsModule {}
