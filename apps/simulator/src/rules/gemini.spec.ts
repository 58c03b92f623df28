import { GEMINI_CASES as cases } from '../../testing/gemini-cases.ts';
import { describeRules } from '../../testing/rule-cases.ts';
import { GEMINI_RULES } from './gemini.ts';

describeRules({
  book: GEMINI_RULES,
  cases,
  url: (name) => `/v1beta/models/${name}:generateContent`,
  headers: { 'x-goog-api-key': 'test' },
  body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  error: (said) => (said as { error: object }).error,
});

test('names that are not known are listed as Google lists them', () => {
  const unknown = GEMINI_RULES.rules.find(({ id }) => id === 'unknown-name');
  const refusal = unknown?.check({
    body: { contents: [], odd: 1, generationConfig: { odd: 1 } },
    model: 'sim',
    profile: GEMINI_RULES.unknown,
    counts: false,
    stream: false,
    account: 'test',
    header: () => undefined,
  });
  expect(refusal?.details).toEqual([
    {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [
        { description: 'Invalid JSON payload received. Unknown name "odd": Cannot find field.' },
        {
          field: 'generation_config',
          description: `Invalid JSON payload received. Unknown name "odd" at 'generation_config': Cannot find field.`,
        },
      ],
    },
  ]);
});
