/** A piece of a streamed JSON array. */
export interface ArrayPiece {
  readonly raw: Buffer;
  /** The element's text; undefined for brackets, commas and white space between elements. */
  readonly element: string | undefined;
}

interface JsonArraySplitter {
  push(chunk: Buffer): ArrayPiece[];
  /** What is left at the end: the rest of a broken stream. */
  flush(): ArrayPiece[];
  /** Bytes of the element that is not whole yet. */
  held(): number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Cuts a JSON array of objects, arriving in pieces cut anywhere, into its elements and what stands between them. Every byte
 * is looked at once and joined once, however long its element is and in however many pieces it comes.
 */
export function createJsonArraySplitter(): JsonArraySplitter {
  let parts: Buffer[] = [];
  let held = 0;
  let depth = 0;
  let inString = false;
  /** The byte before was a backslash that is not escaped itself. */
  let escaped = false;

  const take = (last: Buffer, isElement: boolean): ArrayPiece => {
    const raw = parts.length === 0 ? last : Buffer.concat([...parts, last], held + last.length);
    parts = [];
    held = 0;
    return { raw, element: isElement ? raw.toString('utf8') : undefined };
  };

  /** From inside a text to behind the quote that ends it, or to the end of the bytes. */
  const skipText = (bytes: Buffer, from: number): number => {
    const quote = bytes.indexOf(QUOTE, from);
    const end = quote < 0 ? bytes.length : quote;
    let slashes = 0;
    while (end - slashes > from && bytes[end - slashes - 1] === BACKSLASH) slashes += 1;
    const isEscaped = (slashes % 2 === 1) !== (escaped && end - slashes === from);
    escaped = quote < 0 && isEscaped;
    inString = quote < 0 || isEscaped;
    return quote < 0 ? end : end + 1;
  };

  return {
    push(chunk) {
      const pieces: ArrayPiece[] = [];
      let start = 0;
      let at = 0;
      while (at < chunk.length) {
        if (inString) {
          at = skipText(chunk, at);
          continue;
        }
        const byte = chunk[at];
        if (byte === QUOTE) {
          inString = true;
        } else if (byte === 0x7b) {
          if (depth === 0 && at > start) {
            pieces.push(take(chunk.subarray(start, at), false));
            start = at;
          }
          depth += 1;
        } else if (byte === 0x7d) {
          depth -= 1;
          if (depth === 0) {
            pieces.push(take(chunk.subarray(start, at + 1), true));
            start = at + 1;
          }
        }
        at += 1;
      }
      const rest = chunk.subarray(start);
      if (rest.length === 0) return pieces;
      if (depth === 0) pieces.push(take(rest, false));
      else {
        parts.push(rest);
        held += rest.length;
      }
      return pieces;
    },
    flush: () => (held === 0 ? [] : [take(Buffer.alloc(0), false)]),
    held: () => held,
  };
}
