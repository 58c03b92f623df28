/*
 * The official SDKs of OpenAI and of Google have pictures drawn on upstreams of every format, and read their errors.
 */
import { randomUUID } from 'node:crypto';
import * as genai3 from '@google/genai';
import * as genai2 from '@google/genai-2';
import OpenAI7 from 'openai';
import OpenAI6 from 'openai-6';
import { Agent, setGlobalDispatcher } from 'undici';
import { type Books, openBooks } from '../books.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { askForBase64, drawAsSimulator, DRAWING_MODELS, type DrawingModel } from './drawing-models.ts';
import { makeTaskModels } from './task-models.ts';

// The SDK asks the global object for fetch's dispatcher, and a Jest test has a global object of its own.
setGlobalDispatcher(new Agent());

const at = sharedStack();
const ALL = Object.keys(DRAWING_MODELS) as DrawingModel[];

let simulator: OwnSimulator;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels<DrawingModel>>>;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  made = await makeTaskModels(at, simulator.url, DRAWING_MODELS);
});
afterEach(() => simulator.reset());
afterAll(async () => {
  await books.close();
  await simulator.close();
});

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const connect = () => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: made.key, maxRetries: 0 });

  test.each(ALL)('draws on %s', async (name) => {
    const prompt = `a lighthouse ${randomUUID()}`;
    const { data } = await connect().images.generate({
      model: made.names[name],
      prompt,
      ...askForBase64(name),
    } as never);
    expect(data?.[0]?.b64_json).toBe(drawAsSimulator(prompt, 0));
  });

  test('is shown pictures before they are ready', async () => {
    const prompt = `a lighthouse ${randomUUID()}`;
    const ask = connect().images.generate({
      model: made.names['gpt-image-2'],
      prompt,
      stream: true,
      partial_images: 2,
      size: '1024x1024',
      quality: 'low',
    });
    const { data, request_id } = await ask.withResponse();
    const seen: string[] = [];
    for await (const event of data) {
      seen.push(event.type);
      if (event.type === 'image_generation.completed') expect(event.usage.output_tokens).toBe(472);
    }
    expect(seen).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(await books.usage(request_id ?? '')).toMatchObject({ tokens_output_image: '472' });
  });

  test('is told of what is wrong by the class of its error', async () => {
    const ask = (body: object) =>
      connect().images.generate({ model: made.names['gpt-image-2'], prompt: 'a', ...body });
    await expect(ask({ size: '1000x1000' })).rejects.toThrow(OpenAI.BadRequestError);
    await expect(ask({ size: 'large' })).rejects.toMatchObject({ status: 400, param: 'size' });
    await expect(ask({ prompt: 'forbidden' })).rejects.toMatchObject({ code: 'moderation_blocked' });
    await simulator.script({ status: 429, retry_after_s: 1 });
    await expect(ask({})).rejects.toThrow(OpenAI.RateLimitError);
  });
});

describe.each([
  ['@google/genai 3', genai3],
  ['@google/genai 2', genai2 as unknown as typeof genai3],
])('%s', (_version, { GoogleGenAI, ApiError }) => {
  const connect = () =>
    new GoogleGenAI({
      // It draws with those of Vertex alone.
      vertexai: true,
      apiKey: made.key,
      httpOptions: { baseUrl: at.baseUrl, retryOptions: { attempts: 1 } },
    });

  test.each(ALL)('draws on %s', async (name) => {
    const prompt = `a lighthouse ${randomUUID()}`;
    const { generatedImages } = await connect().models.generateImages({
      model: made.names[name],
      prompt,
      config: { numberOfImages: 1, aspectRatio: '1:1' },
    });
    expect(generatedImages?.map(({ image }) => image?.imageBytes)).toEqual([drawAsSimulator(prompt, 0)]);
  });

  test('is told of what is wrong', async () => {
    const ask = connect().models.generateImages({ model: 'nobody', prompt: 'a' });
    await expect(ask).rejects.toThrow(ApiError);
    await expect(ask).rejects.toMatchObject({ status: 400 });
  });
});
