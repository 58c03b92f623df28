import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack } from '@tollgate/harness';
import { type TestStack, signIn } from '../shared-stack.ts';
import { startTestStack, testAdmin } from '../test-stack.ts';

export interface OwnStack extends TestStack {
  readonly stack: RunningStack;
  close(): Promise<void>;
}

/** Starts a stack whose services have these variables too. */
export async function startOwnStack(env: Readonly<Record<string, string>> = {}): Promise<OwnStack> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-telemetry-'));
  const stack = await startTestStack({ home, port: await freePort(), env: () => Promise.resolve(env) });
  return {
    ...stack,
    home,
    stack,
    cookie: await signIn(stack.baseUrl, testAdmin),
    async close() {
      await stack.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
