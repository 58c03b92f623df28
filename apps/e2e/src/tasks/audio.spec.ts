/*
 * Clients of OpenAI have speech transcribed, translated and said. What is charged is held against the simulator's own bill; what
 * breaks off is charged as docs/protocols.md says, and leaves nothing on the gateway's disk.
 */
import { randomUUID } from 'node:crypto';
import OpenAI7, { toFile } from 'openai';
import OpenAI6 from 'openai-6';
import { type Books, openBooks } from '../books.ts';
import { call } from '../call.ts';
import { type OwnSimulator, startOwnSimulator } from '../pools/own-pool.ts';
import { sharedStack } from '../shared-stack.ts';
import { makeTaskModels } from './task-models.ts';

const at = sharedStack();
const upstream = { protocols: ['openai-chat'] };
const FREE = { input: 0, output: 0 };
const MODELS = {
  'gpt-4o-transcribe': {
    model: {
      operations: ['transcribe'],
      prices: { input: 2_500_000, input_audio: 6_000_000, output: 10_000_000 },
      context_window: 16_000,
      max_output_tokens: 2_000,
    },
    upstream,
    atVendor: { per_million: { input: '2.5', audio_input: '6', output: '10' } },
  },
  'whisper-1': {
    // 0.006 USD for a minute.
    model: {
      operations: ['transcribe', 'translate'],
      prices: FREE,
      unit_prices: { audio_milliseconds: 100_000 },
    },
    upstream,
    atVendor: { per_million: {}, per_thousand: { audio_millisecond: '0.0001' } },
  },
  'tts-1': {
    model: { operations: ['speak'], prices: FREE, unit_prices: { characters: 15_000_000 } },
    upstream,
    atVendor: { per_million: {}, per_thousand: { character: '0.015' } },
  },
  'gpt-4o-mini-tts': {
    model: {
      operations: ['speak'],
      prices: { input: 600_000, output: 12_000_000, output_audio: 12_000_000 },
    },
    upstream,
    atVendor: { per_million: { input: '0.6', audio_output: '12' } },
  },
};
type Name = keyof typeof MODELS;

let simulator: OwnSimulator;
let books: Books;
let made: Awaited<ReturnType<typeof makeTaskModels<Name>>>;
beforeAll(async () => {
  simulator = await startOwnSimulator();
  books = openBooks(at.databaseUrl);
  made = await makeTaskModels(at, simulator.url, MODELS);
});
afterEach(() => simulator.reset());
afterAll(async () => {
  await books.close();
  await simulator.close();
});

/** A WAV file of so many milliseconds, 32,000 bytes a second. */
function wav(ms: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(ms * 32, 40);
  return Buffer.concat([header, Buffer.alloc(ms * 32, 7)]);
}

const script = (of: object) => `[[sim ${JSON.stringify(of)}]]`;

async function readBill(credential: string): Promise<string> {
  const answer = await fetch(`${simulator.url}/__sim/bill`);
  const bills = (await answer.json()) as { credential: string; amount_pico: string }[];
  return bills.find((each) => each.credential === credential)?.amount_pico ?? '0';
}

/** What a request is charged, which its vendor charges too. */
async function chargedAsVendor(name: Name, ask: () => Promise<string | null | undefined>) {
  await fetch(`${simulator.url}/__sim/bill`, { method: 'DELETE' });
  const row = await books.usage((await ask()) ?? '');
  expect(row).toMatchObject({ cost_pico: await readBill(made.names[name]) });
  expect(Number(row['cost_pico'])).toBeGreaterThan(0);
  return row;
}

describe.each([
  ['openai 7', OpenAI7],
  ['openai 6', OpenAI6 as unknown as typeof OpenAI7],
])('%s', (_version, OpenAI) => {
  const connect = () => new OpenAI({ baseURL: `${at.baseUrl}/v1`, apiKey: made.key, maxRetries: 0 }).audio;
  const sound = (ms: number) => toFile(wav(ms), 'größe.wav', { type: 'audio/wav' });

  test('transcribes by tokens', async () => {
    const row = await chargedAsVendor('gpt-4o-transcribe', async () => {
      const ask = { model: made.names['gpt-4o-transcribe'], file: await sound(12_345), prompt: 'two words' };
      const { data, request_id } = await connect().transcriptions.create(ask).withResponse();
      expect(data.text).toMatch(/^word1 /);
      return request_id;
    });
    expect(row).toMatchObject({ operation: 'transcribe', usage_source: 'upstream' });
  });

  test('transcribes by tokens as a stream', async () => {
    await chargedAsVendor('gpt-4o-transcribe', async () => {
      const ask = { model: made.names['gpt-4o-transcribe'], file: await sound(3_000), stream: true } as const;
      const { data, request_id } = await connect().transcriptions.create(ask).withResponse();
      let text = '';
      for await (const event of data) if (event.type === 'transcript.text.delta') text += event.delta;
      expect(text).toBe('word1 word2 word3 word4 word5 word6 word7 word8');
      return request_id;
    });
  });

  test.each(['json', 'text', 'srt', 'verbose_json', 'vtt'] as const)(
    'transcribes by time as %s',
    async (format) => {
      const row = await chargedAsVendor('whisper-1', async () => {
        const prompt = script({ sound_seconds: 12.3451 });
        const ask = {
          model: made.names['whisper-1'],
          file: await sound(12_000),
          response_format: format,
          prompt,
        };
        const { data, request_id } = await connect().transcriptions.create(ask).withResponse();
        expect(JSON.stringify(data)).toContain('word8');
        if (format === 'vtt') expect(data).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0/);
        if (format === 'srt') expect(data).toMatch(/^1\n00:00:00,000 --> 00:00:0/);
        return request_id;
      });
      expect(row).toMatchObject({ units_audio_milliseconds: '12346', usage_source: 'upstream' });
    },
  );

  test.each(['json', 'text'] as const)('translates as %s', async (format) => {
    const row = await chargedAsVendor('whisper-1', async () => {
      const ask = { model: made.names['whisper-1'], file: await sound(2_000), response_format: format };
      const { data, request_id } = await connect().translations.create(ask).withResponse();
      expect(format === 'json' ? data : { text: String(data).trim() }).toEqual({
        text: 'word1 word2 word3 word4 word5 word6 word7 word8',
      });
      return request_id;
    });
    expect(row).toMatchObject({ operation: 'translate', units_audio_milliseconds: '2000' });
  });

  test.each(['tts-1', 'gpt-4o-mini-tts'] as const)('says a text with %s', async (name) => {
    const row = await chargedAsVendor(name, async () => {
      const input = 'Grüße an alle 🌍';
      const ask = { model: made.names[name], input, voice: 'alloy', response_format: 'wav' } as const;
      const { data, request_id } = await connect().speech.create(ask).withResponse();
      expect(data.headers.get('content-type')).toBe('audio/wav');
      expect(Buffer.from(await data.arrayBuffer()).length).toBe(64 * (input.length + 1));
      return request_id;
    });
    expect(row).toMatchObject(
      name === 'tts-1' ? { operation: 'speak', units_characters: '15' } : { usage_source: 'upstream' },
    );
  });

  test('is told what is wrong, as OpenAI says it', async () => {
    const file = await sound(100);
    const wrong = { model: made.names['gpt-4o-transcribe'], file, response_format: 'srt' } as const;
    await expect(connect().transcriptions.create(wrong)).rejects.toThrow(OpenAI.BadRequestError);
    const none = connect().transcriptions.create({ model: made.names['tts-1'], file });
    await expect(none).rejects.toMatchObject({ status: 400, param: 'model' });
    const empty = connect().speech.create({ model: made.names['tts-1'], input: '', voice: 'alloy' });
    await expect(empty).rejects.toMatchObject({ status: 400, param: 'input' });
    const limited = script({ status: 429 });
    const busy = connect().transcriptions.create({ model: made.names['whisper-1'], file, prompt: limited });
    await expect(busy).rejects.toThrow(OpenAI.RateLimitError);
  });
});

const headers = () => ({ authorization: `Bearer ${made.key}` });

test('sound that breaks off breaks the connection, and characters of it are not charged', async () => {
  const input = `${script({ cut_after_chunks: 2, chunk_delay_ms: 5 })} one two three four`;
  const answer = await fetch(`${at.baseUrl}/v1/audio/speech`, {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify({ model: made.names['tts-1'], input, voice: 'alloy' }),
  });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  await expect(answer.arrayBuffer()).rejects.toThrow();
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({ cost_pico: '0', outcome: 'upstream_cut' });
});

test('a silent upstream is charged by the header of the file', async () => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(wav(2_500))]), 'a.wav');
  form.set('model', made.names['whisper-1']);
  form.set('prompt', `${script({ no_usage: true })} ${randomUUID()}`);
  const answer = await fetch(`${at.baseUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: headers(),
    body: form,
  });
  expect(answer.status).toBe(200);
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({ units_audio_milliseconds: '2502', usage_source: 'estimated' });
});

test('an upstream that reports more than the sound can have is charged for what was held', async () => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(wav(1_000))]), 'a.wav');
  form.set('model', made.names['whisper-1']);
  form.set('prompt', script({ sound_seconds: 3_600 }));
  const answer = await fetch(`${at.baseUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: headers(),
    body: form,
  });
  const row = await books.usage(answer.headers.get('x-request-id') ?? '');
  expect(row).toMatchObject({ units_audio_milliseconds: '3000', cost_pico: '300000000' });
});

test('a form is wanted, and says so', async () => {
  const answer = await call(`${at.baseUrl}/v1/audio/transcriptions`, {
    headers: headers(),
    body: { model: made.names['whisper-1'] },
  });
  expect([answer.status, answer.json]).toMatchObject([400, { error: { param: 'content-type' } }]);
});
