/*
 * The official SDKs of OpenAI and of Google throw the class that their users catch, for every operation and each status: what an
 * upstream fails with, told by a model for each status, and what the gateway refuses by itself.
 */
import * as genai3 from '@google/genai';
import * as genai2 from '@google/genai-2';
import OpenAI7, { toFile } from 'openai';
import OpenAI6 from 'openai-6';
import { Agent, setGlobalDispatcher } from 'undici';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { admin, makeKey, sharedStack } from '../shared-stack.ts';
import { catchError, makeFailingModels, TOLD_OF_UPSTREAM } from './failing-models.ts';

// The SDK asks the global object for fetch's dispatcher, and a Jest test has a global object of its own.
setGlobalDispatcher(new Agent());

const at = sharedStack();
let simulator: OwnSimulator;
let made: Awaited<ReturnType<typeof makeFailingModels>>;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  made = await makeFailingModels(at, simulator);
});
afterAll(() => simulator.close());

type Ask<Client> = (client: Client, model: string) => PromiseLike<unknown>;
interface Params {
  readonly model: string;
  readonly key?: string;
  /** Before the paths of the SDK. */
  readonly path?: string;
}

const messages = [{ role: 'user' as const, content: 'Hello' }];
const picture = () => toFile(Buffer.from('PNG'), 'a.png', { type: 'image/png' });
const sound = () => toFile(Buffer.alloc(4_000), 'a.mp3', { type: 'audio/mpeg' });

const OF_OPENAI: Readonly<Record<string, Ask<OpenAI7>>> = {
  chat: (client, model) => client.chat.completions.create({ model, messages }),
  'chat in a stream': (client, model) => client.chat.completions.create({ model, messages, stream: true }),
  responses: (client, model) => client.responses.create({ model, input: 'Hello' }),
  'responses in a stream': (client, model) => client.responses.create({ model, input: 'a', stream: true }),
  embed: (client, model) => client.embeddings.create({ model, input: 'Hello' }),
  moderate: (client, model) => client.moderations.create({ model, input: 'Hello' }),
  complete: (client, model) => client.completions.create({ model, prompt: 'Hello', max_tokens: 5 }),
  draw: (client, model) => client.images.generate({ model, prompt: 'Hello' }),
  edit: async (client, model) => client.images.edit({ model, prompt: 'Hello', image: await picture() }),
  transcribe: async (client, model) => client.audio.transcriptions.create({ model, file: await sound() }),
  translate: async (client, model) => client.audio.translations.create({ model, file: await sound() }),
  speak: (client, model) => client.audio.speech.create({ model, input: 'Hello', voice: 'alloy' }),
};

const OF_GOOGLE: Readonly<Record<string, Ask<genai3.GoogleGenAI['models']>>> = {
  generate: (models, model) => models.generateContent({ model, contents: 'Hello' }),
  'generate in a stream': (models, model) => models.generateContentStream({ model, contents: 'Hello' }),
  embed: (models, model) => models.embedContent({ model, contents: 'Hello' }),
  draw: (models, model) => models.generateImages({ model, prompt: 'Hello', config: { numberOfImages: 1 } }),
};

/** What of OpenAI's SDK each status is. It has no class for a 413, and one for all from 500 on. */
const CLASSES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  409: 'ConflictError',
  413: 'APIError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
  502: 'InternalServerError',
  503: 'InternalServerError',
};

/** By the name of the operation. */
type Thrown = Readonly<Record<string, unknown>>;

/** An SDK that is asked for all that it knows at once; answers what each operation threw. */
interface Sdk {
  readonly throwEach: (params: Params) => Promise<Thrown>;
  /** The same, where all of them are a status. */
  readonly expected: (status: { readonly same: number; readonly other: number }) => Thrown;
}

async function throwEach<Client>(
  operations: Readonly<Record<string, Ask<Client>>>,
  ask: (operation: Ask<Client>, name: string) => PromiseLike<unknown>,
  read: (error: unknown) => unknown,
): Promise<Thrown> {
  const thrown = await Promise.all(
    Object.entries(operations).map(async ([name, operation]): Promise<[string, unknown]> => [
      name,
      read(await catchError(ask(operation, name))),
    ]),
  );
  return Object.fromEntries(thrown);
}

const everyOne = (operations: object, value: unknown): Thrown =>
  Object.fromEntries(Object.keys(operations).map((name) => [name, value]));

const openaiSdk = (OpenAI: typeof OpenAI7): Sdk => ({
  throwEach({ model, key = made.key, path = '' }) {
    const client = new OpenAI({ baseURL: `${at.baseUrl}${path}/v1`, apiKey: key, maxRetries: 0 });
    return throwEach(
      OF_OPENAI,
      (operation) => operation(client, model),
      (error) => (error instanceof OpenAI.APIError ? [error.status, error.constructor.name] : error),
    );
  },
  expected: ({ same }) => everyOne(OF_OPENAI, [same, CLASSES[same]]),
});

const googleSdk = ({ GoogleGenAI, ApiError }: Pick<typeof genai3, 'GoogleGenAI' | 'ApiError'>): Sdk => ({
  throwEach({ model, key = made.key, path = '' }) {
    const httpOptions = { baseUrl: `${at.baseUrl}${path}`, retryOptions: { attempts: 1 } };
    // It draws with those of Vertex alone.
    const connect = (vertexai: boolean) => new GoogleGenAI({ vertexai, apiKey: key, httpOptions }).models;
    return throwEach(
      OF_GOOGLE,
      (operation, name) => operation(connect(name === 'draw'), model),
      (error) => (error instanceof ApiError ? error.status : error),
    );
  },
  expected: ({ other }) => everyOne(OF_GOOGLE, other),
});

const SDKS: Readonly<Record<string, Sdk>> = {
  'openai 7': openaiSdk(OpenAI7),
  'openai 6': openaiSdk(OpenAI6 as unknown as typeof OpenAI7),
  '@google/genai 3': googleSdk(genai3),
  '@google/genai 2': googleSdk(genai2 as unknown as typeof genai3),
};

/** Of all SDKs at once: an upstream that fails may be given up after the first failure. */
async function expectOfAll(params: Params, status: { readonly same: number; readonly other: number }) {
  const all = Object.entries(SDKS);
  const thrown = await Promise.all(all.map(async ([name, sdk]) => [name, await sdk.throwEach(params)]));
  expect(Object.fromEntries(thrown)).toEqual(
    Object.fromEntries(all.map(([name, sdk]) => [name, sdk.expected(status)])),
  );
}

test.each(TOLD_OF_UPSTREAM)(
  'every operation whose upstream fails with $upstream is a $same, or a $other in another format',
  async ({ upstream, ...status }) => {
    await expectOfAll({ model: made.names[`fails-${upstream}`] }, status);
  },
);

test('every operation is what the gateway refuses it with by itself', async () => {
  const model = made.names['fails-400'];
  const limited = await makeKey(at, { group: made.group, limits: { requests_per_minute: 1 } });
  await new OpenAI7({ baseURL: `${at.baseUrl}/v1`, apiKey: limited.key }).models.list();
  // Unlike one that is none, it is not counted against the address.
  const disabled = await makeKey(at, { group: made.group });
  await admin(at, 'PATCH', `/api/keys/${disabled.id}`, { status: 'disabled' });
  const is = (status: number) => ({ same: status, other: status });
  await expectOfAll({ model, key: disabled.key }, is(401));
  await expectOfAll({ model: 'nobody' }, is(400));
  await expectOfAll({ model, path: '/v1' }, is(404));
  await expectOfAll({ model, key: limited.key }, is(429));
});
