import { createHash } from 'node:crypto';
import { ColumnSums } from './column-sums.ts';
import type { ExportColumn } from './columns.ts';
import { type ExportPart, type ExportPlan, partName } from './export-job.ts';
import { createEncoder } from './formats/create-encoder.ts';
import type { PageReader } from './page-reader.ts';
import type { ExportStorage } from './storage/storage.ts';

/** How far a file is that is not complete: its first bytes, and the rows at a change of key that are in them. */
export interface PartDraft extends ExportPart {
  /** Whose bytes they are. */
  readonly writer: string;
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
  { plan, columns, storage, writer, saveDraft, tell }: Writing,
  part: number,
  reader: PageReader,
  begun?: { readonly draft: PartDraft; readonly bytes: AsyncIterable<Uint8Array> },
): Promise<ExportPart> {
  const name = partName(part, plan.format);
  const encoder = createEncoder(plan.format, columns, begun && toEncoderStart(begun.draft));
  const sums = new ColumnSums(columns, begun?.draft.sums);
  const hash = createHash('sha256');
  let bytes = 0;
  let place: Place = begun ? toPlace(begun.draft) : { rows: 0, lastKey: 0, sums: {} };
  let places: Place[] = [place];
  const handOut = (chunk: Uint8Array, rows: number): Uint8Array => {
    hash.update(chunk);
    bytes += chunk.byteLength;
    tell(rows, chunk.byteLength);
    return chunk;
  };

  async function* draftBytes(): AsyncGenerator<Uint8Array> {
    if (!begun) return;
    for await (const chunk of begun.bytes) yield handOut(chunk, 0);
    if (hash.copy().digest('hex') !== begun.draft.sha256)
      throw new DamagedDraft(`what there was of ${name} is not what was written: it is begun again`);
    tell(begun.draft.rows, 0);
  }
  async function* fileBytes(): AsyncGenerator<Uint8Array> {
    yield* draftBytes();
    let draftAt = place.rows;
    let isFirst = begun === undefined;
    for (let { page } = reader; page && (isFirst || !page.beginsPart); { page } = reader) {
      isFirst = false;
      sums.add(page.content);
      place = { rows: place.rows + page.rows, lastKey: page.lastKey, sums: sums.totals() };
      places.push(place);
      const chunk = handOut(encoder.encode(page.content, page.rows), page.rows);
      if (chunk.byteLength > 0) yield chunk;
      places = places.slice(places.findLastIndex(({ rows }) => rows <= encoder.rowsOut));
      const [kept] = places;
      // What was handed out is written by now.
      if (kept && storage.keepsDrafts && kept.rows - draftAt >= plan.partRows / DRAFTS_PER_PART) {
        const sha256 = hash.copy().digest('hex');
        const { rowsOut } = encoder;
        await saveDraft({ part, name, bytes, sha256, rowsOut, encoder: encoder.state(), ...kept });
        draftAt = kept.rows;
      }
      await reader.advance();
    }
    const rest = handOut(encoder.finish(), 0);
    if (rest.byteLength > 0) yield rest;
  }

  await storage.write(plan.id, name, fileBytes(), writer);
  return { part, name, ...place, sums: sums.totals(), bytes, sha256: hash.digest('hex') };
}

/** A file that was begun cannot be gone on with. */
export class DamagedDraft extends Error {
  override readonly name = 'DamagedDraft';
}

const toEncoderStart = ({ encoder, rowsOut, rows }: PartDraft) => ({
  state: encoder,
  rowsOut,
  skip: rowsOut - rows,
});
