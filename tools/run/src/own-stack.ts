import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type RunningStack, startStack, newStackSecrets } from '@tollgate/harness';

export interface OwnStack extends RunningStack {
  readonly admin: { readonly email: string; readonly password: string };
}

/** Runs something against a stack of its own, which leaves nothing behind. */
export async function withOwnStack<T>(act: (stack: OwnStack) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'tollgate-own-'));
  const admin = { email: 'ada@tollgate.example', password: randomBytes(12).toString('base64url') };
  try {
    const stack = await startStack({
      longSessions: true,
      home,
      port: await freePort(),
      secrets: newStackSecrets(),
      admin,
      apiKey: 'new',
      durable: false,
    });
    try {
      return await act({ ...stack, admin });
    } finally {
      await stack.stop();
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
