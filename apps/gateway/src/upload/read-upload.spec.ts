import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { createBodyMemory } from '../body/body-memory.ts';
import { readUpload } from './read-upload.ts';
import { openUploadDirectory } from './spooled-bytes.ts';
import { toFormJson, type Upload, type UploadBody } from './upload.ts';

const MIB = 1024 * 1024;
const LIMITS = {
  uploadLimitBytes: 12 * MIB,
  uploadLimits: {},
  bodyLimitBytes: MIB,
  bodyBytesPerS: 500,
  uploadStallMs: 30_000,
  uploadTimeoutMs: 60_000,
};
const DISK = { bodyMemoryBytes: 32 * MIB, keyBodyMemoryBytes: 32 * MIB };

let server: Server;
let port: number;
let directory: string;
let limits = LIMITS;
let disk = createBodyMemory(DISK);
let seen: { readonly parts: Upload['parts']; readonly form: object }[] = [];
let outcomes: string[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tollgate-uploads-'));
  server = createServer((request, response) => void answer(request).then((body) => response.end(body)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
beforeEach(() => {
  limits = LIMITS;
  disk = createBodyMemory(DISK);
  seen = [];
  outcomes = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Reads a form, and answers with it as it would leave with another model: twice, as for a second upstream. */
async function answer(request: IncomingMessage): Promise<Buffer | string> {
  const lease = disk.lease('key');
  const read = await readUpload(request, limits, { directory, disk: lease, take: () => undefined });
  outcomes.push(String(read.ok));
  if (read.ok !== true) lease.release();
  if (read.ok === 'gone') return '';
  if (!read.ok) return `${read.error.kind}: ${read.error.message}`;
  using upload = read.upload;
  seen.push({ parts: upload.parts, form: toFormJson(upload.parts) });
  const first = await collect(upload.render({ model: 'other-model' }));
  const second = await collect(upload.render({ model: 'other-model' }));
  lease.release();
  expect(second.length).toBe(first.length);
  return first;
}

async function collect(body: UploadBody): Promise<Buffer> {
  const chunks = (await body.stream().toArray()) as Buffer[];
  const whole = Buffer.concat(chunks);
  expect(whole.length).toBe(body.length);
  return whole;
}

function send(body: Buffer, type: string, pieceBytes = 65_536): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // A kept connection may be closed by the server, which is idle for seconds where a test works on, just when it is used again.
    const options = { port, method: 'POST', headers: { 'content-type': type }, agent: false };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    request.on('error', reject);
    for (let at = 0; at < body.length; at += pieceBytes) request.write(body.subarray(at, at + pieceBytes));
    request.end();
  });
}

const field = (name: string, text: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const file = (name: string, filename: string, bytes: Buffer, type = 'audio/mpeg') =>
  Buffer.concat([
    Buffer.from(
      `--b\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
const form = (...parts: (string | Buffer)[]) =>
  Buffer.concat([...parts.map((part) => Buffer.from(part as string)), Buffer.from('--b--\r\n')]);
const TYPE = 'multipart/form-data; boundary="b"';

/** What another reader of forms understands. */
const parse = (bytes: Buffer): Promise<FormData> => {
  const boundary = /^--(\S+)\r\n/.exec(bytes.subarray(0, 200).toString('latin1'))?.[1];
  return new Response(new Uint8Array(bytes), {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  }).formData();
};
const bytesOf = async (entry: File | string | null) => Buffer.from(await (entry as File).arrayBuffer());
/** A file has its name for a moment. */
const nothingIsLeft = () =>
  waitFor(() => readdirSync(directory).length === 0, 'an empty directory', 5_000, 5);

test.each(['before', 'after'])(
  'a model that stands %s its file is replaced, and nothing else',
  async (where) => {
    const audio = randomBytes(8 * MIB);
    const parts = [field('model', 'whisper-1'), file('file', 'größe "1".mp3'.replaceAll('"', '%22'), audio)];
    const ordered = where === 'before' ? parts : parts.reverse();
    const sent = form(...ordered, field('include[]', 'logprobs'), field('prompt', 'Tschüß\r\nÄ'));
    const left = await parse(await send(sent, TYPE));
    expect([...left.keys()].sort()).toEqual(['file', 'include[]', 'model', 'prompt']);
    expect(left.get('model')).toBe('other-model');
    expect(left.get('prompt')).toBe('Tschüß\r\nÄ');
    expect((left.get('file') as File).name).toBe('größe "1".mp3');
    expect((left.get('file') as File).type).toBe('audio/mpeg');
    expect((await bytesOf(left.get('file'))).equals(audio)).toBe(true);
    expect(seen[0]?.form).toMatchObject({
      model: 'whisper-1',
      'include[]': ['logprobs'],
      prompt: 'Tschüß\r\nÄ',
      file: {
        bytes: audio.length,
        content_type: 'audio/mpeg',
        sha256: createHash('sha256').update(audio).digest('hex'),
        beginning: audio.subarray(0, 128).toString('base64'),
      },
    });
    await nothingIsLeft();
    expect(disk.heldBytes).toBe(0);
  },
);

test('pictures of one name keep their order, wherever the bytes are cut', async () => {
  const pictures = [randomBytes(70_000), randomBytes(10), randomBytes(90_000)];
  const files = pictures.map((bytes, index) => file('image[]', `${index}.png`, bytes, 'image/png'));
  const body = form(field('model', 'm'), ...files);
  for (const pieceBytes of [997, 65_536, body.length]) {
    const left = await parse(await send(body, TYPE, pieceBytes));
    const got = await Promise.all(left.getAll('image[]').map(bytesOf));
    expect(got.map((bytes, index) => bytes.equals(pictures[index] as Buffer))).toEqual([true, true, true]);
  }
});

/** As a client writes it that wants servers to read two names. */
const DISPOSITIONS = [
  'form-data; name="a\\\\"; filename="; name=model; x="',
  'form-data; name=a\\; filename="; name=model; x="',
  'form-data; name="file"; filename="a\\\\"; x="; name=model; y="',
];

test.each(DISPOSITIONS)(
  'a part of %s names no field to who takes a backslash for an escape',
  async (said) => {
    const part = `--b\r\nContent-Disposition: ${said}\r\n\r\nsmuggled\r\n`;
    const left = await send(form(field('model', 'm'), part), TYPE);
    // The parser of this gateway is one that does.
    await send(left, `multipart/form-data; boundary=${/^--(\S+)\r\n/.exec(left.toString('latin1'))?.[1]}`);
    const [came, again] = seen.map(({ form: read }) => read as Record<string, unknown>);
    expect(came?.['model']).toBe('m');
    expect(again?.['model']).toBe('other-model');
    expect(left.toString('latin1')).not.toContain('\\');
  },
);

test('a form of small fields is written nowhere, and one that lacks the field gets it', async () => {
  const left = await parse(await send(form(field('prompt', 'x')), TYPE));
  expect([...left]).toEqual([
    ['model', 'other-model'],
    ['prompt', 'x'],
  ]);
});

test.each([
  [
    'another boundary',
    form(field('model', 'm')),
    'multipart/form-data; boundary=c',
    /no form with the boundary/,
  ],
  ['no boundary', form(field('model', 'm')), 'multipart/form-data', /names no boundary/],
  ['an early end', form(field('model', 'm')).subarray(0, -12), TYPE, /ends too early/],
  [
    'an end within a file',
    form(file('file', 'a', randomBytes(200_000))).subarray(0, 150_000),
    TYPE,
    /ends too early/,
  ],
  ['a part without a name', form('--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n'), TYPE, /has no name/],
  [
    'too many parts',
    form(...Array.from({ length: 129 }, (_, at) => field(`f${at}`, 'x'))),
    TYPE,
    /128 parts/,
  ],
  [
    'too much text',
    form(field('prompt', 'x'.repeat(MIB + 1))),
    TYPE,
    /no files have more than the 1048576 bytes/,
  ],
  [
    'more than is accepted',
    form(file('file', 'a', Buffer.alloc(13 * MIB))),
    TYPE,
    /larger than the 12582912 bytes/,
  ],
  [
    'a part that is packed',
    form(
      '--b\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nxx\r\n',
    ),
    TYPE,
    /Content-Transfer-Encoding/,
  ],
])('a form with %s is refused, and nothing of it is left', async (_what, body, type, words) => {
  expect((await send(body, type)).toString()).toMatch(words);
  expect(outcomes).toEqual(['false']);
  expect(disk.heldBytes).toBe(0);
  await nothingIsLeft();
});

test('a form that its key has no disk for is refused while it comes', async () => {
  disk = createBodyMemory({ ...DISK, keyBodyMemoryBytes: MIB });
  const body = form(file('file', 'a', Buffer.alloc(2 * MIB)));
  expect((await send(body, TYPE)).toString()).toMatch(/^rate_limited: .* that one key may have/);
  expect(disk.heldBytes).toBe(0);
  await nothingIsLeft();
});

test('a client that breaks off in the middle of a file leaves nothing', async () => {
  const body = form(field('model', 'm'), file('file', 'a', randomBytes(300_000)));
  const request = httpRequest({
    port,
    method: 'POST',
    headers: { 'content-type': TYPE, 'content-length': body.length },
  });
  request.on('error', () => {});
  request.write(body.subarray(0, 200_000));
  await waitFor(() => disk.heldBytes > 0, 'the beginning of the form', 5_000, 5);
  request.destroy();
  await waitFor(() => outcomes.length > 0, 'the end of the request', 5_000, 5);
  expect(outcomes).toEqual(['gone']);
  expect(disk.heldBytes).toBe(0);
  await nothingIsLeft();
});

test('what a killed process left is removed at the start', async () => {
  await writeFile(join(directory, 'left.upload'), 'x');
  await openUploadDirectory(directory);
  expect(await readdir(directory)).toEqual([]);
  await writeFile(join(directory, 'file'), 'x');
  await expect(openUploadDirectory(join(directory, 'file', 'x'))).rejects.toThrow();
});
