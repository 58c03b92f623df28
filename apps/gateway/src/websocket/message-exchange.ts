import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { createSseSplitter, type SseRecord } from '@tollgate/protocols';
import { withoutHopByHop } from '../forward/headers.ts';
import type { ClientRequest, ClientResponse } from '../relay/client-exchange.ts';
import { renderAnswer, selectHeaders, streamMember, withMembers } from './error-events.ts';

/** A message that asks for a response, as the POST that it stands for. */
export class MessageRequest extends Readable implements ClientRequest {
  readonly method = 'POST';
  readonly url = '/v1/responses';
  readonly complete = true;
  readonly headers: IncomingHttpHeaders;
  readonly #body: Buffer;

  constructor(handshake: IncomingHttpHeaders, body: Buffer) {
    super();
    this.headers = requestHeaders(handshake, body.length);
    this.#body = body;
  }

  override _read(): void {
    this.push(this.#body);
    this.push(null);
  }
}

/** Belongs to the opening of a connection, and to no request on it. */
const OF_THE_HANDSHAKE = /^(?:sec-websocket-|content-|expect$|accept$)/;
/** How a client says that it knows the WebSocket; upstreams are asked over HTTP. */
const BETA = /^responses_websockets=/;

/** What a client said when it opened a connection, as the headers of a POST with a body of so many bytes. */
function requestHeaders(handshake: IncomingHttpHeaders, length: number): IncomingHttpHeaders {
  const kept = Object.entries(withoutHopByHop(handshake)).filter(([name]) => !OF_THE_HANDSHAKE.test(name));
  const headers: IncomingHttpHeaders = Object.fromEntries(kept);
  const { 'openai-beta': beta } = headers;
  if (typeof beta === 'string') {
    const rest = beta.split(',').map((each) => each.trim());
    const others = rest.filter((each) => !BETA.test(each));
    if (others.length > 0) headers['openai-beta'] = others.join(', ');
    else delete headers['openai-beta'];
  }
  headers['accept'] = 'text/event-stream';
  headers['content-type'] = 'application/json';
  headers['content-length'] = String(length);
  return headers;
}

/** Where the messages of one response go. */
interface MessageSink {
  readonly streamId: string | undefined;
  /** @param sent is called when the message has left this process, or cannot leave it any more. */
  send(message: string, sent: () => void): void;
  /** Tells the client that somebody is there. */
  ping(): void;
  /** Sees each event before it is sent. */
  onEvent(event: SseRecord): void;
}

/**
 * Puts what the relay writes, a stream of events as HTTP carries it, into messages of a WebSocket. No more is taken than has
 * left this process, so that a client that reads slowly slows its upstream down.
 */
export class MessageResponse extends Writable implements ClientResponse {
  chunkedEncoding = false;
  headersSent = false;
  statusCode = 200;
  readonly #sink: MessageSink;
  readonly #splitter = createSseSplitter();
  readonly #whole: Buffer[] = [];
  #headers: Readonly<Record<string, string>> = {};
  #isFirst = true;

  constructor(sink: MessageSink) {
    super();
    this.#sink = sink;
    // A connection that ends while something is written to it is no fault of ours.
    this.on('error', () => {});
  }

  writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.statusCode = status;
    this.#headers = headers;
    this.headersSent = true;
  }

  flushHeaders(): void {
    this.headersSent = true;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (this.#isStream) return this.#pass(this.#splitter.push(chunk), done);
    this.#whole.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    if (this.#isStream) return this.#pass(this.#splitter.flush(), done);
    const answer = { status: this.statusCode, headers: this.#headers };
    const body = Buffer.concat(this.#whole).toString('utf8');
    this.#sink.send(renderAnswer(answer, body, this.#sink.streamId), done);
  }

  get #isStream(): boolean {
    return this.#headers['content-type']?.startsWith('text/event-stream') ?? false;
  }

  #pass(records: readonly SseRecord[], done: () => void): void {
    // Comments are for proxies, and `[DONE]` says what the last event said.
    const events = records.filter(({ data }) => data?.startsWith('{'));
    if (events.length === 0) {
      if (records.length > 0) this.#sink.ping();
      return done();
    }
    events.forEach((event, index) => {
      this.#sink.onEvent(event);
      this.#sink.send(this.#render(event), index === events.length - 1 ? done : () => {});
    });
  }

  /** The first event of a response says what its headers would have said. */
  #render({ data = '' }: SseRecord): string {
    const headers = this.#isFirst ? { headers: selectHeaders(this.#headers) } : {};
    this.#isFirst = false;
    return withMembers(data, { ...streamMember(this.#sink.streamId), ...headers });
  }
}
