/*
 * Libraries for other things than conversations, from the registry and unmodified: Cohere's SDK embeds and ranks on upstreams of its
 * own format and of others, and an agent of OpenAI's library speaks in a realtime session.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { waitFor } from '@tollgate/harness';
import { type Books, openBooks } from '../books.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { type RealtimeTests, startRealtimeTests } from '../realtime/realtime-tests.ts';
import { sharedStack } from '../shared-stack.ts';
import { catchError, makeFailingModels, TOLD_OF_UPSTREAM } from '../sdk/failing-models.ts';
import { makeTaskModels } from '../tasks/task-models.ts';
import { installClients } from './install.ts';

type ErrorClass = new (...args: never[]) => Error;

/** What the tests use of `cohere-ai`, which is not among the project's own packages. */
interface CohereLibrary {
  readonly CohereClientV2: new (options: object) => {
    embed(
      request: object,
      options?: object,
    ): Answer<{
      readonly embeddings: { readonly float: readonly number[][] };
      readonly meta: { readonly billedUnits: { readonly inputTokens: number } };
    }>;
    rerank(request: object): Answer<{ readonly results: readonly { readonly index: number }[] }>;
  };
  readonly Cohere: Readonly<Record<string, ErrorClass>>;
  readonly CohereError: ErrorClass;
}
type Answer<T> = Promise<T> & {
  withRawResponse(): Promise<{ readonly data: T; readonly rawResponse: Response }>;
};

/** What the tests use of `@openai/agents-realtime`. */
interface AgentsLibrary {
  readonly RealtimeAgent: new (options: object) => object;
  readonly RealtimeSession: new (agent: object, options: object) => RealtimeSession;
  tool(definition: object): object;
}
interface RealtimeSession {
  connect(options: object): Promise<void>;
  sendMessage(text: string): void;
  on(event: string, listener: (...args: unknown[]) => void): void;
  close(): void;
}

const at = sharedStack();
const installed = await installClients('libraries');
const load = createRequire(join(installed, 'package.json'));

const embeds = { operations: ['embed'], prices: { input: 120_000, output: 0 } };
const ranks = {
  operations: ['rerank'],
  prices: { input: 0, output: 0 },
  unit_prices: { rerank_units: 2_000_000_000 },
};
const atVendor = { per_million: { input: '0.12' }, per_thousand: { rerank: '2' } };
const protocols = ['openai-chat'];
const MODELS = {
  'embed-cohere': { model: embeds, upstream: { protocols, task_formats: { embed: 'cohere' } }, atVendor },
  'embed-openai': { model: embeds, upstream: { protocols }, atVendor },
  'embed-gemini': { model: embeds, upstream: { protocols: ['gemini'] }, atVendor },
  'rerank-cohere': { model: ranks, upstream: { protocols, task_formats: { rerank: 'cohere' } }, atVendor },
  'rerank-jina': { model: ranks, upstream: { protocols }, atVendor },
};

/** What of Cohere's library each status is; it has no class of its own for others. */
const CLASSES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  429: 'TooManyRequestsError',
  503: 'ServiceUnavailableError',
};

describe('cohere-ai', () => {
  const { Cohere, CohereClientV2, CohereError } = load('cohere-ai') as CohereLibrary;
  let simulator: OwnSimulator;
  let books: Books;
  let made: Awaited<ReturnType<typeof makeTaskModels<keyof typeof MODELS>>>;
  beforeAll(async () => {
    simulator = await startOwnSimulator();
    books = openBooks(at.databaseUrl);
    made = await makeTaskModels(at, simulator.url, MODELS);
  });
  afterEach(() => simulator.reset());
  afterAll(() => Promise.all([books.close(), simulator.close()]));

  const connect = (token = made.key) => new CohereClientV2({ environment: at.baseUrl, token, maxRetries: 0 });
  const embed = (more: object = {}, options: object = {}, client = connect()) =>
    client.embed(
      {
        model: made.names['embed-cohere'],
        texts: ['two words', 'three words here'],
        inputType: 'search_document',
        embeddingTypes: ['float'],
        ...more,
      },
      options,
    );
  const rerank = (name: 'rerank-cohere' | 'rerank-jina', query: string) =>
    connect().rerank({
      model: made.names[name],
      query,
      documents: ['Rome is in Italy', 'the capital of France is Paris', 'cheese'],
      topN: 2,
    });

  test.each(['embed-cohere', 'embed-openai', 'embed-gemini'] as const)('embeds on %s', async (name) => {
    const { data, rawResponse } = await embed({ model: made.names[name] }).withRawResponse();
    expect(data.embeddings.float).toHaveLength(2);
    const counted = data.meta.billedUnits.inputTokens;
    expect(counted).toBeGreaterThan(0);
    expect(await books.usage(rawResponse.headers.get('x-request-id') ?? '')).toMatchObject({
      operation: 'embed',
      usage_source: 'upstream',
      tokens_input: String(counted),
      cost_pico: String(counted * 120_000),
    });
  });

  test.each(['rerank-cohere', 'rerank-jina'] as const)('ranks on %s', async (name) => {
    const { data, rawResponse } = await rerank(name, 'capital of France').withRawResponse();
    expect(data.results.map(({ index }) => index)[0]).toBe(1);
    expect(data.results).toHaveLength(2);
    expect(await books.usage(rawResponse.headers.get('x-request-id') ?? '')).toMatchObject({
      operation: 'rerank',
      units_rerank_units: '1',
      cost_pico: '2000000000',
    });
  });

  test.each([
    ['a request', 'BadRequestError', () => embed({ texts: [] })],
    ['a model', 'BadRequestError', () => embed({ model: 'nobody' })],
    ['a key', 'UnauthorizedError', () => embed({}, {}, connect(`sk-${'x'.repeat(48)}`))],
    ['a query', 'BadRequestError', () => rerank('rerank-cohere', '')],
  ])('throws for %s that is wrong a %s', async (_what, name, ask) => {
    const error: unknown = await ask().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Cohere[name]);
    expect(error).toBeInstanceOf(CohereError);
  });

  test('throws for an upstream that fails the class of what is told, whatever is asked', async () => {
    const failing = await makeFailingModels(at, simulator);
    const client = connect(failing.key);
    const throwEach = (model: string) =>
      Promise.all(
        [
          embed({ model }, {}, client),
          client.rerank({ model, query: 'France', documents: ['Paris', 'Rome'] }),
        ].map(catchError),
      );
    for (const { upstream, other } of TOLD_OF_UPSTREAM) {
      const Thrown = Cohere[CLASSES[other] ?? ''] ?? CohereError;
      for (const error of await throwEach(failing.names[`fails-${upstream}`])) {
        expect(error).toBeInstanceOf(Thrown);
        expect(error).toMatchObject({ statusCode: other });
      }
    }
  });

  test('gives up one that hangs', async () => {
    await simulator.script({ hang: true });
    await expect(embed({}, { timeoutInSeconds: 1 })).rejects.toThrow('timeout');
  });
});

describe('@openai/agents-realtime', () => {
  const { RealtimeAgent, RealtimeSession, tool } = load('@openai/agents-realtime') as AgentsLibrary;
  let tests: RealtimeTests;
  beforeAll(async () => {
    tests = await startRealtimeTests(at);
  }, 60_000);
  afterAll(() => tests.end());

  test('an agent answers, calls a tool and goes on with its result', async () => {
    const called: unknown[] = [];
    const weather = tool({
      name: 'get_weather',
      description: 'Weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city'],
        additionalProperties: false,
      },
      strict: true,
      execute: (input: unknown) => {
        called.push(input);
        return 'Sunny';
      },
    });
    const agent = new RealtimeAgent({ name: 'Agent', instructions: 'Be brief', tools: [weather] });
    const model = tests.made.names.voice;
    const session = new RealtimeSession(agent, {
      transport: 'websocket',
      model,
      // By itself it asks for a transcription by a model that is not sold here.
      config: { outputModalities: ['text'], audio: { input: { transcription: null } } },
      tracingDisabled: true,
    });
    const ends: unknown[] = [];
    const errors: unknown[] = [];
    session.on('agent_end', (_context, _agent, output) => ends.push(output));
    session.on('error', (error) => errors.push(error));
    try {
      await session.connect({
        apiKey: tests.made.key,
        url: `${at.baseUrl.replace('http', 'ws')}/v1/realtime?model=${encodeURIComponent(model)}`,
      });
      session.sendMessage('Hello');
      await waitFor(() => ends.length > 0 || errors.length > 0, 'the answer', 20_000);
      expect({ ends, errors }).toEqual({ ends: [expect.stringContaining('Hello')], errors: [] });
      session.sendMessage('Please use tool');
      await waitFor(() => (called.length > 0 && ends.length > 1) || errors.length > 0, 'the tool', 20_000);
      expect({ called: called.length, errors }).toEqual({ called: 1, errors: [] });
    } finally {
      session.close();
    }
  });
});
