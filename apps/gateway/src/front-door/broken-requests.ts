import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { relayError, renderError } from '@tollgate/protocols';
import { apiAnswerHeaders, newRequestId } from './request-id.ts';

const REASONS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come whole in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request are too large.'],
};

/** Answers what is no HTTP, or no request that could be read, and closes the connection. */
interface BrokenRequests {
  /** Must hear of every request that could be read. */
  watch(server: Server): void;
  answer(error: NodeJS.ErrnoException, socket: Socket): void;
}

/** @param mayTakeLonger whether the request of a connection that is out of time goes on. */
export function createBrokenRequests(mayTakeLonger: (socket: Socket) => boolean): BrokenRequests {
  const newest = new WeakMap<Socket, ServerResponse>();
  return {
    watch(server) {
      server.on('request', (request: IncomingMessage, response: ServerResponse) =>
        newest.set(request.socket, response),
      );
    },
    answer(error, socket) {
      if (error.code === 'ECONNRESET' || socket.destroyed) return;
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && mayTakeLonger(socket)) return;
      const before = newest.get(socket);
      // A second answer to a request that has one could be taken for that of somebody else's request.
      const isAnswered = before?.headersSent === true && !(before.writableFinished && before.shouldKeepAlive);
      if (socket.writable && !isAnswered) socket.write(answerTo(error));
      socket.destroy(error);
    },
  };
}

function answerTo({ code }: NodeJS.ErrnoException): string {
  const [status, message] = REASONS[code ?? ''] ?? [400, 'The request is not well-formed HTTP.'];
  const requestId = newRequestId();
  const { body } = renderError('openai-chat', relayError('invalid_request', message), requestId);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    ...Object.entries(apiAnswerHeaders(requestId)).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
