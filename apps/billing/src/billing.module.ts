import { type DynamicModule, Module } from '@nestjs/common';
import type { ResilientLimiter } from '@tollgate/limits';
import type { RequestReplyClient } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import type { DataSource } from 'typeorm';
import { AccountsController } from './accounts/accounts.controller.ts';
import { AccountsService } from './accounts/accounts.service.ts';
import { UsersService } from './accounts/users.service.ts';
import { AuditLogController } from './audit-log/audit-log.controller.ts';
import { AuthController } from './auth/auth.controller.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import { SignedInGuard } from './auth/signed-in.guard.ts';
import type { Credit } from './credit/credit.ts';
import { type Exports, ExportsController } from './exports/exports.controller.ts';
import type { KeyChanges } from './keys/key-changes.ts';
import { KeysController } from './keys/keys.controller.ts';
import { KeysService } from './keys/keys.service.ts';
import type { LedgerAudits } from './ledger/audit.ts';
import type { LastAudit } from './ledger/last-audit.ts';
import { LedgerController } from './ledger/ledger.controller.ts';
import { MarginsController } from './ledger/margins.controller.ts';
import { OperationsController } from './ledger/operations.controller.ts';
import { OperationsService } from './ledger/operations.service.ts';
import { MessagesController } from './messages.controller.ts';
import { PeriodsController } from './periods/periods.controller.ts';
import {
  CREDIT,
  DATABASE,
  EXPORTS,
  KEY_CHANGES,
  LAST_AUDIT,
  LEDGER_AUDITS,
  LIMITER,
  PRICING,
  REDIS,
  USAGE_QUEUE_WATCH,
} from './provided.ts';
import { RerateController } from './rerate/rerate.controller.ts';
import { RedemptionController } from './redemption/redemption.controller.ts';
import { RedemptionService } from './redemption/redemption.service.ts';
import { PartitionsController } from './usage/partitions.controller.ts';
import { UsageController } from './usage/usage.controller.ts';
import { CsvUploadGuard } from './reconciliation/csv-upload.guard.ts';
import { ReconciliationController } from './reconciliation/reconciliation.controller.ts';
import { StatementsController } from './statements/statements.controller.ts';
import type { UsageQueueWatch } from './system/stores.ts';
import { SystemController } from './system/system.controller.ts';

@Module({})
export class BillingModule {
  static with(parts: {
    database: DataSource;
    changes: KeyChanges;
    credit: Credit;
    pricing: RequestReplyClient;
    limiter: ResilientLimiter;
    sessionLookup: SessionLookup;
    exports: Exports;
    audits: LedgerAudits;
    lastAudit: LastAudit;
    redis: Redis;
    usageQueue: UsageQueueWatch;
  }): DynamicModule {
    return {
      module: BillingModule,
      controllers: [
        AuthController,
        AccountsController,
        AuditLogController,
        KeysController,
        PartitionsController,
        UsageController,
        LedgerController,
        OperationsController,
        MarginsController,
        RedemptionController,
        PeriodsController,
        StatementsController,
        ReconciliationController,
        ExportsController,
        RerateController,
        MessagesController,
        SystemController,
      ],
      providers: [
        SignedInGuard,
        CsvUploadGuard,
        KeysService,
        AccountsService,
        UsersService,
        OperationsService,
        RedemptionService,
        { provide: LEDGER_AUDITS, useValue: parts.audits },
        { provide: LAST_AUDIT, useValue: parts.lastAudit },
        { provide: REDIS, useValue: parts.redis },
        { provide: USAGE_QUEUE_WATCH, useValue: parts.usageQueue },
        { provide: EXPORTS, useValue: parts.exports },
        { provide: DATABASE, useValue: parts.database },
        { provide: CREDIT, useValue: parts.credit },
        { provide: KEY_CHANGES, useValue: parts.changes },
        { provide: PRICING, useValue: parts.pricing },
        { provide: LIMITER, useValue: parts.limiter },
        { provide: SessionLookup, useValue: parts.sessionLookup },
      ],
    };
  }
}
