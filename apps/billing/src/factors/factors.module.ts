import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { AuthModule } from '../auth/auth.module.ts';
import { Enrolments } from './enrolments.ts';
import { FactorResetController } from './factor-reset.controller.ts';
import { FactorsController } from './factors.controller.ts';

/** Second factors: getting, losing and resetting them. */
@Module({
  imports: [AccountsModule, AuthModule],
  controllers: [FactorResetController, FactorsController],
  providers: [Enrolments],
})
export class FactorsModule {}
