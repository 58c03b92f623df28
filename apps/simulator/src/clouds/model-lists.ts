import type { FastifyInstance } from 'fastify';
import { gemini } from '../formats/gemini.ts';
import { AWS } from './aws-identity.ts';
import type { AwsKeys } from './aws-keys.ts';
import { findAwsAccount, tellAwsFault } from './bedrock-doors.ts';
import type { BearerTokens } from './bearer-tokens.ts';
import { GOOGLE, unauthenticated } from './google-identity.ts';
import { findGoogleAccount } from './vertex-doors.ts';

/** The clouds answer for any name; these are what somebody who looks may pick. */
const BEDROCK_MODELS = [
  { modelId: 'amazon.nova-lite-v1:0', providerName: 'Amazon', inferenceTypesSupported: ['ON_DEMAND'] },
  {
    modelId: 'amazon.nova-2-lite-v1:0',
    providerName: 'Amazon',
    inferenceTypesSupported: ['INFERENCE_PROFILE'],
  },
  { modelId: 'openai.gpt-oss-120b-1:0', providerName: 'OpenAI', inferenceTypesSupported: ['ON_DEMAND'] },
  {
    modelId: 'anthropic.claude-3-haiku-20240307-v1:0',
    providerName: 'Anthropic',
    inferenceTypesSupported: ['ON_DEMAND', 'PROVISIONED'],
  },
  {
    modelId: 'anthropic.claude-sonnet-5',
    providerName: 'Anthropic',
    inferenceTypesSupported: ['INFERENCE_PROFILE'],
  },
];
const BEDROCK_PROFILES = [
  'us.amazon.nova-2-lite-v1:0',
  'us.anthropic.claude-sonnet-5',
  'global.anthropic.claude-sonnet-5',
];
const VERTEX_MODELS: Readonly<
  Record<string, readonly { readonly name: string; readonly versionId: string }[]>
> = {
  google: [
    { name: 'gemini-2.5-flash', versionId: 'default' },
    { name: 'gemini-3.5-flash', versionId: 'default' },
    { name: 'gemini-embedding-001', versionId: 'default' },
  ],
  anthropic: [
    { name: 'claude-sonnet-5', versionId: 'default' },
    { name: 'claude-haiku-4-5', versionId: '20251001' },
  ],
};

/** Adds where Bedrock and Vertex list their models: at hosts and paths beside those of their models. */
export function addModelLists(server: FastifyInstance, keys: AwsKeys, tokens: BearerTokens): void {
  addBedrockLists(server, keys);
  addVertexLists(server, tokens);
}

/** AWS pages by any number of entries; a list of its models is always whole. */
function addBedrockLists(server: FastifyInstance, keys: AwsKeys): void {
  const invalid = (message: string) => ({ status: 400, type: 'ValidationException', message });
  server.get(`${AWS}/bedrock/foundation-models`, (request, reply) => {
    const account = findAwsAccount(request, keys, 'bedrock');
    if (typeof account !== 'string') return tellAwsFault(reply, account);
    const { byProvider, byInferenceType: type } = request.query as Record<string, string | undefined>;
    if (type !== undefined && !['ON_DEMAND', 'PROVISIONED'].includes(type))
      return tellAwsFault(
        reply,
        invalid("Value at 'byInferenceType' failed to satisfy constraint: [ON_DEMAND, PROVISIONED]"),
      );
    const modelSummaries = BEDROCK_MODELS.filter(
      ({ providerName, inferenceTypesSupported }) =>
        (byProvider === undefined || providerName.toLowerCase() === byProvider.toLowerCase()) &&
        (type === undefined || inferenceTypesSupported.includes(type)),
    );
    return {
      modelSummaries: modelSummaries.map((each) => ({ ...each, modelLifecycle: { status: 'ACTIVE' } })),
    };
  });
  server.get(`${AWS}/bedrock/inference-profiles`, (request, reply) => {
    const account = findAwsAccount(request, keys, 'bedrock');
    if (typeof account !== 'string') return tellAwsFault(reply, account);
    const { maxResults = '100', nextToken = '0' } = request.query as Record<string, string | undefined>;
    const size = Number(maxResults);
    if (!(Number.isInteger(size) && size >= 1 && size <= 1_000))
      return tellAwsFault(
        reply,
        invalid("Value at 'maxResults' failed to satisfy constraint: between 1 and 1000"),
      );
    const from = Number(nextToken);
    const inferenceProfileSummaries = BEDROCK_PROFILES.slice(from, from + size).map((inferenceProfileId) => ({
      inferenceProfileId,
      status: 'ACTIVE',
      type: 'SYSTEM_DEFINED',
    }));
    const isLast = from + size >= BEDROCK_PROFILES.length;
    return { inferenceProfileSummaries, ...(isLast ? {} : { nextToken: String(from + size) }) };
  });
}

/** Vertex lists the models of a publisher in its beta version alone, and of no project. */
function addVertexLists(server: FastifyInstance, tokens: BearerTokens): void {
  server.get(`${GOOGLE}/v1beta1/publishers/:publisher/models`, (request, reply) => {
    if (findGoogleAccount(request.headers, tokens) === undefined)
      return reply.code(401).send(unauthenticated('Expected OAuth 2 access token.'));
    const { publisher } = request.params as { publisher: string };
    const models = VERTEX_MODELS[publisher];
    if (models === undefined) return reply.code(404).send(gemini.error(404, 'Publisher not found.'));
    const { pageSize = '100', pageToken = '0' } = request.query as Record<string, string | undefined>;
    const [size, from] = [Number(pageSize), Number(pageToken)];
    if (!(Number.isInteger(size) && size > 0))
      return reply.code(400).send(gemini.error(400, 'Page size must be positive.'));
    return {
      publisherModels: models.slice(from, from + size).map(({ name, versionId }) => ({
        name: `publishers/${publisher}/models/${name}`,
        versionId,
        launchStage: 'GA',
      })),
      ...(from + size < models.length ? { nextPageToken: String(from + size) } : {}),
    };
  });
}
