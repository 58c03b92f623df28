import { randomBytes } from 'node:crypto';
import { type RunningStack, type StackOptions, startStack } from '@tollgate/harness';

export const testAdmin = { email: 'owner@e2e.example', password: 'correct horse battery staple' };

/** A whole house of real processes with throw-away secrets. */
export const startTestStack = (
  options: Pick<StackOptions, 'home' | 'port'> & Partial<StackOptions>,
): Promise<RunningStack> =>
  startStack({
    secrets: {
      seal_key: randomBytes(32).toString('base64'),
      session_secret: randomBytes(32).toString('hex'),
      postgres_password: randomBytes(16).toString('hex'),
    },
    admin: testAdmin,
    apiKey: 'new',
    durable: false,
    longSessions: true,
    ...options,
  });
