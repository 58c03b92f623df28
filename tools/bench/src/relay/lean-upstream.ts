// A process of its own: an upstream that costs as little as a Node server can. It answers every request with a fixed
// Chat answer, or with a stream whose events leave at a steady pace.
import { createServer, type Socket } from 'node:net';

const CRLF2 = Buffer.from('\r\n\r\n');
const STREAM = Buffer.from('"stream":true');
const PACE = /pace-(\d+)x(\d+)/;
/** A body that is longer is never one that wants a stream. */
const MAX_SEARCHED = 65_536;

const usage = { prompt_tokens: 250, completion_tokens: 200, total_tokens: 450 };
const base = { id: 'chatcmpl-lean', created: 1_760_000_000, model: 'lean', system_fingerprint: 'fp_lean' };
const answer = JSON.stringify({
  ...base,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'A relay passes on what it is given. '.repeat(6),
        refusal: null,
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage,
});
const WHOLE = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`,
);
const HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n\r\n',
);

const framed = (text: string): Buffer =>
  Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
const event = (delta: object, finish_reason: string | null, more: object = {}): Buffer =>
  framed(
    `data: ${JSON.stringify({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...more,
    })}\n\n`,
  );
const CHUNK = event({ content: ' token' }, null);
const LAST = Buffer.concat([
  event({}, 'stop'),
  framed(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`),
  framed('data: [DONE]\n\n'),
  Buffer.from('0\r\n\r\n'),
]);

interface Stream {
  readonly socket: Socket;
  left: number;
}
/** Streams of one pace share a timer. */
const paces = new Map<number, Set<Stream>>();

/**
 * The head comes a chunk's time after the request: a model takes some too. At once it is sometimes there before Go's reverse proxy
 * has looked for the end of the request's body, and that proxy then cuts the stream off (https://github.com/golang/go/issues/40747).
 */
function stream(socket: Socket, everyMs: number, chunks: number): void {
  setTimeout(() => begin(socket, everyMs, chunks), everyMs);
}

function begin(socket: Socket, everyMs: number, chunks: number): void {
  if (socket.destroyed) return;
  socket.write(HEAD);
  let together = paces.get(everyMs);
  if (!together) {
    const streams = (together = new Set());
    paces.set(everyMs, streams);
    setInterval(() => {
      for (const each of streams) {
        each.left -= 1;
        if (each.left >= 0) each.socket.write(CHUNK);
        else {
          each.socket.write(LAST);
          streams.delete(each);
        }
      }
    }, everyMs);
  }
  const each = { socket, left: chunks };
  together.add(each);
  socket.once('close', () => together.delete(each));
}

function reply(socket: Socket, body: Buffer): void {
  if (body.length > MAX_SEARCHED || !body.includes(STREAM)) return void socket.write(WHOLE);
  const [, everyMs = '5', chunks = '200'] = PACE.exec(body.toString('latin1')) ?? [];
  stream(socket, Number(everyMs), Number(chunks));
}

const server = createServer({ noDelay: true }, (socket) => {
  let parts: Buffer[] = [];
  let size = 0;
  /** Undefined while the head is not whole; null for a chunked body. */
  let bodyLength: number | null | undefined;
  let bodyAt = 0;
  const done = (body: Buffer) => {
    parts = [];
    size = 0;
    bodyLength = undefined;
    reply(socket, body);
  };
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    if (typeof bytes === 'string') return;
    parts.push(bytes);
    size += bytes.length;
    if (bodyLength === undefined) {
      const all = Buffer.concat(parts);
      const at = all.indexOf(CRLF2);
      if (at < 0) return;
      const head = all.toString('latin1', 0, at).toLowerCase();
      bodyAt = at + CRLF2.length;
      const length = /content-length: (\d+)/.exec(head)?.[1];
      bodyLength = length === undefined && head.includes('chunked') ? null : Number(length ?? 0);
    }
    if (bodyLength === null && !bytes.subarray(-7).includes('0\r\n\r\n')) return;
    if (bodyLength !== null && size < bodyAt + bodyLength) return;
    done(Buffer.concat(parts).subarray(bodyAt));
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
