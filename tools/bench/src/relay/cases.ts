import { chatBody, httpMessage, messagesBody, type BodyParams } from './requests.ts';
import type { Contestant } from './contestant.ts';

/** One kind of request, sent by so many connections at once. Rounds are many and short: what a slow moment meets is few of them. */
export interface Case {
  readonly name: string;
  readonly says: string;
  /** Of one round. */
  readonly requests: number;
  readonly rounds: number;
  readonly connections: number;
  /** Of one request's answer: what CPU is also divided by. */
  readonly chunks?: number;
  /** Only Tollgate knows it. */
  readonly tollgateOnly?: boolean;
  readonly message: (contestant: Contestant) => string;
}

const CHAT = '/v1/chat/completions';

const chat =
  (params: BodyParams) =>
  ({ headers }: Contestant): string =>
    httpMessage('POST', CHAT, headers, chatBody(params));

const messages =
  (params: BodyParams) =>
  ({ headers }: Contestant): string =>
    httpMessage('POST', '/v1/messages', headers, messagesBody(params));

const STREAM = { everyMs: 5, chunks: 200 };
const MANY = { everyMs: 50, chunks: 100 };

export const CASES: readonly Case[] = [
  {
    name: 'chat-1k',
    says: 'chat, 1 KB',
    requests: 2_000,
    rounds: 20,
    connections: 64,
    message: chat({ model: 'lean', promptBytes: 800 }),
  },
  {
    name: 'chat-100k',
    says: 'chat, prompt of 100 KB',
    requests: 200,
    rounds: 20,
    connections: 8,
    message: chat({ model: 'lean', promptBytes: 100_000 }),
  },
  {
    name: 'chat-4m',
    says: 'chat, prompt of 4 MB',
    requests: 20,
    rounds: 8,
    connections: 2,
    message: chat({ model: 'lean', promptBytes: 4_000_000 }),
  },
  {
    name: 'stream-200',
    says: 'stream of 200 chunks',
    requests: 80,
    rounds: 16,
    connections: 40,
    chunks: 200,
    message: chat({ model: 'lean', promptBytes: 800, stream: STREAM }),
  },
  {
    name: 'stream-renamed',
    says: 'the same, model renamed',
    requests: 80,
    rounds: 8,
    connections: 40,
    chunks: 200,
    tollgateOnly: true,
    message: chat({ model: 'renamed', promptBytes: 800, stream: STREAM }),
  },
  {
    name: 'stream-pooled',
    says: 'the same, two credentials',
    requests: 80,
    rounds: 8,
    connections: 40,
    chunks: 200,
    message: chat({ model: 'pooled', promptBytes: 800, stream: STREAM }),
  },
  {
    name: 'streams-1000',
    says: '1,000 streams at once',
    requests: 1_000,
    rounds: 4,
    connections: 1_000,
    chunks: MANY.chunks,
    message: chat({ model: 'lean', promptBytes: 800, stream: MANY }),
  },
  {
    name: 'messages-on-chat',
    says: 'Messages client, Chat upstream',
    requests: 500,
    rounds: 12,
    connections: 16,
    tollgateOnly: true,
    message: messages({ model: 'lean', promptBytes: 800 }),
  },
  {
    name: 'messages-on-chat-stream',
    says: 'the same, a stream of 200 chunks',
    requests: 80,
    rounds: 8,
    connections: 40,
    chunks: 200,
    tollgateOnly: true,
    message: messages({ model: 'lean', promptBytes: 800, stream: STREAM }),
  },
  {
    name: 'pricing',
    says: '/api/pricing',
    requests: 250,
    rounds: 12,
    connections: 16,
    tollgateOnly: true,
    message: () => httpMessage('GET', '/api/pricing', {}),
  },
  {
    name: 'pricing-304',
    says: '/api/pricing, not modified',
    requests: 250,
    rounds: 12,
    connections: 16,
    tollgateOnly: true,
    message: () => httpMessage('GET', '/api/pricing', { 'if-none-match': '*' }),
  },
];
