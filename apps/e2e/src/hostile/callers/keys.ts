// Proves: a key that is wrong in any way is a 401 or, soon, a 429, never an error of ours, and is never written down; the
// right one of somebody else is of no use with another header, and a held key goes on working beside them.
import { randomBytes } from 'node:crypto';
import { GOOD } from '../../call.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';

const random = (length: number): string =>
  randomBytes(length).toString('base64url').replace(/[-_]/g, 'a').slice(0, length);

/** Headers that hold no key that is good. */
const WRONG_KEYS = (right: string): Readonly<Record<string, Record<string, string | string[]>>> => ({
  none: {},
  'an empty bearer': { authorization: 'Bearer ' },
  'a bearer without a space': { authorization: `Bearer${right}` },
  'two spaces and nothing': { authorization: 'Bearer   ' },
  basic: { authorization: `Basic ${Buffer.from(`key:${right}`).toString('base64')}` },
  digest: { authorization: `Digest username="a", response="${right}"` },
  'a token that is no key': { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
  'a key without its beginning': { authorization: `Bearer ${right.slice(3)}` },
  'a key without its end': { authorization: `Bearer ${right.slice(0, -1)}` },
  'a key with a letter more': { authorization: `Bearer ${right}a` },
  'a key in other letters': { authorization: `Bearer ${right.toUpperCase()}` },
  'a key with a letter changed': {
    authorization: `Bearer ${right.slice(0, -1)}${right.endsWith('a') ? 'b' : 'a'}`,
  },
  'a key in quotes': { authorization: `Bearer "${right}"` },
  'a key that is encoded': { authorization: `Bearer ${encodeURIComponent(`${right}/`)}` },
  'a key with another behind a comma': { authorization: `Bearer ${right},${right}` },
  'two keys that differ': { authorization: `Bearer ${right}`, 'x-api-key': `sk-${random(48)}` },
  'two other keys that differ': { 'x-goog-api-key': right, 'x-api-key': `sk-${random(48)}` },
  'an empty x-api-key': { 'x-api-key': '' },
  'a long key': { authorization: `Bearer sk-${'a'.repeat(8_000)}` },
  'an SQL text': { authorization: "Bearer ' OR '1'='1" },
  'a glob': { authorization: 'Bearer sk-*' },
  'a pattern': { authorization: 'Bearer %' },
  'a name of objects': { authorization: 'Bearer __proto__' },
  'the word null': { authorization: 'Bearer null' },
  'the word undefined': { authorization: 'Bearer undefined' },
  'a hash of a key': { authorization: `Bearer ${'0'.repeat(64)}` },
  'a key in a cookie': { cookie: `authorization=Bearer ${right}; x-api-key=${right}` },
  'a key in x-forwarded-authorization': { 'x-forwarded-authorization': `Bearer ${right}` },
  'a key in x-original-authorization': { 'x-original-authorization': `Bearer ${right}` },
  'a key in proxy-authorization': { 'proxy-authorization': `Bearer ${right}` },
});

/** More than any machine needs that makes two in a second: one of them is given back in that time. */
const MAX_GUESSES = 300;

export const keys: HostileArea = {
  name: 'callers/keys',
  proves: 'what is not a good key opens nothing, however it is sent and however often',
  cases({ key, send }) {
    const ask = (headers: Record<string, string | string[]>, from?: string) =>
      send(GOOD.chat.path, { headers, body: GOOD.chat.body, ...(from ? { from } : {}) });
    let nextAddress = 1;
    const wrong = Object.entries(WRONG_KEYS(key.key)).map(([name, headers]): HostileCase => ({
      name,
      async run() {
        // Each from another address: the limit of wrong keys is for one.
        const from = `127.9.1.${(nextAddress += 1)}`;
        const { status, text } = await ask(headers, from);
        must(status === 401 || status === 400, () => `${status} ${text.slice(0, 200)}`);
        must(!text.includes(key.key.slice(3)), () => 'the answer repeats the key');
      },
    }));
    const queries: HostileCase[] = ['api_key', 'access_token', 'token'].map((name) => ({
      name: `the key in the query as ${name}, on a route that takes none there`,
      async run() {
        const { status } = await send(`${GOOD.chat.path}?${name}=${key.key}`, {
          body: GOOD.chat.body,
          from: '127.9.1.250',
        });
        must(status === 401 || status === 404 || status === 400, () => `answered ${status}`);
      },
    }));
    const claims: HostileCase[] = [
      'x-forwarded-for',
      'x-real-ip',
      'forwarded',
      'cf-connecting-ip',
      'true-client-ip',
    ].map((name) => ({
      name: `guesses with another ${name} each are counted as those of one`,
      async run() {
        const from = `127.9.2.${(nextAddress += 1)}`;
        const statuses: number[] = [];
        for (let n = 0; n < MAX_GUESSES && statuses.at(-1) !== 429; n += 1)
          statuses.push(
            (await ask({ authorization: `Bearer sk-${random(48)}`, [name]: `203.0.113.${n}` }, from)).status,
          );
        must(
          statuses.every((status) => status === 401 || status === 429),
          () => statuses.join(),
        );
        must(statuses.at(-1) === 429, () => 'guessing is not stopped');
        const held = await ask({ authorization: `Bearer ${key.key}` }, from);
        must(held.status === 200, () => `a good key beside the guesses got ${held.status}`);
      },
    }));
    return [...wrong, ...queries, ...claims];
  },
};
