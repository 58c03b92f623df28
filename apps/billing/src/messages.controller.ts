import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  type AuditReported,
  auditNoteSchema,
  auditReportSchema,
  type BackgroundBegun,
  backgroundBeginSchema,
  backgroundDropSchema,
  backgroundEndSchema,
  backgroundFindSchema,
  backgroundLeaseSchema,
  backgroundPolledSchema,
  backgroundStartSchema,
  creditLoadSchema,
  type FoundJob,
  keyLookupSchema,
  type KeyRecord,
  type LeasedJob,
  MESSAGE,
  requestBatchSchema,
  type Session,
  sessionLookupSchema,
  type UsageLookup,
  usageLookupSchema,
} from '@tollgate/contracts';
import type { DataSource } from 'typeorm';
import { writeAudit } from './audit-log/audit.ts';
import { noteReported } from './audit-log/reported.ts';
import { SessionLookup } from './auth/session-lookup.ts';
import type { BackgroundJobs } from './background/background-jobs.ts';
import type { Credit } from './credit/credit.ts';
import type { KeyCopies } from './keys/key-copies.ts';
import { lookUpKey } from './keys/key-lookup.ts';
import {
  BACKGROUND_JOBS,
  CREDIT,
  DATABASE,
  KEY_COPIES,
  LOOKUPS,
  REQUEST_NOTES,
  USAGE_BOOKS,
} from './provided.ts';
import type { RequestNotes } from './requests/note-batch.ts';
import { missingUsage } from './usage/missing-usage.ts';
import type { UsageBooks } from './usage/usage-books.ts';

/** What gateways and pricing ask for. */
@Controller()
export class MessagesController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(LOOKUPS) private readonly lookups: DataSource,
    @Inject(SessionLookup) private readonly sessions: SessionLookup,
    @Inject(CREDIT) private readonly credit: Credit,
    @Inject(KEY_COPIES) private readonly copies: KeyCopies,
    @Inject(USAGE_BOOKS) private readonly books: UsageBooks,
    @Inject(BACKGROUND_JOBS) private readonly jobs: BackgroundJobs,
    @Inject(REQUEST_NOTES) private readonly notes: RequestNotes,
  ) {}

  @MessagePattern(MESSAGE.keyLookup)
  async key(@Payload() payload: unknown): Promise<KeyRecord | null> {
    const { key_hash } = keyLookupSchema.parse(payload);
    const record = await lookUpKey(this.lookups, key_hash);
    // Nobody waits for the copy; while Redis is away there is none.
    if (record) this.copies.found(key_hash, record).catch(() => {});
    return record;
  }

  @MessagePattern(MESSAGE.sessionLookup)
  session(@Payload() payload: unknown): Promise<Session | null> {
    return this.sessions.find(sessionLookupSchema.parse(payload).cookie);
  }

  @MessagePattern(MESSAGE.sessionFresh)
  sessionFresh(@Payload() payload: unknown): Promise<boolean> {
    return this.sessions.isFresh(sessionLookupSchema.parse(payload).cookie);
  }

  @MessagePattern(MESSAGE.creditLoad)
  async creditLoad(@Payload() payload: unknown): Promise<null> {
    await this.credit.load(creditLoadSchema.parse(payload).scopes);
    return null;
  }

  @MessagePattern(MESSAGE.auditReport)
  auditReport(@Payload() payload: unknown): Promise<AuditReported> {
    return noteReported(this.database, auditReportSchema.parse(payload));
  }

  @MessagePattern(MESSAGE.auditNote)
  async auditNote(@Payload() payload: unknown): Promise<null> {
    const { person, action, object, request_id, address, reason, after } = auditNoteSchema.parse(payload);
    await writeAudit(this.database, {
      action,
      object,
      accountId: person.account_id,
      ...(reason === undefined ? {} : { reason }),
      ...(after === undefined ? {} : { after }),
      actor: { email: person.email, userId: person.user_id, role: person.role },
      at: { source: 'pricing', requestId: request_id, address },
    });
    return null;
  }

  /** What was dealt with is what {@link MessagesController.usageMissing} no longer misses. */
  @MessagePattern(MESSAGE.usagePost)
  async usagePost(@Payload() payload: unknown): Promise<null> {
    await this.books.post(payload);
    return null;
  }

  @MessagePattern(MESSAGE.usageMissing)
  async usageMissing(@Payload() payload: unknown): Promise<UsageLookup> {
    const { request_ids } = usageLookupSchema.parse(payload);
    return { request_ids: await missingUsage(this.database, request_ids) };
  }

  @MessagePattern(MESSAGE.requestsNote)
  async requestsNote(@Payload() payload: unknown): Promise<null> {
    await this.notes.note(requestBatchSchema.parse(payload));
    return null;
  }

  @MessagePattern(MESSAGE.backgroundBegin)
  backgroundBegin(@Payload() payload: unknown): Promise<BackgroundBegun> {
    return this.jobs.begin(backgroundBeginSchema.parse(payload));
  }

  @MessagePattern(MESSAGE.backgroundStart)
  backgroundStart(@Payload() payload: unknown): Promise<boolean> {
    return this.jobs.start(backgroundStartSchema.parse(payload));
  }

  @MessagePattern(MESSAGE.backgroundDrop)
  async backgroundDrop(@Payload() payload: unknown): Promise<null> {
    await this.jobs.drop(backgroundDropSchema.parse(payload).request_id);
    return null;
  }

  @MessagePattern(MESSAGE.backgroundLease)
  backgroundLease(@Payload() payload: unknown): Promise<LeasedJob[]> {
    return this.jobs.lease(backgroundLeaseSchema.parse(payload).max);
  }

  @MessagePattern(MESSAGE.backgroundPolled)
  async backgroundPolled(@Payload() payload: unknown): Promise<null> {
    const { request_id, status } = backgroundPolledSchema.parse(payload);
    await this.jobs.polled(request_id, status);
    return null;
  }

  @MessagePattern(MESSAGE.backgroundEnd)
  backgroundEnd(@Payload() payload: unknown): Promise<boolean> {
    return this.jobs.end(backgroundEndSchema.parse(payload));
  }

  @MessagePattern(MESSAGE.backgroundFind)
  backgroundFind(@Payload() payload: unknown): Promise<FoundJob | null> {
    return this.jobs.find(backgroundFindSchema.parse(payload));
  }
}
