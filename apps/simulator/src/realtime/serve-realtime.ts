import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import type { VendorBill } from '../bill/bill.ts';
import type { DefaultScripts } from '../default-scripts.ts';
import { bearer } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import type { Json } from '../question.ts';
import { findScript } from '../script.ts';
import { RealtimeSession } from './realtime-session.ts';

interface Shared {
  readonly scripts: DefaultScripts;
  readonly bill: VendorBill;
  readonly record: (request: { method: string; url: string; headers: Json; body: string }) => void;
}

const PATHS = new Set(['/v1/realtime', '/azure/openai/v1/realtime']);

/** OpenAI's `wss://…/v1/realtime`, at Azure's address too. */
export function addRealtime(server: FastifyInstance, { scripts, bill, record }: Shared): void {
  const opener = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const refuse = (socket: Socket, status: number, message: string, headers = ''): void => {
    const body = JSON.stringify(openaiError(status, message));
    socket.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  };
  server.server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => {});
    const { url = '', headers, method = 'GET' } = request;
    const [path = '', query = ''] = url.split('?');
    const remember = (body: string) => record({ method, url, headers, body });
    remember('');
    if (!PATHS.has(path)) return refuse(socket, 404, `Invalid URL (GET ${path})`);
    const key = headers['api-key'];
    const credential = typeof key === 'string' ? key : bearer(headers);
    if (!credential) return refuse(socket, 401, 'No credential was sent.');
    const params = new URLSearchParams(query);
    const model = params.get('model');
    if (!model) return refuse(socket, 400, 'You must provide a model parameter.');
    const written = headers['x-sim-script'];
    const script = findScript(
      '',
      typeof written === 'string' ? written : undefined,
      scripts.of({ credential, model }),
    );
    if (script.status !== undefined)
      return refuse(socket, script.status, `The simulator was told to fail with ${script.status}.`);
    opener.handleUpgrade(request, socket, head, (websocket) => {
      const notified = (event: string) => remember(event);
      void new RealtimeSession({
        websocket,
        model,
        script,
        notified,
        billed: (asked, lines) => bill.add(credential, asked, lines),
      });
    });
  });
  server.addHook('onClose', () => {
    for (const client of opener.clients) client.terminate();
  });
}
