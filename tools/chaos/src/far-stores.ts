import { addressThrough, startTcpProxy } from '@tollgate/harness';

export interface FarStores {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** From now on every message takes its time. */
  begin(): void;
  end(): void;
  stop(): Promise<void>;
}

/** PostgreSQL and Redis at another address, which will be far away: what is passed takes `delayMs` each way. */
export async function startFarStores(
  databaseUrl: string,
  redisUrl: string,
  delayMs: number,
): Promise<FarStores> {
  const database = await startTcpProxy({ port: Number(new URL(databaseUrl).port) });
  const redis = await startTcpProxy({ port: Number(new URL(redisUrl).port) });
  const links = [database, redis];
  return {
    databaseUrl: addressThrough(databaseUrl, database),
    redisUrl: addressThrough(redisUrl, redis),
    begin: () => links.forEach((link) => link.delay(delayMs)),
    end: () => links.forEach((link) => link.delay(0)),
    async stop() {
      for (const link of links) await link.stop();
    },
  };
}
