import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex, Readable } from 'node:stream';

/** A request as the steps of the relay read it: one of Node's HTTP server, or a message of a WebSocket. */
export interface ClientRequest extends Readable {
  readonly headers: IncomingHttpHeaders;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** All of its body has come. */
  readonly complete: boolean;
  /** Of a message of a WebSocket there is none. */
  readonly socket?: Duplex;
}

/** Where a request is answered: a response of Node's HTTP server, or what puts its events into messages of a WebSocket. */
export interface ClientResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
  readonly destroyed: boolean;
  readonly closed: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** How often it holds writes back for the end of the turn. */
  readonly writableCorked: number;
  uncork(): void;
  /** Whether each chunk is framed as HTTP does it. */
  chunkedEncoding: boolean;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  flushHeaders(): void;
  /** @returns whether more may be written before `drain`. */
  write(bytes: Buffer | string, encoding?: BufferEncoding): boolean;
  end(bytes?: Buffer | string, encoding?: BufferEncoding): unknown;
  destroy(): unknown;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  once(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
}
