/** A text that is longer is left out of what is read. */
const MAX_TEXT_BYTES = 4_096;
/** What is read of one value at most, without its long texts. */
const MAX_BYTES = 1024 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSES: ReadonlySet<number> = new Set([0x7d, 0x5d]);
const EMPTY_TEXT = Buffer.from('""');

/** One JSON value whose long texts are not kept, such as pictures as base64. */
interface JsonSkim {
  /** Bytes as they come, cut anywhere. */
  push(chunk: Buffer): void;
  /** All of the value has come. */
  isWhole(): boolean;
  /** What has come, with empty texts in place of the long ones; undefined where it is not whole, no JSON, or too much. */
  read(): unknown;
}

/**
 * Reads a large JSON value as it passes, in the memory that its short texts need.
 */
export function createJsonSkim(): JsonSkim {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let depth = 0;
  let opened = false;
  /** Of the text that is being read; undefined between texts. */
  let text: { parts: Buffer[]; length: number } | undefined;
  /** The last byte that passed of a text escapes the next. */
  let escapes = false;

  const keep = (bytes: Buffer): void => {
    keptBytes += bytes.length;
    // A chunk is given back to whoever sent it.
    if (keptBytes <= MAX_BYTES) kept.push(Buffer.from(bytes));
  };

  /** From `at`, which is between texts; ends behind a quote or at the end of the chunk. */
  function readBetween(chunk: Buffer, at: number): number {
    const quote = chunk.indexOf(QUOTE, at);
    const end = quote < 0 ? chunk.length : quote;
    for (let index = at; index < end; index += 1) {
      const byte = chunk[index] ?? 0;
      if (OPENS.has(byte)) {
        depth += 1;
        opened = true;
      } else if (CLOSES.has(byte)) depth -= 1;
    }
    keep(chunk.subarray(at, end));
    if (quote < 0) return end;
    text = { parts: [], length: 0 };
    return quote + 1;
  }

  /** From `at`, which is inside a text. */
  function readText(chunk: Buffer, at: number, of: NonNullable<typeof text>): number {
    const found = findTextEnd(chunk, at, escapes);
    const { quote } = found;
    escapes = found.escapes;
    const end = quote < 0 ? chunk.length : quote;
    of.length += end - at;
    if (of.length <= MAX_TEXT_BYTES) of.parts.push(Buffer.from(chunk.subarray(at, end)));
    if (quote < 0) return end;
    keep(of.length <= MAX_TEXT_BYTES ? Buffer.concat([QUOTED, ...of.parts, QUOTED]) : EMPTY_TEXT);
    text = undefined;
    return quote + 1;
  }

  return {
    push(chunk) {
      for (let at = 0; at < chunk.length;)
        at = text === undefined ? readBetween(chunk, at) : readText(chunk, at, text);
    },
    isWhole: () => opened && depth === 0 && text === undefined,
    read() {
      if (!opened || depth !== 0 || text !== undefined || keptBytes > MAX_BYTES) return undefined;
      try {
        return JSON.parse(Buffer.concat(kept).toString('utf8'));
      } catch {
        return undefined;
      }
    },
  };
}

/** The quote that ends a text, less than 0 where it is not in this chunk; and whether the last byte escapes the next. */
function findTextEnd(
  chunk: Buffer,
  from: number,
  wasEscaped: boolean,
): { readonly quote: number; readonly escapes: boolean } {
  let escapes = wasEscaped;
  for (let at = from; ;) {
    const quote = chunk.indexOf(QUOTE, at);
    const end = quote < 0 ? chunk.length : quote;
    let slashes = 0;
    while (end - slashes > at && chunk[end - slashes - 1] === BACKSLASH) slashes += 1;
    // What was before the chunk counts where nothing but these stands between.
    if (end - slashes === at && escapes) slashes += 1;
    escapes = slashes % 2 === 1;
    if (quote < 0 || !escapes) return { quote, escapes };
    escapes = false;
    at = quote + 1;
  }
}

const QUOTED = Buffer.from('"');
