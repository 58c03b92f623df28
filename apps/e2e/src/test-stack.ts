import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  makeStackTemplate,
  type RunningStack,
  type StackOptions,
  newStackSecrets,
  startStack,
  type StackTemplate,
} from '@tollgate/harness';

export const testAdmin = { email: 'owner@e2e.example', password: 'correct horse battery staple' };

/** After a client left, no test waits a minute for an upstream that says nothing. */
const READ_ON_S = 10;

/** A machine that stands still is not a Redis that is away, without which each gateway limits by itself and gives no credit. */
const REDIS_TIMEOUT_MS = 20_000;

/** What the stacks of one worker are copied from. */
let template: Promise<StackTemplate> | undefined;

async function makeTemplate(): Promise<StackTemplate> {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-template-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return makeStackTemplate(join(directory, 'postgres'), testAdmin);
}

type TestStackOptions = Pick<StackOptions, 'home' | 'port'> & Partial<StackOptions>;

/** Starts all services as real processes with throw-away secrets. */
export async function startTestStack(options: TestStackOptions): Promise<RunningStack> {
  const canBeCopied = options.databaseUrl === undefined && options.secrets === undefined;
  return startStack({
    admin: testAdmin,
    ...(canBeCopied ? await copyTemplate() : { secrets: newStackSecrets(), apiKey: 'new' }),
    durable: false,
    simulatorServes: 'every',
    longSessions: true,
    ...options,
    env: async (service, redisUrl) => ({
      ...(service.startsWith('gateway')
        ? { ABANDONED_READ_S: String(READ_ON_S), REDIS_TIMEOUT_MS: String(REDIS_TIMEOUT_MS) }
        : {}),
      // A minute after its start billing would close the months that tests are about to close.
      ...(service.startsWith('billing') ? { PERIOD_CLOSE_AFTER_DAYS: 'never' } : {}),
      ...(await options.env?.(service, redisUrl)),
    }),
  });
}

async function copyTemplate(): Promise<Pick<StackOptions, 'secrets' | 'template' | 'apiKey'>> {
  const made = await (template ??= makeTemplate());
  return { template: made, secrets: made.secrets, apiKey: made.apiKey };
}
