import type { AddressInfo } from 'node:net';
import { createServer } from './server.ts';

export { reasoningState } from './reasoning-state.ts';

export interface RunningSimulator {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a simulated upstream that speaks all four wire formats; port 0 takes any free one. */
export async function startSimulator(
  options: { port?: number; host?: string } = {},
): Promise<RunningSimulator> {
  const server = createServer();
  await server.listen({ port: options.port ?? 0, host: options.host ?? '127.0.0.1' });
  const { address, port } = server.server.address() as AddressInfo;
  return { url: `http://${address}:${port}`, close: () => server.close() };
}
