import { createServer, type Server, type Socket } from 'node:net';

/** An upstream that answers with whatever bytes a test wants, by the first part of the request's path. */
export interface RawUpstream {
  readonly url: string;
  /** How many requests came for a fault. */
  readonly asked: (fault: string) => number;
  /** Of the bytes that a fault's answers had to send, those that the other side has taken. */
  readonly taken: (fault: string) => number;
  stop(): Promise<void>;
}

/** Writes an answer; `write` resolves false once the connection is gone. */
export type RawAnswer = (
  write: (bytes: string | Buffer) => Promise<boolean>,
  socket: Socket,
) => Promise<void> | void;

export async function startRawUpstream(answers: Readonly<Record<string, RawAnswer>>): Promise<RawUpstream> {
  const asked = new Map<string, number>();
  const taken = new Map<string, number>();
  const count = (counts: Map<string, number>, fault: string, by: number) =>
    counts.set(fault, (counts.get(fault) ?? 0) + by);
  const sockets = new Set<Socket>();

  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const [head = '', body] = text.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      if (body === undefined || body.length < length) return;
      text = '';
      const fault = /^POST \/([\w-]+)\//.exec(head)?.[1] ?? '';
      count(asked, fault, 1);
      const write = (bytes: string | Buffer) =>
        new Promise<boolean>((resolve) => {
          if (socket.destroyed) return resolve(false);
          socket.write(bytes, (error) => {
            if (!error) count(taken, fault, bytes.length);
            resolve(!error);
          });
        });
      void answers[fault]?.(write, socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (!address || typeof address !== 'object') throw new Error('the upstream has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked: (fault) => asked.get(fault) ?? 0,
    taken: (fault) => taken.get(fault) ?? 0,
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The head of an answer with these headers. */
export const head = (headers: Readonly<Record<string, string | number>>, status = '200 OK'): string =>
  `HTTP/1.1 ${status}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** A whole answer with a right length, unless another is given. */
export const whole = (type: string, body: string | Buffer, length = Buffer.byteLength(body)): Buffer =>
  Buffer.concat([Buffer.from(head({ 'content-type': type, 'content-length': length })), Buffer.from(body)]);

/** The head of a stream that ends with its connection. */
export const STREAM_HEAD = head({ 'content-type': 'text/event-stream', connection: 'close' });

export const CHAT_ANSWER = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Well' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 4, completion_tokens: 1, total_tokens: 5 },
});

const chatEvent = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`;

export const chatChunk = (content: string): string =>
  chatEvent({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

/** What ends a Chat stream, with so many tokens used. */
export const chatEnd = (prompt: number, completion: number): string =>
  chatEvent({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  chatEvent({
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  }) +
  'data: [DONE]\n\n';
