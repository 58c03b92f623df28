const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const EMPTY = Buffer.alloc(0);

/** One record of a server-sent event stream. */
export interface SseRecord {
  /** Its bytes as they came, with the blank line that ends it. */
  readonly raw: Buffer;
  readonly event: string | undefined;
  /** The data lines, joined with a line feed; undefined for a record of comments. */
  readonly data: string | undefined;
}

export interface SseSplitter {
  /** Takes bytes, cut anywhere, and answers the records that they complete. */
  push(chunk: Buffer): SseRecord[];
  /** The record that the end of the stream leaves without a blank line, if any. */
  flush(): SseRecord[];
}

/** Splits an event stream into records: LF, CRLF and CR line ends, comments, a leading BOM (WHATWG HTML 9.2.6). */
export function createSseSplitter(): SseSplitter {
  let pending: Buffer = EMPTY;
  /** Where the line that is being read begins, and how far it was looked through. */
  let lineStart = 0;
  let scanned = 0;
  let first = true;

  function take(end: number): SseRecord {
    const raw = pending.subarray(0, end);
    pending = pending.subarray(end);
    lineStart = 0;
    scanned = 0;
    const record = parseRecord(first && raw.subarray(0, 3).equals(BOM) ? raw.subarray(3) : raw, raw);
    first = false;
    return record;
  }

  return {
    push(chunk) {
      const records: SseRecord[] = [];
      if (pending.length > 0) pending = Buffer.concat([pending, chunk]);
      else {
        const begin = first && chunk[0] === BOM[0] ? 0 : takePlain(chunk, records);
        if (records.length > 0) first = false;
        if (begin === chunk.length) return records;
        pending = chunk.subarray(begin);
      }
      while (scanned < pending.length) {
        const byte = pending[scanned];
        if (byte !== LF && byte !== CR) {
          scanned += 1;
          continue;
        }
        // A CR at the end of what is here may be the first half of CRLF.
        if (byte === CR && scanned + 1 === pending.length) break;
        const lineEnd = byte === CR && pending[scanned + 1] === LF ? scanned + 2 : scanned + 1;
        const blank = scanned === lineStart;
        if (blank) {
          records.push(take(lineEnd));
        } else {
          lineStart = lineEnd;
          scanned = lineEnd;
        }
      }
      return records;
    },
    flush() {
      return pending.length === 0 ? [] : [take(pending.length)];
    },
  };
}

/**
 * Takes the records of bytes that have no CR, as nearly all streams are: lines are found by searching, not byte by byte.
 *
 * @returns where the first record that is not whole begins.
 */
function takePlain(bytes: Buffer, records: SseRecord[]): number {
  if (bytes.includes(CR)) return 0;
  let start = 0;
  for (;;) {
    let event: string | undefined;
    let data: string | undefined;
    let line = start;
    let end = bytes.indexOf(LF, line);
    while (end > line) {
      if (isField(bytes, line, DATA)) {
        const value = valueOf(bytes, line + DATA.length, end);
        data = data === undefined ? value : `${data}\n${value}`;
      } else if (isField(bytes, line, EVENT)) {
        event = bytes.toString('utf8', line + EVENT.length, end).trim();
      }
      line = end + 1;
      end = bytes.indexOf(LF, line);
    }
    if (end < 0) return start;
    records.push({ raw: bytes.subarray(start, end + 1), event, data });
    start = end + 1;
  }
}

const DATA = Buffer.from('data:');
const EVENT = Buffer.from('event:');

function isField(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let index = 0; index < name.length; index += 1) if (bytes[at + index] !== name[index]) return false;
  return true;
}

const SPACE = 0x20;
/** A value without the one space that may stand before it. */
const valueOf = (bytes: Buffer, start: number, end: number): string =>
  bytes.toString('utf8', bytes[start] === SPACE && start < end ? start + 1 : start, end);

function parseRecord(bytes: Buffer, raw: Buffer): SseRecord {
  let event: string | undefined;
  let data: string | undefined;
  for (const line of bytes.toString('utf8').split(/\r\n|\n|\r/)) {
    if (line.startsWith('data:')) {
      const value = line.charCodeAt(5) === 0x20 ? line.slice(6) : line.slice(5);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith('event:')) {
      event = line.slice(6).trim();
    }
  }
  return { raw, event, data };
}
