const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** One record of a server-sent event stream. */
export interface SseRecord {
  /** Its bytes as they came, with the blank line that ends it. */
  readonly raw: Buffer;
  readonly event: string | undefined;
  /** The data lines, joined with a line feed; undefined for a record of comments. */
  readonly data: string | undefined;
}

interface SseSplitter {
  /** Takes bytes, cut anywhere, and answers the records that they complete. */
  push(chunk: Buffer): SseRecord[];
  /** The record that the end of the stream leaves without a blank line, if any. */
  flush(): SseRecord[];
  /** Bytes of the record that is not whole yet. */
  held(): number;
}

/**
 * Splits an event stream into records: LF, CRLF and CR line ends, comments, a leading BOM (WHATWG HTML 9.2.6). Every byte is
 * looked at once and joined once, however long its record is and in however many pieces it comes.
 */
export function createSseSplitter(): SseSplitter {
  let parts: Buffer[] = [];
  let held = 0;
  let boundary = createBoundary();
  let first = true;

  function keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    parts.push(bytes);
    held += bytes.length;
  }

  function take(): SseRecord {
    const [only] = parts;
    const raw = parts.length === 1 && only ? only : Buffer.concat(parts, held);
    parts = [];
    held = 0;
    boundary = createBoundary();
    const record = parseRecord(first && raw.subarray(0, 3).equals(BOM) ? raw.subarray(3) : raw, raw);
    first = false;
    return record;
  }

  return {
    push(chunk) {
      const records: SseRecord[] = [];
      const hasCr = chunk.includes(CR);
      let at = 0;
      while (at < chunk.length) {
        if (held === 0 && !hasCr && !(first && chunk[at] === BOM[0])) {
          at = takePlain(chunk, at, records);
          if (records.length > 0) first = false;
        }
        const end = boundary.find(chunk, at, hasCr);
        keep(chunk.subarray(at, end < 0 ? chunk.length : end));
        if (end < 0) break;
        records.push(take());
        at = end;
      }
      return records;
    },
    flush: () => (held === 0 ? [] : [take()]),
    held: () => held,
  };
}

/** Finds the blank line that ends a record, in pieces that follow each other. */
function createBoundary() {
  let lineIsEmpty = true;
  /** The byte before was a CR, whose LF may follow; then the record may end with it already. */
  let afterCr = false;
  let ended = false;
  return {
    /** Where the record ends, or -1 when it goes on behind these bytes. */
    find(bytes: Buffer, from: number, hasCr: boolean): number {
      let at = from;
      while (at < bytes.length) {
        const byte = bytes[at];
        if (afterCr) {
          afterCr = false;
          if (byte === LF) at += 1;
          if (ended) return at;
          if (byte === LF) continue;
        }
        if (byte === LF) {
          if (lineIsEmpty) return at + 1;
          lineIsEmpty = true;
          at += 1;
        } else if (byte === CR) {
          afterCr = true;
          ended = lineIsEmpty;
          lineIsEmpty = true;
          at += 1;
        } else {
          lineIsEmpty = false;
          at = hasCr ? at + 1 : bytes.indexOf(LF, at);
          if (at < 0) return -1;
        }
      }
      return -1;
    },
  };
}

/**
 * Takes the records of bytes that have no CR, as nearly all streams are: lines are found by searching, not byte by byte.
 *
 * @returns where the first record that is not whole begins.
 */
function takePlain(bytes: Buffer, from: number, records: SseRecord[]): number {
  let start = from;
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
  if (!bytes.includes(CR)) {
    const records: SseRecord[] = [];
    takePlain(bytes, 0, records);
    const [record] = records;
    if (record) return { ...record, raw };
  }
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
