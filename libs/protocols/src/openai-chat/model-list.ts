import type { ModelList } from '../model-list.ts';

/** OpenAI's list has no pages. */
export const openaiModelList: ModelList = {
  renderModel: ({ id, created, ownedBy }) => ({ id, object: 'model', created, owned_by: ownedBy }),
  renderList: (models) => ({ object: 'list', data: models.map(openaiModelList.renderModel) }),
};
