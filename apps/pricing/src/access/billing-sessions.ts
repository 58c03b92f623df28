import { Inject, Injectable } from '@nestjs/common';
import { MESSAGE, type Session, sessionSchema } from '@tollgate/contracts';
import { type RequestReplyClient, type Sessions, unavailable, withPlainName } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { BILLING } from '../provided.ts';

/** The sessions of billing, which is asked. */
@Injectable()
export class BillingSessions implements Sessions {
  constructor(@Inject(BILLING) private readonly billing: RequestReplyClient) {}

  find(request: FastifyRequest): Promise<Session | null> {
    return orUnavailable(findSession(this.billing, request));
  }

  isFresh(request: FastifyRequest): Promise<boolean> {
    const cookie = sessionCookieOf(request);
    return orUnavailable(this.billing.request(MESSAGE.sessionFresh, { cookie }, z.boolean()));
  }
}

/** @throws HttpException 503 where billing does not answer. */
async function orUnavailable<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw unavailable('Sessions cannot be checked at the moment. Try again shortly.', error);
  }
}

const sessionCookieOf = ({ headers, protocol }: FastifyRequest): string =>
  withPlainName(headers.cookie ?? '', protocol === 'https');

/** Who is signed in with a request; null for nobody. @throws where billing does not answer. */
export async function findSession(
  billing: RequestReplyClient,
  request: FastifyRequest,
): Promise<Session | null> {
  const cookie = sessionCookieOf(request);
  if (cookie === '') return null;
  return billing.request(MESSAGE.sessionLookup, { cookie }, sessionSchema.nullable());
}
