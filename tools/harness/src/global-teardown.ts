import { rmSync } from 'node:fs';
import { running } from './test-server.ts';

export default async function teardown(): Promise<void> {
  const server = running.get();
  if (!server) return;
  await server.postgres.stop();
  rmSync(server.directory, { recursive: true, force: true });
}
