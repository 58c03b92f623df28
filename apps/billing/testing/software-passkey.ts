import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

const FLAG = { present: 0x01, verified: 0x04, hasCredential: 0x40 } as const;

const sha256 = (data: Buffer | string): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string): string => Buffer.from(data).toString('base64url');

interface Ask {
  readonly challenge: string;
}

/** What a test makes the device, or whoever sits between it and us, do otherwise. */
export interface Otherwise {
  readonly origin?: string;
  readonly rpId?: string;
  readonly counter?: number;
  readonly isVerified?: boolean;
}

/** A passkey as a device makes and uses it, of ES256 and without an attestation. */
export class SoftwarePasskey {
  readonly id = randomBytes(16);
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  #counter = 0;

  constructor(readonly origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
  }

  /** What `navigator.credentials.create` answers. */
  create({ challenge }: Ask, otherwise: Otherwise = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = Buffer.concat([
      this.#authenticatorData(FLAG.hasCredential, otherwise),
      Buffer.alloc(16),
      length,
      this.id,
      this.#coseKey(),
    ]);
    // A map of three: fmt "none", an empty attStmt, authData.
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      Buffer.from([data.length >> 8, data.length & 0xff]),
      data,
    ]);
    return this.#answer({
      clientDataJSON: base64url(this.#clientData('webauthn.create', challenge, otherwise)),
      attestationObject: base64url(attestation),
      transports: ['internal'],
    });
  }

  /** What `navigator.credentials.get` answers. */
  use({ challenge }: Ask, otherwise: Otherwise = {}) {
    this.#counter += 1;
    const clientData = this.#clientData('webauthn.get', challenge, otherwise);
    const data = this.#authenticatorData(0, otherwise);
    return this.#answer({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#key)),
    });
  }

  #answer<T extends object>(response: T) {
    const id = base64url(this.id);
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
  }

  #clientData(type: string, challenge: string, { origin = this.origin }: Otherwise): string {
    return JSON.stringify({ type, challenge, origin, crossOrigin: false });
  }

  #authenticatorData(flags: number, { rpId, counter = this.#counter, isVerified = true }: Otherwise): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const all = flags | FLAG.present | (isVerified ? FLAG.verified : 0);
    return Buffer.concat([sha256(rpId ?? new URL(this.origin).hostname), Buffer.from([all]), count]);
  }

  /** A map of five: EC2, ES256, P-256, x and y. */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    return Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
  }
}
