import { field, isObject, type Json, list } from '../question.ts';
import { read, snakeCase } from './gemini-members.ts';
import { GEMINI_PROFILES, type GeminiProfile, UNKNOWN_GEMINI } from './gemini-profiles.ts';
import { COUNT_SHAPE, GENERATE_SHAPE } from './gemini-shape.ts';
import { GEMINI_TURN_RULES } from './gemini-turns.ts';
import { findFirst, type Refusal, type Rule, type RuleBook } from './rule.ts';
import { bracketPath, findUnknown, type Step } from './shape.ts';

type GeminiRule = Rule<GeminiProfile>;

const invalid = (message: string): Refusal => ({ status: 400, message });

const configOf = (body: Json): unknown => read(body, 'generationConfig');
const declarationsOf = (body: Json): readonly (readonly [place: string, declaration: unknown])[] =>
  list(body['tools']).flatMap((tool, at) =>
    list(read(tool, 'functionDeclarations')).map(
      (declaration, index) => [`tools[${at}].function_declarations[${index}]`, declaration] as const,
    ),
  );

const IMAGES = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'];

const MEMBERS: readonly GeminiRule[] = [
  {
    id: 'unknown-name',
    refuses:
      'a name that the API does not know, at any place; keywords outside Google’s subset in `parameters`',
    source: 'https://github.com/google-gemini/gemini-cli/issues/13972',
    check: ({ body, counts }) => {
      const found = findUnknown(counts ? COUNT_SHAPE : GENERATE_SHAPE, body);
      if (found.length === 0) return undefined;
      const violations = found.map(({ path, member }) => {
        const place = bracketPath(path.map(snakeStep));
        const name = member.replace(/^\$/, '');
        const at = place === '' ? '' : ` at '${place}'`;
        const description = `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`;
        return place === '' ? { description } : { field: place, description };
      });
      return {
        status: 400,
        message: violations.map(({ description }) => description).join('\n'),
        details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }],
      };
    },
  },
  {
    id: 'function-names',
    refuses:
      'a function whose name does not begin with a letter or `_`, or has others than letters, digits, `_.:-`, or more than 128',
    source: 'https://github.com/google-gemini/gemini-cli/issues/9535',
    check: ({ body }) =>
      findFirst(declarationsOf(body), ([place, declaration]) =>
        /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/.test(String(field(declaration, 'name')))
          ? undefined
          : invalid(
              `* GenerateContentRequest.${place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
            ),
      ),
  },
  {
    id: 'two-schemas',
    refuses:
      '`parameters` together with `parametersJsonSchema`, or `responseSchema` with `responseJsonSchema`',
    source: 'https://ai.google.dev/api/caching#FunctionDeclaration',
    check: ({ body }) =>
      findFirst(declarationsOf(body), ([place, declaration]) =>
        read(declaration, 'parameters') !== undefined &&
        read(declaration, 'parametersJsonSchema') !== undefined
          ? invalid(
              `* GenerateContentRequest.${place}: only one of parameters and parameters_json_schema may be set.\n`,
            )
          : undefined,
      ) ??
      (read(configOf(body), 'responseSchema') !== undefined &&
      read(configOf(body), 'responseJsonSchema') !== undefined
        ? invalid(
            '* GenerateContentRequest.generation_config: only one of response_schema and response_json_schema may be set.\n',
          )
        : undefined),
  },
  {
    id: 'functions-with-json',
    refuses: 'functions together with an answer in JSON, before Gemini 3',
    source: 'https://ai.google.dev/gemini-api/docs/structured-output',
    check: ({ body, profile }) =>
      !profile.functionsWithJson &&
      declarationsOf(body).length > 0 &&
      read(configOf(body), 'responseMimeType') === 'application/json'
        ? invalid("Function calling with a response mime type: 'application/json' is unsupported")
        : undefined,
  },
  {
    id: 'image-types',
    refuses:
      'an image whose data is no PNG, JPEG, WebP, HEIC or HEIF by their own names; `image/jpg` is none',
    source: 'https://github.com/NousResearch/hermes-agent/issues/55432',
    check: ({ body }) =>
      findFirst(list(body['contents']), (content) =>
        findFirst(list(field(content, 'parts')), (part) => {
          const type = read(read(part, 'inlineData'), 'mimeType');
          return typeof type !== 'string' || !type.startsWith('image/') || IMAGES.includes(type)
            ? undefined
            : invalid(`Unsupported MIME type: ${type}`);
        }),
      ),
  },
  {
    id: 'temperature-range',
    refuses: 'a temperature above 2',
    source: 'https://ai.google.dev/api/generate-content#generationconfig',
    check: ({ body }) => {
      const temperature = read(configOf(body), 'temperature');
      return typeof temperature === 'number' && (temperature > 2 || temperature < 0)
        ? invalid(
            '* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].\n',
          )
        : undefined;
    },
  },
  {
    id: 'stops',
    refuses: 'more than five stop sequences',
    source: 'https://github.com/continuedev/continue/issues/2702',
    check: ({ body }) =>
      list(read(configOf(body), 'stopSequences')).length > 5
        ? invalid(
            '* GenerateContentRequest.generation_config.stop_sequences: the number of stop_sequences must not exceed 5\n',
          )
        : undefined,
  },
  {
    id: 'allowed-names',
    refuses: '`allowedFunctionNames` with another mode than ANY or VALIDATED',
    source: 'https://ai.google.dev/api/caching#FunctionCallingConfig',
    check: ({ body }) => {
      const config = read(read(body, 'toolConfig'), 'functionCallingConfig');
      const mode = String(field(config, 'mode')).toUpperCase();
      return list(read(config, 'allowedFunctionNames')).length > 0 && mode !== 'ANY' && mode !== 'VALIDATED'
        ? invalid('Please set allowed_function_names only when function calling mode is ANY.')
        : undefined;
    },
  },
  {
    id: 'penalties',
    refuses: 'a penalty other than 0 from Gemini 2.5 on',
    source: 'https://github.com/google-gemini/cookbook/issues/1290',
    check: ({ body, profile }) =>
      !profile.penalties &&
      ['presencePenalty', 'frequencyPenalty'].some((name) => (read(configOf(body), name) ?? 0) !== 0)
        ? invalid('Penalty is not enabled for this model')
        : undefined,
  },
];

const THINKING: readonly GeminiRule[] = [
  {
    id: 'thinking-none',
    refuses: '`thinkingConfig` on Gemini 2.0 and before',
    source: 'https://github.com/immersive-translate/immersive-translate/issues/2976',
    check: ({ body, profile }) =>
      profile.thinking === 'none' && isObject(read(configOf(body), 'thinkingConfig'))
        ? invalid('thinking_config is not supported.')
        : undefined,
  },
  {
    id: 'thinking-both',
    refuses: '`thinkingLevel` together with `thinkingBudget`',
    source: 'https://ai.google.dev/gemini-api/docs/gemini-3#thinking_level',
    check: ({ body }) => {
      const config = read(configOf(body), 'thinkingConfig');
      return read(config, 'thinkingLevel') !== undefined && read(config, 'thinkingBudget') !== undefined
        ? invalid('You can only set only one of thinking budget and thinking level.')
        : undefined;
    },
  },
  {
    id: 'thinking-level',
    refuses: '`thinkingLevel` on Gemini 2.5, and MINIMAL on the Pro models of Gemini 3',
    source: 'https://github.com/RooCodeInc/Roo-Code/issues/10700',
    check: ({ body, profile }) => {
      const level = read(read(configOf(body), 'thinkingConfig'), 'thinkingLevel');
      if (typeof level !== 'string') return undefined;
      if (profile.thinking === 'budget') return invalid('Thinking level is not supported for this model.');
      return profile.withoutLevels?.includes(level.toUpperCase())
        ? invalid(
            `Thinking level ${level.toUpperCase()} is not supported for this model. Please retry with other thinking level.`,
          )
        : undefined;
    },
  },
  {
    id: 'thinking-budget',
    refuses: 'a budget that the model does not have: 0 on 2.5 Pro, or outside the range of the model',
    source: 'https://github.com/lobehub/lobehub/pull/8122',
    check: ({ body, profile: { budget } }) => {
      const asked = read(read(configOf(body), 'thinkingConfig'), 'thinkingBudget');
      if (!budget || typeof asked !== 'number' || asked === -1) return undefined;
      if (asked === 0) {
        return budget.off
          ? undefined
          : invalid('Budget 0 is invalid. This model only works in thinking mode.');
      }
      return asked >= budget.min && asked <= budget.max
        ? undefined
        : invalid(
            `The thinking budget ${asked} is invalid. Please choose a value between ${budget.min} and ${budget.max}.`,
          );
    },
  },
];

const snakeStep = (step: Step): Step => (typeof step === 'string' ? snakeCase(step) : step);

export const GEMINI_RULES: RuleBook<GeminiProfile> = {
  rules: [...MEMBERS, ...THINKING, ...GEMINI_TURN_RULES],
  profiles: GEMINI_PROFILES,
  unknown: UNKNOWN_GEMINI,
};
