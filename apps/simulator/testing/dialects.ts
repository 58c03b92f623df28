/** How a test speaks to the simulator in one wire format, without a vendor's SDK. */
export interface Dialect {
  readonly name: string;
  readonly path: (stream: boolean) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (text: string, stream: boolean) => object;
}

interface Said {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const MODEL = 'sim-model';
const BEARER = { authorization: 'Bearer test' };
const geminiBody = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] });

export const openaiChat: Dialect = {
  name: 'openai-chat',
  path: () => '/v1/chat/completions',
  headers: BEARER,
  body: (content, stream) => ({
    model: MODEL,
    messages: [{ role: 'user', content }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  }),
};

export const openaiResponses: Dialect = {
  name: 'openai-responses',
  path: () => '/v1/responses',
  headers: BEARER,
  body: (input, stream) => ({ model: MODEL, input, stream }),
};

export const anthropicMessages: Dialect = {
  name: 'anthropic-messages',
  path: () => '/v1/messages',
  headers: { 'x-api-key': 'test', 'anthropic-version': '2023-06-01' },
  body: (content, stream) => ({
    model: MODEL,
    max_tokens: 100,
    messages: [{ role: 'user', content }],
    stream,
  }),
};

export const gemini: Dialect = {
  name: 'gemini',
  path: (stream) => `/v1beta/models/${MODEL}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: { 'x-goog-api-key': 'test' },
  body: geminiBody,
};

export const geminiArray: Dialect = {
  ...gemini,
  name: 'gemini-array',
  path: () => `/v1beta/models/${MODEL}:streamGenerateContent`,
};

export const dialects = [openaiChat, openaiResponses, anthropicMessages, gemini] as const;

interface Asked {
  readonly text?: string;
  readonly stream?: boolean;
  readonly script?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a question, with a script in the user's text when one is given. */
export function send(url: string, dialect: Dialect, asked: Asked = {}): Promise<Response> {
  const { text = 'Hello there', stream = false, script, headers, signal } = asked;
  const written = script === undefined ? text : `${text} [[sim ${JSON.stringify(script)}]]`;
  return fetch(url + dialect.path(stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...dialect.headers, ...headers },
    body: JSON.stringify(dialect.body(written, stream)),
    ...(signal ? { signal } : {}),
  });
}

export async function ask(url: string, dialect: Dialect, asked: Asked = {}): Promise<Said> {
  const answer = await send(url, dialect, asked);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The `data:` of each event of a stream. */
export const parseData = (text: string): string[] =>
  text
    .split(/\r?\n\r?\n/)
    .flatMap((event) => event.split(/\r?\n/).filter((line) => line.startsWith('data: ')))
    .map((line) => line.slice('data: '.length));

/** What arrives of a body that is cut off. */
export async function readUntilCut(answer: Response): Promise<{ text: string; cut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true });
    return { text, cut: false };
  } catch {
    return { text, cut: true };
  }
}
