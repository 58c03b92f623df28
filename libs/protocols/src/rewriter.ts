import { listAt, objectAt, parseJson } from './json.ts';
import { applyEdits, replaceAt, withoutMember } from './json-spans.ts';
import type { Protocol, StreamFraming } from './protocol.ts';
import { CODECS } from './registry.ts';
import { createJsonArraySplitter } from './stream/json-array-splitter.ts';
import { createSseSplitter, type SseRecord } from './stream/sse-splitter.ts';

export interface ResponseRewriter {
  /** What may be sent now; undefined while an event is not whole. */
  push(chunk: Buffer): Buffer | undefined;
  end(): Buffer | undefined;
}

export interface RewriteOptions {
  readonly stream: StreamFraming;
  /** The caller's name of the model, put where the upstream wrote its own. */
  readonly model?: string;
  /** Take the usage out that only the relay asked for. */
  readonly stripUsage?: boolean;
}

/** Passes an answer on; where nothing is to be changed every chunk is passed as it is, at once. */
export function createResponseRewriter(protocol: Protocol, options: RewriteOptions): ResponseRewriter {
  const { stream, model, stripUsage } = options;
  if (model === undefined && !stripUsage) return { push: (chunk) => chunk, end: () => undefined };
  const edit = (json: string): string | undefined => editEvent(protocol, json, model, stripUsage ?? false);
  switch (stream) {
    case 'sse':
      return sseRewriter(edit);
    case 'json-array':
      return arrayRewriter(edit);
    case 'none':
      return wholeRewriter(edit);
  }
}

type EditEvent = (json: string) => string | undefined;

/** The event's new text, the same text when nothing changes, or undefined to leave it out. */
function editEvent(
  protocol: Protocol,
  json: string,
  model: string | undefined,
  stripUsage: boolean,
): string | undefined {
  let text = json;
  if (stripUsage && text.includes('"usage"')) {
    const event = parseJson(text);
    const choices = listAt(event, 'choices');
    if (choices.length === 0 && objectAt(event, 'usage') !== undefined) return undefined;
    text = withoutMember(Buffer.from(text), 'usage').toString('utf8');
  }
  if (model !== undefined && text.includes('odel')) {
    const bytes = Buffer.from(text);
    const value = JSON.stringify(model);
    text = applyEdits(
      bytes,
      CODECS[protocol].modelPaths.flatMap((path) => replaceAt(bytes, path, value)),
    ).toString('utf8');
  }
  return text;
}

function sseRewriter(edit: EditEvent): ResponseRewriter {
  const splitter = createSseSplitter();
  const rewrite = (record: SseRecord): Buffer[] => {
    if (record.data === undefined || record.data === '[DONE]') return [record.raw];
    const edited = edit(record.data);
    if (edited === undefined) return [];
    if (edited === record.data) return [record.raw];
    const name = record.event === undefined ? '' : `event: ${record.event}\n`;
    return [Buffer.from(`${name}data: ${edited}\n\n`)];
  };
  return {
    push: (chunk) => joined(splitter.push(chunk).flatMap(rewrite)),
    end: () => joined(splitter.flush().flatMap(rewrite)),
  };
}

function arrayRewriter(edit: EditEvent): ResponseRewriter {
  const splitter = createJsonArraySplitter();
  const rewrite = ({ raw, element }: { raw: Buffer; element: string | undefined }) =>
    element === undefined ? raw : Buffer.from(edit(element) ?? element);
  return {
    push: (chunk) => joined(splitter.push(chunk).map(rewrite)),
    end: () => joined(splitter.flush().map(rewrite)),
  };
}

function wholeRewriter(edit: EditEvent): ResponseRewriter {
  const chunks: Buffer[] = [];
  return {
    push(chunk) {
      chunks.push(chunk);
      return undefined;
    },
    end() {
      const text = Buffer.concat(chunks).toString('utf8');
      return Buffer.from(edit(text) ?? text);
    },
  };
}

const joined = (parts: readonly Buffer[]): Buffer | undefined =>
  parts.length === 0 ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts);
