import type { ClientProtocol } from '@tollgate/vocabulary';
import type { BilledExtras } from './billed-extras.ts';
import { CODECS } from './index.ts';

const search = (action?: object) => ({ type: 'web_search_call', ...(action ? { action } : {}) });
const grounded = (queries: string[], modelVersion?: string) => ({
  candidates: [{ groundingMetadata: { webSearchQueries: queries } }],
  ...(modelVersion ? { modelVersion } : {}),
});

const fold = (protocol: ClientProtocol, events: readonly object[]): BilledExtras | undefined =>
  events.reduce<BilledExtras | undefined>(
    (before, event) => CODECS[protocol].extras.findInEvent(event, before),
    undefined,
  );

test('Chat: chunks repeat the tier, the last one has the searches', () => {
  expect(
    fold('openai-chat', [
      { service_tier: 'flex', choices: [{ delta: { content: 'a' } }] },
      { choices: [{ delta: { annotations: [{ type: 'url_citation' }] } }] },
      { choices: [{ delta: { annotations: [{ type: 'url_citation' }] } }] },
      { choices: [], usage: { num_search_queries: 5 } },
    ]),
  ).toEqual({ serviceTier: 'flex', units: { searches: 5 } });
});

test('Messages: the tier stands in the first event, the tools in the last, which replaces what was said before', () => {
  expect(
    fold('anthropic-messages', [
      { type: 'message_start', message: { usage: { service_tier: 'batch', inference_geo: 'us' } } },
      { type: 'content_block_delta' },
      { type: 'message_delta', usage: { server_tool_use: { web_search_requests: 1 } } },
      { type: 'message_delta', usage: { server_tool_use: { web_search_requests: 2 } } },
      { type: 'message_stop' },
    ]),
  ).toEqual({ serviceTier: 'batch', region: 'us', units: { searches: 2 } });
});

test('Responses: of containers without end no more are kept, compared and counted than any answer has', () => {
  const events = Array.from({ length: 3_000 }, (_, index) => ({
    type: 'response.output_item.done',
    item: { type: 'code_interpreter_call', container_id: `cntr_${index}` },
  }));
  const extras = fold('openai-responses', events);
  expect(extras?.containers).toHaveLength(1_000);
  expect(extras?.units).toEqual({ container_sessions: 1_000 });
});

test('Responses: a stream that is cut is charged for the calls that it finished', () => {
  const done = (item: object) => ({ type: 'response.output_item.done', item });
  const cut = [
    { type: 'response.created', response: { service_tier: 'auto' } },
    done(search()),
    done(search({ type: 'open_page' })),
    done({ type: 'code_interpreter_call', container_id: 'a' }),
    done({ type: 'code_interpreter_call', container_id: 'a' }),
  ];
  expect(fold('openai-responses', cut)).toEqual({
    units: { searches: 1, container_sessions: 1 },
    counted: ['searches', 'container_sessions'],
    containers: ['a'],
  });
  const response = { service_tier: 'flex', tool_usage: { web_search: { num_requests: 4 } } };
  expect(fold('openai-responses', [...cut, { type: 'response.completed', response }])).toEqual({
    serviceTier: 'flex',
    units: { searches: 4 },
    counted: undefined,
    others: undefined,
  });
});

test('Gemini: the last part says what the answer is grounded on, a part without it takes nothing back', () => {
  expect(
    fold('gemini', [
      grounded(['a'], 'gemini-3-pro'),
      grounded(['a', 'b'], 'gemini-3-pro'),
      { candidates: [{}], usageMetadata: { serviceTier: 'FLEX' } },
    ]),
  ).toEqual({ serviceTier: 'flex', units: { searches: 2 }, counted: ['searches'] });
});
