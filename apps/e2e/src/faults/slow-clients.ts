import { execFileSync } from 'node:child_process';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import type { FaultStack } from './fault-stack.ts';
import { SINGLE, toModelName, publishFaults } from './fragile.ts';
import {
  chatChunk,
  chatEnd,
  type RawAnswer,
  type RawUpstream,
  startRawUpstream,
  STREAM_HEAD,
} from './raw-upstream.ts';
import { toBody, openBilledClient, type BilledClient } from './billed-client.ts';

const MIB = 1024 * 1024;
const READERS = 4;
/** More than the system's own buffers on the way can hold. */
const OFFERED = 32 * MIB;
const MAX_GROWTH = 100 * MIB;
const SLOW_SENDERS = 200;

const piece = chatChunk('word '.repeat(10_000));
const large: RawAnswer = async (write, socket) => {
  await write(STREAM_HEAD);
  for (let sent = 0; sent < OFFERED; sent += piece.length) if (!(await write(piece))) return;
  await write(chatEnd(4, 50));
  socket.end();
};

/** Clients that read slowly, write slowly, or never stop writing. */
export function slowClientTests(stack: () => FaultStack): void {
  let upstream: RawUpstream;
  let books: Books;
  let client: BilledClient;

  beforeAll(async () => {
    const at = stack();
    books = openBooks(at.databaseUrl);
    upstream = await startRawUpstream({ large });
    // It shares a thread with its readers: on a busy machine either waits for the other.
    await publishFaults(at, ['large'], (fault) => `${upstream.url}/${fault}`, 20_000);
    client = await openBilledClient(at, { group: SINGLE });
    await Promise.all(Array.from({ length: 20 }, () => others()));
  }, 30_000);

  afterAll(async () => {
    await upstream?.stop();
    await books?.close();
  });

  const headers = () => ({ authorization: `Bearer ${client.key}`, 'content-type': 'application/json' });
  const memory = () => {
    const pid = String(stack().service('gateway').pid());
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', pid], { encoding: 'utf8' })) * 1_024;
  };
  /** Somebody else's request. */
  const others = async () => {
    const { baseUrl, apiKey } = stack();
    const answer = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(toBody({})),
    });
    await answer.text();
    return answer.status;
  };
  const othersAreServed = async () =>
    expect(await Promise.all(Array.from({ length: 20 }, others))).toEqual(Array(20).fill(200));

  /** The head of a large stream, of which nothing is read yet. */
  const openLarge = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method: 'POST', agent: false, headers: headers() };
      const asking = httpRequest(`${stack().baseUrl}/v1/chat/completions`, options, (answer) => {
        answer.on('error', () => {});
        resolve(answer.pause());
      });
      asking.on('error', reject);
      asking.end(JSON.stringify(toBody({ model: toModelName('large'), stream: true })));
    });

  test('clients that do not read stop their upstreams: memory is bounded, and nothing is lost to those that read on', async () => {
    const before = memory();
    const readers = await Promise.all(Array.from({ length: READERS }, openLarge));
    let taken = -1;
    const stalled = async () => {
      const earlier = taken;
      await sleep(1_500);
      taken = upstream.taken('large');
      return taken === earlier;
    };
    await waitFor(stalled, 'the standstill', 30_000);
    expect(taken).toBeLessThan((READERS * OFFERED) / 2);
    expect(memory() - before).toBeLessThan(MAX_GROWTH);
    await othersAreServed();

    const [first, second, ...leaving] = readers;
    leaving.forEach((reader) => reader.destroy());
    for (const reader of [first, second]) {
      let length = 0;
      let end = '';
      for await (const chunk of (reader ?? []) as AsyncIterable<Buffer>) {
        length += chunk.length;
        end = (end + chunk.toString()).slice(-20);
      }
      expect([length >= OFFERED, end.endsWith('data: [DONE]\n\n')]).toEqual([true, true]);
    }
    const rows = async () =>
      books.one(
        `SELECT count(*) FILTER (WHERE outcome = 'completed' AND tokens_output = 50)::int AS completed,
           count(*) FILTER (WHERE outcome = 'client_aborted' AND tokens_output >= 50)::int AS aborted,
           count(*)::int AS rows
         FROM billing.usage WHERE key_id = $1`,
        [client.keyId],
      );
    await waitFor(async () => Number((await rows())['rows']) === READERS, 'the rows', 20_000, 100);
    expect(await rows()).toEqual({ completed: 2, aborted: READERS - 2, rows: READERS });
  }, 60_000);

  test('clients that send a byte at a time hold nobody up, and are not billed', async () => {
    const { hostname, port } = new URL(stack().baseUrl);
    const body = JSON.stringify(toBody({}));
    const head = [
      'POST /v1/chat/completions HTTP/1.1',
      `Host: ${hostname}`,
      `Authorization: Bearer ${client.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ].join('\r\n');
    // Every second one is slow with its body, the others with their heads already.
    const sockets = Array.from({ length: SLOW_SENDERS }, (_, n): Socket => {
      const bytes = n % 2 ? `${head}\r\n\r\n${body}` : head;
      const socket = connect(Number(port), hostname, () => socket.write(bytes.slice(0, head.length)));
      let at = head.length;
      const timer = setInterval(() => socket.write(bytes[(at += 1)] ?? 'x'), 100);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => clearInterval(timer));
      return socket.resume();
    });
    await sleep(1_000);
    await othersAreServed();
    sockets.forEach((socket) => socket.destroy());
    const sql = `SELECT count(*)::int AS rows FROM billing.usage WHERE key_id = $1`;
    expect(await books.one(sql, [client.keyId])).toEqual({ rows: READERS });
  });

  test('a body without an end is refused with 413 when it is over the limit, and is not kept', async () => {
    const before = memory();
    const [status, sent] = await new Promise<[number, number]>((resolve, reject) => {
      const asking = httpRequest(`${stack().baseUrl}/v1/chat/completions`, {
        method: 'POST',
        agent: false,
        headers: { ...headers(), 'transfer-encoding': 'chunked' },
      });
      let length = 0;
      let answered = false;
      const filler = Buffer.alloc(MIB, ' ');
      const more = () => {
        while (!answered && asking.write(filler)) length += MIB;
      };
      asking.on('drain', () => {
        length += MIB;
        more();
      });
      asking.on('response', (answer) => {
        answered = true;
        answer.resume();
        resolve([answer.statusCode ?? 0, length]);
        asking.destroy();
      });
      asking.on('error', (error) => (answered ? undefined : reject(error)));
      more();
    });
    // The last piece is counted once it has left; the refusal may be faster.
    expect([status, sent >= 32 * MIB, sent < 64 * MIB]).toEqual([413, true, true]);
    expect(memory() - before).toBeLessThan(MAX_GROWTH);
    await othersAreServed();
  });
}
