import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@tollgate/harness';
import { Pool } from 'undici';
import { exchange } from './exchange.ts';

const PIECE_BYTES = 64 * 1024;
const PIECES = 512;

/** What an upstream can say at most while nobody reads: what sockets and streams hold, and that is far from all of it. */
const HELD_MAX_BYTES = (PIECES * PIECE_BYTES) / 2;

describe('the body of an answer that is read as it comes', () => {
  let pool: Pool;
  let server: ReturnType<typeof createServer>;
  let said = 0;

  /** Each piece is filled with its number, and the next is said once there is room for it. */
  async function say(response: ServerResponse): Promise<void> {
    response.writeHead(200);
    for (let piece = 0; piece < PIECES; piece += 1) {
      said += PIECE_BYTES;
      if (!response.write(Buffer.alloc(PIECE_BYTES, piece % 251))) await once(response, 'drain');
    }
    response.end();
  }

  beforeEach(async () => {
    said = 0;
    server = createServer((_request, response) => void say(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });

  afterEach(async () => {
    await pool.destroy();
    server.close();
  });

  async function open() {
    const request = { path: '/', headers: {}, body: Buffer.from('{}') };
    const answer = await exchange(pool, request, () => 'stream', 0).result;
    if (answer.handling !== 'stream') throw new Error('it is no stream');
    return answer.body;
  }

  test('comes whole and in its order to a reader that pauses now and then, at once and later', async () => {
    const body = await open();
    let length = 0;
    let wrong = 0;
    let chunks = 0;
    body.on('data', (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; at += 1_024)
        if (chunk[at] !== Math.floor((length + at) / PIECE_BYTES) % 251) wrong += 1;
      length += chunk.length;
      chunks += 1;
      if (chunks % 7 === 0) {
        body.pause();
        if (chunks % 2 === 0) setImmediate(() => body.resume());
        else queueMicrotask(() => body.resume());
      }
    });
    await once(body, 'end');
    expect({ length, wrong }).toEqual({ length: PIECES * PIECE_BYTES, wrong: 0 });
  });

  test('waits at its upstream while its reader pauses', async () => {
    const body = await open();
    let length = 0;
    body.on('data', (chunk: Buffer) => {
      if (length === 0) body.pause();
      length += chunk.length;
    });
    const rests = async () => {
      const before = said;
      await sleep(200);
      return said > 0 && said === before;
    };
    await waitFor(rests, 'the rest of the upstream');
    expect(said).toBeLessThan(HELD_MAX_BYTES);
    body.resume();
    await once(body, 'end');
    expect(length).toBe(PIECES * PIECE_BYTES);
  });
});

test.each([
  [100, 'comes'],
  [101, 'is not waited for any longer'],
])('behind %i answers of 103 the answer %s', async (hints, becomes) => {
  const server = createServer((_request, response) => {
    for (let hint = 0; hint < hints; hint += 1) response.writeEarlyHints({ link: '</a>; rel=preload' });
    response.end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const request = { path: '/', headers: {}, body: Buffer.from('{}') };
  const answer = await exchange(pool, request, () => 'whole', 1_000).result.catch((error: Error) => error);
  if (becomes === 'comes') expect(answer).toMatchObject({ status: 200, handling: 'whole' });
  else expect(answer).toMatchObject({ message: 'too many answers before the answer' });
  await pool.destroy();
  server.close();
});
