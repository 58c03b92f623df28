import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { ObjectStore } from '../../../testing/object-store.ts';
import { S3Storage } from './s3-storage.ts';
import { DamagedDraft, type ExportFile, type KeptBytes } from './storage.ts';

const MIB = 1024 * 1024;
const PART = 8 * MIB;
const NAME = 'part-00001.csv';
/** Two upload parts and some more. */
const BYTES = randomBytes(2 * PART + 3 * MIB);
const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

let store: ObjectStore;
let storage: S3Storage;
let jobs = 0;
let job = '';
beforeAll(async () => {
  store = await ObjectStore.start();
  storage = new S3Storage(store.location);
});
beforeEach(() => {
  job = `job-${(jobs += 1)}`;
  store.lists = 'prefix';
  store.sent.length = 0;
});
afterAll(async () => {
  storage.close();
  await store.stop();
});

async function write(file: ExportFile, bytes: Uint8Array, chunk = 700_000): Promise<void> {
  for (let at = 0; at < bytes.length; at += chunk) await file.write(bytes.subarray(at, at + chunk));
}

/** A writer that keeps the first bytes of the file, writes some more, and is heard of no more. */
async function leave(kept: number, more = 0, writer = 'first') {
  const file = await storage.create(job, NAME, writer);
  await write(file, BYTES.subarray(0, kept));
  const left = { ...(await file.keep()), name: NAME, writer };
  await write(file, BYTES.subarray(kept, kept + more));
  return { left, file };
}

async function resume(left: KeptBytes, writer = 'second'): Promise<ExportFile> {
  const file = await storage.resume(job, { ...left, name: NAME, writer: 'first' }, writer);
  if (!file) throw new Error('there is nothing of the file');
  expect(file.bytes).toBe(left.bytes);
  return file;
}

function expectWhole(sha256: string): void {
  expect(sha256).toBe(sha256Of(BYTES));
  expect(readFileSync(store.pathOf(job, NAME)).equals(BYTES)).toBe(true);
  expect(store.objects(job)).toEqual([NAME]);
  expect(store.uploads(job)).toEqual([]);
}

test.each([
  ['before its first upload part is full', 3 * MIB, 4 * MIB],
  ['at the end of an upload part', PART, 0],
  ['within its second one', PART + 3 * MIB, 1],
  ['with an upload part behind what was kept', PART + 5 * MIB, PART],
  ['at its very end', BYTES.length, 0],
])('a file whose writer is gone is gone on with %s', async (_where, kept, more) => {
  const { left } = await leave(kept, more);
  store.sent.length = 0;
  const file = await resume(left);
  await write(file, BYTES.subarray(kept), 1_234_567);
  expectWhole(await file.finish());
  expect(file.bytes).toBe(BYTES.length);
  // What was kept was not sent again.
  const [first, last] = [Math.floor(kept / PART) + 1, Math.ceil(BYTES.length / PART)];
  expect(store.sent).toEqual(
    Array.from({ length: last - first + 1 }, (_, at) => `${job}/${NAME}#${first + at}`),
  );
});

test('a file is the same however many writers are gone, wherever', async () => {
  const places = fc.array(fc.integer({ min: 0, max: BYTES.length }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(places, async (unordered) => {
      job = `job-${(jobs += 1)}`;
      const [first = 0, ...later] = unordered.toSorted((a, b) => a - b);
      let { left } = await leave(first);
      for (const [at, place] of later.entries()) {
        const file = await resume(left, `writer-${at}`);
        await write(file, BYTES.subarray(left.bytes, place), 3 * MIB);
        left = { ...(await file.keep()), name: NAME, writer: `writer-${at}` };
      }
      const last = await resume(left, 'last');
      await write(last, BYTES.subarray(left.bytes), 3 * MIB);
      expectWhole(await last.finish());
    }),
    { numRuns: 3 },
  );
}, 60_000);

test('what was kept first stays until what is kept next is in the books', async () => {
  const { left, file } = await leave(MIB, MIB);
  await file.keep();
  const next = await resume(left);
  await write(next, BYTES.subarray(MIB));
  expectWhole(await next.finish());
});

test('of what is kept, two objects stay beside the file', async () => {
  const { file } = await leave(MIB);
  for (let kept = 0; kept < 3; kept += 1) {
    await file.write(BYTES.subarray(0, 10));
    await file.keep();
  }
  expect(store.objects(job)).toHaveLength(2);
});

test.each([
  ['has other bytes', (bytes: Buffer) => bytes.fill(bytes.readUInt8(9) ^ 1, 9, 10)],
  ['lacks some', (bytes: Buffer) => bytes.subarray(1)],
])('a file is not gone on with when the object beside it %s', async (_how, damage) => {
  const { left } = await leave(PART + MIB);
  const [beside = ''] = store.objects(job);
  const path = store.pathOf(job, beside);
  writeFileSync(path, damage(readFileSync(path)));
  await expect(resume(left)).rejects.toThrow(DamagedDraft);
});

test('a file is not gone on with when the object beside it is gone', async () => {
  const { left } = await leave(PART + MIB);
  await storage.remove(job);
  await expect(resume(left)).rejects.toThrow(DamagedDraft);
});

test.each([
  ['in its next upload part', PART],
  ['at its end', 1],
])('a file whose upload the store no longer has is found to be damaged %s', async (_where, more) => {
  const { left } = await leave(PART + MIB);
  for (const id of store.uploads(job)) store.expire(id);
  const file = await resume(left);
  const rest = async () => {
    await write(file, BYTES.subarray(left.bytes, left.bytes + more));
    await file.finish();
  };
  await expect(rest()).rejects.toThrow(DamagedDraft);
});

test('bytes that the store has lost are found once the file is complete', async () => {
  const { left } = await leave(PART + MIB);
  const [id = ''] = store.uploads(job);
  const path = store.partPath(id, 1);
  writeFileSync(path, readFileSync(path).fill('x', 100, 200));
  const file = await resume(left);
  await write(file, BYTES.subarray(left.bytes));
  await expect(file.finish()).rejects.toThrow(DamagedDraft);
});

describe('of two writers of a file, one of which lost its lease,', () => {
  /** Both have what the first kept; the second has written one upload part more. */
  async function begin() {
    const { left, file: old } = await leave(PART + MIB);
    const next = await resume(left);
    await write(next, BYTES.subarray(left.bytes, 2 * PART + MIB));
    return { old, next, at: left.bytes };
  }

  test('either may complete it, and the other then says that it is gone', async () => {
    const { old, next, at } = await begin();
    await write(old, BYTES.subarray(at));
    expectWhole(await old.finish());
    await write(next, BYTES.subarray(2 * PART + MIB));
    await expect(next.finish()).rejects.toThrow(DamagedDraft);
    expectWhole(sha256Of(BYTES));
  });

  test('none completes it with bytes of the other', async () => {
    const { old, next, at } = await begin();
    const other = Buffer.from(BYTES.subarray(at)).fill('x', 0, 1);
    await write(old, other.subarray(0, PART));
    await write(next, BYTES.subarray(2 * PART + MIB));
    await expect(next.finish()).rejects.toThrow(DamagedDraft);
    expect(store.objects(job)).not.toContain(NAME);
  });

  test('the old one cannot complete it once it was begun again', async () => {
    const { old, at } = await begin();
    const again = await storage.create(job, NAME, 'third');
    await write(old, BYTES.subarray(at, at + MIB));
    await expect(old.finish()).rejects.toThrow(DamagedDraft);
    await write(again, BYTES);
    expectWhole(await again.finish());
  });

  test('the old one takes away nothing that the other goes on with', async () => {
    const { old, next } = await begin();
    await old.abandon();
    await write(next, BYTES.subarray(2 * PART + MIB));
    expectWhole(await next.finish());
  });
});

test('a writer that fails before anything is kept leaves nothing', async () => {
  const file = await storage.create(job, NAME, 'first');
  await write(file, BYTES.subarray(0, PART + MIB));
  expect(store.uploads(job)).toHaveLength(1);
  await file.abandon();
  expect([store.uploads(job), store.objects(job)]).toEqual([[], []]);
});

test('uploads that a killed writer has left are aborted by whoever goes on', async () => {
  const { left } = await leave(PART + MIB);
  const killed = await storage.create('other', NAME, 'killed');
  await write(killed, BYTES.subarray(0, PART));
  expect(store.uploads('other')).toHaveLength(1);
  await storage.create('other', NAME, 'next');
  expect(store.uploads('other')).toEqual([]);
  // Another export's is not touched, nor the one that is gone on with.
  await resume(left);
  expect(store.uploads(job)).toEqual([left.upload?.id]);
});

test.each(['prefix', 'key', 'nothing'] as const)(
  'what is left of a file is removed with its export where the store lists uploads by %s',
  async (lists) => {
    store.lists = lists;
    const { left } = await leave(PART + MIB);
    expect([store.uploads(job), store.objects(job)]).toEqual([[left.upload?.id], [expect.any(String)]]);
    await storage.remove(job, left);
    expect([store.uploads(job), store.objects(job)]).toEqual([[], []]);
    // Again is no error.
    await storage.remove(job, left);
  },
);

test.each([0, 1, PART, PART + 1])('a file of %i bytes is written whole', async (bytes) => {
  const file = await storage.create(job, NAME, 'first');
  await write(file, BYTES.subarray(0, bytes));
  expect(await file.finish()).toBe(sha256Of(BYTES.subarray(0, bytes)));
  expect(file.bytes).toBe(bytes);
  expect(readFileSync(store.pathOf(job, NAME)).equals(BYTES.subarray(0, bytes))).toBe(true);
  expect(store.uploads(job)).toEqual([]);
});
