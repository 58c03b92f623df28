import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CODECS, renderError } from '@tollgate/protocols';
import { type Forwarding, createTestPayload, startForwarding, upstream } from '../../testing/forwarding.ts';
import type { OutgoingRequest } from '../forward/outgoing-request.ts';
import { readsErrorsInStreams, shapeAnswer } from './shape-answer.ts';

const WORDS = 'Requested 9000 tokens, but the maximum context length of this model is 8192 tokens.';

let server: Server;
let running: Forwarding;
let refusal: object;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(refusal));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  running = startForwarding({
    upstreams: [upstream('server', url, ['a'])],
    pool: { members: [{ upstream: 'server' }] },
  });
});
afterAll(async () => {
  await running.close();
  server.closeAllConnections();
  server.close();
});

/** What a caller is told of the refusal; the words of the upstream as they are, or an error of ours. */
async function readRefusal(request: Partial<OutgoingRequest> = {}) {
  const forwarded = await running.send(request);
  if (forwarded.kind !== 'answer') throw new Error(`it ${forwarded.kind}`);
  const shaped = shapeAnswer(forwarded, forwarded.request, { tokens: 1, units: {} }, false);
  if (shaped.kind === 'whole') return { passed: JSON.parse(shaped.body.toString()) as unknown };
  if (shaped.kind !== 'refused') throw new Error(`it ${shaped.kind}`);
  const { protocol } = forwarded.request;
  return {
    kind: shaped.error.kind,
    ...(JSON.parse(renderError(protocol, shaped.error, 'r').body) as object),
  };
}

const messages = {
  protocol: 'anthropic-messages',
  payload: createTestPayload({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }),
} as const;

test('a server that says it in words alone is understood, and clients of each format have the sign they know', async () => {
  refusal = { error: { message: WORDS, type: 'BadRequestError', code: 400 } };
  expect(await readRefusal()).toMatchObject({
    kind: 'context_too_long',
    error: { code: 'context_length_exceeded', message: WORDS },
  });
  expect(await readRefusal(messages)).toMatchObject({
    error: {
      type: 'invalid_request_error',
      message: `prompt is too long: 9000 tokens > 8192 maximum (${WORDS})`,
    },
  });
});

test('what bears the sign of its format passes as it came', async () => {
  refusal = { error: { message: WORDS, code: 'context_length_exceeded', param: 'messages' } };
  expect(await readRefusal()).toEqual({ passed: refusal });
});

test('any other refusal passes as it came', async () => {
  refusal = { error: { message: "Invalid 'user': string too long.", code: 'string_above_max_length' } };
  expect(await readRefusal()).toEqual({ passed: refusal });
  expect(await readRefusal({ ...messages, payload: createTestPayload(messages.payload.json) })).toMatchObject(
    {
      kind: 'invalid_request',
    },
  );
});

test.each([
  ['openai-responses', true, 'codex_cli_rs', true],
  ['openai-responses', false, 'codex_cli_rs', false],
  ['openai-responses', true, 'other', false],
  ['openai-responses', true, undefined, false],
  ['openai-chat', true, 'codex_exec', false],
] as const)(
  '%s, streaming %s, from %s reads errors in streams: %s',
  (protocol, stream, originator, reads) => {
    expect(readsErrorsInStreams({ protocol, stream, headers: originator ? { originator } : {} })).toBe(reads);
  },
);

test.each([
  ['openai-responses', { error: { code: 'context_length_exceeded' } }, true],
  ['openai-chat', { error: { code: 400, message: 'context length' } }, false],
  ['openai-chat', 'no object', false],
  ['anthropic-messages', { error: { message: 'prompt is too long: 5 tokens > 4 maximum' } }, true],
  ['anthropic-messages', { error: { message: 'context length' } }, false],
  ['gemini', { error: { message: 'The input token count exceeds' } }, true],
] as const)('%s: %j bears the sign: %s', (protocol, body, says) => {
  expect(CODECS[protocol].saysContextTooLong(JSON.stringify(body))).toBe(says);
});
