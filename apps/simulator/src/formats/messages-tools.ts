import type { Answer } from '../answer.ts';
import type { AskedExtras, HostedTool, TellableExtras } from '../extras.ts';
import { field, type Json, list } from '../question.ts';

export const tellable: TellableExtras = {
  tools: ['search', 'fetch', 'code'],
  tiers: ['standard', 'priority', 'flex', 'fast', 'batch', 'reserved'],
  regions: true,
};

export function readAskedExtras(body: Json): AskedExtras {
  const tools = field(body['tool_choice'], 'type') === 'none' ? [] : list(body['tools']);
  const { service_tier, speed, inference_geo } = body;
  const ofTier = service_tier === 'priority' || service_tier === 'flex' ? service_tier : undefined;
  return {
    tools: new Set(tools.flatMap((tool) => hostedTool(String(field(tool, 'type'))))),
    tier: speed === 'fast' ? 'fast' : ofTier,
    region: typeof inference_geo === 'string' && inference_geo !== 'global' ? inference_geo : undefined,
  };
}

function hostedTool(type: string): HostedTool[] {
  if (type.startsWith('web_search_')) return ['search'];
  if (type.startsWith('web_fetch_')) return ['fetch'];
  return type.startsWith('code_execution_') ? ['code'] : [];
}

/** How it was served: faster inference is a speed, not a tier. */
export const servedAs = ({ extras: { tier = 'standard', region } }: Answer): object => ({
  service_tier: tier === 'fast' ? 'standard' : tier,
  ...(tier === 'fast' ? { speed: 'fast' } : {}),
  ...(region === undefined ? {} : { inference_geo: region }),
});

/** The vendor's own count, which a stream gives at its end. */
export const toolUse = ({ extras: { searches, fetches } }: Answer): object =>
  searches + fetches > 0
    ? { server_tool_use: { web_search_requests: searches, web_fetch_requests: fetches } }
    : {};

export const writeContainer = ({ id, extras: { containers } }: Answer): object =>
  containers > 0
    ? { container: { id: `container_${id}`, expires_at: '2030-01-01T00:00:00Z', skills: null } }
    : {};

interface Block {
  readonly start: object;
  readonly deltas: object[];
  readonly whole: object;
}

/** A call of each of the vendor's tools with its result, which is there at once. */
export function hostedBlocks({ id, extras: { searches, fetches, codeCalls } }: Answer): Block[] {
  const calls = (count: number, name: string, input: object, result: object): Block[] =>
    Array.from({ length: count }, (_, index) => `srvtoolu_${id}_${name}_${index}`).flatMap((callId) => [
      {
        start: { type: 'server_tool_use', id: callId, name, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
        whole: { type: 'server_tool_use', id: callId, name, input },
      },
      whole({ type: `${name}_tool_result`, tool_use_id: callId, content: result }),
    ]);
  return [
    ...calls(searches, 'web_search', { query: 'query' }, [FOUND]),
    ...calls(fetches, 'web_fetch', { url: PAGE }, FETCHED),
    ...calls(codeCalls, 'code_execution', { code: 'print(1)' }, RAN),
  ];
}

const whole = (block: object): Block => ({ start: block, deltas: [], whole: block });

const PAGE = 'https://example.com/page';
const FOUND = {
  type: 'web_search_result',
  url: PAGE,
  title: 'A page',
  encrypted_content: 'cGFnZQ==',
  page_age: null,
};
const FETCHED = {
  type: 'web_fetch_result',
  url: PAGE,
  retrieved_at: '2026-01-01T00:00:00Z',
  content: {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'page' },
    title: 'A page',
    citations: null,
  },
};
const RAN = { type: 'code_execution_result', stdout: '1', stderr: '', return_code: 0, content: [] };
