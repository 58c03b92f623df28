import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const RECIPES = join(import.meta.dirname, '../../../../docs/set-up-clients.md');
/** What the recipes call the base URL. */
const BASE_URL = 'http://127.0.0.1:3000';

export interface RecipeValues {
  readonly baseUrl: string;
  readonly model: string;
}

/**
 * The code blocks that follow the paragraph that begins so, up to the next paragraph, with the values of a run in
 * the place of its own.
 *
 * @throws where docs/set-up-clients.md has none.
 */
export function readRecipe(title: string, values?: RecipeValues): string[] {
  const recipes = readFileSync(RECIPES, 'utf8');
  const begin = recipes.indexOf(`\n${title}`);
  if (begin < 0) throw new Error(`docs/set-up-clients.md has no recipe that begins with "${title}"`);
  const blocks: string[] = [];
  let rest = recipes.slice(recipes.indexOf('\n\n', begin + 1));
  for (let block = BLOCK.exec(rest); block; block = BLOCK.exec(rest)) {
    blocks.push(block[1] ?? '');
    rest = rest.slice(block[0].length);
  }
  if (blocks.length === 0) throw new Error(`the recipe "${title}" has no code`);
  return values
    ? blocks.map((text) => text.replaceAll(BASE_URL, values.baseUrl).replaceAll(MODEL, values.model))
    : blocks;
}

const BLOCK = /^\s*```\w+\n(.*?)```\n/s;
/** The simulator's models, by which the recipes name them. */
const MODEL = /sim-(?:chat|responses|claude|gemini)/g;

/** The variables that the shell would have after `export` lines. */
export function parseExports(script: string, key: string): Record<string, string> {
  const lines = [...script.matchAll(/^export (\w+)=([^\s#]*)/gm)];
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => [name, value.replace('$TOLLGATE_KEY', key)]),
  );
}

/** Recipes of libraries, each with other names for what it imports where several versions are run. */
const LIBRARY_RECIPES: Readonly<
  Record<string, readonly [title: string, ...changes: [string | RegExp, string][]]>
> = {
  'openai-7': ['OpenAI clients take'],
  'openai-6': ['OpenAI clients take', ["'openai'", "'openai-6'"]],
  'anthropic-1': ['```ts\nimport Anthropic'],
  'anthropic-0': ['```ts\nimport Anthropic', ["'@anthropic-ai/sdk'", "'@anthropic-ai/sdk-0'"]],
  'genai-3': ['```ts\nimport { GoogleGenAI }'],
  'genai-2': ['```ts\nimport { GoogleGenAI }', ["'@google/genai'", "'@google/genai-2'"]],
  'ai-sdk-7': ['AI SDK'],
  'ai-sdk-6': ['AI SDK', [/'(@ai-sdk\/[\w-]+)'/g, "'$1-6'"]],
  langchain: ['LangChain'],
  'openai-agents': ['OpenAI Agents'],
  'openai-agents-chat': ['OpenAI Agents', [/(new OpenAIProvider\(\{)/, '$1 useResponses: false,']],
  llamaindex: ['LlamaIndex.TS'],
};

/** Writes the recipes of libraries as modules whose `make` takes a model and answers what the recipe makes. */
export function writeLibraryRecipes(directory: string, baseUrl: string): void {
  mkdirSync(directory, { recursive: true });
  for (const [name, [title, ...changes]] of Object.entries(LIBRARY_RECIPES)) {
    const recipe = title.startsWith('```') ? blockWith(title) : (readRecipe(title)[0] ?? '');
    const changed = changes
      .reduce(
        (text, [from, to]) => text.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to),
        recipe,
      )
      .replaceAll(BASE_URL, baseUrl)
      .replaceAll(/'sim-[a-z]+'/g, 'model');
    const imports = [...changed.matchAll(/^import .*$/gm)].map(([line]) => line);
    const body = changed.replaceAll(/^import .*\n/gm, '');
    const made = [...body.matchAll(/^const (\w+) =/gm)].map(([, constant]) => constant);
    const answered = made.filter((constant) => !SETTINGS.has(constant ?? ''));
    const text = `${imports.join('\n')}\nexport function make(model) {\n${body}\nreturn { ${answered.join(', ')} };\n}\n`;
    writeFileSync(join(directory, `${name}.mjs`), text);
  }
}

const SETTINGS = new Set(['apiKey', 'configuration']);

/** A block that follows another without words between them. */
function blockWith(beginning: string): string {
  const recipes = readFileSync(RECIPES, 'utf8');
  const at = recipes.indexOf(beginning);
  if (at < 0)
    throw new Error(`docs/set-up-clients.md has no block that begins with ${JSON.stringify(beginning)}`);
  return BLOCK.exec(recipes.slice(at))?.[1] ?? '';
}
