import type { ApiKey } from '../../api/keys.ts';
import type { PriceBook } from '../../api/pricing.ts';

export interface Facts {
  /** The relay's address without a path. */
  readonly origin: string;
  readonly key: string;
  /** Models of the key's group, by the kind of client that they suit best. */
  readonly openai: string;
  readonly anthropic: string;
  readonly gemini: string;
}

interface Snippet {
  readonly id: string;
  readonly name: string;
  /** The file that it belongs in. */
  readonly where?: string;
  readonly write: (facts: Facts) => string;
}

/** What to paste into each client. OpenAI's take the address with `/v1`, the others without a path. */
export const SNIPPETS: readonly Snippet[] = [
  {
    id: 'curl',
    name: 'curl',
    write: ({ origin, key, openai }) =>
      `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${openai}","messages":[{"role":"user","content":"Hello"}]}'`,
  },
  {
    id: 'openai-python',
    name: 'OpenAI Python',
    write: ({ origin, key, openai }) =>
      `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${openai}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`,
  },
  {
    id: 'openai-node',
    name: 'OpenAI Node',
    write: ({ origin, key, openai }) =>
      `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${openai}',
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.choices[0].message.content);`,
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    write: ({ origin, key, anthropic }) =>
      `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', apiKey: '${key}' });
const answer = await client.messages.create({
  model: '${anthropic}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(answer.content);`,
  },
  {
    id: 'gemini',
    name: 'Google Gen AI',
    write: ({ origin, key, gemini }) =>
      `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: '${key}',
  httpOptions: { baseUrl: '${origin}' },
});
const answer = await client.models.generateContent({ model: '${gemini}', contents: 'Hello' });
console.log(answer.text);`,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    write: ({ origin, key, anthropic }) =>
      `export ANTHROPIC_BASE_URL=${origin}
export ANTHROPIC_AUTH_TOKEN=${key}
export ANTHROPIC_DEFAULT_HAIKU_MODEL=${anthropic}
claude --model ${anthropic}`,
  },
  {
    id: 'codex',
    name: 'Codex CLI',
    where: '~/.codex/config.toml',
    write: ({ origin, key, openai }) =>
      `# export TOLLGATE_KEY=${key}
model = "${openai}"
model_provider = "tollgate"

[model_providers.tollgate]
name = "Tollgate"
base_url = "${origin}/v1"
env_key = "TOLLGATE_KEY"
wire_api = "responses"`,
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    write: ({ origin, key, gemini }) =>
      `export GOOGLE_GEMINI_BASE_URL=${origin}
export GEMINI_API_KEY=${key}
gemini --model ${gemini}`,
  },
];

const MAKERS = { openai: /openai|gpt/i, anthropic: /anthropic|claude/i, gemini: /google|gemini/i };

/** For each kind of client a model that a key may use, of the client's own maker where there is one. */
export function modelsFor(
  book: Pick<PriceBook, 'data'> | undefined,
  { group, models }: Pick<ApiKey, 'group' | 'models'>,
): Pick<Facts, keyof typeof MAKERS> {
  const mayUse = (model: string) => models === null || models.includes(model);
  const allowed =
    book?.data.filter(
      ({ enable_groups, model_name }) => enable_groups.includes(group) && mayUse(model_name),
    ) ?? [];
  const pick = (maker: RegExp): string =>
    (allowed.find(({ owner_by, model_name }) => maker.test(owner_by) || maker.test(model_name)) ?? allowed[0])
      ?.model_name ?? 'MODEL';
  return { openai: pick(MAKERS.openai), anthropic: pick(MAKERS.anthropic), gemini: pick(MAKERS.gemini) };
}
