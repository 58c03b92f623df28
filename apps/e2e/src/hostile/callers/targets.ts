// Proves: no way of writing a path shows what the services behind keep for themselves (metrics, health), leaves the
// directory of the console, or is an error of ours.
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { sendRaw, statusesIn } from '../send.ts';

const DOTS = ['..', '%2e%2e', '.%2e', '%2E.', '%252e%252e', '..;', '..%3b', '%c0%ae%c0%ae', '..%00', '\\..'];
const BEGINNINGS = ['/api/', '/api/pricing/', '/assets/', '/v1/models/'];
const ENDINGS = ['metrics', 'readyz'];

const CLIMBS = BEGINNINGS.flatMap((beginning) =>
  DOTS.flatMap((dots) => ENDINGS.map((ending) => `${beginning}${dots}/${ending}`)),
);

const ODD = [
  '/api/..%2fmetrics',
  '/api/..%5cmetrics',
  '/api//metrics',
  '//metrics',
  '/api/%2fmetrics',
  '/api/%00',
  '/api/status%00.json',
  '/api/status%0d%0aset-cookie:%20a=b',
  '/api/status%0a',
  '/api/%',
  '/api/%zz',
  '/api/%25',
  '/%2561pi/status',
  '/v1/models/%25',
  '/v1beta/models/a%25b',
  '/v1/models/..%2f..%2fetc%2fpasswd',
  '/v1/models/%2e%2e%2f%2e%2e%2fmetrics',
  '/v1beta/models/..:generateContent',
  '/v1beta/models/%2e%2e:generateContent',
  '/assets/../../../../etc/passwd',
  '/assets/..%2f..%2f..%2fetc%2fpasswd',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/assets/....//....//package.json',
  'http://127.0.0.1/metrics',
  'http://evil.example/api/status',
  'file:///etc/passwd',
  '*',
  '/api/status#/../metrics',
  '/api/accounts/%ff%fe',
  `/api/${'a/'.repeat(2_000)}`,
  `/${'a'.repeat(8_000)}`,
  `/api/usage?from=${'9'.repeat(4_000)}`,
  '/api/usage?%00=%00',
  '/api/pricing?version=%00',
  '/api/pricing?version=1&version=2',
  '/api/pricing?version[]=1',
  '/api/pricing?__proto__[a]=1',
];

/** Who claims to be somebody that metrics are for. */
const CLAIMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'somebody behind a proxy': { 'x-forwarded-for': '127.0.0.1' },
  'somebody behind two': { 'x-forwarded-for': '8.8.8.8, 127.0.0.1' },
  'somebody who says it in another way': { forwarded: 'for=127.0.0.1;proto=http' },
  'somebody who came via a proxy': { via: '1.1 evil.example' },
  'somebody with a made-up token': { authorization: 'Bearer 0123456789abcdef0123456789abcdef' },
  'somebody with the token of nobody': { authorization: 'Bearer undefined' },
};

export const targets: HostileArea = {
  name: 'callers/targets',
  proves: 'no spelling of a path reaches what is not for the public, and none is an error of ours',
  cases: ({ at, from, send }) => [
    ...[...CLIMBS, ...ODD].map((target): HostileCase => ({
      name: target.length > 80 ? `${target.slice(0, 40)}… (${target.length})` : target,
      async run() {
        const bytes = `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`;
        const text = await sendRaw(at.baseUrl, bytes, 5_000, from);
        const [status] = statusesIn(text);
        must(status !== undefined && status < 500, () => text.slice(0, 300));
        must(!/# HELP|"checks"|root:x:|"workspaces"/.test(text), () => `it shows ${text.slice(0, 300)}`);
        must(!/^set-cookie:\s*a=b/im.test(text), () => 'a header was planted');
        must(/^x-content-type-options: nosniff\r$/im.test(text), () => 'a browser may guess what it is');
      },
    })),
    ...Object.entries(CLAIMS).map(([name, headers]): HostileCase => ({
      name: `the metrics, for ${name}`,
      async run() {
        // Like any other path that leads nowhere it is the page of the console.
        const { text } = await send('/metrics', { headers });
        must(!text.includes('# HELP'), () => 'it shows them');
      },
    })),
  ],
};
