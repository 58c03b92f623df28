import type { ClientProtocol } from '@tollgate/vocabulary';
import type { UsageOnRequest } from './codec.ts';
import { parseJson } from './json.ts';
import { applyEdits, replaceAt } from './json-spans.ts';
import type { StreamFraming } from './protocol.ts';
import type { RelayError } from './relay-error.ts';
import { CODECS } from './registry.ts';
import type { WrapAnswer } from './stored/wrap-answer.ts';
import { type ArrayPiece, createJsonArraySplitter } from './stream/json-array-splitter.ts';
import { createSseSplitter, type SseRecord } from './stream/sse-splitter.ts';

export interface ResponseRewriter {
  /** What may be sent now; undefined while an event is not whole. */
  push(chunk: Buffer): Buffer | undefined;
  end(): Buffer | undefined;
  /** Bytes of an event that is not whole yet: what reads on without a bound fills the memory. */
  held(): number;
  /** Characters of the answer that are kept to its end at most, where any are. */
  kept?(): number;
  /** What tells the client of a break, where the rewriter writes the client's stream itself. */
  fail?(error: RelayError): Buffer | undefined;
  /** The answer turned out to be broken, and the client was told so. */
  failed?(): boolean;
  /** An event of our own that names what the upstream has named. */
  own?(event: Buffer): Buffer;
}

export interface RewriteOptions {
  readonly stream: StreamFraming;
  /** The caller's name of the model, put where the upstream wrote its own. */
  readonly model?: string;
  /** Take the usage out that only the relay asked for. */
  readonly stripUsage?: boolean;
  /** Gives the ids of what the upstream keeps as the caller may use them. */
  readonly wrap?: WrapAnswer;
}

/** Passes an answer on; where nothing is to be changed every chunk is passed as it is, at once. */
export function createResponseRewriter(protocol: ClientProtocol, options: RewriteOptions): ResponseRewriter {
  const { stream, model, stripUsage, wrap } = options;
  const strip = stripUsage ? CODECS[protocol].usageOnRequest?.strip : undefined;
  if (model === undefined && !strip && !wrap) return passThrough(protocol, stream);
  const edit = (json: string): string | undefined => {
    const edited = editEvent(protocol, json, model, strip);
    return edited === undefined || !wrap ? edited : wrap(edited);
  };
  const mark = strip && model === undefined && !wrap ? CODECS[protocol].usageOnRequest?.mark : undefined;
  const rewriter =
    mark && stream === 'sse' ? markedRewriter(protocol, edit, mark) : rewriterOf(protocol, stream, edit);
  if (!wrap) return rewriter;
  return { ...rewriter, own: (event) => rewriterOf(protocol, stream, wrap).push(event) ?? event };
}

function rewriterOf(protocol: ClientProtocol, stream: StreamFraming, edit: EditEvent): ResponseRewriter {
  switch (stream) {
    case 'sse':
      return sseRewriter(protocol, edit);
    case 'json-array':
      return arrayRewriter(edit);
    case 'none':
      return wholeRewriter(edit);
  }
}

/** Bytes as they are; an event leaves when it is whole, so that a break never ends inside one. */
function passThrough(protocol: ClientProtocol, stream: StreamFraming): ResponseRewriter {
  switch (stream) {
    case 'sse':
      return wholeRecords(protocol);
    case 'json-array':
      return arrayRewriter((json) => json);
    case 'none':
      return { push: (chunk) => chunk, end: () => undefined, held: () => 0 };
  }
}

/** The longest end of a chunk that a blank line may have begun in. */
const OVERLAP = 3;

function wholeRecords(protocol: ClientProtocol): ResponseRewriter {
  const readable = CODECS[protocol].namedEventsNeedData ? withoutEmptyEvents : (bytes: Buffer) => bytes;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const release = (): Buffer | undefined => {
    const bytes = joined(held);
    held = [];
    heldBytes = 0;
    return bytes;
  };
  const hold = (bytes: Buffer): void => {
    held.push(bytes);
    heldBytes += bytes.length;
  };
  return {
    push(chunk) {
      // As nearly every chunk comes: whole events, and nothing before them.
      if (held.length === 0 && endsBlank(chunk)) return readable(chunk);
      const before = held.at(-1)?.subarray(-OVERLAP) ?? Buffer.alloc(0);
      const end = endOfRecords(before.length === 0 ? chunk : Buffer.concat([before, chunk])) - before.length;
      if (end <= 0) {
        hold(chunk);
        return undefined;
      }
      hold(chunk.subarray(0, end));
      const whole = release();
      if (end < chunk.length) hold(chunk.subarray(end));
      return whole && readable(whole);
    },
    end() {
      const splitter = createSseSplitter();
      const rest = release();
      const records = rest ? splitter.push(rest) : [];
      return joined([...records.map(({ raw }) => raw), ...splitter.flush().flatMap(ended)]);
    },
    held: () => heldBytes,
  };
}

const isEmptyEvent = ({ event, data }: SseRecord): boolean => event !== undefined && !data;

/** Whole records without those that are only a name, such as `event: ping`; looked for where such a name stands. */
function withoutEmptyEvents(bytes: Buffer): Buffer {
  if (!namesOther(bytes)) return bytes;
  const records = createSseSplitter().push(bytes);
  const readable = records.filter((record) => !isEmptyEvent(record));
  return readable.length === records.length ? bytes : Buffer.concat(readable.map(({ raw }) => raw));
}

const NAME = Buffer.from('event:');
/** Events of Responses, which nearly all events with a name are: all of them have data. */
const OWN_NAME = Buffer.from(' response.');

/** Whether an event has another name than those of Responses. */
function namesOther(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(NAME); at >= 0; at = bytes.indexOf(NAME, at)) {
    at += NAME.length;
    if (!bytes.subarray(at, at + OWN_NAME.length).equals(OWN_NAME)) return true;
  }
  return false;
}

/** The record that a stream leaves without a blank line: ended where it is whole, and nothing where it is half of one. */
function ended({ raw, data }: SseRecord): Buffer[] {
  if (data === undefined || (data !== '[DONE]' && parseJson(data) === undefined)) return [];
  return [raw, raw.at(-1) === LF ? Buffer.from('\n') : Buffer.from('\n\n')];
}

const LF = 0x0a;
const CR = 0x0d;

const endsBlank = (chunk: Buffer): boolean =>
  chunk.length > 1 && chunk[chunk.length - 1] === LF && chunk[chunk.length - 2] === LF;

const BLANK_LINES = ['\n\n', '\r\r', '\n\r\n'].map((mark) => Buffer.from(mark));

/** Where the last blank line ends; 0 when there is none. */
function endOfRecords(bytes: Buffer): number {
  let end = 0;
  for (const blank of BLANK_LINES) {
    const at = bytes.lastIndexOf(blank);
    if (at >= 0) end = Math.max(end, at + blank.length);
  }
  return end;
}

type EditEvent = (json: string) => string | undefined;

/** The event's new text, the same text when nothing changes, or undefined to leave it out. */
function editEvent(
  protocol: ClientProtocol,
  json: string,
  model: string | undefined,
  strip: UsageOnRequest['strip'] | undefined,
): string | undefined {
  const text = strip ? strip(json) : json;
  if (model === undefined || !text?.includes('odel')) return text;
  const bytes = Buffer.from(text);
  const value = JSON.stringify(model);
  return applyEdits(
    bytes,
    CODECS[protocol].modelPaths.flatMap((path) => replaceAt(bytes, path, value)),
  ).toString('utf8');
}

function sseRewriter(protocol: ClientProtocol, edit: EditEvent): ResponseRewriter {
  const splitter = createSseSplitter();
  const { namedEventsNeedData } = CODECS[protocol];
  const rewrite = (record: SseRecord): Buffer[] => {
    if (namedEventsNeedData && isEmptyEvent(record)) return [];
    if (record.data === undefined || record.data === '[DONE]') return [record.raw];
    const edited = edit(record.data);
    if (edited === undefined) return [];
    if (edited === record.data) return [record.raw];
    return [withData(record, record.data, edited)];
  };
  return {
    push: (chunk) => joined(splitter.push(chunk).flatMap(rewrite)),
    end: () =>
      joined(
        splitter.flush().flatMap((record) => {
          const [raw, blank] = ended(record);
          return raw && blank ? rewrite({ ...record, raw: Buffer.concat([raw, blank]) }) : [];
        }),
      ),
    held: splitter.held,
  };
}

/** As {@link sseRewriter}, where only what has a mark in it is ever changed: whole events without one pass as they are. */
function markedRewriter(protocol: ClientProtocol, edit: EditEvent, mark: Buffer): ResponseRewriter {
  const rewriter = sseRewriter(protocol, edit);
  let begun = false;
  return {
    ...rewriter,
    push(chunk) {
      // The first may begin with a BOM, and a CR may be half of a line's end.
      const passes = begun && rewriter.held() === 0 && endsBlank(chunk) && !chunk.includes(CR);
      begun = true;
      return passes && !chunk.includes(mark) && !namesOther(chunk) ? chunk : rewriter.push(chunk);
    },
  };
}

/** The record with other data. Where one line holds the data all its other bytes stay as they are. */
function withData({ raw, event }: SseRecord, data: string, edited: string): Buffer {
  const at = raw.indexOf(data);
  if (at >= 0) {
    const rest = raw.subarray(at + Buffer.byteLength(data));
    return Buffer.concat([raw.subarray(0, at), Buffer.from(edited), rest]);
  }
  const name = event === undefined ? [] : [`event: ${event}`];
  const lines = [...name, ...edited.split('\n').map((line) => `data: ${line}`)];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

function arrayRewriter(edit: EditEvent): ResponseRewriter {
  const splitter = createJsonArraySplitter();
  /** A comma leaves with the element behind it: where none comes, an error takes its place. */
  let separator: Buffer[] = [];
  const rewrite = ({ raw, element }: ArrayPiece): Buffer[] => {
    if (element === undefined && separator.length === 0 && !raw.includes(COMMA)) return [raw];
    separator.push(raw);
    if (element === undefined) return [];
    const before = separator.slice(0, -1);
    separator = [];
    const edited = edit(element);
    return [...before, edited === undefined || edited === element ? raw : Buffer.from(edited)];
  };
  return {
    push: (chunk) => joined(splitter.push(chunk).flatMap(rewrite)),
    end: () => joined([...splitter.flush().flatMap(rewrite), ...separator.splice(0)]),
    held: splitter.held,
  };
}

const COMMA = 0x2c;

function wholeRewriter(edit: EditEvent): ResponseRewriter {
  const chunks: Buffer[] = [];
  let length = 0;
  return {
    push(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      return undefined;
    },
    held: () => length,
    end() {
      const bytes = Buffer.concat(chunks);
      const text = bytes.toString('utf8');
      const edited = edit(text);
      return edited === undefined || edited === text ? bytes : Buffer.from(edited);
    },
  };
}

const joined = (parts: readonly Buffer[]): Buffer | undefined =>
  parts.length === 0 ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts);
