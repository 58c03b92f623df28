import { type DynamicModule, Module } from '@nestjs/common';
import type { ResilientLimiter } from '@tollgate/limits';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { KnownDevices } from './auth/known-devices.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import type { SessionPolicy } from './auth/session-policy.ts';
import type { BackgroundJobs } from './background/background-jobs.ts';
import type { Credit } from './credit/credit.ts';
import type { Databases } from './database/data-source.ts';
import type { Exports } from './exports/exports.controller.ts';
import type { FactorSettings } from './factors/factor-config.ts';
import type { KeyChanges } from './keys/key-changes.ts';
import { createKeyCopies } from './keys/key-copies.ts';
import type { KeyRules } from './keys/key-rules.ts';
import type { LastAudit } from './ledger/last-audit.ts';
import type { Oidc } from './oidc/oidc.controller.ts';
import type { ResumedWork } from './periods/resumed-work.ts';
import {
  BACKGROUND_JOBS,
  CREDIT,
  DATABASE,
  EXPORTS,
  FACTORS,
  JOURNAL,
  KEY_CHANGES,
  KEY_COPIES,
  KEY_RULES,
  LAST_AUDIT,
  AUDIT_WORK,
  LIMITER,
  LOGGER,
  LOOKUPS,
  OIDC,
  PERIOD_WORK,
  PRICING,
  REDIS,
  REPORT_TURNS,
  REQUEST_NOTES,
  REPORTS,
  SESSION_POLICY,
  SETUP_TOKEN,
  USAGE_BOOKS,
  USAGE_QUEUE_WATCH,
} from './provided.ts';
import { createReportTurns } from './reports/report-turns.ts';
import { createRequestNotes } from './requests/note-batch.ts';
import type { UsageQueueWatch } from './system/stores.ts';
import type { UsageBooks } from './usage/usage-books.ts';

/** What `start.ts` opens, and all features share. */
export interface Infrastructure {
  readonly databases: Databases;
  readonly changes: KeyChanges;
  readonly credit: Credit;
  readonly keyRules: KeyRules;
  readonly books: UsageBooks;
  readonly backgroundJobs: BackgroundJobs;
  readonly pricing: RequestReplyClient;
  readonly limiter: ResilientLimiter;
  readonly sessionLookup: SessionLookup;
  readonly sessionPolicy: SessionPolicy;
  readonly knownDevices: KnownDevices;
  readonly factors: FactorSettings;
  readonly exports: Exports;
  readonly auditWork: ResumedWork;
  readonly periodWork: ResumedWork;
  readonly setupToken: string | undefined;
  readonly oidc: Oidc | null;
  readonly lastAudit: LastAudit;
  readonly redis: Redis;
  readonly logger: Logger;
  readonly usageQueue: UsageQueueWatch;
}

/** Gives every feature what `provided.ts` names. */
@Module({})
export class InfrastructureModule {
  static with(opened: Infrastructure): DynamicModule {
    const { databases, redis } = opened;
    const values = new Map<symbol | typeof SessionLookup | typeof KnownDevices, unknown>([
      [DATABASE, databases.changes],
      [LOOKUPS, databases.lookups],
      [JOURNAL, databases.journal],
      [REPORTS, databases.reports],
      [REPORT_TURNS, createReportTurns()],
      [REQUEST_NOTES, createRequestNotes(databases.changes)],
      [REDIS, redis],
      [LOGGER, opened.logger],
      [USAGE_QUEUE_WATCH, opened.usageQueue],
      [LIMITER, opened.limiter],
      [PRICING, opened.pricing],
      [CREDIT, opened.credit],
      [KEY_RULES, opened.keyRules],
      [KEY_COPIES, createKeyCopies(redis)],
      [KEY_CHANGES, opened.changes],
      [USAGE_BOOKS, opened.books],
      [BACKGROUND_JOBS, opened.backgroundJobs],
      [AUDIT_WORK, opened.auditWork],
      [PERIOD_WORK, opened.periodWork],
      [LAST_AUDIT, opened.lastAudit],
      [EXPORTS, opened.exports],
      [SETUP_TOKEN, { value: opened.setupToken }],
      [OIDC, opened.oidc],
      [SESSION_POLICY, opened.sessionPolicy],
      [FACTORS, opened.factors],
      [SessionLookup, opened.sessionLookup],
      [KnownDevices, opened.knownDevices],
    ]);
    return {
      module: InfrastructureModule,
      global: true,
      providers: Array.from(values, ([provide, useValue]) => ({ provide, useValue })),
      exports: [...values.keys()],
    };
  }
}
