/** A model as the lists show it. */
export interface ListedModel {
  readonly id: string;
  readonly ownedBy: string;
  /** Unix seconds. */
  readonly created: number;
  readonly displayName?: string;
  readonly description?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
}

export type ListDialect = 'openai' | 'anthropic' | 'gemini';

type Query = Readonly<Record<string, string | undefined>>;

/** One model in a dialect's shape. */
export function renderModel(dialect: ListDialect, model: ListedModel): object {
  switch (dialect) {
    case 'openai':
      return { id: model.id, object: 'model', created: model.created, owned_by: model.ownedBy };
    case 'anthropic':
      return {
        type: 'model',
        id: model.id,
        display_name: model.displayName ?? model.id,
        created_at: new Date(model.created * 1_000).toISOString(),
        max_input_tokens: model.contextWindow ?? null,
        max_tokens: model.maxOutputTokens ?? null,
      };
    case 'gemini':
      return {
        name: `models/${model.id}`,
        baseModelId: model.id,
        version: '001',
        displayName: model.displayName ?? model.id,
        description: model.description ?? '',
        ...(model.contextWindow === undefined ? {} : { inputTokenLimit: model.contextWindow }),
        ...(model.maxOutputTokens === undefined ? {} : { outputTokenLimit: model.maxOutputTokens }),
        supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
      };
  }
}

/**
 * A model list in a dialect's shape, paged as its clients ask: OpenAI not at all, Anthropic by `limit`, `after_id`
 * and `before_id`, Gemini by `pageSize` and `pageToken`. Without a size everything is one page.
 */
export function renderModelList(
  dialect: ListDialect,
  models: readonly ListedModel[],
  query: Query = {},
): object {
  switch (dialect) {
    case 'openai':
      return { object: 'list', data: models.map((model) => renderModel(dialect, model)) };
    case 'anthropic':
      return anthropicPage(models, query);
    case 'gemini': {
      const start = Number.parseInt(query['pageToken'] ?? '0', 10) || 0;
      const end = start + pageSize(query['pageSize'], models.length);
      return {
        models: models.slice(start, end).map((model) => renderModel(dialect, model)),
        ...(end < models.length ? { nextPageToken: String(end) } : {}),
      };
    }
  }
}

function anthropicPage(models: readonly ListedModel[], query: Query): object {
  const size = pageSize(query['limit'], models.length);
  const at = (id: string | undefined) =>
    id === undefined ? -1 : models.findIndex((model) => model.id === id);
  const before = at(query['before_id']);
  const rest = before >= 0 ? models.slice(0, before) : models.slice(at(query['after_id']) + 1);
  const page = before >= 0 ? rest.slice(-size) : rest.slice(0, size);
  return {
    data: page.map((model) => renderModel('anthropic', model)),
    has_more: page.length < rest.length,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}

function pageSize(text: string | undefined, all: number): number {
  const size = Number.parseInt(text ?? '', 10);
  return Number.isInteger(size) && size > 0 ? size : Math.max(1, all);
}
