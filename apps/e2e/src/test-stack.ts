import { type RunningStack, type StackOptions, startStack, newStackSecrets } from '@tollgate/harness';

export const testAdmin = { email: 'owner@e2e.example', password: 'correct horse battery staple' };

/** A whole house of real processes with throw-away secrets. */
export const startTestStack = (
  options: Pick<StackOptions, 'home' | 'port'> & Partial<StackOptions>,
): Promise<RunningStack> =>
  startStack({
    secrets: newStackSecrets(),
    admin: testAdmin,
    apiKey: 'new',
    durable: false,
    longSessions: true,
    ...options,
  });
