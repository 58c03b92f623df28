import { listOperations } from '@tollgate/catalogue';
import { CODECS, relayError, type RelayError } from '@tollgate/protocols';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { admit, type AdmissionDependencies } from '../admit/admit.ts';
import { rateHeaders } from '../admit/rate-headers.ts';
import { authenticate, type AuthenticationDependencies } from '../authenticate/authenticate.ts';
import { listVisibleModels } from '../route/visible-models.ts';
import { findClientFormat } from '../front-door/shared-route.ts';
import { answerUnknownPath } from '../front-door/not-found.ts';
import { apiAnswerHeaders } from '../front-door/request-id.ts';
import { splitQuery } from '../front-door/query.ts';
import { NO_PRICES } from '../relay/not-ready.ts';
import { sendError } from '../relay/send-error.ts';
import type { RoutedModel, RoutingTable } from '../route/routing-table.ts';

interface ModelDependencies extends AdmissionDependencies, AuthenticationDependencies {
  readonly table: () => RoutingTable | undefined;
}

/** The model lists, in the format of whoever asks; only models that the key may use. */
export function modelRoutes(fastify: FastifyInstance, deps: ModelDependencies): void {
  for (const prefix of ['/v1', '/v1beta']) {
    fastify.get(`${prefix}/models`, (request, reply) => answer(request, reply, deps, undefined));
    fastify.get(`${prefix}/models/*`, (request, reply) => {
      // An action of a model is asked for with POST.
      const { path } = splitQuery(request.url);
      if (CLIENT_PROTOCOLS.some((protocol) => CODECS[protocol].parsePath?.(path)))
        return answerUnknownPath(request, reply);
      // The router has decoded it.
      return answer(request, reply, deps, (request.params as { '*': string })['*']);
    });
  }
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ModelDependencies,
  name: string | undefined,
): Promise<void> {
  const { path, query, key: queryKey } = splitQuery(request.url);
  const protocol = findClientFormat(path, request.headers, queryKey);
  const { modelList } = CODECS[protocol];
  reply.hijack();
  const refuse = (error: RelayError, headers = {}) =>
    sendError(
      { incoming: request.raw, response: reply.raw, protocol, requestId: request.id },
      error,
      headers,
    );

  const { headers: sent, ip: clientAddress } = request;
  const authentication = await authenticate(deps, { headers: sent, queryKey, clientAddress });
  if (!authentication.ok) return refuse(authentication.error);
  const table = deps.table();
  if (!table) return refuse(NO_PRICES);
  const { key } = authentication;
  const admitted = await admit(deps, table, { clientAddress, key, protocol, tokens: 0 });
  const headers = rateHeaders(protocol, admitted.buckets);
  if (!admitted.ok) return refuse(admitted.error, headers);
  const models = listVisibleModels(table, key);
  if (!models)
    return refuse(
      relayError('invalid_group', `The group "${key.group}" of this API key does not exist any more.`),
      headers,
    );

  if (name === undefined) {
    const listed = [...models.values()].map((each) => describe(each, table));
    return send(
      reply,
      request.id,
      headers,
      modelList.renderList(listed, Object.fromEntries(new URLSearchParams(query))),
    );
  }
  const found = models.get(name);
  if (!found) {
    return refuse(
      relayError(
        'model_not_found',
        `The model "${name}" does not exist or is not available to this API key.`,
        { param: 'model' },
      ),
      headers,
    );
  }
  return send(reply, request.id, headers, modelList.renderModel(describe(found, table)));
}

const describe = ({ model }: RoutedModel, table: RoutingTable) => ({
  id: model.name,
  ownedBy: model.vendor,
  created: Math.floor(table.publishedAt / 1_000),
  displayName: model.name,
  description: model.description,
  operations: listOperations(model),
  ...(model.context_window === null ? {} : { contextWindow: model.context_window }),
  ...(model.max_output_tokens === null ? {} : { maxOutputTokens: model.max_output_tokens }),
});

function send(reply: FastifyReply, requestId: string, headers: Record<string, string>, body: unknown): void {
  const text = JSON.stringify(body);
  reply.raw.writeHead(200, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(text)),
    ...apiAnswerHeaders(requestId),
  });
  reply.raw.end(text);
}
