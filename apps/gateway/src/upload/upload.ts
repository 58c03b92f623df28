import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { JsonObject } from '@tollgate/protocols';
import type { SpooledBytes } from './spooled-bytes.ts';

/** One part of a form: a field, or a file. */
export interface UploadPart {
  readonly name: string;
  /** Undefined of a field. */
  readonly filename: string | undefined;
  readonly contentType: string;
  /** Where its bytes stand among those of all parts. */
  readonly start: number;
  readonly end: number;
  /** Of its bytes, 64 hexadecimal digits. */
  readonly sha256: string;
  /** What a field says, and of a file its first bytes. */
  readonly beginning: Buffer;
}

/** What is said otherwise of the fields of a form: another text, or nothing where it is left out. */
type FormChanges = Readonly<Record<string, string | undefined>>;

/** A form as it leaves. */
export interface UploadBody {
  readonly contentType: string;
  readonly length: number;
  /** All of it, as often as it is asked for. */
  readonly stream: () => Readable;
  /** Of all of it, 64 hexadecimal digits: reads it once. */
  readonly sha256: () => Promise<string>;
}

/** A form that was received: its disposal lets go of its bytes once nobody reads them any more. */
export interface Upload extends Disposable {
  readonly parts: readonly UploadPart[];
  /** The same form with some of its fields changed. */
  render(changes: FormChanges): UploadBody;
}

export const createUpload = (parts: readonly UploadPart[], content: SpooledBytes): Upload => ({
  parts,
  render: (changes) => renderForm(parts, content, changes),
  [Symbol.dispose]: () => content[Symbol.dispose](),
});

/**
 * A form as JSON, with what files are in place of their bytes: `filename`, `content_type`, `bytes`, `sha256`, and their first
 * bytes as `beginning` in base64. What stands there more than once, or has a name that ends in `[]`, is an array. Two forms
 * with the same JSON are the same form.
 */
export function toFormJson(parts: readonly UploadPart[]): JsonObject {
  const values = new Map<string, unknown[]>();
  for (const part of parts) {
    const known = values.get(part.name) ?? [];
    values.set(part.name, [...known, toValue(part)]);
  }
  return Object.fromEntries(
    [...values].map(([name, all]) => [name, all.length > 1 || name.endsWith('[]') ? all : all[0]]),
  );
}

const toValue = ({ filename, contentType, start, end, sha256, beginning }: UploadPart): unknown =>
  filename === undefined
    ? beginning.toString('utf8')
    : {
        filename,
        content_type: contentType,
        bytes: end - start,
        sha256,
        beginning: beginning.toString('base64'),
      };

type RenderedPart = { readonly head: Buffer } & (
  | { readonly text: Buffer }
  | { readonly start: number; readonly end: number }
);

/**
 * The form is written again, part by part, and not cut out of what came: what its upstream reads is what was read here, however
 * two servers might understand the same bytes.
 */
function renderForm(parts: readonly UploadPart[], content: SpooledBytes, changes: FormChanges): UploadBody {
  const boundary = `tollgate-${randomBytes(18).toString('hex')}`;
  const added = Object.entries(changes).filter(([name]) => parts.every((part) => part.name !== name));
  const changed = new Set<string>();
  const rendered: RenderedPart[] = added.flatMap(([name, text]) => renderField(boundary, name, text));
  for (const part of parts) {
    const { name, start, end } = part;
    if (!Object.hasOwn(changes, name)) rendered.push({ head: headOf(boundary, part), start, end });
    else if (!changed.has(name)) rendered.push(...renderField(boundary, name, changes[name]));
    changed.add(name);
  }
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = rendered.reduce((sum, part) => sum + part.head.length + sizeOf(part) + CRLF.length, 0);
  async function* write(): AsyncGenerator<Buffer> {
    for (const part of rendered) {
      yield part.head;
      if ('text' in part) yield part.text;
      else yield* content.read(part.start, part.end);
      yield CRLF;
    }
    yield end;
  }
  let hashed: Promise<string> | undefined;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length: length + end.length,
    stream: () => Readable.from(write(), { objectMode: false }),
    sha256: () => (hashed ??= hashAll(write())),
  };
}

async function hashAll(chunks: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
}

const CRLF = Buffer.from('\r\n');

const sizeOf = (part: RenderedPart): number => ('text' in part ? part.text.length : part.end - part.start);

function renderField(boundary: string, name: string, text: string | undefined): RenderedPart[] {
  if (text === undefined) return [];
  const head = headOf(boundary, { name, filename: undefined, contentType: PLAIN_TEXT });
  return [{ head, text: Buffer.from(text) }];
}

/** What a part is that does not say it (RFC 7578, 4.4). */
export const PLAIN_TEXT = 'text/plain';

function headOf(
  boundary: string,
  { name, filename, contentType }: Pick<UploadPart, 'name' | 'filename' | 'contentType'>,
): Buffer {
  const file = filename === undefined ? '' : `; filename="${escape(filename)}"`;
  const type = filename === undefined && contentType === PLAIN_TEXT ? '' : `Content-Type: ${contentType}\r\n`;
  return Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${escape(name)}"${file}\r\n${type}\r\n`,
  );
}

/**
 * As browsers write them (HTML, multipart/form-data), and backslashes and controls too: many servers take a backslash for an
 * escape of the quote behind it, and would read another name, such as `model`, in what stands behind that.
 */
const escape = (name: string): string =>
  name.replaceAll(/["\\\p{Cc}]/gu, (character) => encodeURIComponent(character));
