/*
 * Bedrock's streams that break off after some words: every client is told in its own words, and what came is billed. The
 * simulator spoils its frames as a text of the request says; what happens before the first words is in the gateway's own tests.
 */
import { CLIENT_PROTOCOLS, type ClientProtocol } from '@tollgate/vocabulary';
import { openBooks } from '../books.ts';
import { type Answer, call } from '../call.ts';
import { makePools, modelOn } from '../pools.ts';
import { admin, sharedStack } from '../shared-stack.ts';

const at = sharedStack();
const books = openBooks(at.databaseUrl);
const DOORS = ['bedrock-invoke', 'converse'] as const;
type BedrockDoor = (typeof DOORS)[number];
let key: string;
beforeAll(async () => {
  key = await makePools(at, 'frames', DOORS);
});
afterAll(() => books.close());

/** Behind the frames that announce an answer and three of its words. */
const AFTER_WORDS: Readonly<Record<BedrockDoor, number>> = { 'bedrock-invoke': 6, converse: 4 };

function ask(format: ClientProtocol, door: BedrockDoor, fault: object): Promise<Answer> {
  const model = modelOn(door);
  const script = { text: 'one two three four five', frame_fault: { at: AFTER_WORDS[door], ...fault } };
  const text = `[[sim ${JSON.stringify(script)}]]`;
  const messages = [{ role: 'user', content: text }];
  const requests = {
    'openai-chat': ['/v1/chat/completions', { model, messages, stream: true }],
    'openai-responses': ['/v1/responses', { model, input: text, stream: true }],
    'anthropic-messages': ['/v1/messages', { model, messages, max_tokens: 500, stream: true }],
    gemini: [
      `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      { contents: [{ role: 'user', parts: [{ text }] }] },
    ],
  } as const;
  const [path, body] = requests[format];
  return call(`${at.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` }, body });
}

const ERROR_EVENT: Readonly<Record<ClientProtocol, RegExp>> = {
  'openai-chat': /data: \{"error":\{"message":/,
  'openai-responses': /event: error\ndata: .*\n\nevent: response\.failed\n/,
  'anthropic-messages': /event: error\ndata: \{"type":"error"/,
  gemini: /data: \{"error":\{"code":\d{3}/,
};
const END =
  /\[DONE\]|response\.completed|message_stop|"finishReason":"STOP"|"finish_reason":"stop"|"stop_reason":"end_turn"/;

const FAULTS = [
  { kind: 'prelude_checksum' },
  { kind: 'checksum' },
  { kind: 'huge' },
  { kind: 'half' },
  { kind: 'end' },
  { kind: 'exception', exception: 'throttlingException' },
  { kind: 'exception', exception: 'modelStreamErrorException' },
  { kind: 'exception', exception: 'internalServerException' },
  { kind: 'exception', exception: 'validationException' },
];

describe.each(DOORS)('%s', (door) => {
  test.each(FAULTS)('%j: each client is told in its own format, and pays what came', async (fault) => {
    for (const format of CLIENT_PROTOCOLS) {
      const answer = await ask(format, door, fault);
      expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(ERROR_EVENT[format])]);
      expect(answer.text).toMatch(/two.*three/s);
      expect(answer.text).not.toMatch(/four/);
      expect(answer.text).not.toMatch(END);
      const row = await books.usage(answer.headers.get('x-request-id') ?? '');
      expect(row).toMatchObject({ outcome: 'upstream_cut' });
      const output = Number(row['tokens_output']);
      expect([output >= 3, output < 20, BigInt(row.cost_pico) > 0n]).toEqual([true, true, true]);
    }
  });

  test('an event that nobody knows takes nothing from the answer', async () => {
    for (const format of CLIENT_PROTOCOLS) {
      const answer = await ask(format, door, { kind: 'unknown' });
      expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(END)]);
      expect(answer.text).toMatch(/four.*five/s);
      const row = await books.usage(answer.headers.get('x-request-id') ?? '');
      expect(row).toMatchObject({ outcome: 'completed', usage_source: 'upstream', tokens_output: '5' });
    }
  });
});

test.each(DOORS)('%s: the health of the upstream tells that answers broke off', async (door) => {
  const { upstreams } = await admin(at, 'GET', '/api/catalogue/health');
  const own = upstreams.filter(({ upstream }) => upstream === `frames-${door}`);
  expect(JSON.stringify(own)).toContain('broken off');
});
