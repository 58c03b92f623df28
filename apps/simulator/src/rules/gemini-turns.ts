import { field, isObject, type Json, list } from '../question.ts';
import { isReasoningState } from '../reasoning-state.ts';
import type { GeminiProfile } from './gemini-profiles.ts';
import { read } from './gemini-members.ts';
import { findFirst, type Refusal, type Rule } from './rule.ts';

const invalid = (message: string): Refusal => ({ status: 400, message });

/** What the real API takes in place of a signature for a call that another model made. */
const ANY_SIGNATURES = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'];

const contentsOf = (body: Json): readonly unknown[] =>
  list(body['contents'] ?? field(read(body, 'generateContentRequest'), 'contents'));
const partsOf = (content: unknown, name: string): readonly unknown[] =>
  list(field(content, 'parts')).filter((part) => isObject(read(part, name)));
const callsOf = (content: unknown): readonly unknown[] => partsOf(content, 'functionCall');
const resultsOf = (content: unknown): readonly unknown[] => partsOf(content, 'functionResponse');

/** The turns of a conversation. */
export const GEMINI_TURN_RULES: readonly Rule<GeminiProfile>[] = [
  {
    id: 'roles',
    refuses: 'a role other than user, model and function',
    source: 'https://github.com/the-open-agent/openagent/issues/1666',
    check: ({ body }) =>
      findFirst(contentsOf(body), (content) =>
        ['user', 'model', 'function'].includes(String(field(content, 'role') ?? 'user'))
          ? undefined
          : invalid('Please use a valid role: user, model.'),
      ),
  },
  {
    id: 'empty-parts',
    refuses: 'a turn without parts, or a part without anything in it',
    source: 'https://github.com/router-for-me/CLIProxyAPI/issues/1292',
    check: ({ body }) =>
      findFirst(contentsOf(body), (content, at) => {
        const parts = list(field(content, 'parts'));
        if (parts.length === 0) {
          return invalid(
            `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.\n`,
          );
        }
        return findFirst(parts, (part, index) =>
          isObject(part) && Object.keys(part).some((name) => !/^thought/.test(name))
            ? undefined
            : invalid(
                `* GenerateContentRequest.contents[${at}].parts[${index}].data: required oneof field 'data' must have one initialized field\n`,
              ),
        );
      }),
  },
  {
    id: 'call-turns',
    refuses: 'calls that do not come right after a user or the results of other calls',
    source: 'https://github.com/google-gemini/gemini-cli/issues/26486',
    check: ({ body }) => {
      const turns = mergedTurns(contentsOf(body));
      return findFirst(turns, (turn, at) =>
        callsOf(turn).length > 0 && (at === 0 || field(turns[at - 1], 'role') === 'model')
          ? invalid(
              'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
            )
          : undefined,
      );
    },
  },
  {
    id: 'result-turns',
    refuses: 'results that do not come right after calls',
    source: 'https://github.com/google-gemini/gemini-cli/pull/26691',
    check: ({ body }) => {
      const turns = mergedTurns(contentsOf(body));
      return findFirst(turns, (turn, at) =>
        resultsOf(turn).length > 0 && callsOf(turns[at - 1]).length === 0
          ? invalid('Please ensure that function response turn comes immediately after a function call turn.')
          : undefined,
      );
    },
  },
  {
    id: 'results-counted',
    refuses: 'more or fewer results than calls, or calls that are followed by something else',
    source: 'https://github.com/google-gemini/gemini-cli/issues/16984',
    check: ({ body }) => {
      const turns = mergedTurns(contentsOf(body));
      return findFirst(turns, (turn, at) => {
        const calls = callsOf(turn).length;
        if (calls === 0 || at === turns.length - 1 || resultsOf(turns[at + 1]).length === calls)
          return undefined;
        return invalid(
          'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        );
      });
    },
  },
  {
    id: 'model-last',
    refuses: 'a model’s turn at the end, from Gemini 3.6 on',
    source: 'https://github.com/vellum-ai/vellum-assistant/pull/39495',
    check: ({ body, profile }) =>
      !profile.endsWithModel && field(contentsOf(body).at(-1), 'role') === 'model'
        ? invalid('Requests ending with a model turn are not supported.')
        : undefined,
  },
  {
    id: 'signature-foreign',
    refuses: 'a thought signature that another vendor or another account made',
    source: 'https://github.com/heyhuynhgiabuu/proxypal/issues/119',
    check: ({ body, account }) =>
      findFirst(contentsOf(body), (content) =>
        findFirst(list(field(content, 'parts')), (part) => {
          const signature = read(part, 'thoughtSignature');
          if (signature === undefined || ANY_SIGNATURES.includes(String(signature))) return undefined;
          return isReasoningState(signature, { vendor: 'google', account })
            ? undefined
            : invalid('Corrupted thought signature.');
        }),
      ),
  },
  {
    id: 'signature-missing',
    refuses:
      'a step of the running turn whose first call has no signature, from Gemini 3 on, whether or not thinking is asked for',
    source: 'https://ai.google.dev/gemini-api/docs/thought-signatures',
    check: ({ body, profile }) => {
      if (!profile.signatures) return undefined;
      // Google's own SDK keeps every chunk of a stream as a turn.
      const turns = mergedTurns(contentsOf(body));
      const begun = turns.findLastIndex((turn) => field(turn, 'role') === 'user' && asksAnew(turn));
      return findFirst(turns.slice(begun + 1), (turn, at) => {
        const [call] = callsOf(turn);
        if (call === undefined || read(call, 'thoughtSignature') !== undefined) return undefined;
        const name = String(field(read(call, 'functionCall'), 'name'));
        return invalid(
          `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${begun + at + 2}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
        );
      });
    },
  },
];

/** A turn runs from what a user says beside results of calls. */
const asksAnew = (turn: unknown): boolean =>
  list(field(turn, 'parts')).some((part) => !isObject(read(part, 'functionResponse')));

/** Turns of one role in a row are one turn. */
function mergedTurns(contents: readonly unknown[]): readonly Json[] {
  return contents.reduce<Json[]>((turns, content) => {
    const role = field(content, 'role') === 'model' ? 'model' : 'user';
    const parts = list(field(content, 'parts'));
    const last = turns.at(-1);
    if (last?.['role'] !== role) return [...turns, { role, parts }];
    return [...turns.slice(0, -1), { role, parts: [...list(last['parts']), ...parts] }];
  }, []);
}
