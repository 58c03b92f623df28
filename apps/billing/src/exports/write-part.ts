import { ColumnSums } from './column-sums.ts';
import type { ExportColumn } from './columns.ts';
import { type ExportPart, type ExportPlan, partName } from './export-job.ts';
import { createEncoder } from './formats/create-encoder.ts';
import type { PageReader } from './page-reader.ts';
import type { ExportFile, ExportStorage, LeftBytes } from './storage/storage.ts';

/** How far a file is that is not complete: its first bytes, and the rows at a change of key that are in them. */
export interface PartDraft extends ExportPart, LeftBytes {
  /** Rows that are in the bytes: those of the draft, and maybe some that follow. */
  readonly rowsOut: number;
  /** What the encoder needs to go on. */
  readonly encoder: Uint8Array;
}

/** A tenth of a file is what is written twice when its writer is killed. */
const DRAFTS_PER_PART = 10;

interface Writing {
  readonly plan: ExportPlan;
  readonly columns: readonly ExportColumn[];
  readonly storage: ExportStorage;
  readonly writer: string;
  readonly saveDraft: (draft: Omit<PartDraft, 'writer'>) => Promise<void>;
  /** Rows and bytes that were written. */
  readonly tell: (rows: number, bytes: number) => void;
}

type Place = Pick<ExportPart, 'rows' | 'lastKey' | 'sums'>;
const toPlace = ({ rows, lastKey, sums }: Place): Place => ({ rows, lastKey, sums });

/** Writes the next file: pages up to one that begins another. */
export async function writePart(
  job: Writing,
  part: number,
  reader: PageReader,
  begun?: { readonly draft: PartDraft; readonly file: ExportFile },
): Promise<ExportPart> {
  const { plan, storage, writer } = job;
  const name = partName(part, plan.format);
  const file = begun?.file ?? (await storage.create(plan.id, name, writer));
  try {
    const place = await writePages(job, { part, name, file, draft: begun?.draft }, reader);
    const sha256 = await file.finish();
    return { part, name, ...place, bytes: file.bytes, sha256 };
  } catch (error) {
    // What stays is removed by whoever takes the export up: it must not hide what failed.
    await file.abandon().catch(() => undefined);
    throw error;
  }
}

/** @returns where the file ends. */
async function writePages(
  { plan, columns, saveDraft, tell }: Writing,
  { part, name, file, draft }: { part: number; name: string; file: ExportFile; draft: PartDraft | undefined },
  reader: PageReader,
): Promise<Place> {
  const encoder = createEncoder(plan.format, columns, draft && toEncoderStart(draft));
  const sums = new ColumnSums(columns, draft?.sums);
  let place: Place = draft ? toPlace(draft) : { rows: 0, lastKey: 0, sums: {} };
  let places: Place[] = [place];
  let draftAt = place.rows;
  let isFirst = draft === undefined;
  const write = async (chunk: Uint8Array, rows: number): Promise<void> => {
    if (chunk.byteLength > 0) await file.write(chunk);
    tell(rows, chunk.byteLength);
  };
  for (let { page } = reader; page && (isFirst || !page.beginsPart); { page } = reader) {
    isFirst = false;
    sums.add(page.content);
    place = { rows: place.rows + page.rows, lastKey: page.lastKey, sums: sums.totals() };
    places.push(place);
    await write(encoder.encode(page.content, page.rows), page.rows);
    places = places.slice(places.findLastIndex(({ rows }) => rows <= encoder.rowsOut));
    const [kept] = places;
    if (kept && kept.rows - draftAt >= plan.partRows / DRAFTS_PER_PART) {
      const { rowsOut } = encoder;
      await saveDraft({ part, name, ...(await file.keep()), rowsOut, encoder: encoder.state(), ...kept });
      draftAt = kept.rows;
    }
    await reader.advance();
  }
  await write(encoder.finish(), 0);
  return { ...place, sums: sums.totals() };
}

const toEncoderStart = ({ encoder, rowsOut, rows }: PartDraft) => ({
  state: encoder,
  rowsOut,
  skip: rowsOut - rows,
});
