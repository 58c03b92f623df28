import { rmSync } from 'node:fs';
import { running } from './running.ts';

export default async function teardown(): Promise<void> {
  const house = running.get();
  if (!house) return;
  await house.stack.stop();
  rmSync(house.home, { recursive: true, force: true });
}
