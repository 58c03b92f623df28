import { createHmac, randomBytes } from 'node:crypto';
import { Signer } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TRIES_PER_MINUTE, triesOfClient, type TryBucket } from './tries.ts';

const COOKIE = 'tollgate_device';
const MAX_AGE_S = 365 * 86_400;
/** People who share a browser; of more the one who signed in longest ago is forgotten. */
const MAX_PEOPLE = 5;
/** A browser's own name, then marks of the people who signed in with it. */
const FORM = /^[\w-]{22}(?:\.[\w-]{22}){1,5}$/;

interface Device {
  readonly id: string;
  readonly marks: readonly string[];
}

/**
 * Browsers that somebody has signed in with before, by a signed cookie. Their tries count for themselves, so that nobody
 * else can use up the tries of a person, or of an office behind one address, for them. The cookie opens nothing.
 */
export class KnownDevices {
  readonly #signer: Signer;

  /** @param secret the same on all replicas and after a restart; another one makes all browsers strangers. */
  constructor(private readonly secret: string) {
    this.#signer = new Signer(this.#derive('signature'));
  }

  /**
   * What a try from a browser counts against: the browser where the person who is named has signed in with it before (or
   * anybody has, where nobody is named); else the client, and the person besides.
   *
   * @param named `perMinute` is what all strangers together may try at one person.
   */
  triesOf(
    kind: string,
    request: FastifyRequest,
    named?: { readonly email: string; readonly perMinute: number },
  ): readonly TryBucket[] {
    const device = this.#read(request);
    if (device && (!named || device.marks.includes(this.#mark(named.email))))
      return [{ id: `${kind}:device:${device.id}`, perMinute: TRIES_PER_MINUTE }];
    const client = triesOfClient(kind, request);
    if (!named) return [client];
    return [client, { id: `${kind}:${named.email.toLowerCase()}`, perMinute: named.perMinute }];
  }

  /** Makes the browser one that is known for somebody who has just signed in with it. */
  remember(reply: FastifyReply, email: string): void {
    const { request } = reply;
    const mark = this.#mark(email);
    const { id, marks } = this.#read(request) ?? { id: randomBytes(16).toString('base64url'), marks: [] };
    const people = [mark, ...marks.filter((each) => each !== mark)].slice(0, MAX_PEOPLE);
    void reply.setCookie(COOKIE, this.#signer.sign([id, ...people].join('.')), {
      path: '/api/auth',
      httpOnly: true,
      sameSite: 'lax',
      secure: request.protocol === 'https',
      maxAge: MAX_AGE_S,
    });
  }

  #read({ cookies }: FastifyRequest): Device | undefined {
    const unsigned = this.#signer.unsign(cookies[COOKIE] ?? '');
    if (!unsigned.valid || !FORM.test(unsigned.value)) return undefined;
    const [id = '', ...marks] = unsigned.value.split('.');
    return { id, marks };
  }

  /** What the cookie says of a person: nobody reads an address from it. */
  #mark = (email: string): string => this.#derive(`person ${email.toLowerCase()}`).slice(0, 22);

  #derive = (what: string): string =>
    createHmac('sha256', this.secret).update(`${COOKIE} ${what}`).digest('base64url');
}
