import type { Client } from 'pg';
import type { ExportColumn } from './columns.ts';
import type { ExportPart, ExportPlan } from './export-job.ts';
import { FOCUS_COLUMNS } from './focus/focus-columns.ts';
import { PageReader } from './page-reader.ts';
import { focusSource, type SnapshotOf } from './sources/focus.ts';
import { LEDGER_COLUMNS, ledgerSource } from './sources/ledger.ts';
import type { ExportSource, Readers } from './sources/source.ts';
import { usageColumns, usageSource } from './sources/usage.ts';
import type { ExportFile, ExportStorage } from './storage/storage.ts';
import { type PartDraft, writePart } from './write-part.ts';

export const listColumns = ({
  kind,
  audience,
}: Pick<ExportPlan, 'kind' | 'audience'>): readonly ExportColumn[] => {
  if (kind === 'usage') return usageColumns(audience);
  return kind === 'ledger' ? LEDGER_COLUMNS : FOCUS_COLUMNS;
};

const openSource = (plan: ExportPlan, { readers, database, snapshotOf }: Books): Promise<ExportSource> => {
  if (plan.kind === 'usage') return usageSource(readers, plan);
  return plan.kind === 'ledger'
    ? ledgerSource(readers, plan)
    : focusSource(readers[0], database, plan, snapshotOf);
};

/** Where an export is read from. */
interface Books {
  readonly readers: Readers;
  /** Where short questions are asked while rows are read. */
  readonly database: Client;
  readonly snapshotOf: SnapshotOf;
}

export interface Progress {
  readonly rows: number;
  readonly bytes: number;
  readonly total: number | null;
}

/** What an earlier writer has left: files that are complete, and how far it was with the next one. */
export interface Left {
  readonly parts: readonly ExportPart[];
  readonly draft?: PartDraft | undefined;
}

/**
 * Writes what is not there yet of an export. Only what a row group and a few pages of rows take is held in memory. Each file
 * that is complete is told to `keep` before the next one is begun; how far a file is, to `saveDraft`.
 *
 * @returns all its parts, those that were left first.
 */
export async function writeExport(
  plan: ExportPlan,
  left: Left,
  uses: Books & {
    readonly storage: ExportStorage;
    readonly keep: (part: ExportPart) => Promise<void>;
    readonly saveDraft: (draft: Omit<PartDraft, 'writer'>) => Promise<void>;
    readonly progress: (progress: Progress) => void;
    /** What is found by that this writer leaves. */
    readonly writer: string;
  },
): Promise<ExportPart[]> {
  const columns = listColumns(plan);
  const source = await openSource(plan, uses);
  const parts = [...left.parts];
  const done = { rows: computeSum(parts, 'rows'), bytes: computeSum(parts, 'bytes') };
  const tell = (rows: number, bytes: number) => {
    done.rows += rows;
    done.bytes += bytes;
    uses.progress({ ...done, total: source.total });
  };
  tell(0, 0);
  const job = { plan, columns, tell, storage: uses.storage, writer: uses.writer, saveDraft: uses.saveDraft };
  let begun = await openDraft(plan, left, uses);
  if (begun) tell(begun.draft.rows, begun.draft.bytes);
  await using reader = await PageReader.open(source, {
    afterKey: begun?.draft.lastKey ?? parts.at(-1)?.lastKey ?? 0,
    partRows: plan.partRows,
    rowsInPart: begun?.draft.rows ?? 0,
  });
  while (begun ?? reader.page ?? parts.length === 0) {
    const part = await writePart(job, parts.length + 1, reader, begun);
    begun = undefined;
    await uses.keep(part);
    parts.push(part);
  }
  if (source.total !== null && done.rows !== source.total)
    throw new Error(`${done.rows} rows were written, but the books have ${source.total}`);
  return parts;
}

/** A file that an earlier writer began. */
async function openDraft(
  plan: ExportPlan,
  { parts, draft }: Left,
  { storage, writer }: { readonly storage: ExportStorage; readonly writer: string },
): Promise<{ draft: PartDraft; file: ExportFile } | undefined> {
  if (draft?.part !== parts.length + 1) return undefined;
  const file = await storage.resume(plan.id, draft, writer);
  return file && { draft, file };
}

const computeSum = (parts: readonly ExportPart[], what: 'rows' | 'bytes'): number =>
  parts.reduce((sum, part) => sum + part[what], 0);
