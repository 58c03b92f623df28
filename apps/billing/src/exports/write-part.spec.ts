import { EXPORT_FORMATS, type ExportFormat } from '@tollgate/api';
import { MemoryStorage } from '../../testing/memory-storage.ts';
import type { ExportColumn, Row } from './columns.ts';
import type { ExportPlan } from './export-job.ts';
import { PageReader } from './page-reader.ts';
import { toPages } from './pages.ts';
import type { ExportSource } from './sources/source.ts';
import { type PartDraft, writePart } from './write-part.ts';

/** Two row groups of Parquet and some rows more, of which three have the same key. */
const KEYS = Array.from({ length: 20_000 }, (_, at) => Math.floor(at / 3) + 1);
const ROWS = KEYS.map((key, at): Row => [String(key), `name ${at % 50}`, String(at % 7)]);
const COLUMNS: readonly ExportColumn[] = [
  { name: 'number', type: 'int64' },
  { name: 'name', type: 'text', free: true },
  { name: 'tokens', type: 'int64', summed: true },
];
const PAGE = 999;

const source: ExportSource = {
  total: ROWS.length,
  pages: (start) => {
    async function* batches() {
      for (let at = KEYS.findIndex((key) => key > start.afterKey); at < ROWS.length; at += PAGE)
        yield await Promise.resolve({ rows: ROWS.slice(at, at + PAGE), keys: KEYS.slice(at, at + PAGE) });
    }
    return toPages(batches(), start);
  },
};

const toPlan = (format: ExportFormat): ExportPlan => ({
  id: 'one',
  kind: 'usage',
  format,
  audience: 'books',
  filters: { from: '', to: '', accountId: null, model: null, keyId: null },
  watermark: ROWS.length,
  partRows: ROWS.length,
  providerName: 'Tollgate',
});

/** Writes the file into memory; a writer that is killed ends when it has saved so many drafts. */
async function write(
  format: ExportFormat,
  killedAfter = Infinity,
  begun?: { readonly draft: PartDraft; readonly bytes: Uint8Array },
) {
  const storage = new MemoryStorage(begun?.bytes);
  const drafts: PartDraft[] = [];
  const plan = toPlan(format);
  await using reader = await PageReader.open(source, {
    afterKey: begun?.draft.lastKey ?? 0,
    partRows: plan.partRows,
    rowsInPart: begun?.draft.rows ?? 0,
  });
  const progress = { rows: begun?.draft.rows ?? 0, bytes: begun?.draft.bytes ?? 0 };
  const part = await writePart(
    {
      plan,
      columns: COLUMNS,
      writer: 'a writer',
      storage,
      async saveDraft(draft) {
        drafts.push({ ...draft, writer: 'a writer' });
        if (drafts.length === killedAfter) throw new Error('killed');
      },
      tell(rows, bytes) {
        progress.rows += rows;
        progress.bytes += bytes;
      },
    },
    1,
    reader,
    begun && { draft: begun.draft, file: await storage.resume() },
  ).catch((error: Error): undefined => {
    if (error.message !== 'killed') throw error;
    return undefined;
  });
  return { part, bytes: storage.bytes, draft: drafts.at(-1), progress };
}

test.each(EXPORT_FORMATS)('a file in %s is gone on with from each of its drafts', async (format) => {
  const whole = await write(format);
  expect(whole.part?.rows).toBe(ROWS.length);
  expect(whole.progress).toEqual({ rows: ROWS.length, bytes: whole.bytes.length });
  let drafts = 0;
  for (;;) {
    const killed = await write(format, drafts + 1);
    const { draft } = killed;
    if (!draft || killed.part) break;
    drafts += 1;
    const bytes = killed.bytes.subarray(0, draft.bytes);
    const resumed = await write(format, Infinity, { draft, bytes });
    expect(resumed.part).toEqual(whole.part);
    expect(resumed.bytes.equals(whole.bytes)).toBe(true);
    expect(resumed.progress).toEqual(whole.progress);
  }
  expect(drafts).toBeGreaterThanOrEqual(2);
});
