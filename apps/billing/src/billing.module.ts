import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { ResilientLimiter } from '@tollgate/limits';
import { AccessGuard, type RequestReplyClient, SESSIONS } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { BillingSessions } from './access/billing-sessions.ts';
import { AccountsController } from './accounts/accounts.controller.ts';
import { AccountsService } from './accounts/accounts.service.ts';
import { UsersService } from './accounts/users.service.ts';
import { AuditedChanges } from './audit-log/audited-changes.interceptor.ts';
import { AuditLogController } from './audit-log/audit-log.controller.ts';
import { AuthController } from './auth/auth.controller.ts';
import { ReauthenticationController } from './auth/reauthentication.controller.ts';
import { SecondFactorController } from './auth/second-factor.controller.ts';
import type { SessionPolicy } from './auth/session-policy.ts';
import { KnownDevices } from './auth/known-devices.ts';
import { SignIns } from './auth/sign-ins.ts';
import { OwnSessionsController } from './auth/own-sessions.controller.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import { SignedInGuard } from './auth/signed-in.guard.ts';
import type { Credit } from './credit/credit.ts';
import type { Databases } from './database/data-source.ts';
import { type Exports, ExportsController } from './exports/exports.controller.ts';
import { SchedulesController } from './exports/schedules/schedules.controller.ts';
import type { KeyRules } from './keys/key-rules.ts';
import { Enrolments } from './factors/enrolments.ts';
import { FactorChecks } from './factors/factor-checks.ts';
import type { FactorSettings } from './factors/factor-config.ts';
import { FactorResetController } from './factors/factor-reset.controller.ts';
import { FactorsController } from './factors/factors.controller.ts';
import type { KeyChanges } from './keys/key-changes.ts';
import { createKeyCopies } from './keys/key-copies.ts';
import { KeysController } from './keys/keys.controller.ts';
import { KeysService } from './keys/keys.service.ts';
import type { LedgerAudits } from './ledger/audit.ts';
import type { LastAudit } from './ledger/last-audit.ts';
import { HeldCredit } from './ledger/held-credit.ts';
import { LedgerController } from './ledger/ledger.controller.ts';
import { MarginsController } from './ledger/margins.controller.ts';
import { OperationsController } from './ledger/operations.controller.ts';
import { OperationsService } from './ledger/operations.service.ts';
import { MessagesController } from './messages.controller.ts';
import { type Oidc, OidcController } from './oidc/oidc.controller.ts';
import { InvitesController, LinksController } from './members/invites.controller.ts';
import { InvitesService } from './members/invites.service.ts';
import { PeriodsController } from './periods/periods.controller.ts';
import {
  CREDIT,
  KEY_RULES,
  DATABASE,
  EXPORTS,
  FACTORS,
  JOURNAL,
  KEY_CHANGES,
  KEY_COPIES,
  LEDGER_AUDITS,
  LAST_AUDIT,
  LIMITER,
  LOOKUPS,
  OIDC,
  PRICING,
  REDIS,
  REPORT_TURNS,
  REPORTS,
  SESSION_POLICY,
  SETUP_TOKEN,
  USAGE_BOOKS,
  USAGE_QUEUE_WATCH,
} from './provided.ts';
import { createReportTurns } from './reports/report-turns.ts';
import { RerateController } from './rerate/rerate.controller.ts';
import { RedemptionController } from './redemption/redemption.controller.ts';
import { RedemptionService } from './redemption/redemption.service.ts';
import { SetupController } from './setup/setup.controller.ts';
import { PartitionsController } from './usage/partitions.controller.ts';
import type { UsageBooks } from './usage/usage-books.ts';
import { RejectedController } from './usage/rejected.controller.ts';
import { UsageController } from './usage/usage.controller.ts';
import { UsageReviewsController } from './usage/usage-reviews.controller.ts';
import { CsvUploadGuard } from './reconciliation/csv-upload.guard.ts';
import { ReconciliationController } from './reconciliation/reconciliation.controller.ts';
import { StatementsController } from './statements/statements.controller.ts';
import type { UsageQueueWatch } from './system/stores.ts';
import { SystemController } from './system/system.controller.ts';

@Module({})
export class BillingModule {
  static with(parts: {
    databases: Databases;
    changes: KeyChanges;
    credit: Credit;
    keyRules: KeyRules;
    books: UsageBooks;
    pricing: RequestReplyClient;
    limiter: ResilientLimiter;
    sessionLookup: SessionLookup;
    sessionPolicy: SessionPolicy;
    knownDevices: KnownDevices;
    factors: FactorSettings;
    exports: Exports;
    audits: LedgerAudits;
    setupToken: string | undefined;
    oidc: Oidc | null;
    lastAudit: LastAudit;
    redis: Redis;
    usageQueue: UsageQueueWatch;
  }): DynamicModule {
    return {
      module: BillingModule,
      controllers: [
        AuthController,
        SecondFactorController,
        ReauthenticationController,
        FactorsController,
        FactorResetController,
        OwnSessionsController,
        OidcController,
        SetupController,
        InvitesController,
        LinksController,
        AccountsController,
        AuditLogController,
        KeysController,
        PartitionsController,
        RejectedController,
        UsageController,
        UsageReviewsController,
        LedgerController,
        OperationsController,
        MarginsController,
        RedemptionController,
        PeriodsController,
        StatementsController,
        ReconciliationController,
        SchedulesController,
        ExportsController,
        RerateController,
        MessagesController,
        SystemController,
      ],
      providers: [
        { provide: APP_INTERCEPTOR, useClass: AuditedChanges },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: SESSIONS, useClass: BillingSessions },
        SignedInGuard,
        SignIns,
        FactorChecks,
        Enrolments,
        CsvUploadGuard,
        KeysService,
        AccountsService,
        UsersService,
        InvitesService,
        HeldCredit,
        OperationsService,
        RedemptionService,
        { provide: LEDGER_AUDITS, useValue: parts.audits },
        { provide: LAST_AUDIT, useValue: parts.lastAudit },
        { provide: REDIS, useValue: parts.redis },
        { provide: USAGE_QUEUE_WATCH, useValue: parts.usageQueue },
        { provide: EXPORTS, useValue: parts.exports },
        { provide: DATABASE, useValue: parts.databases.changes },
        { provide: LOOKUPS, useValue: parts.databases.lookups },
        { provide: JOURNAL, useValue: parts.databases.journal },
        { provide: REPORTS, useValue: parts.databases.reports },
        { provide: REPORT_TURNS, useValue: createReportTurns() },
        { provide: CREDIT, useValue: parts.credit },
        { provide: KEY_RULES, useValue: parts.keyRules },
        { provide: KEY_COPIES, useValue: createKeyCopies(parts.redis) },
        { provide: USAGE_BOOKS, useValue: parts.books },
        { provide: KEY_CHANGES, useValue: parts.changes },
        { provide: PRICING, useValue: parts.pricing },
        { provide: SETUP_TOKEN, useValue: { value: parts.setupToken } },
        { provide: OIDC, useValue: parts.oidc },
        { provide: LIMITER, useValue: parts.limiter },
        { provide: SESSION_POLICY, useValue: parts.sessionPolicy },
        { provide: FACTORS, useValue: parts.factors },
        { provide: SessionLookup, useValue: parts.sessionLookup },
        { provide: KnownDevices, useValue: parts.knownDevices },
      ],
    };
  }
}
