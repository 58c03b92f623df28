import { httpError } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';

/** What a passkey is asked for: an answer to one of these is none to another. */
type Purpose = 'sign-in' | 'second-factor' | 'reauthenticate' | 'add';

declare module 'fastify' {
  interface Session {
    /** What the browser's next answer of a passkey must have signed. */
    challenge?: { readonly value: string; readonly purpose: Purpose };
  }
}

/** Keeps the challenge that a browser is sent; one before it is of no use any more. */
export function keepChallenge({ session }: FastifyRequest, purpose: Purpose, value: string): void {
  session.challenge = { value, purpose };
}

/** Gives the challenge out, once, whatever the answer to it is. @throws HttpException 400 where there is none. */
export function takeChallenge({ session }: FastifyRequest, purpose: Purpose): string {
  const { challenge } = session;
  delete session.challenge;
  if (challenge?.purpose === purpose) return challenge.value;
  throw httpError(400, 'There is no challenge that this answers. Begin again.', 'response', 'challenge_gone');
}
