import {
  type AnswerPlan,
  convertRequest,
  findDialect,
  createStateWrapper,
  createStreamConverter,
} from '@tollgate/protocols';
import type { ClientProtocol } from '@tollgate/vocabulary';

const states = createStateWrapper(Buffer.from('a key for measuring'));

const BODIES: Readonly<Record<ClientProtocol, Record<string, unknown>>> = {
  'openai-chat': { model: 'model', messages: [{ role: 'user', content: 'Hello' }], stream: true },
  'openai-responses': { model: 'model', input: 'Hello', stream: true },
  'anthropic-messages': {
    model: 'model',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
  },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
};

/** What the answer to a plain streamed request of one format to an upstream of another must know. */
export function toPlan(from: ClientProtocol, to: ClientProtocol): AnswerPlan {
  const converted = convertRequest({
    from,
    to,
    body: BODIES[from],
    stream: true,
    framing: 'sse',
    includeUsage: true,
    model: 'model',
    upstreamModel: 'upstream-model',
    dialect: findDialect(to, 'upstream-model'),
    defaultMaxTokens: 100,
    states,
    strict: false,
  });
  if (!converted.ok) throw new Error(converted.error.message);
  return converted.plan;
}

const WORDS = ['The', ' relay', ' passes', ' every', ' token', ' on', ' as', ' it', ' comes', '.\n'];

const chatChunk = (delta: object, finish_reason: string | null = null): Buffer =>
  Buffer.from(
    `data: ${JSON.stringify({
      id: 'chatcmpl-Bx3kQ9f2LmT7',
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: 'upstream-model',
      system_fingerprint: 'fp_4a1c20',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      usage: null,
    })}\n\n`,
  );

/** A stream as an upstream sends it: what stands before its texts, one chunk for each text, and what ends it. */
interface UpstreamStream {
  readonly before: Buffer;
  readonly chunks: readonly Buffer[];
  readonly after: Buffer;
}

/** A streamed answer with so many pieces of text in this format. */
export function upstreamStream(protocol: ClientProtocol, texts: number): UpstreamStream {
  const pieces = Array.from({ length: texts }, (_, index) =>
    chatChunk({ content: WORDS[index % WORDS.length] ?? '' }),
  );
  const [first, last] = [
    chatChunk({ role: 'assistant', content: WORDS[0] }),
    Buffer.concat([chatChunk({}, 'stop'), Buffer.from('data: [DONE]\n\n')]),
  ];
  if (protocol === 'openai-chat') return { before: first, chunks: pieces, after: last };
  const writer = createStreamConverter(toPlan(protocol, 'openai-chat'), 'sse');
  const before = writer.push(first) ?? Buffer.alloc(0);
  const chunks = pieces.map((piece) => writer.push(piece) ?? Buffer.alloc(0));
  const ending = [writer.push(last), writer.end()].flatMap((bytes) => bytes ?? []);
  return { before, chunks, after: Buffer.concat(ending) };
}

/** The JSON of an event. */
export const readJson = (chunk: Buffer): string => {
  const text = chunk.toString('utf8');
  return text.slice(text.indexOf('data: ') + 'data: '.length).trimEnd();
};
