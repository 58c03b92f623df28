import { Module } from '@nestjs/common';
import { KeysController } from './keys.controller.ts';
import { KeysService } from './keys.service.ts';

@Module({
  controllers: [KeysController],
  providers: [KeysService],
})
export class KeysModule {}
