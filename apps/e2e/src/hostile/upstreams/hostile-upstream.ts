import { randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@tollgate/harness';
import { admin } from '../../shared-stack.ts';
import type { HostileStack } from '../hostile-stack.ts';
import type { Got } from '../send.ts';

/** What an upstream has of the operator, and must never tell. */
export const SECRET = `sk-upstream-${randomBytes(12).toString('hex')}`;
const MAX_TOKENS = 5;

export interface Misbehaviour {
  /** What the caller asks for. */
  readonly isStream: boolean;
  readonly answer: (response: ServerResponse) => void;
}

export const whole = (
  body: string | Buffer,
  headers: Record<string, string | string[]> = {},
  status = 200,
): Misbehaviour => ({
  isStream: false,
  answer: (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body),
});
export const stream = (
  text: string | Buffer,
  headers: Record<string, string | string[]> = {},
): Misbehaviour => ({
  isStream: true,
  answer: (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).end(text),
});
export const raw = (bytes: string): Misbehaviour => ({
  isStream: false,
  answer: (response) => response.socket?.end(bytes, 'latin1'),
});

interface HostileUpstream {
  /** Asks for the answer of that name. */
  readonly ask: (name: string) => Promise<Got>;
}

/** An upstream that misbehaves as it is asked to, and a key of an account that may use it. */
export async function openHostileUpstream(
  stack: HostileStack,
  faults: Readonly<Record<string, Misbehaviour>>,
  accountId: string,
): Promise<HostileUpstream> {
  const { url, server } = await startHostileUpstream(faults);
  server.unref();
  const { model, key } = await publish(stack, url, accountId);
  return {
    ask: (name) =>
      stack.send('/v1/chat/completions', {
        headers: { authorization: `Bearer ${key}` },
        body: {
          model,
          max_tokens: MAX_TOKENS,
          stream: faults[name]?.isStream ?? false,
          messages: [{ role: 'user', content: `[[fault ${Buffer.from(name).toString('hex')}]]` }],
        },
      }),
  };
}

function startHostileUpstream(
  faults: Readonly<Record<string, Misbehaviour>>,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const name = /\[\[fault (.*?)\]\]/.exec(text)?.[1] ?? '';
      const fault = faults[Buffer.from(name, 'hex').toString()];
      if (fault) fault.answer(response);
      else response.writeHead(404).end('{}');
    });
  });
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () =>
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }),
    ),
  );
}

async function publish(
  stack: HostileStack,
  url: string,
  accountId: string,
): Promise<{ model: string; key: string }> {
  const { at } = stack;
  const model = `hostile-${randomBytes(4).toString('hex')}`;
  await admin(at, 'PUT', `/api/catalogue/upstreams/${model}`, {
    base_url: url,
    protocols: ['openai-chat'],
    credentials: [{ name: 'a', secret: SECRET }],
    allow_private_addresses: true,
    first_byte_timeout_ms: 3_000,
    idle_timeout_ms: 3_000,
  });
  await admin(at, 'PUT', `/api/catalogue/models/${model}`, {
    vendor: 'openai',
    prices: { input: 1_000_000, output: 2_000_000 },
    context_window: 8_000,
    max_output_tokens: 1_000,
  });
  await admin(at, 'PUT', `/api/catalogue/groups/${model}`, { ratio: '1', models: [model] });
  await admin(at, 'PUT', `/api/catalogue/pools/${model}?before=simulated`, {
    groups: [model],
    models: [model],
    members: [{ upstream: model }],
    attempts: 1,
  });
  const { key } = await admin(at, 'POST', '/api/keys', {
    name: model,
    group: model,
    account_id: accountId,
  });
  await waitFor(async () => {
    const { text } = await stack.send('/v1/models', { headers: { authorization: `Bearer ${key}` } });
    return text.includes(model);
  }, 'the model of the hostile upstream');
  return { model, key };
}
