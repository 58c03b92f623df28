import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { watchConnections } from './quiet-connections.ts';

/** In a thread of its own: a new connection with a request every 12 ms until nobody listens; tells what each got. */
const CLIENTS = `
const { request } = require('node:http');
const { parentPort, workerData: { port } } = require('node:worker_threads');
const got = [];
let listening = true;
const send = () => new Promise((resolve) => {
  const asking = request({ port, agent: false }, (answer) => {
    answer.resume().once('end', () => resolve(answer.statusCode));
  });
  asking.once('error', ({ code }) => {
    if (code === 'ECONNREFUSED') listening = false;
    resolve(code);
  });
  asking.end();
});
(async () => {
  while (listening) {
    got.push(send());
    await new Promise((resolve) => setTimeout(resolve, 12));
  }
  parentPort.postMessage(await Promise.all(got));
})();
`;

/** Makes every sixth turn of the event loop a long one, as the chunks of many streams do. */
function haveLongTurns(): { stop: () => void } {
  let turns = 0;
  let stopped = false;
  const next = () => {
    turns += 1;
    const until = performance.now() + (turns % 6 === 0 ? 40 : 0);
    while (performance.now() < until);
    if (!stopped) setImmediate(next);
  };
  setImmediate(next);
  return { stop: () => (stopped = true) };
}

test('a connection that comes in a long turn of the event loop is not reset when the server stops to listen', async () => {
  for (let round = 0; round < 6; round += 1) {
    const server = createServer((_request, response) => response.end('{}'));
    const connections = watchConnections(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const clients = new Worker(CLIENTS, { eval: true, workerData: { port } });
    await once(server, 'request');
    const notified = once(clients, 'message');
    const busy = haveLongTurns();
    await sleep(round * 7);
    await connections.close();
    busy.stop();
    const [got] = (await notified) as [unknown[]];
    expect(got.filter((each) => each !== 200 && each !== 'ECONNREFUSED')).toEqual([]);
    await clients.terminate();
  }
});
