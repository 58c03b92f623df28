import fc from 'fast-check';
import { createMeter, type Ending } from './meter.ts';

const sse = (events: readonly object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');

const completed = {
  type: 'response.completed',
  response: {
    service_tier: 'priority',
    tools: [{ type: 'image_generation', model: 'gpt-image-2' }],
    usage: { input_tokens: 30, output_tokens: 20, total_tokens: 50 },
    tool_usage: {
      web_search: { num_requests: 10 },
      image_gen: { input_tokens: 40, output_tokens: 6_208, total_tokens: 6_248 },
    },
  },
};
const billed = {
  tokens: { input: 30, output: 20 },
  source: 'upstream',
  extras: {
    serviceTier: 'priority',
    units: { searches: 10 },
    others: [{ model: 'gpt-image-2', counts: { input: 40, output_image: 6_208 } }],
  },
};

function meter(text: string, cuts: readonly number[], ending: Ending = 'complete') {
  const created = createMeter('openai-responses', { stream: 'sse', requestEstimate: 7 });
  const bytes = Buffer.from(text);
  const at = [...cuts.map((cut) => cut % (bytes.length + 1)), 0, bytes.length].sort((a, b) => a - b);
  for (let part = 1; part < at.length; part += 1) created.feed(bytes.subarray(at[part - 1], at[part]));
  created.end();
  return created.finish(ending);
}

test('a stream is metered with its tools, its tier and the model that drew, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 6 }), (cuts) => {
      expect(meter(sse([{ type: 'response.created', response: {} }, completed]), cuts)).toEqual(billed);
    }),
  );
});

test('so is an answer in one piece', () => {
  const created = createMeter('openai-responses', { stream: 'none', requestEstimate: 7 });
  created.feed(Buffer.from(JSON.stringify(completed.response)));
  expect(created.finish('complete')).toEqual(billed);
});

test('what was searched is billed where the tokens have to be estimated too', () => {
  const item = { type: 'web_search_call', action: { type: 'search' } };
  const cut = sse([
    { type: 'response.output_item.done', item },
    { type: 'response.output_text.delta', delta: 'four words and more' },
  ]);
  expect(meter(cut, [], 'client_aborted')).toMatchObject({
    source: 'estimated',
    extras: { units: { searches: 1 }, counted: ['searches'] },
  });
});

test('an answer that says nothing of it has no extras', () => {
  const response = { usage: { input_tokens: 1, output_tokens: 1 }, service_tier: 'default' };
  expect(meter(sse([{ type: 'response.completed', response }]), [])).toEqual({
    tokens: { input: 1, output: 1 },
    source: 'upstream',
  });
});
