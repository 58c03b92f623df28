import type { Answer, SimulatedUsage } from '../answer.ts';
import { billConverse } from '../bill/billed.ts';
import { field, findText, isObject, type Json, list } from '../question.ts';
import { CONVERSE_RULES } from '../rules/bedrock-converse.ts';
import { refuseBy } from '../rules/rule.ts';
import { bearer, type Format, halves, type StreamEvent } from './format.ts';
import type { TellableExtras, Tier } from '../extras.ts';

/** By the words of its `serviceTier`; less latency is a setting of its own. */
const TIERS: Readonly<Record<string, Tier>> = {
  default: 'standard',
  priority: 'priority',
  flex: 'flex',
  reserved: 'reserved',
};
const TIER_WORDS: Readonly<Partial<Record<Tier, string>>> = Object.fromEntries(
  Object.entries(TIERS).map(([word, tier]) => [tier, word]),
);

const tellable: TellableExtras = { tools: [], tiers: [...Object.values(TIERS), 'fast'], regions: false };

const readTier = (body: Json): Tier | undefined =>
  field(body['performanceConfig'], 'latency') === 'optimized'
    ? 'fast'
    : TIERS[String(field(body['serviceTier'], 'type'))];

function servedAs(tier: Tier | undefined): object {
  if (tier === undefined) return {};
  const type = TIER_WORDS[tier];
  return type === undefined ? { performanceConfig: { latency: 'optimized' } } : { serviceTier: { type } };
}

const stopReason = ({ calls, finish }: Answer) =>
  calls.length > 0
    ? 'tool_use'
    : { stop: 'end_turn', length: 'max_tokens', refusal: 'content_filtered' }[finish];

function usageOf(usage: SimulatedUsage) {
  const inputTokens = usage.input - usage.cacheRead - usage.cacheWrite - usage.cacheWrite1h;
  const details = [
    { ttl: '5m', inputTokens: usage.cacheWrite },
    { ttl: '1h', inputTokens: usage.cacheWrite1h },
  ].filter((detail) => detail.inputTokens > 0);
  return {
    inputTokens,
    outputTokens: usage.output,
    totalTokens: usage.input + usage.output,
    cacheReadInputTokens: usage.cacheRead,
    cacheWriteInputTokens: usage.cacheWrite + usage.cacheWrite1h,
    ...(details.length > 0 ? { cacheDetails: details } : {}),
  };
}

/** What stands behind the words of an answer. */
const about = ({ usage, extras: { tier } }: Answer) => ({
  ...(usage ? { usage: usageOf(usage) } : {}),
  metrics: { latencyMs: 12 },
  ...servedAs(tier),
});

interface Block {
  readonly start?: object;
  readonly deltas: readonly object[];
  readonly whole: object;
}

function blocksOf(answer: Answer): Block[] {
  const { reasoning, reasoningState: signature } = answer;
  const thought: Block = {
    deltas: [{ reasoningContent: { text: reasoning } }, { reasoningContent: { signature } }],
    whole: { reasoningContent: { reasoningText: { text: reasoning, signature } } },
  };
  const text: Block = {
    deltas: answer.pieces.map((piece) => ({ text: piece })),
    whole: { text: answer.text },
  };
  const calls = answer.calls.map(({ id, name, args }): Block => {
    const toolUseId = `tooluse_${id}`;
    return {
      start: { toolUse: { toolUseId, name } },
      deltas: halves(JSON.stringify(args)).map((input) => ({ toolUse: { input } })),
      whole: { toolUse: { toolUseId, name, input: args } },
    };
  });
  return [...(reasoning ? [thought] : []), ...(calls.length > 0 ? calls : [text])];
}

const thinks = (fields: unknown): boolean =>
  /^(?:enabled|adaptive)$/.test(
    String(field(field(fields, 'thinking'), 'type') ?? field(field(fields, 'reasoningConfig'), 'type')),
  );

/** All text of a message: results hold theirs in blocks of their own. */
const textsOf = (content: unknown): string =>
  list(content)
    .map((block) => findText([block]) || textsOf(field(field(block, 'toolResult'), 'content')))
    .filter(Boolean)
    .join(' ');

/** Amazon Bedrock's Converse. */
export const bedrockConverse: Format = {
  refuse: refuseBy(CONVERSE_RULES),
  stateOwner: () => ({ vendor: 'anthropic' }),
  read(body, { model, stream }) {
    const messages = list(body['messages']);
    const users = messages.filter((message) => field(message, 'role') === 'user');
    const last = list(field(messages.at(-1), 'content')).filter((block) =>
      isObject(field(block, 'toolResult')),
    );
    const toolConfig = body['toolConfig'];
    const choice = field(toolConfig, 'toolChoice');
    return {
      model,
      stream,
      includeUsage: true,
      texts: [findText(body['system']), ...messages.map((message) => textsOf(field(message, 'content')))],
      lastUserText: textsOf(field(users.at(-1), 'content')),
      toolResult: last.length > 0 ? textsOf(last) : undefined,
      tools: list(field(toolConfig, 'tools')).flatMap((tool) => {
        const spec = field(tool, 'toolSpec');
        const schema = field(field(spec, 'inputSchema'), 'json');
        return isObject(spec) ? [{ name: String(spec['name']), schema }] : [];
      }),
      asked: { tools: new Set(), tier: readTier(body) },
      toolForced: isObject(choice) && !('auto' in choice),
      reasoning:
        thinks(body['additionalModelRequestFields']) || field(body['outputConfig'], 'effort') !== undefined,
    };
  },
  whole: (answer) => ({
    output: { message: { role: 'assistant', content: blocksOf(answer).map(({ whole }) => whole) } },
    stopReason: stopReason(answer),
    ...about(answer),
  }),
  events: (answer) => [
    event('messageStart', { role: 'assistant' }),
    ...blocksOf(answer).flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start ? [event('contentBlockStart', { contentBlockIndex, start })] : []),
      ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
      event('contentBlockStop', { contentBlockIndex }),
    ]),
    event('messageStop', { stopReason: stopReason(answer) }),
    event('metadata', about(answer)),
  ],
  tellable,
  bill: billConverse,
  terminator: '',
  error: (_status, message) => ({ message }),
  credential: bearer,
  countTokens: (words) => ({ inputTokens: words }),
};

const event = (name: string, data: Json): StreamEvent => ({ name, data });
