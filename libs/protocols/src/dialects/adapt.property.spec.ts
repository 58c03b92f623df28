import { CLIENT_PROTOCOLS, PROTOCOLS } from '@tollgate/vocabulary';
import fc from 'fast-check';
import { anyRequest } from '../convert/golden/arbitrary-request.ts';
import { createNotes } from '../neutral/notes.ts';
import { CODECS } from '../registry.ts';
import type { NeutralRequest } from '../neutral/request.ts';
import { adaptRequest } from './adapt-request.ts';
import type { Dialect } from './dialect.ts';
import { findDialect } from './find-dialect.ts';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const NAMES = [
  ...['claude-3-5-sonnet-20241022', 'claude-sonnet-4-20250514', 'claude-opus-4-5', 'claude-sonnet-4-6'],
  ...['claude-opus-4-8', 'claude-fable-5', 'claude-haiku-9', 'gpt-4o', 'o3', 'gpt-5', 'gpt-5.1', 'gpt-5.5'],
  ...['gpt-6-astra', 'mistral-large-latest', 'deepseek-v4', 'glm-5', 'gemini-2.0-flash', 'gemini-2.5-pro'],
  ...['gemini-3-pro-preview', 'gemini-3.7-flash', 'a-name-of-our-own'],
];

const ids = fc.string({ minLength: 1, maxLength: 300 });
const anyAsked = fc.constantFrom(...CLIENT_PROTOCOLS).chain((from) =>
  fc
    .record({
      request: anyRequest(from),
      user: fc.option(ids, { nil: undefined }),
      effort: fc.option(fc.constantFrom(...EFFORTS), { nil: undefined }),
      budget: fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
      limit: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: undefined }),
    })
    .map(
      ({ request, user, effort, budget, limit }) =>
        ({
          ...request,
          sampling: { ...request.sampling, ...(limit === undefined ? {} : { maxOutputTokens: limit }) },
          ...(user === undefined ? {} : { user }),
          ...(effort === undefined && budget === undefined
            ? {}
            : { reasoning: { ...(effort ? { effort } : {}), ...(budget === undefined ? {} : { budget }) } }),
        }) as NeutralRequest,
    ),
);

/** What a model that takes this dialect would refuse. */
function faultsOf({ sampling, reasoning, user, turns }: NeutralRequest, dialect: Dialect): string[] {
  const both = sampling.temperature !== undefined && sampling.topP !== undefined;
  const some = [sampling.temperature, sampling.topP, sampling.topK].some((value) => value !== undefined);
  const off = reasoning?.effort === 'none' || reasoning?.budget === 0;
  const limit = sampling.maxOutputTokens ?? dialect.min_output_tokens;
  const callIds = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === 'tool_call' ? [part.id] : [])),
  );
  const faults: Readonly<Record<string, boolean>> = {
    both: dialect.sampling === 'temperature_or_top_p' && both,
    sampled: dialect.sampling === 'none' && some,
    reasons: dialect.reasoning === 'none' && reasoning !== undefined,
    effort: dialect.reasoning === 'budget' && !off && reasoning?.effort !== undefined,
    budget: dialect.reasoning === 'effort' && !off && reasoning?.budget !== undefined,
    off: !dialect.reasoning_off && off && dialect.min_budget > 0,
    which: !off && reasoning?.effort !== undefined && !dialect.efforts.includes(reasoning.effort),
    least:
      !off &&
      reasoning?.budget !== undefined &&
      dialect.reasoning === 'budget' &&
      reasoning.budget < dialect.min_budget,
    max:
      reasoning?.budget !== undefined &&
      dialect.reasoning === 'budget' &&
      reasoning.budget > (dialect.max_budget ?? Infinity),
    short: limit < dialect.min_output_tokens,
    long: limit > Math.max(dialect.max_output_tokens ?? Infinity, dialect.min_output_tokens),
    user: user !== undefined && user.length > (dialect.user_max ?? Infinity),
    calls: callIds.some((id) => id.length > (dialect.call_id_max ?? Infinity)),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}

describe.each(PROTOCOLS)('to %s', (to) => {
  const anyDialect = fc
    .tuple(fc.constantFrom(...NAMES), fc.option(fc.integer({ min: 16, max: 100_000 })))
    .map(([name, max_output_tokens]) => findDialect(to, name, { max_output_tokens }));

  test('whatever is asked, nothing goes out that the model refuses, and once adapted it stays', () => {
    fc.assert(
      fc.property(anyAsked, anyDialect, (request, dialect) => {
        const adapted = adaptRequest(
          request,
          dialect,
          createNotes(CODECS[to].conversion.support, 'm', false),
        );
        expect(faultsOf(adapted, dialect)).toEqual([]);
        const notes = createNotes(CODECS[to].conversion.support, 'm', false);
        expect(adaptRequest(adapted, dialect, notes)).toEqual(adapted);
        expect([...notes.dropped, ...notes.emulated]).toEqual([]);
      }),
    );
  });

  test('every rule names its source, and what the catalogue states wins over all rules', () => {
    for (const { source } of CODECS[to].dialects.rules) expect(source.length).toBeGreaterThan(10);
    const stated = { sampling: 'all', reasoning: 'none', user_max: 7 } as const;
    for (const name of NAMES) expect(findDialect(to, name, stated)).toMatchObject(stated);
  });
});
