import { type DynamicModule, Module } from '@nestjs/common';
import type { ResilientLimiter } from '@tollgate/limits';
import type { RequestReplyClient } from '@tollgate/platform';
import type { DataSource } from 'typeorm';
import { AuthController } from './auth/auth.controller.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import { SignedInGuard } from './auth/signed-in.guard.ts';
import type { KeyChanges } from './keys/key-changes.ts';
import { KeysController } from './keys/keys.controller.ts';
import { KeysService } from './keys/keys.service.ts';
import { LedgerController } from './ledger/ledger.controller.ts';
import { MessagesController } from './messages.controller.ts';
import { DATABASE, KEY_CHANGES, LIMITER, PRICING } from './provided.ts';
import { UsageController } from './usage/usage.controller.ts';

@Module({})
export class BillingModule {
  static with(parts: {
    database: DataSource;
    changes: KeyChanges;
    pricing: RequestReplyClient;
    limiter: ResilientLimiter;
    sessionLookup: SessionLookup;
  }): DynamicModule {
    return {
      module: BillingModule,
      controllers: [AuthController, KeysController, UsageController, LedgerController, MessagesController],
      providers: [
        SignedInGuard,
        KeysService,
        { provide: DATABASE, useValue: parts.database },
        { provide: KEY_CHANGES, useValue: parts.changes },
        { provide: PRICING, useValue: parts.pricing },
        { provide: LIMITER, useValue: parts.limiter },
        { provide: SessionLookup, useValue: parts.sessionLookup },
      ],
    };
  }
}
