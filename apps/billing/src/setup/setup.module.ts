import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.ts';
import { SetupController } from './setup.controller.ts';

@Module({
  imports: [AuthModule],
  controllers: [SetupController],
})
export class SetupModule {}
