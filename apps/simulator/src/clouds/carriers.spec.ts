import AnthropicBedrock from '@anthropic-ai/bedrock-sdk';
import AnthropicVertex from '@anthropic-ai/vertex-sdk';
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  CountTokensCommand,
  InvokeModelCommand,
} from '@aws-sdk/client-bedrock-runtime';
import * as genai3 from '@google/genai';
import * as genai2 from '@google/genai-2';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { OAuth2Client } from 'google-auth-library';
import { type RunningSimulator, startSimulator } from '../simulator.ts';
import { makeLongTermSecret } from './aws-keys.ts';

/** The clouds' own clients, and Anthropic's for them, are answered: so the doors are what they take them for. */
let simulator: RunningSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const MODEL = 'us.anthropic.claude-sonnet-4-20250514-v1:0';
const KEY = 'AKIASIMCARRIERS';
describe('Amazon’s own client of Bedrock', () => {
  const client = (secretAccessKey = makeLongTermSecret(KEY)) =>
    new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: `${simulator.url}/aws/bedrock-runtime`,
      credentials: { accessKeyId: KEY, secretAccessKey },
      maxAttempts: 1,
      // Without TLS nobody can be asked for HTTP/2, which it speaks otherwise.
      requestHandler: new NodeHttpHandler(),
    });
  const asked = { modelId: MODEL, messages: [{ role: 'user' as const, content: [{ text: 'Hello there' }] }] };

  test('converses, whole and as a stream', async () => {
    const whole = await client().send(new ConverseCommand(asked));
    expect(whole.output?.message?.content).toEqual([{ text: 'Echo: Hello there' }]);
    expect(whole.stopReason).toBe('end_turn');
    const { stream = [] } = await client().send(new ConverseStreamCommand(asked));
    let said = '';
    let usage;
    for await (const event of stream) {
      said += event.contentBlockDelta?.delta?.text ?? '';
      usage = event.metadata?.usage ?? usage;
    }
    expect([said, usage]).toEqual(['Echo: Hello there', whole.usage]);
  });

  test('calls tools, and is given what they said', async () => {
    const toolConfig = {
      tools: [
        {
          toolSpec: {
            name: 'weather',
            inputSchema: { json: { type: 'object', properties: { city: { type: 'string' } } } },
          },
        },
      ],
    };
    const messages = [{ role: 'user' as const, content: [{ text: 'use tool' }] }];
    const { output, stopReason } = await client().send(
      new ConverseCommand({ modelId: MODEL, messages, toolConfig }),
    );
    expect(stopReason).toBe('tool_use');
    const call = output?.message?.content?.[0]?.toolUse;
    expect(call).toMatchObject({ name: 'weather', input: { city: 'Paris' } });
    const result = { toolUseId: call?.toolUseId, content: [{ text: 'sunny' }] };
    const next = await client().send(
      new ConverseCommand({
        modelId: MODEL,
        messages: [
          ...messages,
          { role: 'assistant', content: output?.message?.content },
          { role: 'user', content: [{ toolResult: result }] },
        ],
        toolConfig,
      }),
    );
    expect(next.output?.message?.content).toEqual([{ text: 'The tool says: sunny' }]);
  });

  test('is told errors under their names, before a stream and in it', async () => {
    await expect(client('wrong').send(new ConverseCommand(asked))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
    });
    await expect(
      client().send(new ConverseCommand({ ...asked, inferenceConfig: { temperature: 2 } })),
    ).rejects.toMatchObject({ name: 'ValidationException', $metadata: { httpStatusCode: 400 } });
    const words = 'Hello [[sim {"error_event_at":2}]]';
    const { stream = [] } = await client().send(
      new ConverseStreamCommand({ modelId: MODEL, messages: [{ role: 'user', content: [{ text: words }] }] }),
    );
    const readAll = async () => {
      for await (const _event of stream);
    };
    await expect(readAll()).rejects.toMatchObject({ name: 'InternalServerException' });
  });

  test('invokes models of Anthropic, and counts for both', async () => {
    const request = {
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'Hello there' }],
    };
    const { body } = await client().send(
      new InvokeModelCommand({ modelId: MODEL, body: JSON.stringify(request) }),
    );
    expect(JSON.parse(body.transformToString())).toMatchObject({ content: [{ text: 'Echo: Hello there' }] });
    const invokeModel = { body: Buffer.from(JSON.stringify(request)) };
    for (const input of [{ invokeModel }, { converse: { messages: asked.messages } }])
      await expect(client().send(new CountTokensCommand({ modelId: MODEL, input }))).resolves.toMatchObject({
        inputTokens: 2,
      });
  });

  test('is billed under the key that signed', async () => {
    const prices = { [MODEL]: { per_million: { input: '3', output: '15' } } };
    await fetch(`${simulator.url}/__sim/prices`, { method: 'PUT', body: JSON.stringify(prices) });
    await client().send(new ConverseCommand(asked));
    const bill = await fetch(`${simulator.url}/__sim/bill`);
    expect(await bill.json()).toMatchObject([
      { credential: KEY, requests: 1, amount_pico: '51000000', unpriced: [] },
    ]);
  });
});

describe('Anthropic’s client for Bedrock', () => {
  const client = (betas?: string) =>
    new AnthropicBedrock({
      awsAccessKey: KEY,
      awsSecretKey: makeLongTermSecret(KEY),
      awsRegion: 'us-east-1',
      baseURL: `${simulator.url}/aws/bedrock-runtime`,
      maxRetries: 0,
      ...(betas === undefined ? {} : { defaultHeaders: { 'anthropic-beta': betas } }),
    });
  const asked = {
    model: MODEL,
    max_tokens: 50,
    messages: [{ role: 'user' as const, content: 'Hello there' }],
  };

  test('is answered whole and as a stream', async () => {
    const whole = await client('context-1m-2025-08-07').messages.create(asked);
    expect(whole.content).toMatchObject([{ type: 'text', text: 'Echo: Hello there' }]);
    let said = '';
    for await (const event of await client().messages.create({ ...asked, stream: true }))
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') said += event.delta.text;
    expect(said).toBe('Echo: Hello there');
  });

  test('is refused for one beta that Bedrock does not know', async () => {
    await expect(
      client('context-1m-2025-08-07,prompt-caching-2024-07-31').messages.create(asked),
    ).rejects.toMatchObject({ status: 400, message: expect.stringContaining('invalid beta flag') as string });
  });
});

/** A client that has a token of the whole cloud platform. */
async function signInToGoogle(): Promise<OAuth2Client> {
  const token = await fetch(
    `${simulator.url}/computeMetadata/v1/instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/cloud-platform`,
    { headers: { 'metadata-flavor': 'Google' } },
  );
  const { access_token } = (await token.json()) as { access_token: string };
  const client = new OAuth2Client();
  client.setCredentials({ access_token });
  return client;
}

test.each([
  ['@google/genai 3', genai3],
  ['@google/genai 2', genai2 as unknown as typeof genai3],
])('%s is answered by Vertex, and embeds with models of both kinds', async (_version, { GoogleGenAI }) => {
  const { models } = new GoogleGenAI({
    vertexai: true,
    project: 'p',
    location: 'europe-west1',
    googleAuthOptions: { authClient: await signInToGoogle() },
    httpOptions: { baseUrl: `${simulator.url}/google`, apiVersion: 'v1', retryOptions: { attempts: 1 } },
  });
  const said = await models.generateContent({ model: 'gemini-3.5-flash', contents: 'Hello there' });
  expect(said.text).toBe('Echo: Hello there');
  for (const model of ['gemini-embedding-001', 'gemini-embedding-2', 'text-embedding-005']) {
    const config = { outputDimensionality: 3, taskType: 'CLUSTERING' };
    const { embeddings } = await models.embedContent({ model, contents: 'two words', config });
    expect(embeddings).toMatchObject([{ values: { length: 3 }, statistics: { tokenCount: 2 } }]);
  }
  await expect(
    models.generateImages({ model: 'imagen-4.0-generate-001', prompt: 'a' }),
  ).rejects.toMatchObject({
    status: 404,
  });
});

test('Anthropic’s client for Vertex is answered, whole and as a stream, and counts', async () => {
  const client = new AnthropicVertex({
    projectId: 'p',
    region: 'europe-west1',
    baseURL: `${simulator.url}/google/v1`,
    authClient: await signInToGoogle(),
    maxRetries: 0,
  });
  const asked = {
    model: 'claude-sonnet-4@20250514',
    max_tokens: 50,
    messages: [{ role: 'user' as const, content: 'Hello there' }],
  };
  const whole = await client.messages.create(asked);
  expect(whole.content).toMatchObject([{ type: 'text', text: 'Echo: Hello there' }]);
  let said = '';
  for await (const event of await client.messages.create({ ...asked, stream: true }))
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') said += event.delta.text;
  expect(said).toBe('Echo: Hello there');
  const { max_tokens: _max, ...counted } = asked;
  expect(await client.messages.countTokens(counted)).toMatchObject({ input_tokens: 2 });
});

test.each([
  [
    '/openai/v1/chat/completions',
    { model: 'openai.gpt-oss-120b', messages: [{ role: 'user', content: 'Hi' }] },
  ],
  ['/openai/v1/responses', { model: 'openai.gpt-oss-120b', input: 'Hi' }],
  [
    '/anthropic/v1/messages',
    { model: 'anthropic.claude-sonnet-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  ],
])('mantle answers %s to a Bedrock API key', async (path, body) => {
  const answer = await fetch(`${simulator.url}/aws/bedrock-mantle${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer key', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Echo: Hi')]);
});
