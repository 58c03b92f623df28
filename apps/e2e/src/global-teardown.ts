import { rmSync } from 'node:fs';
import { running } from './running.ts';

export default async function teardown(): Promise<void> {
  const shared = running.get();
  if (!shared) return;
  await shared.stack.stop();
  rmSync(shared.home, { recursive: true, force: true });
}
