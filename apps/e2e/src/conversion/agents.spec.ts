import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reasoningState } from '@tollgate/simulator';
import { CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { openBooks } from '../books.ts';
import { call } from '../call.ts';
import { sharedStack } from '../shared-stack.ts';
import { makePools, modelOn, POOL_SECRET } from '../pools.ts';

// What coding agents really send, their long texts shortened, against an upstream of every format.
const REQUESTS = join(import.meta.dirname, '..', '..', '..', '..', 'libs/protocols/src/golden/requests');
type Body = Record<string, unknown>;
/** Claude Code names what its vendor knows only by name; the other vendors never hear of it. */
const BETAS =
  'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,per-turn-control-2026-07-01,effort-2025-11-24';
/** The states of reasoning in them are made those of the vendor and the account: it refuses others. */
const STATES: Readonly<Record<string, string>> = {
  ENC1: reasoningState('earlier', { vendor: 'openai', account: POOL_SECRET }),
  U0lH: reasoningState('earlier', { vendor: 'google', account: POOL_SECRET }),
};
const bodyOf = (name: string): Body => {
  const text = readFileSync(join(REQUESTS, name), 'utf8');
  return JSON.parse(
    text.replaceAll(/"(U0lH|ENC1)"/g, (_, state: string) => `"${STATES[state] ?? ''}"`),
  ) as Body;
};

const at = sharedStack();
const books = openBooks(at.databaseUrl);
let key: string;
beforeAll(async () => {
  key = await makePools(at, 'agents');
}, 60_000);
afterAll(() => books.close());

const AGENTS: readonly (readonly [
  name: string,
  file: string,
  path: (model: string) => string,
  ends: RegExp,
])[] = [
  [
    'Codex, a tool turn',
    'openai-responses-tool-roundtrip.json',
    () => '/v1/responses',
    /event: response\.completed\n/,
  ],
  [
    'Codex, tools in the input',
    'openai-responses-additional-tools.json',
    () => '/v1/responses',
    /event: response\.completed\n/,
  ],
  ['Claude Code', 'anthropic-messages-agent.json', () => '/v1/messages?beta=true', /event: message_stop\n/],
  [
    'Claude Code, model discovery',
    'anthropic-messages-agent-older.json',
    () => '/v1/messages?beta=true',
    /event: message_stop\n/,
  ],
  [
    'Gemini CLI, a tool turn',
    'gemini-tool-roundtrip.json',
    (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    /"finishReason":"STOP"/,
  ],
];

describe.each(CLIENT_PROTOCOLS)('on an upstream that speaks %s', (format) => {
  test.each(AGENTS)('%s', async (_name, file, path, ends) => {
    const model = modelOn(format);
    const { status, text, headers } = await call(`${at.baseUrl}${path(model)}`, {
      headers: { authorization: `Bearer ${key}`, 'anthropic-beta': BETAS },
      body: { ...bodyOf(file), model },
    });
    if (status !== 200) throw new Error(`${status} ${text}`);
    expect(text).toMatch(ends);
    expect(await books.usage(headers.get('x-request-id') ?? '')).toMatchObject({
      outcome: 'completed',
      usage_source: 'upstream',
    });
  });
});
