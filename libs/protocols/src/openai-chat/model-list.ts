import { listEndpointTypes } from '@tollgate/vocabulary';
import type { ModelList } from '../model-list.ts';

/** OpenAI's list has no pages. */
export const openaiModelList: ModelList = {
  renderModel: ({ id, created, ownedBy, operations }) => ({
    id,
    object: 'model',
    created,
    owned_by: ownedBy,
    // As clients of such relays read it.
    supported_endpoint_types: listEndpointTypes(operations),
  }),
  renderList: (models) => ({ object: 'list', data: models.map(openaiModelList.renderModel) }),
};
