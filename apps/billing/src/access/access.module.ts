import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard, SESSIONS } from '@tollgate/platform';
import { AuthModule } from '../auth/auth.module.ts';
import { BillingSessions } from './billing-sessions.ts';

/** The one guard, which refuses everybody whom a route does not allow. */
@Module({
  imports: [AuthModule],
  providers: [
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: SESSIONS, useClass: BillingSessions },
  ],
})
export class AccessModule {}
