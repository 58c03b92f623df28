// Proves: bytes that could be taken for another number of requests than one are refused, and what follows them on the
// connection is not read as a request.
import { type HostileArea, must } from '../area.ts';
import { sendRaw, statusesIn } from '../send.ts';

const BODY = '{"email":"a@b.example","password":"x"}';
/** A second request that would be answered 200 if it were read. */
const HIDDEN = 'GET /api/status HTTP/1.1\r\nhost: hidden\r\nx-hidden: yes\r\n\r\n';

const post = (headers: string, body: string = BODY): string =>
  `POST /api/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n${body}`;
const get = (rest: string): string => `GET /api/status${rest}`;
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const LENGTH = `content-length: ${BODY.length}\r\n`;

/** Each is one request, and no right one; then comes the hidden one. */
const SMUGGLED: Readonly<Record<string, string>> = {
  'a length beside chunks': post(`${LENGTH}transfer-encoding: chunked\r\n`, chunk(BODY)),
  'chunks beside a length': post(`transfer-encoding: chunked\r\n${LENGTH}`, chunk(BODY)),
  'two lengths that differ': post(`content-length: 5\r\n${LENGTH}`),
  'two lengths that are the same': post(`${LENGTH}${LENGTH}`),
  'two lengths in one header': post(`content-length: ${BODY.length}, ${BODY.length}\r\n`),
  'a length with a sign': post(`content-length: +${BODY.length}\r\n`),
  'a negative length': post('content-length: -1\r\n'),
  'a length in hex': post('content-length: 0x26\r\n'),
  'a length with a point': post('content-length: 38.0\r\n'),
  'a length of words': post('content-length: many\r\n'),
  'a length without a number': post('content-length:\r\n'),
  'a length beyond all numbers': post('content-length: 99999999999999999999\r\n'),
  'a length with a space before the colon': post(`content-length : ${BODY.length}\r\n`),
  'a length with a null': post(`content-length: ${BODY.length}\0\r\n`),
  'two codings': post('transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n', chunk(BODY)),
  'the coding twice': post('transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n', chunk(BODY)),
  'chunked before another': post('transfer-encoding: chunked, identity\r\n', chunk(BODY)),
  'another before chunked': post('transfer-encoding: gzip, chunked\r\n', chunk(BODY)),
  'identity alone': post('transfer-encoding: identity\r\n', chunk(BODY)),
  'a coding that nobody knows': post('transfer-encoding: xchunked\r\n', chunk(BODY)),
  'chunked with a tab': post('transfer-encoding:\tchunked, identity\r\n', chunk(BODY)),
  'chunked with a vertical tab': post('transfer-encoding: \x0bchunked\r\n', chunk(BODY)),
  'chunked with a null': post('transfer-encoding: chunked\0\r\n', chunk(BODY)),
  'chunked in quotes': post('transfer-encoding: "chunked"\r\n', chunk(BODY)),
  'a folded coding': post('transfer-encoding:\r\n chunked\r\n', chunk(BODY)),
  'a folded header': post(`x-a: b\r\n c\r\n${LENGTH}`),
  'a coding with a space before the colon': post('transfer-encoding : chunked\r\n', chunk(BODY)),
  'a header without a name': post(`: empty\r\n${LENGTH}`),
  'a header without a colon': post(`nothing\r\n${LENGTH}`),
  'a header that begins with a space': post(` x-a: b\r\n${LENGTH}`),
  'a name with a null': post(`x\0a: b\r\n${LENGTH}`),
  'a name with a space': post(`x a: b\r\n${LENGTH}`),
  'a name in brackets': post(`x(a): b\r\n${LENGTH}`),
  'a value with a null': post(`x-a: b\0c\r\n${LENGTH}`),
  'a value with a bare return': post(`x-a: b\rc: d\r\n${LENGTH}`),
  'headers that end with a return alone': post(`x-a: b\r${LENGTH}`),
  'two hosts': post(`host: y\r\n${LENGTH}`),
  'no host': `POST /api/auth/login HTTP/1.1\r\ncontent-type: application/json\r\n${LENGTH}\r\n${BODY}`,
  'a chunk with a negative size': post('transfer-encoding: chunked\r\n', '-1\r\n\r\n0\r\n\r\n'),
  'a chunk with a size of words': post('transfer-encoding: chunked\r\n', 'xyz\r\n\r\n0\r\n\r\n'),
  'a chunk with a size beyond all numbers': post(
    'transfer-encoding: chunked\r\n',
    'fffffffffffffffff\r\n\r\n0\r\n\r\n',
  ),
  'a chunk with 0x': post('transfer-encoding: chunked\r\n', `0x26\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk that is longer than its size': post('transfer-encoding: chunked\r\n', `5\r\n${BODY}\r\n0\r\n\r\n`),
  'a chunk that does not end in a line': post(
    'transfer-encoding: chunked\r\n',
    `${BODY.length.toString(16)}\r\n${BODY}XX0\r\n\r\n`,
  ),
  'a method that nobody knows': 'SMUGGLE /api/status HTTP/1.1\r\nhost: x\r\n\r\n',
  'a method with a null': 'GE\0T /api/status HTTP/1.1\r\nhost: x\r\n\r\n',
  'a method in small letters': 'get /api/status HTTP/1.1\r\nhost: x\r\n\r\n',
  'a version that nobody knows': get(' HTTP/9.9\r\nhost: x\r\n\r\n'),
  'a version of letters': get(' HTTP/x.y\r\nhost: x\r\n\r\n'),
  'no version': get('\r\nhost: x\r\n\r\n'),
  'a preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'a target with a space': get(' x HTTP/1.1\r\nhost: x\r\n\r\n'),
  'a target with a null': get('\0 HTTP/1.1\r\nhost: x\r\n\r\n'),
  'no target': 'GET  HTTP/1.1\r\nhost: x\r\n\r\n',
  'TLS in place of HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'bytes of no meaning': '\xff\xfe\xfd\xfc\r\n\r\n',
  'a connection to elsewhere': 'CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n',
  'a header of 20 KiB': post(`x-a: ${'b'.repeat(20_480)}\r\n${LENGTH}`),
  'two hundred headers': post(`${Array.from({ length: 200 }, (_, n) => `x-${n}: b\r\n`).join('')}${LENGTH}`),
};

export const smuggling: HostileArea = {
  name: 'callers/smuggling',
  proves: 'a request that hides another one is refused, and the hidden one is not read',
  cases: ({ at, from }) =>
    Object.entries(SMUGGLED).map(([name, bytes]) => ({
      name,
      async run() {
        const text = await sendRaw(at.baseUrl, bytes + HIDDEN, 2_000, from);
        const statuses = statusesIn(text);
        must(
          statuses.length <= 1 && statuses.every((status) => status >= 400 && status !== 500),
          () => `answered ${statuses.join()}: ${text.slice(0, 300)}`,
        );
        must(!text.includes('"version"'), () => 'the hidden request was read');
      },
    })),
};
