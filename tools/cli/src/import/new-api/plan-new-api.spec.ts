import { planNewApi } from './plan-new-api.ts';
import { channelRow, type NewApi, tokenRow, userRow } from './rows.ts';

/** Rows as the oldest one-api has them, without the columns that came later. */
const source = (options: Record<string, string>, more: Partial<NewApi> = {}): NewApi => ({
  channels: [
    channelRow.parse({
      id: 1,
      type: 14,
      key: 'k',
      name: 'Claude',
      models: 'claude-x',
      group: 'default',
      priority: '7',
    }),
  ],
  users: [userRow.parse({ id: 1, username: 'ada', quota: '1', group: 'default' })],
  tokens: [
    tokenRow.parse({ id: 1, user_id: 1, key: 'a'.repeat(48), name: '', models: '', remain_quota: '3' }),
  ],
  options: new Map(Object.entries(options)),
  ...more,
});
const rated = (options: Record<string, string> = {}) =>
  planNewApi(
    source({
      ModelRatio: '{"claude-x":1.5}',
      CompletionRatio: '{"claude-x":5}',
      GroupRatio: '{"default":0.85}',
      ...options,
    }),
  );

test('an old one-api comes over, a unit of quota at its exact worth', () => {
  const { catalogue, accounts } = rated();
  expect(catalogue.models).toMatchObject([
    { vendor: 'anthropic', prices: { input: 3_000_000, output: 15_000_000 } },
  ]);
  expect(catalogue.groups).toMatchObject([{ name: 'default', ratio: '0.85', models: ['claude-x'] }]);
  expect(catalogue.upstreams).toMatchObject([{ name: 'Claude-1', base_url: 'https://api.anthropic.com' }]);
  expect(accounts).toMatchObject([
    {
      name: 'ada (new-api 1)',
      credit_usd: '0.000002',
      keys: [{ name: 'token 1', budgets: { total_usd: '0.000006' }, models: null }],
    },
  ]);
});

test.each<[Record<string, string>, object]>([
  [
    { CacheRatio: '{"claude-x":0.1}', CreateCacheRatio: '{"claude-x":1.25}' },
    { cache_read: 300_000, cache_write: 3_750_000 },
  ],
  [
    { AudioRatio: '{"claude-x":4}', AudioCompletionRatio: '{"claude-x":2}', ImageRatio: '{"claude-x":1.5}' },
    { input_audio: 12_000_000, output_audio: 24_000_000, input_image: 4_500_000 },
  ],
  [{ QuotaPerUnit: '1000000' }, { input: 1_500_000, output: 7_500_000 }],
  [{ CompletionRatio: '{}' }, { input: 3_000_000, output: 3_000_000 }],
  [{ ModelPrice: '{"claude-x":0.25}' }, { input: 0, output: 0 }],
])('with the options %j prices are %j', (options, prices) => {
  expect(rated(options).catalogue.models[0]?.prices).toMatchObject(prices);
});

test('a model that draws at a fixed price costs that for each picture', () => {
  const channel = channelRow.parse({
    id: 7,
    key: 'k',
    name: 'C',
    group: 'default',
    models: 'dall-e-3',
    type: 1,
  });
  const options = { ModelPrice: '{"dall-e-3":0.04}', GroupRatio: '{"default":1}' };
  const [model] = planNewApi(source(options, { channels: [channel] })).catalogue.models;
  expect(model).toMatchObject({
    operations: ['draw'],
    request_price: 0,
    unit_prices: { images: 40_000_000_000 },
  });
});

test('a model without a price is left out rather than given away, and its tokens have nothing to ask for', () => {
  const { catalogue, notes } = planNewApi(source({}));
  expect(catalogue.models).toEqual([]);
  expect(notes.join('\n')).toContain('model claude-x: left out, it has neither ModelRatio nor ModelPrice');
});

test('options that are no JSON are refused by their names', () => {
  expect(() => rated({ GroupRatio: 'cheap' })).toThrow(
    'The option GroupRatio is no JSON of names and numbers.',
  );
});

test.each<[string, string, object]>([
  [
    'a tool',
    '{"web_search":10,"file_search":2.5}',
    { searches: 10_000_000_000, file_searches: 2_500_000_000 },
  ],
  ['the most expensive of two', '{"web_search":10,"web_search_preview":25}', { searches: 25_000_000_000 }],
  [
    'the longest beginning of a name',
    '{"web_search":10,"web_search:cl*":11,"web_search:claude*":12,"web_search:gpt*":13}',
    { searches: 12_000_000_000 },
  ],
  ['a free tool', '{"web_search":0}', { searches: 0 }],
])('the stored price of %s comes over and is sold', (_what, prices, unit_prices) => {
  const { catalogue } = rated({ 'tool_price_setting.prices': prices });
  expect(catalogue.models).toMatchObject([{ unit_prices, features: { web_search: 'priced' } }]);
});

test('a model that is billed by an expression costs what that says, or is left out, whatever its ratios are', () => {
  const ofExpression = (expression: string) =>
    rated({
      'billing_setting.billing_mode': '{"claude-x":"tiered_expr"}',
      'billing_setting.billing_expr': JSON.stringify({ 'claude-x': expression }),
    });
  expect(ofExpression('tier("base", p * 2 + c * 9)').catalogue.models).toMatchObject([
    { prices: { input: 2_000_000, output: 9_000_000 } },
  ]);
  const { catalogue, notes } = ofExpression('tier("base", p * 2 + c * 9) * 2');
  expect(catalogue.models).toEqual([]);
  expect(notes.join('\n')).toContain('model claude-x: left out, its price is an expression');
});

const ACCOUNT = JSON.stringify({ type: 'service_account', project_id: 'acme-prod' });
const ofChannel = (row: object, models: string) => {
  const ratios = JSON.stringify(Object.fromEntries(models.split(',').map((model) => [model, 1])));
  const channel = channelRow.parse({ id: 7, key: 'k', name: 'C', group: 'default', models, ...row });
  const plan = planNewApi(
    source({ ModelRatio: ratios, GroupRatio: '{"default":1}' }, { channels: [channel] }),
  );
  return {
    ...plan,
    maps: plan.catalogue.pools.flatMap(({ members }) => members.map((each) => each.model_map)),
  };
};

test.each<[what: string, row: object, models: string, upstreams: object[]]>([
  [
    'Azure',
    { type: 3, base_url: 'https://x.openai.azure.com', other: '2024-10-21' },
    'gpt-4o',
    [
      {
        auth: { header: 'api-key' },
        paths: {
          'openai-chat': { generate: '/openai/deployments/{model}/chat/completions?api-version=2024-10-21' },
        },
        dialects: { 'openai-chat': { limit_field: 'max_tokens' } },
      },
    ],
  ],
  [
    'AWS, with the models of Anthropic apart',
    { type: 33, key: 'AK|secret|eu-west-1' },
    'claude-sonnet-5,amazon.nova-pro-v1:0',
    [
      { name: 'C-7-claude', wrapping: { 'anthropic-messages': 'bedrock' }, auth: { region: 'eu-west-1' } },
      { name: 'C-7', protocols: ['bedrock-converse'] },
    ],
  ],
  [
    'AWS by an API key',
    { type: 33, key: 'bedrock-key|us-east-1' },
    'claude-sonnet-5',
    [{ auth: { kind: 'static', header: 'authorization' } }],
  ],
  [
    'Vertex',
    { type: 41, key: ACCOUNT, other: '{"default":"europe-west4","gemini-2.5-pro":"global"}' },
    'gemini-2.5-pro',
    [
      {
        base_url:
          'https://europe-west4-aiplatform.googleapis.com/v1/projects/acme-prod/locations/europe-west4/publishers/google',
      },
    ],
  ],
  [
    'ZhipuV4',
    { type: 26 },
    'glm-5',
    [
      {
        base_url: 'https://open.bigmodel.cn/api/paas/v4',
        paths: { 'openai-chat': { generate: '/chat/completions' } },
      },
    ],
  ],
  ['VolcEngine', { type: 45 }, 'doubao', [{ base_url: 'https://ark.cn-beijing.volces.com/api/v3' }]],
  ['Perplexity', { type: 27 }, 'sonar', [{ paths: { 'openai-chat': { generate: '/chat/completions' } } }]],
  [
    'Cloudflare',
    { type: 39, other: 'abc1' },
    'llama',
    [{ base_url: 'https://api.cloudflare.com/client/v4/accounts/abc1/ai/v1' }],
  ],
])('a channel of %s comes over', (_what, row, models, upstreams) => {
  expect(ofChannel(row, models).catalogue.upstreams).toMatchObject(upstreams);
});

test('models of a cloud are named as it names them, and a name that is not known is noted', () => {
  const { maps, notes, secrets } = ofChannel(
    { type: 33, key: 'AK|secret|eu-west-1' },
    'claude-sonnet-5,claude-of-old',
  );
  expect(maps).toEqual([{ 'claude-sonnet-5': 'global.anthropic.claude-sonnet-5' }]);
  expect(notes.join('\n')).toContain('the name of claude-of-old there is not known');
  expect([...secrets.values()]).toEqual(['{"access_key_id":"AK","secret_access_key":"secret"}']);
});

/** Of its list of channel types: the first of them, and the numbers that were never given. */
const NEVER = [0, 28, 29, 30, 32];
test('every type of channel comes over or is named with its reason', () => {
  const fits = { base_url: 'https://x.example', other: 'abc1', key: 'AK|secret|eu-west-1' };
  const outcomes = Array.from({ length: 58 }, (_, type) => {
    const { catalogue, notes } = ofChannel({ type, ...fits, ...(type === 41 && { key: ACCOUNT }) }, 'm');
    const isNamed = notes.find((note) => note.includes('left out, its type is ')) !== undefined;
    return { type, moved: catalogue.upstreams.length > 0, isNamed };
  });
  expect(outcomes.filter(({ moved, isNamed }) => moved === isNamed).map(({ type }) => type)).toEqual(NEVER);
});

test('models that are named for a task are for it alone, at the path beside that of conversations', () => {
  const { catalogue, notes } = ofChannel(
    { type: 45 },
    'doubao-embedding-large,bge-reranker-v2,text-moderation-latest,chatty',
  );
  expect(catalogue.models.map(({ name, operations, prices }) => [name, operations, prices.output])).toEqual([
    ['doubao-embedding-large', ['embed'], 0],
    ['bge-reranker-v2', ['rerank'], 0],
    ['text-moderation-latest', ['moderate'], 0],
    ['chatty', undefined, 2_000_000],
  ]);
  expect(catalogue.upstreams[0]?.paths).toMatchObject({
    'openai-chat': {
      embed: expect.stringMatching(/\/embeddings$/),
      rerank: expect.stringMatching(/\/rerank$/),
    },
  });
  expect(notes).toContain('model doubao-embedding-large: is for embeddings, by its name');
});

test('models that by their names are for what is not served are left out, and named', () => {
  const { catalogue, notes } = ofChannel({ type: 45 }, 'midjourney-v7,suno-v5,chatty');
  expect(catalogue.models.map(({ name }) => name)).toEqual(['chatty']);
  for (const model of ['midjourney-v7', 'suno-v5'])
    expect(notes).toContain(`model ${model}: left out, by its name it is for what is not served yet`);
});

test.each([
  [{ type: 34 }, 'rerank-v3.5', 'left out of it, Cohere ranks elsewhere'],
  [{ type: 14 }, 'own-embedding', 'left out of it, it cannot be asked for embeddings here'],
])('a channel %j does not take the task of %s', (row, model, why) => {
  const { catalogue, notes } = ofChannel(row, model);
  expect(catalogue.models).toEqual([]);
  expect(notes.join('\n')).toContain(`${model} is ${why}`);
});
