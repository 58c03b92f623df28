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
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      const records: SseRecord[] = [];
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
