import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import type { Tracer } from '@opentelemetry/api';
import type { ResilientLimiter } from '@tollgate/limits';
import { AccessGuard, type RequestReplyClient, SESSIONS } from '@tollgate/platform';
import type { Redis } from 'ioredis';
import { BillingSessions } from './access/billing-sessions.ts';
import { CatalogueController } from './admin/catalogue.controller.ts';
import { VersionsController } from './admin/versions.controller.ts';
import type { AuditNotes } from './audit-notes/audit-notes.ts';
import { NotedChanges } from './audit-notes/noted-changes.interceptor.ts';
import type { PricingConfig } from './config.ts';
import { DraftMessages } from './drafts/draft.messages.ts';
import { DraftStore } from './drafts/draft-store.ts';
import { DraftsController } from './drafts/drafts.controller.ts';
import { AUDIT_NOTES, BILLING, CONFIG, LIMITER, REDIS, TRACER } from './provided.ts';
import { PriceHistoryController } from './public-pricing/price-history.controller.ts';
import { PublicEntrance } from './public-pricing/public-entrance.ts';
import { ProvidersController } from './providers/providers.controller.ts';
import { PublicPricingController } from './public-pricing/public-pricing.controller.ts';
import { PriceHistoryReader } from './public-pricing/read-price-history.ts';
import { ResealController } from './reseal/reseal.controller.ts';
import { SnapshotMessages } from './snapshots/snapshot.messages.ts';
import { SnapshotStore } from './snapshots/snapshot-store.ts';
import { OffersController } from './upstream-health/offers.controller.ts';
import { UpstreamHealthController } from './upstream-health/upstream-health.controller.ts';
import { UpstreamTestController } from './upstream-health/upstream-test.controller.ts';
import { UpstreamTester } from './upstream-health/upstream-tester.ts';

/** What `start.ts` opens, and all features share. */
export interface PricingParts {
  readonly config: PricingConfig;
  readonly snapshots: SnapshotStore;
  readonly priceHistory: PriceHistoryReader;
  readonly drafts: DraftStore;
  readonly limiter: ResilientLimiter;
  readonly billing: RequestReplyClient;
  readonly auditNotes: AuditNotes;
  readonly redis: Redis;
  readonly tracer: Tracer | null;
}

@Module({})
export class PricingModule {
  static with(parts: PricingParts): DynamicModule {
    return {
      module: PricingModule,
      controllers: [
        PublicPricingController,
        PriceHistoryController,
        CatalogueController,
        VersionsController,
        DraftsController,
        ResealController,
        UpstreamHealthController,
        UpstreamTestController,
        OffersController,
        ProvidersController,
        SnapshotMessages,
        DraftMessages,
      ],
      providers: [
        { provide: APP_INTERCEPTOR, useClass: NotedChanges },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: SESSIONS, useClass: BillingSessions },
        PublicEntrance,
        UpstreamTester,
        { provide: PriceHistoryReader, useValue: parts.priceHistory },
        { provide: CONFIG, useValue: parts.config },
        { provide: SnapshotStore, useValue: parts.snapshots },
        { provide: DraftStore, useValue: parts.drafts },
        { provide: LIMITER, useValue: parts.limiter },
        { provide: BILLING, useValue: parts.billing },
        { provide: AUDIT_NOTES, useValue: parts.auditNotes },
        { provide: REDIS, useValue: parts.redis },
        { provide: TRACER, useValue: parts.tracer },
      ],
    };
  }
}
