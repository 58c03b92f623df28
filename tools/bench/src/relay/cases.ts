import { chatBody, httpMessage, messagesBody, type BodyParams } from './requests.ts';
import type { Contestant } from './contestants.ts';

/** One kind of request, sent by so many connections at once. */
export interface Case {
  readonly name: string;
  readonly says: string;
  readonly requests: number;
  readonly connections: number;
  /** Of one request's answer: what CPU is also divided by. */
  readonly chunks?: number;
  /** Where it is not worth as many as the others. */
  readonly rounds?: number;
  /** Only Tollgate knows it. */
  readonly tollgateOnly?: boolean;
  readonly message: (contestant: Contestant) => string;
}

const CHAT = '/v1/chat/completions';

const chat =
  (params: BodyParams) =>
  ({ headers }: Contestant): string =>
    httpMessage('POST', CHAT, headers, chatBody(params));

const STREAM = { everyMs: 5, chunks: 200 };
const MANY = { everyMs: 50, chunks: 100 };

type Some = (requests: number) => number;

/** @param scale a part of the requests, for a short run. */
export const listCases = (scale: number): readonly Case[] => {
  const some: Some = (requests) => Math.max(50, Math.round(requests * scale));
  return [...chatCases(some, scale), ...convertedCases(some), ...pricingCases(some)];
};

const chatCases = (some: Some, scale: number): readonly Case[] => [
  {
    name: 'chat-1k',
    says: 'chat, 1 KB',
    requests: some(16_000),
    connections: 64,
    message: chat({ model: 'lean', promptBytes: 800 }),
  },
  {
    name: 'chat-100k',
    says: 'chat, prompt of 100 KB',
    requests: some(1_500),
    connections: 8,
    message: chat({ model: 'lean', promptBytes: 100_000 }),
  },
  {
    name: 'stream-200',
    says: 'stream of 200 chunks',
    requests: some(400),
    connections: 40,
    chunks: 200,
    message: chat({ model: 'lean', promptBytes: 800, stream: STREAM }),
  },
  {
    name: 'stream-renamed',
    says: 'the same, model renamed',
    requests: some(400),
    connections: 40,
    chunks: 200,
    tollgateOnly: true,
    message: chat({ model: 'renamed', promptBytes: 800, stream: STREAM }),
  },
  {
    name: 'streams-1000',
    says: '1,000 streams at once',
    requests: scale < 1 ? 1_000 : 2_000,
    connections: 1_000,
    rounds: 1,
    chunks: MANY.chunks,
    message: chat({ model: 'lean', promptBytes: 800, stream: MANY }),
  },
];

const convertedCases = (some: Some): readonly Case[] => [
  {
    name: 'messages-on-chat',
    says: 'Messages client, Chat upstream',
    requests: some(4_000),
    connections: 16,
    tollgateOnly: true,
    message: ({ headers }) =>
      httpMessage('POST', '/v1/messages', headers, messagesBody({ model: 'lean', promptBytes: 800 })),
  },
  {
    name: 'messages-on-chat-stream',
    says: 'the same, a stream of 200 chunks',
    requests: some(400),
    connections: 40,
    chunks: 200,
    tollgateOnly: true,
    message: ({ headers }) =>
      httpMessage(
        'POST',
        '/v1/messages',
        headers,
        messagesBody({ model: 'lean', promptBytes: 800, stream: STREAM }),
      ),
  },
];

const pricingCases = (some: Some): readonly Case[] => [
  {
    name: 'pricing',
    says: '/api/pricing',
    requests: some(2_000),
    connections: 16,
    tollgateOnly: true,
    message: () => httpMessage('GET', '/api/pricing', {}),
  },
  {
    name: 'pricing-304',
    says: '/api/pricing, not modified',
    requests: some(2_000),
    connections: 16,
    tollgateOnly: true,
    message: () => httpMessage('GET', '/api/pricing', { 'if-none-match': '*' }),
  },
];
