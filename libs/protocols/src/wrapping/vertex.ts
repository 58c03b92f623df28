import { withoutMembers } from '../json-spans.ts';
import { setBodyFields } from '../upstream-request.ts';
import { fitBetas, nameDropped, readBetas } from './betas.ts';
import { toMessagesError } from './messages-error.ts';
import type { Wrapping } from './wrapping.ts';

const VERSION = 'vertex-2023-10-16';

/** Anthropic's models on Vertex, below `…/publishers/anthropic`: betas stay in their header. */
export const vertexWrapping: Wrapping = {
  carries: () => true,
  path: ({ model, action }) =>
    action === 'count'
      ? '/models/count-tokens:rawPredict'
      : `/models/${encodeURIComponent(model)}:${action === 'stream' ? 'streamRawPredict' : 'rawPredict'}`,
  wrap(
    { headers: { 'anthropic-version': _version, 'anthropic-beta': header, ...headers }, body },
    { action },
  ) {
    const counts = action === 'count';
    const { taken, dropped } = fitBetas(counts ? 'vertex_count' : 'vertex', readBetas(header));
    if (taken.length > 0) headers['anthropic-beta'] = taken.join(',');
    const named = counts ? body : withoutMembers(body, ['model']);
    return {
      headers,
      body: setBodyFields(named, { anthropic_version: VERSION }),
      dropped: nameDropped(dropped),
    };
  },
  unwrap: toMessagesError,
  // It searches; what it fetches or runs is Anthropic's own alone.
  refusedTools: /^(?:web_fetch|code_execution)_/,
  openFrames: undefined,
};
