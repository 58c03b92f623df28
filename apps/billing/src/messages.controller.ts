import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  keyLookupSchema,
  type KeyRecord,
  MESSAGE,
  type Session,
  sessionLookupSchema,
} from '@tollgate/contracts';
import type { DataSource } from 'typeorm';
import { SessionLookup } from './auth/session-lookup.ts';
import { lookUpKey } from './keys/key-lookup.ts';
import { DATABASE } from './provided.ts';

/** What gateways and pricing ask for. */
@Controller()
export class MessagesController {
  constructor(
    @Inject(DATABASE) private readonly database: DataSource,
    @Inject(SessionLookup) private readonly sessions: SessionLookup,
  ) {}

  @MessagePattern(MESSAGE.keyLookup)
  key(@Payload() payload: unknown): Promise<KeyRecord | null> {
    return lookUpKey(this.database, keyLookupSchema.parse(payload).key_hash);
  }

  @MessagePattern(MESSAGE.sessionLookup)
  session(@Payload() payload: unknown): Promise<Session | null> {
    return this.sessions.find(sessionLookupSchema.parse(payload).cookie);
  }
}
