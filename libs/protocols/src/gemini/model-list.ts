import type { ModelOperation } from '@tollgate/vocabulary';
import { type ModelList, parsePageSize } from '../model-list.ts';

const METHODS: Readonly<Partial<Record<ModelOperation, readonly string[]>>> = {
  generate: ['generateContent', 'streamGenerateContent', 'countTokens'],
  embed: ['embedContent', 'batchEmbedContents'],
};

/** Pages by `pageSize` and `pageToken`. */
export const geminiModelList: ModelList = {
  renderModel: (model) => ({
    name: `models/${model.id}`,
    baseModelId: model.id,
    version: '001',
    displayName: model.displayName ?? model.id,
    description: model.description ?? '',
    ...(model.contextWindow === undefined ? {} : { inputTokenLimit: model.contextWindow }),
    ...(model.maxOutputTokens === undefined ? {} : { outputTokenLimit: model.maxOutputTokens }),
    supportedGenerationMethods: model.operations.flatMap((operation) => METHODS[operation] ?? []),
  }),
  renderList(models, query) {
    const start = Number.parseInt(query['pageToken'] ?? '0', 10) || 0;
    const end = start + parsePageSize(query['pageSize'], models.length);
    return {
      models: models.slice(start, end).map(geminiModelList.renderModel),
      ...(end < models.length ? { nextPageToken: String(end) } : {}),
    };
  },
};
