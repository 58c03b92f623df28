export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the body is no JSON. */
  readonly json: Json | undefined;
}

export interface Json {
  readonly [key: string]: Json & Json[] & string & number & boolean & null;
}

/** One HTTP request, read to its end; a body that is no string is sent as JSON. */
export async function call(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: unknown; signal?: AbortSignal } = {},
): Promise<Answer> {
  const { body } = options;
  const answer = await fetch(url, {
    method: options.method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...options.headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: parse(text) };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A small good request of every relay route, to change one thing of. */
export const GOOD = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'sim-chat', messages: [{ role: 'user', content: 'Hello' }] },
  },
  responses: { path: '/v1/responses', body: { model: 'sim-responses', input: 'Hello' } },
  messages: {
    path: '/v1/messages',
    body: { model: 'sim-claude', max_tokens: 20, messages: [{ role: 'user', content: 'Hello' }] },
  },
  gemini: {
    path: '/v1beta/models/sim-gemini:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
} as const;

export type Style = keyof typeof GOOD;
export const STYLES = Object.keys(GOOD) as Style[];
