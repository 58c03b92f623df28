import { existsSync, readFileSync } from 'node:fs';

const TABLE = '/proc/net/tcp';
/** What the system waits for on a connection, by its number in the table. */
const TIMERS = ['none', 'retransmit', 'keep-alive', 'time-wait', 'probe'] as const;

/** Whether this system tells what it waits for on connections. */
export const tellsTcpTimers = existsSync(TABLE);

/**
 * What the system waits for on the connection of a local IPv4 port: `keep-alive` where it asks the other end by and by whether it is
 * still there.
 *
 * @throws where there is no such connection.
 */
export function readTcpTimer(port: number): (typeof TIMERS)[number] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync(TABLE, 'utf8').split('\n')) {
    const [, address, , state, , timer] = line.trim().split(/\s+/);
    if (address?.endsWith(local) && state === '01') return TIMERS[Number(timer?.slice(0, 2))] ?? 'none';
  }
  throw new Error(`no connection has the port ${port}`);
}
