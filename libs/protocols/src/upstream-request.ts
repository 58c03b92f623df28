import type { ClientProtocol, Protocol } from '@tollgate/vocabulary';
import { applyEdits, type Edit, findMembers, replaceAt, withoutMembers } from './json-spans.ts';
import type { UpstreamAction } from './protocol.ts';
import { CODECS } from './registry.ts';

/** Path and query of an operation below an upstream's base address, such as `/v1/chat/completions`. */
export const upstreamPath = (protocol: Protocol, target: { model: string; action: UpstreamAction }): string =>
  CODECS[protocol].upstreamPath(target);

/** Adds the headers that an upstream of this format requires, where they are missing. */
export function addDefaultHeaders(
  protocol: Protocol,
  headers: Record<string, string>,
): Record<string, string> {
  const { defaultHeaders } = CODECS[protocol];
  for (const name in defaultHeaders) headers[name] ??= defaultHeaders[name] ?? '';
  return headers;
}

/** Joins a base address and a path; a version prefix that stands in both appears once. */
export function joinUpstreamUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, '');
  const version = /^\/v1(?:beta)?(?=\/)/.exec(path)?.[0];
  return version !== undefined && base.endsWith(version) ? base + path.slice(version.length) : base + path;
}

/**
 * The body for an upstream: the caller's bytes, changed only where the model has another name there and where a stream
 * must report usage. The same Buffer when nothing changes.
 */
export function encodeUpstreamBody(
  protocol: ClientProtocol,
  body: Buffer,
  changes: { readonly model?: string; readonly includeUsage?: boolean },
): Buffer {
  const edits: Edit[] = [];
  if (changes.model !== undefined && CODECS[protocol].modelInBody) {
    edits.push(...replaceAt(body, ['model'], JSON.stringify(changes.model)));
  }
  if (changes.includeUsage) edits.push(...(CODECS[protocol].usageOnRequest?.ask(body) ?? []));
  return applyEdits(body, edits);
}

/** A JSON body in which every given top-level field has its value; all other bytes stay. The same Buffer without fields. */
export function setBodyFields(body: Buffer, fields: Readonly<Record<string, unknown>>): Buffer {
  if (isEmpty(fields)) return body;
  const given = Object.entries(fields);
  const members = findMembers(body);
  if (!members) return body;
  const added: string[] = [];
  const edits = given.flatMap(([name, value]): Edit[] => {
    const text = JSON.stringify(value);
    const existing = members.filter(({ key }) => key === name);
    if (existing.length === 0) added.push(`${JSON.stringify(name)}:${text}`);
    return existing.map(({ valueStart, valueEnd }) => ({ start: valueStart, end: valueEnd, bytes: text }));
  });
  if (added.length > 0) {
    const at = members[0]?.keyStart ?? body.indexOf('{') + 1;
    edits.push({ start: at, end: at, bytes: `${added.join(',')}${members.length > 0 ? ',' : ''}` });
  }
  return applyEdits(body, edits);
}

/** A JSON body with other top-level fields; those that are undefined are left out. The same Buffer when none is given. */
export function changeBodyFields(body: Buffer, changes: Readonly<Record<string, unknown>>): Buffer {
  if (isEmpty(changes)) return body;
  const removed = Object.keys(changes).filter((name) => changes[name] === undefined);
  const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const kept = removed.length > 0 ? withoutMembers(body, removed) : body;
  return setBodyFields(kept, set);
}

/** A JSON body with an operator's fields in place of the caller's; those that are null are taken away. */
export const overrideBodyFields = (body: Buffer, fields: Readonly<Record<string, unknown>>): Buffer =>
  isEmpty(fields)
    ? body
    : changeBodyFields(
        body,
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? undefined])),
      );

/** As nearly all requests and upstreams have it. */
function isEmpty(fields: Readonly<Record<string, unknown>>): boolean {
  for (const _name in fields) return false;
  return true;
}
