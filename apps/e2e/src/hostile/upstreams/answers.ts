// Proves: whatever an upstream answers, its caller gets an answer or an error in the form that it knows, at its cost of a
// hold at most; none of the upstream's cookies, policies, secrets or sizes comes through, and the gateway lives.
import { gzipSync } from 'node:zlib';
import { CHAT_ANSWER, chatChunk, chatEnd } from '../../faults/raw-upstream.ts';
import { type HostileArea, type HostileCase, must } from '../area.ts';
import { type Misbehaviour, openHostileUpstream, raw, SECRET, stream, whole } from './hostile-upstream.ts';

const MIB = 1024 * 1024;

/** Headers that say something of the upstream's site, account or network, or would act in a browser. */
const HEADERS: Readonly<Record<string, string | string[]>> = {
  'set-cookie': ['session=planted', 'tollgate_session=planted; Path=/'],
  'content-security-policy': "default-src 'unsafe-inline' *",
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': 'true',
  'strict-transport-security': 'max-age=0',
  'clear-site-data': '"*"',
  'alt-svc': 'h3="evil.example:443"',
  refresh: '0; url=https://evil.example',
  location: 'https://evil.example',
  link: '<https://evil.example>; rel=preload',
  'www-authenticate': 'Basic realm="evil"',
  server: 'evil/1.0',
  via: '1.1 evil',
  'x-powered-by': 'evil',
  'openai-organization': 'org-of-the-operator',
  'x-ratelimit-limit-requests': '1',
  'x-request-id': 'chosen-by-the-upstream',
  'x-accel-redirect': '/etc/passwd',
  'x-sendfile': '/etc/passwd',
  'service-worker-allowed': '/',
  'report-to': '{"endpoints":[{"url":"https://evil.example"}]}',
  'content-disposition': 'attachment; filename=evil.exe',
  'x-content-type-options': 'sniff',
};

const FAULTS: Readonly<Record<string, Misbehaviour>> = {
  ...Object.fromEntries(
    Object.entries(HEADERS).flatMap(([name, value]) => [
      [`whole, with the header ${name}`, whole(CHAT_ANSWER, { [name]: value })],
      [`stream, with the header ${name}`, stream(chatChunk('Well') + chatEnd(4, 1), { [name]: value })],
    ]),
  ),
  'a page': whole('<html><script>alert(1)</script></html>', { 'content-type': 'text/html' }),
  'a page that says it is JSON': whole('<html><script>alert(1)</script></html>'),
  'an answer that says it is a page': whole(CHAT_ANSWER, { 'content-type': 'text/html' }),
  'a stream that says it is a page': stream(chatChunk('Well') + chatEnd(4, 1), {
    'content-type': 'text/html',
  }),
  'an answer that says it is a script': whole(CHAT_ANSWER, { 'content-type': 'application/javascript' }),
  'an answer that says it is a picture': whole(CHAT_ANSWER, { 'content-type': 'image/svg+xml' }),
  nothing: whole(''),
  'a null': whole('null'),
  'a list': whole('[]'),
  'a number': whole('7'),
  'half an answer': whole(CHAT_ANSWER.slice(0, 40)),
  'lists in lists': whole(`{"choices":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
  'choices that are a text': whole('{"choices":"many"}'),
  'choices of nothing': whole('{"choices":[null,7,"x",[]]}'),
  'objects by the names of prototypes': whole(
    '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"choices":[]}',
  ),
  'a header of 100 KB': whole(CHAT_ANSWER, { 'x-long': 'a'.repeat(100_000) }),
  'two thousand headers': whole(CHAT_ANSWER, { 'x-many': Array.from({ length: 2_000 }, () => 'a') }),
  'a bomb of gzip': whole(gzipSync(Buffer.alloc(80 * MIB, ' ')), { 'content-encoding': 'gzip' }),
  'gzip that is none': whole(CHAT_ANSWER, { 'content-encoding': 'gzip' }),
  'a packing that nobody knows': whole(CHAT_ANSWER, { 'content-encoding': 'evil' }),
  'a stream that is packed and is not': stream(chatChunk('Well'), { 'content-encoding': 'br' }),
  'a redirect inside': whole('', { location: 'http://169.254.169.254/' }, 302),
  'a redirect to itself': whole('', { location: '/' }, 307),
  'a permanent redirect': whole('', { location: 'https://evil.example/' }, 308),
  'not modified': whole('', {}, 304),
  'no content': whole('', {}, 204),
  'switching protocols': raw(
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: evil\r\nconnection: upgrade\r\n\r\n',
  ),
  'a status of 99': raw('HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n'),
  'a status of 999': raw('HTTP/1.1 999 High\r\ncontent-length: 0\r\n\r\n'),
  'two lengths': raw(`HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdef`),
  'a length beside chunks': raw(
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  ),
  'a negative length': raw('HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\nabcdef'),
  'a chunk without a size': raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n'),
  'a chunk beyond all sizes': raw(
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\na',
  ),
  'a header with a null': raw('HTTP/1.1 200 OK\r\nx-a: a\0b\r\ncontent-length: 2\r\n\r\n{}'),
  'a folded header': raw('HTTP/1.1 200 OK\r\nx-a: a\r\n b\r\ncontent-length: 2\r\n\r\n{}'),
  'no HTTP': raw('HELLO\r\n\r\n'),
  'the end at once': raw(''),
  'events without an end': stream(`data: ${'a'.repeat(3 * MIB)}`),
  'one line of a mebibyte': stream(chatChunk('a'.repeat(MIB)) + chatEnd(4, 1)),
  'events of nothing': stream('data:\n\ndata: \n\n:\n\n\n\n'),
  'events of garbage': stream('data: {"broken\n\ndata: [DONE]\n\n'),
  'events with a null': stream(`data: \0\n\n${chatEnd(4, 1)}`),
  'events of no UTF-8': stream(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])),
  'events of other names': stream('event: set-cookie\ndata: a=b\n\nretry: 0\nid: 1\n\n'),
  'an end before the beginning': stream('data: [DONE]\n\n'),
  'a stream that ends early': stream(chatChunk('Well')),
  'usage twice': stream(chatChunk('Well') + chatEnd(4, 1).replace('data: [DONE]\n\n', '') + chatEnd(5, 2)),
  'an event of lists in lists': stream(`data: {"choices":${'['.repeat(50_000)}${']'.repeat(50_000)}}\n\n`),
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 413, 422, 429, 500, 503].map((status) => [
      `${status} that repeats our secret`,
      whole(
        JSON.stringify({
          error: { message: `Incorrect API key provided: ${SECRET}`, type: 'x', code: SECRET },
        }),
        {},
        status,
      ),
    ]),
  ),
  'a secret in an answer of 400 that is no JSON': whole(
    `key ${SECRET} is wrong`,
    { 'content-type': 'text/plain' },
    400,
  ),
  'an error event that repeats our secret': stream(`data: {"error":{"message":"key ${SECRET}"}}\n\n`),
};

/** What never reaches a caller. */
const KEPT = ['planted', 'evil', 'org-of-the-operator', 'chosen-by-the-upstream', '/etc/passwd', SECRET];

export const answers: HostileArea = {
  name: 'upstreams/answers',
  proves: 'an upstream cannot say anything that harms the gateway, the caller or the operator',
  async cases(stack) {
    const { ask } = await openHostileUpstream(stack, FAULTS, stack.accountId);
    const cost = () => stack.send('/api/ledger/balance', { headers: { cookie: stack.people.member.cookie } });
    return Object.keys(FAULTS).map((name): HostileCase => ({
      name,
      async run() {
        const { status, headers, text } = await ask(name);
        must(status !== 429 || name.startsWith('429'), () => `no credit is left: ${text.slice(0, 200)}`);
        must(
          [200, 400, 404, 409, 413, 422, 429, 502, 503, 504].includes(status),
          () => `${status} ${text.slice(0, 200)}`,
        );
        const head = JSON.stringify(headers);
        for (const kept of KEPT)
          must(
            !head.includes(kept) && (kept === 'evil' || !text.includes(kept)),
            () => `${kept} reached the caller: ${head} ${text.slice(0, 300)}`,
          );
        must(
          /^(?:application\/json|text\/event-stream)/.test(String(headers['content-type'])),
          () => `the caller is told ${String(headers['content-type'])}`,
        );
        must((await cost()).status === 200, () => 'the console is away');
      },
    }));
  },
};
