/** What vendors put into events beside the text, another with each event, that says nothing. */
const PADDING = /"(?:obfuscation|p)": ?"([^"\\]*)"|"sequence_number": ?(0|[1-9]\d{0,14})(?=[,}])/g;
/** In place of what an event says, to see what depends on it: it must be another one. */
const otherText = (than: string): string => (than === '~' ? '!' : '~');
const otherNumber = (than: string): string => (than === '7' ? '8' : '7');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;
const END = Buffer.from('\n\n');

type Hole = 'text' | 'padding' | 'number' | 'spaces';

interface Place {
  readonly kind: Hole;
  readonly from: number;
  readonly to: number;
}

/** Bytes that are the same in each event, and what stands behind them. */
interface Piece {
  readonly bytes: Buffer;
  readonly hole: Hole | undefined;
}

/**
 * How an event of a stream looks that says a text and nothing else: the next ones differ from it in that text alone, and need
 * not be parsed. A text, as JSON has it, stands in one place; behind it may be what {@link PADDING} names, and spaces before the
 * last brace.
 */
export class EventPattern {
  readonly #pieces: readonly Piece[];
  #text = '';

  private constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /**
   * The pattern of an event, where it has one.
   *
   * @param event.raw its record, with the blank line behind it.
   * @param event.text what it says.
   * @param textOf what an event of other JSON says; undefined where it tells more than a text. It is asked for the event with other
   * texts in the places that are to differ, so that nothing is taken for the text which is not.
   */
  static of(
    event: { readonly raw: Buffer; readonly json: string; readonly text: string },
    textOf: (json: string) => string | undefined,
  ): EventPattern | undefined {
    const { json, text } = event;
    // Of one byte for each character, as places are counted in bytes.
    const raw = event.raw.toString('latin1');
    if (text === '' || raw.includes('\r') || !event.raw.subarray(-END.length).equals(END)) return undefined;
    const written = JSON.stringify(text);
    const inBytes = Buffer.from(written).toString('latin1');
    const at = onlyPlace(raw, inBytes);
    const inJson = onlyPlace(json, written);
    if (at < 0 || inJson < 0) return undefined;
    const said = otherText(text);
    const other = json.slice(0, inJson + 1) + said + json.slice(inJson + written.length - 1);
    const padded = other.replace(PADDING, (member, padding?: string) =>
      padding === undefined
        ? member.replace(/\d+$/, otherNumber)
        : member.slice(0, member.length - padding.length - 1) + `${otherText(padding)}"`,
    );
    if (textOf(other) !== said || textOf(padded) !== said) return undefined;
    const place: Place = { kind: 'text', from: at + 1, to: at + inBytes.length - 1 };
    const pieces = cut(event.raw, [place, ...listPadding(raw)]);
    return pieces && new EventPattern(pieces);
  }

  /** Where the event ends that begins here, or -1 where it is another one, or not all of it is there. */
  match(bytes: Buffer, from: number): number {
    let at = from;
    for (const { bytes: same, hole } of this.#pieces) {
      const end = at + same.length;
      if (end > bytes.length || same.compare(bytes, at, end) !== 0) return -1;
      at = hole === undefined ? end : this.#pass(hole, bytes, end);
      if (at < 0) return -1;
    }
    return at;
  }

  /** What the event that was matched last says. */
  text(): string {
    return this.#text;
  }

  #pass(hole: Hole, bytes: Buffer, from: number): number {
    switch (hole) {
      case 'text':
        return this.#passText(bytes, from);
      case 'padding':
        return endOfText(bytes, from, false);
      case 'number':
        return endOfNumber(bytes, from);
      case 'spaces':
        return endOfSpaces(bytes, from);
    }
  }

  #passText(bytes: Buffer, from: number): number {
    const plainEnd = endOfText(bytes, from, false);
    const end = plainEnd < 0 ? endOfText(bytes, from, true) : plainEnd;
    if (end <= from) return -1;
    const text = bytes.toString('utf8', from, end);
    if (plainEnd >= 0) this.#text = text;
    else {
      try {
        this.#text = JSON.parse(`"${text}"`) as string;
      } catch {
        return -1;
      }
    }
    return end;
  }
}

/** Where a text stands in another, if in one place; else -1. */
function onlyPlace(of: string, text: string): number {
  const at = of.indexOf(text);
  return at >= 0 && of.indexOf(text, at + 1) < 0 ? at : -1;
}

function listPadding(raw: string): Place[] {
  const places: Place[] = [];
  for (const { 0: member, 1: padding, index } of raw.matchAll(PADDING)) {
    const to = index + member.length - (padding === undefined ? 0 : 1);
    const from = padding === undefined ? to - (/\d+$/.exec(member)?.[0].length ?? 0) : to - padding.length;
    places.push({ kind: padding === undefined ? 'number' : 'padding', from, to });
  }
  const brace = raw.lastIndexOf('}');
  let from = brace;
  while (raw.charCodeAt(from - 1) === SPACE) from -= 1;
  return brace < 0 ? places : [...places, { kind: 'spaces', from, to: brace }];
}

/** Undefined where one place is in another. */
function cut(raw: Buffer, places: readonly Place[]): Piece[] | undefined {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { kind, from, to } of places.toSorted((a, b) => a.from - b.from)) {
    if (from < at) return undefined;
    pieces.push({ bytes: Buffer.from(raw.subarray(at, from)), hole: kind });
    at = to;
  }
  return [...pieces, { bytes: Buffer.from(raw.subarray(at)), hole: undefined }];
}

/** Where the quote stands that ends a text of JSON; -1 where it has none, or what JSON does not take, or an escape and may not. */
function endOfText(bytes: Buffer, from: number, mayEscape: boolean): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at;
    if (byte < SPACE) return -1;
    if (byte !== BACKSLASH) continue;
    if (!mayEscape) return -1;
    at += 1;
  }
  return -1;
}

/** As JSON writes one: without zeros before it. */
function endOfNumber(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  const isNumber = at > from && (bytes[from] !== ZERO || at === from + 1);
  return isNumber ? at : -1;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

function endOfSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === SPACE) at += 1;
  return at;
}
