// Proves: clients that are slow, or say nothing, are let go after the time that is documented, and hundreds of them do not
// keep another caller from being served.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import type { HostileStack } from '../hostile-stack.ts';

const HEAD = 'POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';

interface Slowness {
  readonly first: string;
  /** Sent again and again. */
  readonly then?: string;
  readonly everyMs?: number;
  readonly withKey?: boolean;
  /** When the gateway must have ended it, in seconds. */
  readonly withinS: number;
}

const SLOW: Readonly<Record<string, Slowness>> = {
  'says nothing': { first: '', withinS: 30 },
  'begins a head': { first: HEAD, withinS: 30 },
  'sends a head a letter at a time': { first: HEAD, then: 'x', everyMs: 500, withinS: 30 },
  'sends a header at a time': { first: HEAD, then: 'x-a: b\r\n', everyMs: 500, withinS: 30 },
  'sends no body': { first: `${HEAD}content-length: 1000\r\n`, withKey: true, withinS: 30 },
  'sends a body a letter at a time': {
    first: `${HEAD}content-length: 100000\r\n`,
    then: ' ',
    everyMs: 500,
    withKey: true,
    withinS: 30,
  },
  'sends a chunk of a letter at a time': {
    first: `${HEAD}transfer-encoding: chunked\r\n`,
    then: '1\r\n \r\n',
    everyMs: 500,
    withKey: true,
    withinS: 30,
  },
};

const AT_ONCE = 60;

export const slow: HostileArea = {
  name: 'callers/slow',
  proves: 'who is slow is let go, and holds nobody up',
  atOnce: 10,
  cases: (stack) =>
    Object.entries(SLOW).map(([name, slowness]): HostileCase => ({
      name: `${AT_ONCE} clients, each ${name}`,
      run: () => runSlow(stack, slowness),
    })),
};

async function runSlow({ at, from, key }: HostileStack, of: Slowness): Promise<void> {
  const { hostname, port } = new URL(at.baseUrl);
  const sockets: Socket[] = [];
  const authorization = of.withKey ? `authorization: Bearer ${key.key}\r\n\r\n` : '';
  const isOpen = ({ destroyed }: Socket) => !destroyed;
  try {
    for (let n = 0; n < AT_ONCE; n += 1) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: from });
      socket.on('error', () => {}).resume();
      await once(socket, 'connect');
      if (of.first !== '') socket.write(of.first + authorization);
      sockets.push(socket);
    }
    const until = performance.now() + of.withinS * 1_000;
    while (performance.now() < until && sockets.some(isOpen)) {
      await sleep(of.everyMs ?? 500);
      if (of.then !== undefined) for (const socket of sockets.filter(isOpen)) socket.write(of.then);
    }
    const left = sockets.filter(isOpen).length;
    must(left === 0, () => `${left} of ${AT_ONCE} are still open after ${of.withinS} s`);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}
