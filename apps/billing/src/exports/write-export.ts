import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { ColumnSums } from './column-sums.ts';
import type { ExportColumn } from './columns.ts';
import { type ExportPart, type ExportPlan, partName } from './export-job.ts';
import { FOCUS_COLUMNS } from './focus/focus-columns.ts';
import { createEncoder } from './formats/create-encoder.ts';
import { RowFeed } from './row-feed.ts';
import { focusSource, type SnapshotOf } from './sources/focus.ts';
import { LEDGER_COLUMNS, ledgerSource } from './sources/ledger.ts';
import type { ExportSource } from './sources/source.ts';
import { usageColumns, usageSource } from './sources/usage.ts';
import type { ExportStorage } from './storage/storage.ts';

export const listColumns = ({
  kind,
  audience,
}: Pick<ExportPlan, 'kind' | 'audience'>): readonly ExportColumn[] => {
  if (kind === 'usage') return usageColumns(audience);
  return kind === 'ledger' ? LEDGER_COLUMNS : FOCUS_COLUMNS;
};

const openSource = (client: Client, plan: ExportPlan, snapshotOf: SnapshotOf): Promise<ExportSource> => {
  if (plan.kind === 'usage') return usageSource(client, plan);
  return plan.kind === 'ledger' ? ledgerSource(client, plan) : focusSource(client, plan, snapshotOf);
};

export interface Progress {
  readonly rows: number;
  readonly bytes: number;
  readonly total: number | null;
}

/**
 * Writes the files of an export that are not there yet. Only what a row group and a page of rows take is held in
 * memory. Each file that is complete is told to `keep` before the next one is begun.
 *
 * @returns all its parts, those of `kept` first.
 */
export async function writeExport(
  plan: ExportPlan,
  kept: readonly ExportPart[],
  uses: {
    readonly client: Client;
    readonly storage: ExportStorage;
    readonly snapshotOf: SnapshotOf;
    readonly keep: (part: ExportPart) => Promise<void>;
    readonly progress: (progress: Progress) => void;
  },
): Promise<ExportPart[]> {
  const columns = listColumns(plan);
  const source = await openSource(uses.client, plan, uses.snapshotOf);
  const parts = [...kept];
  const done = { rows: computeSum(parts, 'rows'), bytes: computeSum(parts, 'bytes') };
  const tell = (rows: number, bytes: number) => {
    done.rows += rows;
    done.bytes += bytes;
    uses.progress({ ...done, total: source.total });
  };
  tell(0, 0);
  const lastKept = parts.at(-1)?.lastKey ?? 0;
  const feed = new RowFeed(source.read(lastKept), lastKept);
  try {
    while ((await feed.more()) || parts.length === 0) {
      const part = await writePart(plan, columns, feed, parts.length + 1, uses.storage, tell);
      await uses.keep(part);
      parts.push(part);
    }
  } finally {
    await feed.close();
  }
  if (source.total !== null && done.rows !== source.total)
    throw new Error(`${done.rows} rows were written, but the books have ${source.total}`);
  return parts;
}

async function writePart(
  plan: ExportPlan,
  columns: readonly ExportColumn[],
  feed: RowFeed,
  part: number,
  storage: ExportStorage,
  tell: (rows: number, bytes: number) => void,
): Promise<ExportPart> {
  const encoder = createEncoder(plan.format, columns);
  const sums = new ColumnSums(columns);
  const hash = createHash('sha256');
  const written = { rows: 0, bytes: 0 };
  const counted = (chunk: Uint8Array, rows: number): Uint8Array => {
    hash.update(chunk);
    written.rows += rows;
    written.bytes += chunk.byteLength;
    tell(rows, chunk.byteLength);
    return chunk;
  };
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for await (const rows of feed.part(plan.partRows)) {
      sums.add(rows);
      const chunk = counted(encoder.encode(rows), rows.length);
      if (chunk.byteLength > 0) yield chunk;
    }
    const rest = counted(encoder.finish(), 0);
    if (rest.byteLength > 0) yield rest;
  }
  const name = partName(part, plan.format);
  await storage.write(plan.id, name, bytes());
  return { part, name, ...written, sha256: hash.digest('hex'), lastKey: feed.lastKey, sums: sums.totals() };
}

const computeSum = (parts: readonly ExportPart[], what: 'rows' | 'bytes'): number =>
  parts.reduce((sum, part) => sum + part[what], 0);
