import type { Answer } from '../answer.ts';
import type { AskedExtras, Extras, TellableExtras } from '../extras.ts';
import { field, isObject, type Json, list } from '../question.ts';
import { askedTier, OPENAI_TIERS } from './openai-tiers.ts';

/** How often it searched, in the words of those who say it. */
export function writeSearches({ searches, pagesOpened, searchWords }: Extras): object {
  if (searches + pagesOpened === 0) return {};
  switch (searchWords) {
    case 'xai':
      return {
        num_sources_used: searches * 3,
        server_side_tool_usage_details: {
          web_search_calls: searches,
          x_search_calls: 0,
          open_page_calls: pagesOpened,
        },
      };
    case 'openrouter':
      return { server_tool_use: { web_search_requests: searches } };
    case 'perplexity':
      return { num_search_queries: searches, search_context_size: 'low' };
    case 'citations':
      return {};
  }
}

/** OpenAI's models that search say so by the pages that they cite. */
export const citesPages = ({ extras: { searches, searchWords } }: Answer): boolean =>
  searches > 0 && searchWords === 'citations';
export const writeCitations = (answer: Answer): object =>
  citesPages(answer)
    ? {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { start_index: 0, end_index: 4, title: 'A page', url: 'https://example.com/page' },
          },
        ],
      }
    : {};

export const tellable: TellableExtras = { tools: ['search'], tiers: OPENAI_TIERS, regions: false };

/** OpenAI, xAI, OpenRouter, Qwen and GLM have a field or a tool of their own each. */
export function readAskedExtras(body: Json): AskedExtras {
  const types = list(body['tools']).map((tool) => String(field(tool, 'type')));
  const ofRouter =
    types.some((type) => type.startsWith('openrouter:web_search')) ||
    list(body['plugins']).some((plugin) => field(plugin, 'id') === 'web');
  const mode = field(body['search_parameters'], 'mode');
  const ofGrok = isObject(body['search_parameters']) && mode !== 'off';
  const others =
    isObject(body['web_search_options']) ||
    body['enable_search'] === true ||
    types.some((type) => type.startsWith('web_search'));
  const searches = ofRouter || ofGrok || others;
  return {
    tools: new Set(searches && body['tool_choice'] !== 'none' ? ['search'] : []),
    tier: askedTier(body['service_tier']),
    searchWords: ofRouter ? 'openrouter' : ofGrok ? 'xai' : 'citations',
  };
}
