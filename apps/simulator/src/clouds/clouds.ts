import type { FastifyInstance } from 'fastify';
import type { BackgroundResponses } from '../background-responses.ts';
import { openaiError } from '../formats/openai-error.ts';
import { addAwsIdentity } from './aws-identity.ts';
import { type AwsKeys, createAwsKeys } from './aws-keys.ts';
import { addAzureDoors } from './azure-doors.ts';
import { addAzureIdentity } from './azure-identity.ts';
import { addBedrockDoors } from './bedrock-doors.ts';
import { type BearerTokens, createBearerTokens } from './bearer-tokens.ts';
import type { Serve, ServeMethod } from './door.ts';
import { createCloudState, parseFaults } from './faults.ts';
import { addGoogleIdentity } from './google-identity.ts';
import { addModelLists } from './model-lists.ts';
import { addVertexAnthropicDoors } from './vertex-anthropic-doors.ts';
import { addVertexGeminiDoors } from './vertex-doors.ts';

const AWS_SERVICES = ['bedrock', 'bedrock-mantle', 'aws-external-anthropic'];

/** Who may use the clouds' doors. */
interface CloudIdentities {
  readonly keys: AwsKeys;
  readonly tokens: BearerTokens;
}

/** Adds three clouds: what gives out their tokens and keys, their doors, and how they are told to misbehave. */
export function addClouds(
  server: FastifyInstance,
  serve: Serve,
  background: BackgroundResponses,
  serveMethod: ServeMethod,
): CloudIdentities {
  const state = createCloudState();
  const tokens = createBearerTokens(state);
  const keys = createAwsKeys(state);
  addGoogleIdentity(server, state, tokens);
  addAzureIdentity(server, state, tokens);
  addAwsIdentity(server, state, keys);
  addAzureDoors(server, serve, tokens, background);
  addVertexGeminiDoors(server, { serve, serveMethod }, tokens);
  addVertexAnthropicDoors(server, serve, tokens);
  addBedrockDoors(server, serve, keys);
  addModelLists(server, keys, tokens);

  // Whoever dates a signature wrong learns from this by how much.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (state.faults.skew_s !== undefined) void reply.header('date', new Date(state.now()).toUTCString());
    done(null, payload);
  });

  /** Says who signed a request, whatever it asks for. */
  server.post('/__sim/clouds/signed/*', ({ method, url, headers, body }, reply) => {
    const verified = keys.verify({ method, url, headers, body: String(body ?? '') }, AWS_SERVICES);
    if (!verified.ok)
      return reply.code(verified.status).send({ type: verified.type, message: verified.message });
    const { account, region, service } = verified;
    return { account, region, service };
  });

  server.get('/__sim/clouds', () => ({ issued: state.issued, faults: state.faults }));
  server.put('/__sim/clouds', (request, reply) => {
    try {
      state.faults = parseFaults(String(request.body));
    } catch (error) {
      return reply.code(400).send(openaiError(400, (error as Error).message));
    }
    return reply.code(204).send();
  });
  server.delete('/__sim/clouds', (_request, reply) => {
    state.faults = {};
    Object.assign(state.issued, { aws: 0, google: 0, azure: 0 });
    tokens.clear();
    keys.clear();
    return reply.code(204).send();
  });
  return { keys, tokens };
}
