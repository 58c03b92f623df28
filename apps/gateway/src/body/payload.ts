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

interface PayloadMemory {
  readonly lease: BodyLease;
  /** How many it holds. */
  readonly values: number;
  readonly upload?: Upload | undefined;
}

export function createPayload(whole: Buffer, parsed: Json, memory: PayloadMemory): Payload {
  return new HeldPayload(whole, parsed, memory);
}

/** A class, since V8 makes getters and symbols of an object literal one by one: that took as long as reading the body. */
class HeldPayload implements Payload {
  readonly upload: Upload | undefined;
  readonly #lease: BodyLease;
  readonly #values: number;
  readonly #length: number;
  #bytes: Buffer | undefined;
  #json: Json | undefined;
  #isCounted: boolean;
  #children: Payload[] | undefined;

  constructor(whole: Buffer, parsed: Json, { lease, values, upload }: PayloadMemory) {
    this.upload = upload;
    this.#lease = lease;
    this.#values = values;
    this.#length = whole.length;
    this.#bytes = whole;
    this.#json = parsed;
    this.#isCounted = lease.isLarge;
  }

  get bytes(): Buffer {
    if (!this.#bytes) throw new Error('the body of the request was let go');
    return this.#bytes;
  }

  get json(): Json {
    const { bytes } = this;
    return (this.#json ??= parseJson(bytes.toString('utf8')) as Json);
  }

  changed(bytes: Buffer, json: Json): Payload {
    // What it gives back is given back by this one.
    const give = () => this.used();
    const lease = { isLarge: this.#lease.isLarge, take: () => undefined, give, release: () => {} };
    const child = new HeldPayload(bytes, json, { lease, values: this.#values, upload: this.upload });
    (this.#children ??= []).push(child);
    return child;
  }

  take(more: number): RelayError | undefined {
    return more > SMALL_BODY_BYTES ? this.#lease.take(more) : undefined;
  }

  used(): void {
    if (!this.#lease.isLarge) return;
    if (this.#isCounted) this.#lease.give(parsedBytes(this.#length, this.#values));
    this.#isCounted = false;
    this.#json = undefined;
  }

  letGo(): void {
    this.#bytes = undefined;
    this.#json = undefined;
    this.upload?.[Symbol.dispose]();
    for (const child of this.#children ?? []) child.letGo();
  }

  [Symbol.dispose](): void {
    this.letGo();
    this.#lease.release();
  }
}
