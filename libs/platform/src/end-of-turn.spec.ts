import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { atEndOfTurn, endOfTurn } from './end-of-turn.ts';

test('works of one turn run one after the other, in their order, and not before it ends', async () => {
  const ran: string[] = [];
  for (const name of ['first', 'second', 'third']) atEndOfTurn(() => void ran.push(name));
  await Promise.resolve();
  expect(ran).toEqual([]);
  await endOfTurn();
  expect(ran).toEqual(['first', 'second', 'third']);
});

test('what a work asks for runs in the next turn', async () => {
  const ran: string[] = [];
  const done = Promise.withResolvers<void>();
  atEndOfTurn(() => {
    atEndOfTurn(() => {
      ran.push('asked for');
      done.resolve();
    });
    ran.push('asks');
  });
  atEndOfTurn(() => void ran.push('beside it'));
  await done.promise;
  expect(ran).toEqual(['asks', 'beside it', 'asked for']);
});

test.each([false, true])(
  'a work that throws keeps no other from running, where it asked for more: %p',
  (asks) => {
    const turns: (() => void)[] = [];
    const { setImmediate } = globalThis;
    Object.assign(globalThis, { setImmediate: (turn: () => void) => turns.push(turn) });
    const ran: string[] = [];
    try {
      atEndOfTurn(() => {
        if (asks) atEndOfTurn(() => void ran.push('asked for'));
        throw new Error('nobody foresaw this');
      });
      for (const name of ['second', 'third']) atEndOfTurn(() => void ran.push(name));
      expect(turns.shift()).toThrow('nobody foresaw this');
      expect(turns).toHaveLength(1);
      turns.shift()?.();
    } finally {
      Object.assign(globalThis, { setImmediate });
    }
    expect(ran).toEqual(['second', 'third', ...(asks ? ['asked for'] : [])]);
  },
);

test('all sockets that have something to read are read before', async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => void accepted.push(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const clients = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
  await Promise.all(clients.map((client) => once(client, 'connect')));
  while (accepted.length < 5) await endOfTurn();
  const seen: string[] = [];
  const worked = accepted.map(async (socket, n) => {
    await once(socket, 'data');
    seen.push(`read ${n}`);
    await endOfTurn();
    seen.push(`work ${n}`);
  });
  for (const client of clients) client.write('x');
  // While nothing is read, all of it comes.
  const until = performance.now() + 50;
  while (performance.now() < until);
  await Promise.all(worked);
  const first = seen.findIndex((each) => each.startsWith('work'));
  expect(seen.slice(0, first)).toHaveLength(5);
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
});
