import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** What is no text and no bytes is sent as JSON. */
  readonly body?: unknown;
  /** An address of the loopback network to come from. */
  readonly from?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request on a connection of its own; the path goes out as it is written. */
export function send(url: string, path: string, sent: Sent = {}): Promise<Got> {
  const { body } = sent;
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        hostname,
        port,
        path,
        method: sent.method ?? (body === undefined ? 'GET' : 'POST'),
        agent: false,
        ...(sent.from === undefined ? {} : { localAddress: sent.from }),
        headers: {
          ...(bytes === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(bytes)) }),
          ...sent.headers,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        answer.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(bytes);
  });
}

/** Sends bytes as they are, and reads until the other side ends the connection or says nothing for a while. */
export function sendRaw(
  url: string,
  bytes: string | Buffer,
  quietMs = 2_000,
  from?: string,
): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: Number(port),
      ...(from === undefined ? {} : { localAddress: from }),
    });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => {});
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('close', () => resolve(text));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

/** The status of each answer in what came back. */
export const statusesIn = (text: string): readonly number[] =>
  [...text.matchAll(/(?:^|\n|\})HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));
