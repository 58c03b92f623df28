import { Module } from '@nestjs/common';
import { FactorChecks } from '../factors/factor-checks.ts';
import { AuthController } from './auth.controller.ts';
import { OwnSessionsController } from './own-sessions.controller.ts';
import { ReauthenticationController } from './reauthentication.controller.ts';
import { SecondFactorController } from './second-factor.controller.ts';
import { SignIns } from './sign-ins.ts';

/** Signing in, and what people see and change of themselves. */
@Module({
  controllers: [AuthController, OwnSessionsController, ReauthenticationController, SecondFactorController],
  providers: [FactorChecks, SignIns],
  exports: [FactorChecks, SignIns],
})
export class AuthModule {}
