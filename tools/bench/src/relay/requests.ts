/** One text of about so many bytes, of words and not of one letter: what a prompt costs depends on what it is. */
function promptOf(bytes: number): string {
  const words = ['the', 'relay', 'counts', 'every', 'token', 'once', 'and', 'bills', 'it', 'exactly.'];
  const parts: string[] = [];
  for (let size = 0; size < bytes; size += (parts.at(-1)?.length ?? 0) + 1)
    parts.push(words[parts.length % words.length] ?? '');
  return parts.join(' ').slice(0, bytes);
}

export interface BodyParams {
  readonly model: string;
  readonly promptBytes: number;
  /** Milliseconds between two chunks of a stream, and how many there are; absent for a whole answer. */
  readonly stream?: { readonly everyMs: number; readonly chunks: number };
}

const paceOf = ({ stream }: BodyParams) =>
  stream ? { stream: true, user: `pace-${stream.everyMs}x${stream.chunks}` } : {};

/** A Chat request. */
export const chatBody = (params: BodyParams): object => ({
  model: params.model,
  ...paceOf(params),
  ...(params.stream ? { stream_options: { include_usage: true } } : {}),
  messages: [
    { role: 'system', content: 'You are brief.' },
    { role: 'user', content: promptOf(params.promptBytes) },
  ],
  temperature: 0.2,
});

/** The same as a Messages request. */
export const messagesBody = (params: BodyParams): object => ({
  model: params.model,
  max_tokens: 1_000,
  ...(params.stream
    ? { stream: true, metadata: { user_id: `pace-${params.stream.everyMs}x${params.stream.chunks}` } }
    : {}),
  system: 'You are brief.',
  messages: [{ role: 'user', content: promptOf(params.promptBytes) }],
});

/** The bytes of a request as a client sends them over one connection. */
export function httpMessage(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): string {
  const text = body ? JSON.stringify(body) : '';
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body
      ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }
      : {}),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}
