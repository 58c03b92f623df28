import { type RunningStack, type StackOptions, startStack, newStackSecrets } from '@tollgate/harness';

export const testAdmin = { email: 'owner@e2e.example', password: 'correct horse battery staple' };

/** After a client left, no test waits a minute for an upstream that says nothing. */
export const READ_ON_S = 5;

/** Starts all services as real processes with throw-away secrets. */
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
    env: async (service, redisUrl) => ({
      ...(service.startsWith('gateway') ? { ABANDONED_READ_S: String(READ_ON_S) } : {}),
      ...(await options.env?.(service, redisUrl)),
    }),
  });
