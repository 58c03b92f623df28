import type { IncomingHttpHeaders } from 'node:http';
import proxy from '@fastify/http-proxy';
import { relayError, renderError } from '@tollgate/protocols';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../config.ts';
import { withoutHopByHop } from '../forward/headers.ts';

/**
 * On one machine the gateway is the front door of the other services too; behind an ingress that routes `/api`
 * itself these routes see no traffic.
 */
export function proxyApi(fastify: FastifyInstance, config: GatewayConfig): void {
  void fastify.register((scope, _options, done) => {
    // Bodies go on as they come; the proxy brings parsers that leave them alone.
    scope.removeAllContentTypeParsers();
    proxyTo(scope, config);
    done();
  });
}

function proxyTo(fastify: FastifyInstance, config: GatewayConfig): void {
  const owners = [
    { prefix: '/api/pricing', upstream: config.PRICING_HTTP_URL },
    { prefix: '/api/catalogue', upstream: config.PRICING_HTTP_URL },
    { prefix: '/api', upstream: config.BILLING_HTTP_URL },
  ];
  for (const { prefix, upstream } of owners) {
    void fastify.register(proxy, {
      upstream,
      prefix,
      rewritePrefix: prefix,
      disableRequestLogging: true,
      replyOptions: {
        rewriteRequestHeaders: (request, headers) => ({
          ...withoutClaims(withoutHopByHop(headers)),
          'x-forwarded-for': request.ip,
          'x-forwarded-proto': request.protocol,
          // Sessions refuse an Origin of another host than the one that the browser sees.
          'x-forwarded-host': request.host,
          'x-request-id': request.id,
        }),
        rewriteHeaders: withoutHopByHop,
        onError: (reply) => {
          const error = relayError(
            'unavailable',
            'This part of the service is restarting. Try again shortly.',
            {
              retryAfterMs: 1_000,
            },
          );
          const rendered = renderError('openai-chat', error, reply.request.id);
          void reply
            .code(rendered.status)
            .headers({ ...rendered.headers, 'content-type': 'application/json; charset=utf-8' })
            .send(rendered.body);
        },
      },
    });
  }
}

/** What a caller says of where they come from; a proxy that we trust was heard already. */
const CLAIM =
  /^(?:x-forwarded-|forwarded$|via$|x-real-ip$|x-client-ip$|true-client-ip$|x-original-|x-rewrite-)/;

const withoutClaims = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CLAIM.test(name)));
