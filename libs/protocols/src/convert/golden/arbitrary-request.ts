import type { ClientProtocol } from '@tollgate/vocabulary';
import fc from 'fast-check';
import type { NeutralRequest, Reasoning, Tool, ToolChoice } from '../../neutral/request.ts';
import { someText, someWord } from './arbitrary.ts';
import { anyTurns } from './arbitrary-turns.ts';

const schema = fc.constantFrom(
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  { type: 'object', properties: { type: { enum: ['A'], default: 'A' } }, additionalProperties: false },
  { type: 'object', $defs: { Node: { type: ['string', 'null'] } }, anyOf: [{ $ref: '#/$defs/Node' }] },
);

const anyOf = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record<T, never>(members, { requiredKeys: [] });

const named = { name: someWord };
const functionTool = (strict: fc.Arbitrary<boolean> | undefined, always = false): fc.Arbitrary<Tool> =>
  fc.record(
    {
      kind: fc.constant('function' as const),
      ...named,
      parameters: schema,
      description: someText,
      ...(strict ? { strict } : {}),
    },
    { requiredKeys: always ? ['kind', 'name', 'parameters', 'strict'] : ['kind', 'name', 'parameters'] },
  );
const customTool: fc.Arbitrary<Tool> = fc.record(
  {
    kind: fc.constant('custom' as const),
    ...named,
    description: someText,
    grammar: fc.record({ syntax: fc.constantFrom('lark', 'regex'), definition: someText }),
  },
  { requiredKeys: ['kind', 'name'] },
);

/** Tools of a namespace stand together, behind the others. */
const inNamespace = (tools: readonly Tool[]): Tool[] =>
  tools.map((tool, index) => (index < tools.length / 2 ? tool : { ...tool, namespace: 'sky' }));

const TOOLS: Readonly<Record<ClientProtocol, fc.Arbitrary<Tool>>> = {
  'openai-chat': fc.oneof(functionTool(fc.boolean()), customTool),
  'openai-responses': fc.oneof(functionTool(fc.boolean(), true), customTool),
  'anthropic-messages': functionTool(fc.constant(true)),
  gemini: functionTool(undefined),
};

type WithTools = Pick<NeutralRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>;

/** Tools with a choice among them. */
function tooling(protocol: ClientProtocol): fc.Arbitrary<WithTools> {
  const openai = protocol.startsWith('openai-');
  return fc
    .record({
      list: fc.uniqueArray(TOOLS[protocol], { maxLength: 4, selector: ({ name }) => name }),
      mode: fc.constantFrom(
        undefined,
        'auto' as const,
        'none' as const,
        'required' as const,
        'tool' as const,
      ),
      allowed: fc.boolean(),
      parallel: fc.constantFrom(undefined, false, true),
    })
    .map(({ list, mode, allowed, parallel }): WithTools => {
      const tools = protocol === 'openai-responses' ? inNamespace(list) : list;
      const [first] = tools;
      if (!first) return { tools };
      const some =
        allowed &&
        tools.length > 1 &&
        (openai ? mode !== 'none' : protocol === 'gemini' && mode === 'required');
      const toolChoice: ToolChoice | undefined =
        mode === 'tool'
          ? { mode, name: first.name }
          : mode && { mode, ...(some ? { allowed: tools.slice(0, 2).map(({ name }) => name) } : {}) };
      const off = protocol === 'anthropic-messages' && parallel === false && mode && mode !== 'none';
      const parallelToolCalls = openai ? parallel : off ? false : undefined;
      return {
        tools,
        ...(toolChoice ? { toolChoice } : {}),
        ...(parallelToolCalls === undefined ? {} : { parallelToolCalls }),
      };
    });
}

const tokens = fc.integer({ min: 8_000, max: 64_000 });
const part = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const stop = fc.array(someText, { minLength: 1, maxLength: 4 });
const penalties = { presencePenalty: part, frequencyPenalty: part, seed: fc.nat() };

const formatOf = (name: fc.Arbitrary<string>, more: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    { type: fc.constant('schema' as const), name, schema, ...more },
    { requiredKeys: ['type', 'name', 'schema'] },
  ) as fc.Arbitrary<NonNullable<NeutralRequest['responseFormat']>>;
const openaiFormat = fc.oneof(
  fc.constant({ type: 'json' as const }),
  formatOf(someWord, { strict: fc.boolean(), description: someText }),
);
const effort = fc.constantFrom('low' as const, 'medium' as const, 'high' as const);
const shared = anyOf({
  metadata: fc.dictionary(someWord, someText),
  service_tier: fc.constantFrom('flex', 'priority'),
  prompt_cache_key: someWord,
  safety_identifier: someWord,
  verbosity: fc.constantFrom('low', 'high'),
});

type Rest = Partial<Pick<NeutralRequest, 'responseFormat' | 'reasoning' | 'user'>> &
  Pick<NeutralRequest, 'sampling' | 'shared' | 'system'>;

const none = fc.constant({});
const REST: Readonly<Record<ClientProtocol, fc.Arbitrary<Rest>>> = {
  'openai-chat': fc.record(
    {
      system: fc.array(someText, { maxLength: 2 }),
      sampling: anyOf({
        maxOutputTokens: tokens,
        temperature: part,
        topP: part,
        stop,
        n: fc.constantFrom(1, 2),
        ...penalties,
      }),
      responseFormat: openaiFormat,
      reasoning: fc.record({
        effort: fc.oneof(effort, fc.constantFrom('none' as const, 'minimal' as const)),
      }),
      user: someWord,
      shared,
    },
    { requiredKeys: ['system', 'sampling', 'shared'] },
  ),
  'openai-responses': fc.record(
    {
      system: fc.array(someText, { maxLength: 1 }),
      sampling: anyOf({ maxOutputTokens: tokens, temperature: part, topP: part }),
      responseFormat: openaiFormat,
      reasoning: fc.oneof(
        fc.record({ effort }),
        fc.record({ shown: fc.constant(true) }),
        fc.record({ effort, shown: fc.constant(true) }),
      ),
      user: someWord,
      shared,
    },
    { requiredKeys: ['system', 'sampling', 'shared'] },
  ),
  'anthropic-messages': fc
    .record(
      {
        system: fc.array(someText, { maxLength: 2 }),
        sampling: fc.record(
          { maxOutputTokens: tokens, temperature: part, topP: part, topK: fc.nat(), stop },
          { requiredKeys: ['maxOutputTokens'] },
        ),
        responseFormat: formatOf(fc.constant('answer'), {}),
        reasoning: fc.oneof<fc.Arbitrary<Reasoning>[]>(
          fc.constant({ budget: 0 }),
          fc.record({ budget: fc.integer({ min: 1_024, max: 6_000 }), shown: fc.boolean() }),
          fc.record({ adaptive: fc.constant(true), shown: fc.boolean() }),
          fc.record({ adaptive: fc.constant(true), shown: fc.boolean(), effort }),
        ),
        user: someWord,
        shared: none,
      },
      { requiredKeys: ['system', 'sampling', 'shared'] },
    )
    // While it thinks, the API takes no sampling of the caller.
    .map((rest) => {
      const thinks = rest.reasoning !== undefined && rest.reasoning.budget !== 0;
      const { maxOutputTokens } = rest.sampling;
      return thinks ? { ...rest, sampling: { maxOutputTokens } } : rest;
    }),
  gemini: fc.record(
    {
      system: fc.array(someText, { maxLength: 2 }),
      sampling: anyOf({
        maxOutputTokens: tokens,
        temperature: part,
        topP: part,
        topK: fc.nat(),
        stop,
        n: fc.constantFrom(1, 2),
        ...penalties,
      }),
      responseFormat: fc.oneof(fc.constant({ type: 'json' as const }), formatOf(fc.constant('answer'), {})),
      reasoning: fc.oneof<fc.Arbitrary<Reasoning>[]>(
        fc.record({ effort, shown: fc.boolean() }),
        fc.record({ budget: fc.integer({ min: 1, max: 9_000 }), shown: fc.boolean() }),
        fc.constant({ budget: 0, shown: false }),
        fc.constant({ adaptive: true, shown: true }),
      ),
      shared: none,
    },
    { requiredKeys: ['system', 'sampling', 'shared'] },
  ),
};

/** Requests within what a format carries. */
export const anyRequest = (protocol: ClientProtocol): fc.Arbitrary<NeutralRequest> =>
  fc
    .record({
      turns: anyTurns(protocol),
      tools: tooling(protocol),
      rest: REST[protocol],
      stream: fc.boolean(),
    })
    .map(({ turns, tools, rest, stream }): NeutralRequest => {
      const forced = tools.toolChoice?.mode === 'required' || tools.toolChoice?.mode === 'tool';
      const { reasoning, ...others } = rest;
      // A forced tool excludes thinking there.
      const thinks = reasoning && !(forced && protocol === 'anthropic-messages');
      return { turns, ...tools, ...others, ...(thinks ? { reasoning } : {}), stream };
    });
