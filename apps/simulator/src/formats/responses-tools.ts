import type { Answer } from '../answer.ts';
import type { AskedExtras, HostedTool, TellableExtras } from '../extras.ts';
import { field, type Json, list } from '../question.ts';
import type { TypedEvent } from './format.ts';
import { askedTier, OPENAI_TIERS } from './openai-tiers.ts';

export const tellable: TellableExtras = {
  tools: ['search', 'file_search', 'code', 'draw'],
  tiers: OPENAI_TIERS,
  regions: false,
};

export function readAskedExtras(body: Json): AskedExtras {
  const tools = body['tool_choice'] === 'none' ? [] : list(body['tools']);
  const drawing = tools.find((tool) => field(tool, 'type') === 'image_generation');
  const model = field(drawing, 'model');
  return {
    tools: new Set(tools.flatMap(hostedTool)),
    tier: askedTier(body['service_tier']),
    drawingModel: typeof model === 'string' ? model : undefined,
  };
}

function hostedTool(tool: unknown): HostedTool[] {
  const type = String(field(tool, 'type'));
  if (type.startsWith('web_search')) return ['search'];
  if (type === 'file_search') return ['file_search'];
  if (type === 'code_interpreter') return ['code'];
  return type === 'image_generation' ? ['draw'] : [];
}

/** The container of a piece of code: they take turns. */
export const codeContainer = ({ id, extras }: Answer, call: number): string => {
  const index = call % extras.containers;
  return `cntr_${id}${index === 0 ? '' : `_${index}`}`;
};

const times = (count: number, make: (index: number) => Record<string, unknown>) =>
  Array.from({ length: count }, (_, index) => ({ status: 'completed', ...make(index) }));

/** What the vendor's tools did, an item for each call. */
export const hostedItems = (answer: Answer): Record<string, unknown>[] => {
  const { id, extras } = answer;
  return [
    ...times(extras.searches, (index) => ({
      id: `ws_${id}_${index}`,
      type: 'web_search_call',
      action: { type: 'search', query: `query ${index}`, queries: [`query ${index}`] },
    })),
    ...times(extras.pagesOpened, (index) => ({
      id: `ws_${id}_page_${index}`,
      type: 'web_search_call',
      action:
        index % 2 === 0
          ? { type: 'open_page', url: 'https://example.com/page' }
          : { type: 'find_in_page', url: 'https://example.com/page', pattern: 'word' },
    })),
    ...times(extras.fileSearches, (index) => ({
      id: `fs_${id}_${index}`,
      type: 'file_search_call',
      queries: [`query ${index}`],
      results: null,
    })),
    ...times(extras.codeCalls, (call) => ({
      id: `ci_${id}${call === 0 ? '' : `_${call}`}`,
      type: 'code_interpreter_call',
      container_id: codeContainer(answer, call),
      code: 'print(1)',
      outputs: null,
    })),
    ...times(extras.drawing ? 1 : 0, () => ({
      id: `ig_${id}`,
      type: 'image_generation_call',
      result: 'aW1hZ2U=',
    })),
  ];
};

/** What a stream says of a tool while it runs. */
export function hostedPartEvents(item: Json, output_index: number): TypedEvent[] {
  const type = String(item['type']);
  const steps: Readonly<Record<string, readonly string[]>> = {
    web_search_call: ['in_progress', 'searching', 'completed'],
    file_search_call: ['in_progress', 'searching', 'completed'],
    image_generation_call: ['in_progress', 'generating', 'completed'],
  };
  return (steps[type] ?? []).map((step) => ({
    type: `response.${type}.${step}`,
    item_id: item['id'],
    output_index,
  }));
}

/** An answer names the tools of its request; those of the caller are left out here. */
export const writeTools = ({ extras: { drawing } }: Answer): object[] =>
  drawing ? [{ type: 'image_generation', model: drawing.model }] : [];

const NOTHING_DRAWN = {
  inputText: 0,
  inputImage: 0,
  cachedText: 0,
  cachedImage: 0,
  outputText: 0,
  outputImage: 0,
};

/** The vendor's own count: both members are always there, with zeros. */
export function writeToolUsage({ extras }: Answer): object {
  if (!extras.hosted || !extras.reportsTools) return {};
  const { inputText, inputImage, cachedText, cachedImage, outputText, outputImage } =
    extras.drawing ?? NOTHING_DRAWN;
  const [input, output] = [inputText + inputImage, outputText + outputImage];
  return {
    tool_usage: {
      image_gen: {
        input_tokens: input,
        input_tokens_details: { image_tokens: inputImage, text_tokens: inputText },
        output_tokens: output,
        output_tokens_details: { image_tokens: outputImage, text_tokens: outputText },
        total_tokens: input + output,
        cached_tokens: cachedText + cachedImage,
        cached_tokens_details: { cached_image_tokens: cachedImage, cached_text_tokens: cachedText },
      },
      web_search: { num_requests: extras.searches },
    },
  };
}
