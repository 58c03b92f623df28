import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A form as it came to the vendor. */
interface ArrivedForm {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
}

const TEXT = JSON.stringify({ text: 'Hello', usage: { type: 'duration', seconds: 1 } });
const BUSY = JSON.stringify({ error: { message: 'busy', type: 'server_error' } });
const TOO_LARGE = JSON.stringify({ error: { message: 'too large', type: 'invalid_request_error' } });

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

type Conduct = (
  request: IncomingMessage,
  response: ServerResponse,
  arrived: ArrivedForm[],
) => Promise<void> | void;

const json = (response: ServerResponse, status: number, body: string) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);

/** What it does with a form, by the first part of the path. */
const CONDUCTS: Readonly<Record<string, Conduct>> = {
  async takes(request, response, arrived) {
    const { method = '', url = '', headers } = request;
    arrived.push({ method, url, headers, bytes: await readAll(request) });
    json(response, 200, TEXT);
  },
  'refuses-before': (_request, response) => void json(response, 503, BUSY),
  async 'refuses-after'(request, response) {
    await readAll(request);
    json(response, 503, BUSY);
  },
  breaks: (request) => void request.once('data', () => request.socket.destroy()),
  'finds-too-large': (_request, response) => void json(response, 413, TOO_LARGE),
  'answers-before': (_request, response) => void json(response, 200, TEXT),
};

/** A vendor that transcribes, and behaves as the first part of the path says. */
export async function startUploadVendor() {
  const arrived: ArrivedForm[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const conduct = request.url?.split('/')[1] ?? '';
    asked.push(conduct);
    request.on('error', () => {});
    void CONDUCTS[conduct]?.(request, response, arrived);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    /** How it behaved, request by request. */
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The bytes of the file in a form. */
export async function readFile({ headers, bytes }: ArrivedForm): Promise<Buffer> {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': headers['content-type'] ?? '' },
  }).formData();
  return Buffer.from(await (form.get('file') as File).arrayBuffer());
}
