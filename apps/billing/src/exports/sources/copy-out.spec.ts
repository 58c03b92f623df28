// The bytes of a COPY come whole however the connection cuts them, and a COPY that breaks off is an error.
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { createTestDatabase, type TestDatabase } from '@tollgate/harness';
import { Client } from 'pg';
import { Tuples } from '../tuples.ts';
import { copyOut } from './copy-out.ts';

let database: TestDatabase;
let client: Client;
beforeEach(async () => {
  database = await createTestDatabase();
  client = await open(database.url);
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

async function open(connectionString: string): Promise<Client> {
  const opened = new Client({ connectionString });
  await opened.connect();
  return opened;
}

const copyOf = (query: string): string => `COPY (${query}) TO STDOUT (FORMAT binary)`;
/** Rows of which some are longer than what a socket reads at once. */
const ROWS = `SELECT n, repeat(chr(64 + n), CASE n WHEN 5 THEN 300000 ELSE n END) FROM generate_series(1, 20) n`;

const read = async (reader: Client, expected?: number) => {
  const copied = await copyOut(reader, copyOf(ROWS), expected);
  const tuples = new Tuples(copied, 2);
  return Array.from({ length: copied.rows }, (_, row) => tuples.bytesOf(row));
};
/** A row has how many columns, and of each the length and the bytes. */
const LENGTHS = Array.from({ length: 20 }, (_, row) => 2 + 4 + 4 + 4 + (row === 4 ? 300_000 : row + 1));

/** Passes on what the database says in pieces of a few bytes. */
async function cutting(url: string): Promise<{ server: Server; url: string }> {
  const { hostname, port } = new URL(url);
  const server = createServer((socket) => {
    const upstream = connect(Number(port), hostname);
    socket.setNoDelay(true);
    socket.pipe(upstream);
    let [turn, last] = [0, Promise.resolve()];
    const pass = async (chunk: Buffer): Promise<void> => {
      for (let at = 0; at < chunk.length; turn += 1) {
        const length = turn % 11 === 0 ? 20_011 : (turn % 7) + 1;
        socket.write(chunk.subarray(at, at + length));
        at += length;
        await new Promise(setImmediate);
      }
    };
    upstream.on('data', (chunk: Buffer) => (last = last.then(() => pass(chunk))));
    upstream.on('end', () => void last.then(() => socket.end()));
    for (const each of [socket, upstream]) each.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = new URL(url);
  cut.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { server, url: cut.href };
}

test.each([[undefined], [16], [10_000_000]])(
  'all rows come, where %s bytes were expected',
  async (expected) => {
    expect(await read(client, expected)).toEqual(LENGTHS);
  },
);

test('all rows come over a connection that cuts their messages anywhere', async () => {
  const { server, url } = await cutting(database.url);
  const reader = await open(url);
  expect(await read(reader)).toEqual(LENGTHS);
  await reader.end();
  server.close();
});

test('of no rows there are none', async () => {
  const copied = await copyOut(client, copyOf('SELECT 1 WHERE false'));
  expect([copied.rows, new Tuples(copied, 1).starts.length]).toEqual([0, 0]);
});

test('an error behind rows that were sent is one, and the connection goes on', async () => {
  const failing = 'SELECT 1 / (100000 - n) FROM generate_series(1, 200000) n';
  await expect(copyOut(client, copyOf(failing))).rejects.toThrow('division by zero');
  expect(await read(client)).toEqual(LENGTHS);
});

test('a connection that ends behind rows that were sent is an error', async () => {
  client.on('error', () => {});
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const slow = 'SELECT n, pg_sleep(CASE WHEN n > 50000 THEN 10 ELSE 0 END) FROM generate_series(1, 60000) n';
  const copied = copyOut(client, copyOf(slow));
  const outcome = expect(copied).rejects.toThrow(/terminat/);
  const other = await open(database.url);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await other.end();
  await outcome;
});
