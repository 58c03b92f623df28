import { createLargeMeter, measureTask, meterTask } from './measure-task.ts';

const EMBED = { task: 'embed', format: 'openai' } as const;

test('each input counts for no more than the model reads of one', () => {
  const { bound } = measureTask(EMBED, { input: ['a'.repeat(1_000), 'b'] });
  expect(bound(null)).toEqual({ input: 1_000 + 1 + 2 * 32, textOnly: true });
  expect(bound(100).input).toBe(100 + 33);
});

test('tokens are counted as they are, and never estimated above what is held', () => {
  const { tokens, bound } = measureTask(EMBED, { input: [[1, 2, 3], [4]] });
  expect(tokens).toBe(4);
  expect(bound(null).input).toBe(4 + 2 * 32);
});

const answer = (prompt_tokens?: number) => ({
  data: [],
  ...(prompt_tokens ? { usage: { prompt_tokens } } : {}),
});
const own = { tokens: 9, units: {} };

test('what calls report is added up', () => {
  expect(meterTask('openai-chat', EMBED, [answer(3), answer(4)], own)).toEqual({
    tokens: { input: 7 },
    source: 'upstream',
  });
});

test('what one call does not report is estimated for all', () => {
  expect(meterTask('openai-chat', EMBED, [answer(3), answer()], own)).toEqual({
    tokens: { input: 9 },
    source: 'estimated',
  });
});

test.each([-1, -1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300])(
  'search units that are no count, such as %d, are counted as the request has them',
  (search_units) => {
    const ranked = { results: [], meta: { billed_units: { search_units } } };
    const asked = { tokens: 9, units: { rerank_units: 2 } };
    expect(meterTask('openai-chat', { task: 'rerank', format: 'cohere' }, [ranked], asked).extras).toEqual({
      units: { rerank_units: 2 },
      counted: ['rerank_units'],
    });
  },
);

describe('pictures that pass as they come, of a model that is sold by the picture', () => {
  const asked = { tokens: 9, units: { images: 3 } };
  const pictures = Array.from({ length: 2 }, () => ({ b64_json: 'A'.repeat(9_000) }));
  const whole = Buffer.from(JSON.stringify({ created: 1, data: pictures }));
  const meter = (bytes: Buffer) => {
    const large = createLargeMeter('openai-chat', { task: 'draw', format: 'openai' }, asked);
    large.feed(bytes);
    return large;
  };

  test('are counted as they came', () => {
    const units = { images: 2 };
    expect(meter(whole).finish('complete')).toEqual({
      tokens: {},
      source: 'upstream',
      extras: { units, counted: [] },
    });
  });

  test('are all that were asked for, where the client left before the last byte: it may have them', () => {
    expect(meter(whole.subarray(0, -1)).finish('client_aborted')).toEqual({
      tokens: { input: 9 },
      source: 'estimated',
      extras: { units: { images: 3 }, counted: ['images'] },
    });
  });

  test('are none where the upstream broke off', () => {
    expect(meter(whole.subarray(0, -1)).finish('upstream_cut').tokens).toEqual({});
  });
});

test.each([
  ['draw', { prompt: 'a' }, 'output_image'],
  ['speak', { input: 'a' }, 'output_audio'],
  ['complete', { prompt: 'a' }, undefined],
] as const)('what comes back of %j is known', (task, body, writes) => {
  expect(measureTask({ task, format: 'openai' }, body).bound(null).writes).toBe(writes);
});
