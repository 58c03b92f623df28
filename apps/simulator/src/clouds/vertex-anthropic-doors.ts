import type { FastifyInstance } from 'fastify';
import { anthropicMessages } from '../formats/anthropic-messages.ts';
import { gemini } from '../formats/gemini.ts';
import { field, type Json, list } from '../question.ts';
import { Refused } from '../rules/rule.ts';
import { VERTEX_BETAS, VERTEX_COUNT_BETAS } from './betas.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import type { Serve } from './door.ts';
import { GOOGLE, unauthenticated } from './google-identity.ts';
import { findGoogleAccount } from './vertex-doors.ts';

/** Its own, or the vendor's own, which Anthropic's client sends in its place. */
const VERSION = /^(?:vertex-2023-10-16|\d{4}-\d{2}-\d{2})$/;
const MODES = { rawPredict: 'generate', streamRawPredict: 'stream' } as const;

/** Adds Anthropic's models on Vertex: their own requests, but for the model, which the path names, and the version. */
export function addVertexAnthropicDoors(server: FastifyInstance, serve: Serve, tokens: BearerTokens): void {
  const models = `${GOOGLE}/v1/projects/:project/locations/:location/publishers/anthropic/models/:call`;
  server.post(models, (request, reply) => {
    const [, model = '', verb = ''] = /^(.+):(\w+)$/.exec((request.params as { call: string }).call) ?? [];
    if (!Object.hasOwn(MODES, verb)) return reply.code(404).send(gemini.error(404, 'Not found'));
    const account = findGoogleAccount(request.headers, tokens);
    // Nobody's key of Anthropic is taken there.
    if (account === undefined || request.headers['x-api-key'] !== undefined) {
      const message = 'Request had invalid authentication credentials. Expected OAuth 2 access token.';
      return reply.code(401).send(unauthenticated(message));
    }
    const counts = model === 'count-tokens';
    const streams = MODES[verb as keyof typeof MODES] === 'stream';
    return serve(request, reply, {
      format: anthropicMessages,
      model: counts ? undefined : model,
      mode: counts ? 'count' : 'generate',
      array: false,
      door: {
        account,
        vendorHeaders: () => ({ 'anthropic-version': '2023-06-01' }),
        unwrap(body) {
          refuseBetas(String(request.headers['anthropic-beta'] ?? ''), counts);
          return unwrap(body, counts ? undefined : model, streams);
        },
      },
    });
  });
}

function refuseBetas(header: string, counts: boolean): void {
  const betas = header.split(',').flatMap((beta) => beta.trim() || []);
  const strange = betas
    .filter((beta) => !(counts ? VERTEX_COUNT_BETAS : VERTEX_BETAS).has(beta))
    .map((beta) => `\`${beta}\``);
  if (strange.length === 0) return;
  const message = `Unexpected value(s) ${strange.join(', ')} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`;
  throw new Refused({ status: 400, message });
}

function unwrap(body: Json, model: string | undefined, streams: boolean): Json {
  const refuse = (message: string): never => {
    throw new Refused({ status: 400, message });
  };
  const { anthropic_version: version, ...rest } = body;
  if (!VERSION.test(String(version))) refuse("anthropic_version: Input should be 'vertex-2023-10-16'");
  const untaken = list(rest['tools']).find((tool) =>
    /^(?:web_fetch|code_execution)_/.test(String(field(tool, 'type'))),
  );
  if (untaken !== undefined)
    refuse(`tools.0: Input tag '${String(field(untaken, 'type'))}' does not match any of the expected tags`);
  if (model === undefined) return rest;
  if (rest['model'] !== undefined) refuse('model: Extra inputs are not permitted');
  if ((rest['stream'] === true) !== streams) refuse('stream: it is asked for by streamRawPredict alone');
  return { ...rest, model };
}
