import { parseJson, type RelayError } from '@tollgate/protocols';
import type { Upload } from '../upload/upload.ts';
import { type BodyLease, SMALL_BODY_BYTES } from './body-memory.ts';

/** A value as it is parsed takes so many bytes at least, however few it had. */
const VALUE_BYTES = 64;

type Json = Readonly<Record<string, unknown>>;

/**
 * The body of a request: as it came, and parsed. What a value takes once it is parsed is many times its bytes, so the values
 * of a large body are let go when its upstream's request is made, and the bytes when nobody can be tried any more.
 */
export interface Payload extends Disposable {
  readonly bytes: Buffer;
  /** Parsed again where it was let go. */
  readonly json: Json;
  /** Where it is a form, what of it is not JSON: its bytes are what {@link toFormJson} tells of it. */
  readonly upload: Upload | undefined;
  /** The same request said otherwise, let go with this one; it stands in the memory of this one. */
  changed(bytes: Buffer, json: Json): Payload;
  /** Counts so much more for this request, or nothing and says why. */
  take(bytes: number): RelayError | undefined;
  /** A request was made of it: where it is large its values are let go. */
  used(): void;
  /** An answer begins, or none comes: nobody needs it any more. */
  letGo(): void;
  /** The request has ended: what was counted for it is given back. */
  [Symbol.dispose](): void;
}

/** What the values of a body take beside its bytes. */
export const parsedBytes = (length: number, values: number): number => length + VALUE_BYTES * values;

export function createPayload(
  whole: Buffer,
  parsed: Json,
  memory: { readonly lease: BodyLease; readonly values: number; readonly upload?: Upload | undefined },
): Payload {
  const { lease, values, upload } = memory;
  let bytes: Buffer | undefined = whole;
  let json: Json | undefined = parsed;
  let isCounted = lease.isLarge;
  const children: Payload[] = [];
  const letGo = () => {
    bytes = undefined;
    json = undefined;
    upload?.[Symbol.dispose]();
    for (const child of children) child.letGo();
  };
  const used = () => {
    if (!lease.isLarge) return;
    if (isCounted) lease.give(parsedBytes(whole.length, values));
    isCounted = false;
    json = undefined;
  };
  return {
    get bytes() {
      if (!bytes) throw new Error('the body of the request was let go');
      return bytes;
    },
    get json() {
      if (!bytes) throw new Error('the body of the request was let go');
      return (json ??= parseJson(bytes.toString('utf8')) as Json);
    },
    upload,
    changed(otherBytes, otherJson) {
      // What it gives back is given back by this one.
      const through = { isLarge: lease.isLarge, take: () => undefined, give: used, release: () => {} };
      const child = createPayload(otherBytes, otherJson, { lease: through, values, upload });
      children.push(child);
      return child;
    },
    take: (more) => (more > SMALL_BODY_BYTES ? lease.take(more) : undefined),
    used,
    letGo,
    [Symbol.dispose]() {
      letGo();
      lease.release();
    },
  };
}
