import { type ModelList, parsePageSize } from '../model-list.ts';

/** Pages by `limit`, `after_id` and `before_id`. */
export const messagesModelList: ModelList = {
  renderModel: (model) => ({
    type: 'model',
    id: model.id,
    display_name: model.displayName ?? model.id,
    created_at: new Date(model.created * 1_000).toISOString(),
    max_input_tokens: model.contextWindow ?? null,
    max_tokens: model.maxOutputTokens ?? null,
  }),
  renderList(all, query) {
    // Its clients hold conversations and do nothing else.
    const models = all.filter(({ operations }) => operations.includes('generate'));
    const size = parsePageSize(query['limit'], models.length);
    const at = (id: string | undefined) =>
      id === undefined ? -1 : models.findIndex((model) => model.id === id);
    const before = at(query['before_id']);
    const rest = before >= 0 ? models.slice(0, before) : models.slice(at(query['after_id']) + 1);
    const page = before >= 0 ? rest.slice(-size) : rest.slice(0, size);
    return {
      data: page.map(messagesModelList.renderModel),
      has_more: page.length < rest.length,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
    };
  },
};
