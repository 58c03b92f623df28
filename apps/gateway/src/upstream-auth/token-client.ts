import { upstreamConnector } from '@tollgate/platform/upstream-connector';
import { isObject, parseJson } from '@tollgate/protocols';
import { Agent, type Dispatcher, request } from 'undici';
import { UpstreamAuthError } from './auth-scheme.ts';

const MAX_ANSWER_BYTES = 65_536;
const CONNECT_TIMEOUT_MS = 3_000;
/** The next call is an hour away: no connection is kept for it. */
const ONE_CALL = { pipelining: 0 };

/**
 * Reaches the addresses at which clouds give machines their tokens. No upstream may have such an address, and the gateway
 * connects to nothing there that the catalogue names. Only this client may: its addresses come from this program and from the
 * gateway's environment.
 */
const metadataAgent = (): Dispatcher =>
  (agents.metadata ??= new Agent({ ...ONE_CALL, connect: { timeout: CONNECT_TIMEOUT_MS } }));
const publicAgent = (): Dispatcher => (agents.public ??= guarded(false));
const privateAgent = (): Dispatcher => (agents.private ??= guarded(true));
const agents: { metadata?: Dispatcher; public?: Dispatcher; private?: Dispatcher } = {};

const guarded = (allowPrivate: boolean): Dispatcher =>
  new Agent({ ...ONE_CALL, connect: upstreamConnector({ allowPrivate }, { timeout: CONNECT_TIMEOUT_MS }) });

export type TokenHost = 'metadata' | 'public' | 'private';

const AGENTS = { metadata: metadataAgent, public: publicAgent, private: privateAgent };

interface TokenAnswer {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** By the clock of whoever answered, in milliseconds since 1970; undefined where it does not say. */
  readonly date: number | undefined;
}

/** Asks somebody who gives out tokens. No redirect is followed. */
export async function askForToken(
  url: string,
  {
    host,
    method = 'POST',
    headers = {},
    body,
    signal,
  }: {
    readonly host: TokenHost;
    readonly method?: 'GET' | 'POST';
    readonly headers?: Record<string, string>;
    readonly body?: URLSearchParams | string;
    readonly signal: AbortSignal;
  },
): Promise<TokenAnswer> {
  const answer = await request(url, {
    dispatcher: AGENTS[host](),
    method,
    headers: {
      accept: 'application/json',
      ...(body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      ...headers,
    },
    body: body === undefined ? null : String(body),
    signal,
  });
  const text = await readLimited(answer.body);
  const json = parseJson(text);
  const date = Date.parse(String(answer.headers['date'] ?? ''));
  return {
    status: answer.statusCode,
    json: isObject(json) ? json : {},
    text,
    date: Number.isNaN(date) ? undefined : date,
  };
}

async function readLimited(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      throw new UpstreamAuthError('An answer with a token is far too long.', false);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The token of an answer as OAuth says it. @throws UpstreamAuthError with the error's code, and nothing else of it. */
export function readToken(whose: string, { status, json }: TokenAnswer) {
  const { access_token: token, expires_in } = json;
  const lastsMs = Number(expires_in) * 1_000;
  if (status < 300 && typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) && lastsMs > 0)
    return { value: token, lastsMs };
  throw refusal(whose, status, json['error']);
}

/** What is told of somebody who gives no token: descriptions may name tenants, projects and what was sent. */
export function refusal(whose: string, status: number, code: unknown): UpstreamAuthError {
  const word = typeof code === 'string' && /^[\w.-]{1,60}$/.test(code) ? ` (${code})` : '';
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return new UpstreamAuthError(`${whose} gave no token: status ${status}${word}.`, isRefused);
}
