import { bearer } from '../formats/format.ts';
import { openaiError } from '../formats/openai-error.ts';
import { field, list } from '../question.ts';
import { refuseBy, type Refusal, type Rule } from '../rules/rule.ts';
import type { TaskDoor } from './task-door.ts';

const API = 'https://platform.openai.com/docs/api-reference/moderations/create';
const wrong = (message: string, param: string): Refusal => ({ status: 400, message, param });

export const MODERATION_RULES: readonly Rule<object>[] = [
  {
    id: 'moderate-unknown-member',
    refuses: 'a member that the end point does not know',
    source: API,
    check({ body }) {
      const unknown = Object.keys(body).find((name) => !['model', 'input'].includes(name));
      return unknown === undefined
        ? undefined
        : wrong(`Unrecognized request argument supplied: ${unknown}`, unknown);
    },
  },
  {
    id: 'moderate-input',
    refuses: 'no input',
    source: API,
    check: ({ body: { input } }) =>
      (typeof input === 'string' && input !== '') || list(input).length > 0
        ? undefined
        : wrong("'$.input' is invalid. Please check the API reference.", 'input'),
  },
];

const HARM = /\bharm\b/i;

/** OpenAI's `/v1/moderations`, which costs nothing; what says "harm" is flagged. */
export const moderate: TaskDoor = {
  refuse: refuseBy({ rules: MODERATION_RULES, profiles: [], unknown: {} }),
  error: openaiError,
  credential: bearer,
  read: ({ model, input }) => ({
    model: String(model ?? 'omni-moderation-latest'),
    inputs: (Array.isArray(input) ? list(input) : [input]).map((part) =>
      typeof part === 'string' ? part : String(field(part, 'text') ?? ''),
    ),
  }),
  answer: ({ model, inputs }) => ({
    body: {
      id: 'modr-sim',
      model,
      results: (inputs as readonly string[]).map((text) => ({
        flagged: HARM.test(text),
        categories: { violence: HARM.test(text) },
        category_scores: { violence: HARM.test(text) ? 0.9 : 0.01 },
        category_applied_input_types: { violence: ['text'] },
      })),
    },
    billed: [],
    tokens: 0,
  }),
};
