import type { FastifyInstance } from 'fastify';
import type { StreamEvent } from '../formats/format.ts';
import { gemini } from '../formats/gemini.ts';
import { field, isObject, type Json, list } from '../question.ts';
import { isAskedAsGemini } from '../tasks/embed-vertex.ts';
import { Refused } from '../rules/rule.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import type { Serve, ServeMethod } from './door.ts';
import { CLOUD_PLATFORM, GOOGLE, unauthenticated } from './google-identity.ts';

const MODES = { generateContent: 'generate', streamGenerateContent: 'stream', countTokens: 'count' } as const;
/** What is no conversation. */
const TASK_VERBS = ['predict', 'embedContent'];

/** Imagen was shut down there on 30 June 2026, in favour of Gemini's models of pictures. */
const RETIRED = /^imagen/;

/** Who asks with a token of the whole cloud platform. */
export function findGoogleAccount(headers: Readonly<Record<string, unknown>>, tokens: BearerTokens) {
  const token = tokens.find(headers['authorization'], 'google');
  return token?.scope.split(' ').includes(CLOUD_PLATFORM) ? token.account : undefined;
}

/** Adds Gemini's models on Vertex. */
export function addVertexGeminiDoors(
  server: FastifyInstance,
  { serve, serveMethod }: { readonly serve: Serve; readonly serveMethod: ServeMethod },
  tokens: BearerTokens,
): void {
  for (const version of ['v1', 'v1beta1']) {
    const models = `${GOOGLE}/${version}/projects/:project/locations/:location/publishers/google/models/:call`;
    server.post(models, (request, reply) => {
      const { call, project } = request.params as Record<string, string>;
      const [, model, verb] = /^(.+):(\w+)$/.exec(call ?? '') ?? [];
      const mode = MODES[verb as keyof typeof MODES];
      const isTask = TASK_VERBS.includes(verb ?? '');
      if (model === undefined || !(verb !== undefined && (isTask || verb in MODES)) || RETIRED.test(model))
        return reply.code(404).send(gemini.error(404, 'Not found'));
      const account = findGoogleAccount(request.headers, tokens);
      if (account === undefined) {
        return reply
          .code(401)
          .send(
            unauthenticated('Request had invalid authentication credentials. Expected OAuth 2 access token.'),
          );
      }
      if (project === 'forbidden') {
        const message = `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/${project}'.`;
        return reply.code(403).send(gemini.error(403, message));
      }
      if (isTask && (verb === 'embedContent') !== isAskedAsGemini(model))
        return reply.code(400).send(gemini.error(400, `Model ${model} does not support the ${verb} method.`));
      const task = isTask || mode === 'generate' ? serveMethod(request, reply, account) : undefined;
      if (task) return task;
      const array = !/[?&]alt=sse(&|$)/.test(request.url);
      const tier = request.headers[TIER_HEADER];
      const unwrap = (body: Json) => withTier(refuseUnlikeVertex(body), tier);
      const door = { account, unwrap, whole: withTrafficType, events: tellTraffic };
      return serve(request, reply, { format: gemini, model, mode, array, door });
    });
  }
}

/** Vertex takes no turn without a role, and counts a request as it would be generated from. */
function refuseUnlikeVertex(body: Json): Json {
  const refuse = (message: string): never => {
    throw new Refused({ status: 400, message });
  };
  if ('generateContentRequest' in body) {
    refuse('Invalid JSON payload received. Unknown name "generateContentRequest": Cannot find field.');
  }
  for (const content of list(body['contents'])) {
    const role = field(content, 'role');
    if (role !== 'user' && role !== 'model') refuse('Please use a valid role: user, model.');
  }
  return body;
}

/** Google's own client writes the tier into the body, its documentation into this header. */
const TIER_HEADER = 'x-vertex-ai-llm-shared-request-type';
const TIERS = ['priority', 'flex'];

function withTier(body: Json, tier: unknown): Json {
  if (tier === undefined) return body;
  if (!TIERS.includes(String(tier)))
    throw new Refused({ status: 400, message: `Invalid value in the header ${TIER_HEADER}.` });
  return { ...body, serviceTier: tier };
}

const TRAFFIC: Readonly<Record<string, string>> = {
  priority: 'ON_DEMAND_PRIORITY',
  flex: 'ON_DEMAND_FLEX',
};

/** Vertex says how it charges in words of its own. */
function withTrafficType(whole: Json): object {
  const { usageMetadata: usage } = whole;
  if (!isObject(usage)) return whole;
  const { serviceTier, ...rest } = usage;
  const trafficType = TRAFFIC[String(serviceTier)] ?? 'ON_DEMAND';
  return { ...whole, usageMetadata: { trafficType, ...rest } };
}

const tellTraffic = (events: readonly StreamEvent[]): StreamEvent[] =>
  events.map((event) => ({ ...event, data: withTrafficType(event.data as Json) }));
