import type { IncomingMessage } from 'node:http';
import { relayError } from '@tollgate/protocols';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { replyError } from './reply-error.ts';
import { findClientFormat } from './shared-route.ts';
import { splitQuery } from './query.ts';
import { faultOfTarget } from './target.ts';

/** What may stand in a request once: two of them are read in another way by every server. */
const ONCE = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'content-type',
  'content-encoding',
  'authorization',
  'x-api-key',
  'x-goog-api-key',
  'expect',
  'origin',
  'idempotency-key',
]);

/** A name or an address, and a port (RFC 9110, 7.2). */
const HOST = /^(?:[A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

const MAX_HEADERS = 100;

interface Fault {
  readonly status: number;
  readonly message: string;
}

/**
 * Refuses what two servers in a row could understand in different ways, before any route sees it: ambiguous framing,
 * headers that stand twice, targets that another server would resolve to another path.
 */
export function guardRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const fault = findHeaderFault(request.raw) ?? faultOf(faultOfTarget(request.raw.url ?? ''));
    if (fault) return refuse(request, reply, fault);
    done();
  });
}

/** Why the headers of a request are refused. Takes away what others could understand as another header. */
export function findHeaderFault({ rawHeaders, headers }: IncomingMessage): Fault | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS) {
    return { status: 431, message: `The request has more than ${MAX_HEADERS} headers.` };
  }
  if (headers.host !== undefined && !HOST.test(headers.host))
    return faultOf('The Host is no name of a host.');
  const twice = namedTwice(rawHeaders, headers);
  if (twice !== undefined) return faultOf(`The header ${twice} stands in the request twice.`);
  // Servers of the CGI kind take "x_api_key" for "x-api-key": nobody behind us gets to see it.
  for (const name in headers) if (name.includes('_')) delete headers[name];
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (coding.trim().toLowerCase() !== 'chunked')
    return faultOf('The only Transfer-Encoding that is understood is "chunked".');
  if (headers['content-length'] !== undefined)
    return faultOf('The request has both a Content-Length and a Transfer-Encoding.');
  return undefined;
}

/** A header of {@link ONCE} that stands twice. Where all headers have names of their own, as nearly always, none needs a look. */
function namedTwice(
  rawHeaders: readonly string[],
  headers: Readonly<Record<string, unknown>>,
): string | undefined {
  let distinct = 0;
  for (const _name in headers) distinct += 1;
  if (2 * distinct === rawHeaders.length) return undefined;
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    if (ONCE.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

const faultOf = (message: string | undefined): Fault | undefined =>
  message === undefined ? undefined : { status: 400, message };

/** Whatever follows on the connection cannot be trusted to be where a request begins. */
function refuse(request: FastifyRequest, reply: FastifyReply, { status, message }: Fault): void {
  const { path, key } = splitQuery(request.url);
  const protocol = findClientFormat(path, request.headers, key);
  replyError(reply.header('connection', 'close'), protocol, relayError('invalid_request', message), status);
}
