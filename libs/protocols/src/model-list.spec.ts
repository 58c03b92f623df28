import fc from 'fast-check';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { CODECS, type ListedModel } from './index.ts';

const renderModel = (protocol: ClientProtocol, model: ListedModel) =>
  CODECS[protocol].modelList.renderModel(model);
const renderList = (protocol: ClientProtocol, models: readonly ListedModel[], query = {}) =>
  CODECS[protocol].modelList.renderList(models, query);

const full: ListedModel = {
  id: 'qwen/qwen3:free',
  ownedBy: 'qwen',
  created: 1_790_000_000,
  displayName: 'Qwen 3',
  description: 'Small and quick.',
  contextWindow: 131_072,
  maxOutputTokens: 8_192,
  operations: ['generate'],
};
const bare: ListedModel = { id: 'm', ownedBy: 'o', created: 0, operations: ['generate'] };
const named = (ids: readonly string[]) => ids.map((id): ListedModel => ({ ...bare, id }));

test('OpenAI clients are shown a model in their shape', () => {
  expect(renderModel('openai-chat', full)).toEqual({
    id: 'qwen/qwen3:free',
    object: 'model',
    created: 1_790_000_000,
    owned_by: 'qwen',
    supported_endpoint_types: ['openai', 'openai-response', 'anthropic', 'gemini'],
  });
});

test('Anthropic clients are shown a model in their shape', () => {
  expect(renderModel('anthropic-messages', full)).toEqual({
    type: 'model',
    id: 'qwen/qwen3:free',
    display_name: 'Qwen 3',
    created_at: '2026-09-21T14:13:20.000Z',
    max_input_tokens: 131_072,
    max_tokens: 8_192,
  });
  expect(renderModel('anthropic-messages', bare)).toMatchObject({
    display_name: 'm',
    created_at: '1970-01-01T00:00:00.000Z',
    max_input_tokens: null,
    max_tokens: null,
  });
});

test('Gemini clients are shown a model in their shape', () => {
  const supportedGenerationMethods = ['generateContent', 'streamGenerateContent', 'countTokens'];
  expect(renderModel('gemini', full)).toEqual({
    name: 'models/qwen/qwen3:free',
    baseModelId: 'qwen/qwen3:free',
    version: '001',
    displayName: 'Qwen 3',
    description: 'Small and quick.',
    inputTokenLimit: 131_072,
    outputTokenLimit: 8_192,
    supportedGenerationMethods,
  });
  expect(renderModel('gemini', bare)).toEqual({
    name: 'models/m',
    baseModelId: 'm',
    version: '001',
    displayName: 'm',
    description: '',
    supportedGenerationMethods,
  });
});

describe('a list without paging', () => {
  const models = [full, bare];

  test('holds every model in each dialect', () => {
    expect(renderList('openai-chat', models)).toEqual({
      object: 'list',
      data: models.map((model) => renderModel('openai-chat', model)),
    });
    expect(renderList('anthropic-messages', models)).toEqual({
      data: models.map((model) => renderModel('anthropic-messages', model)),
      has_more: false,
      first_id: 'qwen/qwen3:free',
      last_id: 'm',
    });
    expect(renderList('gemini', models)).toEqual({
      models: models.map((model) => renderModel('gemini', model)),
    });
  });

  test('may be empty', () => {
    expect(renderList('openai-chat', [])).toEqual({ object: 'list', data: [] });
    expect(renderList('anthropic-messages', [])).toEqual({
      data: [],
      has_more: false,
      first_id: null,
      last_id: null,
    });
    expect(renderList('gemini', [])).toEqual({ models: [] });
  });

  test('ignores sizes that are no count', () => {
    for (const size of ['0', '-1', 'many', '']) {
      expect(renderList('anthropic-messages', models, { limit: size })).toMatchObject({ has_more: false });
      expect(renderList('gemini', models, { pageSize: size })).not.toHaveProperty('nextPageToken');
    }
  });
});

describe('Anthropic pages', () => {
  const models = named(['a', 'b', 'c', 'd', 'e']);
  test.each([
    [{ limit: '2' }, ['a', 'b'], true],
    [{ limit: '2', after_id: 'b' }, ['c', 'd'], true],
    [{ limit: '2', after_id: 'd' }, ['e'], false],
    [{ limit: '2', after_id: 'e' }, [], false],
    [{ limit: '2', before_id: 'd' }, ['b', 'c'], true],
    [{ limit: '5', before_id: 'c' }, ['a', 'b'], false],
    [{ limit: '2', before_id: 'a' }, [], false],
    [{ limit: '5' }, ['a', 'b', 'c', 'd', 'e'], false],
    [{ limit: '1000' }, ['a', 'b', 'c', 'd', 'e'], false],
    [{ after_id: 'gone', limit: '1' }, ['a'], true],
  ])('%p gives %p', (query, ids, more) => {
    const page = renderList('anthropic-messages', models, query);
    expect(page).toMatchObject({
      data: ids.map((id) => ({ id })),
      has_more: more,
      first_id: ids[0] ?? null,
      last_id: ids.at(-1) ?? null,
    });
    expect(page).toHaveProperty('data.length', ids.length);
  });
});

interface AnthropicPage {
  data: { id: string }[];
  has_more: boolean;
  last_id: string | null;
}
interface GeminiPage {
  models: { baseModelId: string }[];
  nextPageToken?: string;
}

test('going from page to page shows every model once, in order', () => {
  const ids = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 20 });
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 7 }), (all, size) => {
      const models = named(all);
      const seen = { anthropic: [] as string[], gemini: [] as string[] };
      let after: { after_id?: string } | undefined = {};
      for (let pages = 0; after !== undefined && pages <= all.length; pages += 1) {
        const query: Record<string, string> = { limit: String(size), ...after };
        const page = renderList('anthropic-messages', models, query) as AnthropicPage;
        seen.anthropic.push(...page.data.map(({ id }) => id));
        after = page.has_more ? { after_id: page.last_id ?? '' } : undefined;
      }
      let token: string | undefined = '0';
      for (let pages = 0; token !== undefined && pages <= all.length; pages += 1) {
        const query: Record<string, string> = { pageSize: String(size), pageToken: token };
        const page = renderList('gemini', models, query) as GeminiPage;
        seen.gemini.push(...page.models.map(({ baseModelId }) => baseModelId));
        token = page.nextPageToken;
      }
      expect([after, token]).toEqual([undefined, undefined]);
      expect(seen).toEqual({ anthropic: all, gemini: all });
    }),
  );
});

test('a model says what it is for', () => {
  const model: ListedModel = { ...bare, operations: ['embed'] };
  expect(renderModel('openai-chat', model)).toMatchObject({ supported_endpoint_types: ['embeddings'] });
  expect(renderModel('gemini', model)).toMatchObject({
    supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
  });
  expect(renderList('anthropic-messages', [model, full])).toMatchObject({ data: [{ id: full.id }] });
});
