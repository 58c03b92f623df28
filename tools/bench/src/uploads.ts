// `npm run bench -- uploads`: what forms with large files take of the gateway's memory. See docs/benchmarks.md.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { waitFor } from '@tollgate/harness';
import { openArena } from './relay/arena.ts';
import type { Tollgate } from './relay/tollgate.ts';

const { values: options } = parseArgs({
  options: {
    /** Of each file, with commas between the cases. */
    megabytes: { type: 'string', default: '5,100' },
    'at-once': { type: 'string', default: '100' },
  },
});
const MIB = 1024 * 1024;
const SAMPLE_MS = 50;
const PIECE = Buffer.alloc(64 * 1024, 7);

const atOnce = Number(options['at-once']);
const cases = options.megabytes.split(',').map(Number);

/** A vendor that reads what it is sent, and answers once it has all of it. */
async function startVendor() {
  const vendor = createServer((incoming, response) => {
    incoming
      .resume()
      .once('end', () =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end('{"text":"Hello","usage":{"type":"duration","seconds":1}}'),
      );
  });
  await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`, close: () => vendor.close() };
}

async function serveModel({ admin, baseUrl, key }: Tollgate, url: string): Promise<void> {
  await admin('PUT', '/api/catalogue/upstreams/hears', {
    base_url: url,
    protocols: ['openai-chat'],
    credentials: [{ name: 'a', secret: 'credential' }],
    allow_private_addresses: true,
    total_timeout_ms: 900_000,
  });
  await admin('PUT', '/api/catalogue/models/hears', {
    vendor: 'openai',
    operations: ['transcribe'],
    prices: { input: 0, output: 0 },
    unit_prices: { audio_milliseconds: 1 },
  });
  await admin('PUT', '/api/catalogue/pools/hears?before=bench', {
    groups: ['bench'],
    models: ['hears'],
    members: [{ upstream: 'hears' }],
  });
  await waitFor(async () => {
    const answer = await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    return (await answer.text()).includes('hears');
  }, 'the model that hears');
}

const HEAD = Buffer.from(
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\n',
);
const TAIL = Buffer.from('\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nhears\r\n--b--\r\n');

function* form(bytes: number): Generator<Buffer> {
  yield HEAD;
  for (let at = 0; at < bytes; at += PIECE.length) yield PIECE;
  yield TAIL;
}

/** @returns the status of the answer. */
async function upload({ baseUrl, key }: Tollgate, bytes: number): Promise<number> {
  const sending = request(`${baseUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    agent: false,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'multipart/form-data; boundary=b',
      'content-length': HEAD.length + bytes + TAIL.length,
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    sending.once('response', (answer) => answer.resume().once('end', () => resolve(answer.statusCode ?? 0)));
    sending.once('error', reject);
  });
  await Promise.all([pipeline(Readable.from(form(bytes)), sending), answered]);
  return answered;
}

const residentBytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;

async function measure(tollgate: Tollgate, pid: number, megabytes: number): Promise<string> {
  const before = residentBytes(pid);
  let most = before;
  const sampling = setInterval(() => (most = Math.max(most, residentBytes(pid))), SAMPLE_MS);
  const startedAt = performance.now();
  const statuses = await Promise.all(Array.from({ length: atOnce }, () => upload(tollgate, megabytes * MIB)));
  clearInterval(sampling);
  const seconds = (performance.now() - startedAt) / 1_000;
  const taken = statuses.filter((status) => status === 200).length;
  const [from, to] = [before, most].map((bytes) => Math.round(bytes / MIB));
  return `| ${megabytes} MiB | ${atOnce} | ${taken} | ${seconds.toFixed(0)} s | ${from} MiB | ${to} MiB |`;
}

const home = mkdtempSync(join(tmpdir(), 'tollgate-bench-uploads-'));
const all = atOnce * (Math.max(...cases) + 1) * MIB;
const arena = await openArena({
  home,
  gatewayEnv: {
    UPLOAD_DIR: join(home, 'uploads'),
    UPLOAD_DISK_BYTES: String(all),
    KEY_UPLOAD_DISK_BYTES: String(all),
  },
  only: (name) => name === 'tollgate',
});
const vendor = await startVendor();
try {
  await serveModel(arena.tollgate, vendor.url);
  const pid = arena.contestants.find(({ name }) => name === 'tollgate')?.pid() ?? 0;
  // The first requests warm up.
  await measure(arena.tollgate, pid, 1);
  process.stdout.write(
    '| file | at once | taken | time | resident before | resident at most |\n| --- | --- | --- | --- | --- | --- |\n',
  );
  for (const megabytes of cases) process.stdout.write(`${await measure(arena.tollgate, pid, megabytes)}\n`);
} finally {
  vendor.close();
  await arena.stop();
  rmSync(home, { recursive: true, force: true });
}
