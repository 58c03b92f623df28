/** A request that no other request of the run has the tokens of: the row of one can be told from that of another. */
export interface ChaosRequest {
  readonly n: number;
  readonly path: string;
  readonly body: string;
  readonly model: string;
  readonly protocol: string;
  readonly stream: boolean;
  /** What tells a client that it has all of a stream. */
  readonly last: string | undefined;
  readonly maxTokens: number;
  /** The upstream breaks its connection off in place of an answer. */
  readonly breaks: boolean;
}

interface Kind {
  readonly protocol: string;
  readonly model: string;
  readonly path: string;
  readonly stream: boolean;
  readonly last?: string;
  readonly body: (text: string) => object;
}

const MAX_TOKENS = 200;
const said = (content: string) => [{ role: 'user', content }];
const chat = (text: string) => ({ model: 'sim-chat', max_tokens: MAX_TOKENS, messages: said(text) });
const messages = (text: string) => ({ model: 'sim-claude', max_tokens: MAX_TOKENS, messages: said(text) });
const responses = (text: string) => ({ model: 'sim-responses', max_output_tokens: MAX_TOKENS, input: text });
const gemini = (text: string) => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  generationConfig: { maxOutputTokens: MAX_TOKENS },
});

const GEMINI = { protocol: 'gemini', model: 'sim-gemini', body: gemini } as const;
const KINDS: readonly Kind[] = [
  { protocol: 'openai-chat', model: 'sim-chat', path: '/v1/chat/completions', stream: false, body: chat },
  {
    protocol: 'openai-chat',
    model: 'sim-chat',
    path: '/v1/chat/completions',
    stream: true,
    last: 'data: [DONE]',
    body: (text) => ({ ...chat(text), stream: true, stream_options: { include_usage: true } }),
  },
  {
    protocol: 'anthropic-messages',
    model: 'sim-claude',
    path: '/v1/messages',
    stream: false,
    body: messages,
  },
  {
    protocol: 'anthropic-messages',
    model: 'sim-claude',
    path: '/v1/messages',
    stream: true,
    last: 'event: message_stop',
    body: (text) => ({ ...messages(text), stream: true }),
  },
  {
    protocol: 'openai-responses',
    model: 'sim-responses',
    path: '/v1/responses',
    stream: false,
    body: responses,
  },
  {
    protocol: 'openai-responses',
    model: 'sim-responses',
    path: '/v1/responses',
    stream: true,
    last: 'event: response.completed',
    body: (text) => ({ ...responses(text), stream: true }),
  },
  { ...GEMINI, path: '/v1beta/models/sim-gemini:generateContent', stream: false },
  {
    ...GEMINI,
    path: '/v1beta/models/sim-gemini:streamGenerateContent?alt=sse',
    stream: true,
    last: '"finishReason"',
  },
];

/** So many numbers of words are told apart on either side; their product is how many requests of a kind a run can have. */
const WORDS = 90;
/** Of so many requests the upstream breaks one off before it answers. */
const BREAKING = 50;
const MAX_REQUESTS = WORDS * WORDS * KINDS.length;

/** The n-th request of a run, from 0 on. The script is read by the simulator; it passes any relay, for it is text. */
export function requestNumber(
  n: number,
  delays: { first_delay_ms?: number; body_delay_ms?: number; chunk_delay_ms?: number } = {},
): ChaosRequest {
  if (n >= MAX_REQUESTS)
    throw new Error(`a run has ${MAX_REQUESTS} requests at most: lower --rate or --minutes`);
  const kind = KINDS[n % KINDS.length] as Kind;
  const index = Math.floor(n / KINDS.length);
  const breaks = n % BREAKING === BREAKING - 1;
  const script = {
    words: 1 + (index % WORDS),
    // Its upstream may bill such an attempt, and its client pays nothing for it.
    ...(breaks ? { cut_before_headers: true } : {}),
    ...(n % 5 === 0 ? { usage: { cache_read: 2 } } : {}),
    ...delays,
  };
  const padding = ' well'.repeat(Math.floor(index / WORDS));
  const text = `Request number ${n}${padding} [[sim ${JSON.stringify(script)}]]`;
  const { protocol, model, path, stream, last } = kind;
  return {
    n,
    path,
    model,
    protocol,
    stream,
    last,
    maxTokens: MAX_TOKENS,
    breaks,
    body: JSON.stringify(kind.body(text)),
  };
}

/** The number of the request that the simulator was asked, by the text in it. */
export function numberIn(text: string): number | undefined {
  const match = /^Request number (\d+)/.exec(text);
  return match ? Number(match[1]) : undefined;
}
