// Runs every library against every model of CLIENTS_MODELS, and prints a line of JSON for each check.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { aiSdkChecks } from './ai-sdk.mjs';
import { langchainChecks } from './langchain.mjs';
import { llamaindexChecks } from './llamaindex.mjs';
import { anthropicChecks, genaiChecks, openaiChatChecks, openaiResponsesChecks } from './official.mjs';
import { agentsChecks } from './openai-agents.mjs';

const models = JSON.parse(process.env.CLIENTS_MODELS);
const CHECK_MS = 20_000;
/** What a recipe says, as a function of the model. */
const recipe = (name) => import(pathToFileURL(join(process.env.CLIENTS_RECIPES, `${name}.mjs`)).href);

/** A client is loaded only when its turn comes: one that cannot be loaded is a failure of its own. */
async function aiSdk(version, provider) {
  const [{ z }, sdk, { make }] = await Promise.all([
    import('zod'),
    import(version === 6 ? 'ai-6' : 'ai'),
    recipe(`ai-sdk-${version}`),
  ]);
  return aiSdkChecks(sdk, z, (model) => provider(make(model))(model));
}

async function langchain(pick) {
  const [{ z }, { tool }, messages, { make }] = await Promise.all([
    import('zod'),
    import('@langchain/core/tools'),
    import('@langchain/core/messages'),
    recipe('langchain'),
  ]);
  return langchainChecks({ tool, ...messages }, z, (model) => pick(make(model)));
}

async function agents(responses) {
  const [{ z }, sdk, { make }] = await Promise.all([
    import('zod'),
    import('@openai/agents'),
    recipe(responses ? 'openai-agents' : 'openai-agents-chat'),
  ]);
  return agentsChecks(sdk, z, make('').runner, { responses });
}

async function llamaindex() {
  const [{ z }, { agent }, { tool }, { make }] = await Promise.all([
    import('zod'),
    import('@llamaindex/workflow'),
    import('llamaindex'),
    recipe('llamaindex'),
  ]);
  return llamaindexChecks({ agent, tool }, z, (model) => make(model).llm);
}

const official = async (name, checksOf) => checksOf(Object.values((await recipe(name)).make(''))[0]);

const CLIENTS = {
  'openai 7, Chat Completions': () => official('openai-7', openaiChatChecks),
  'openai 7, Responses': () => official('openai-7', openaiResponsesChecks),
  'openai 6, Chat Completions': () => official('openai-6', openaiChatChecks),
  'openai 6, Responses': () => official('openai-6', openaiResponsesChecks),
  '@anthropic-ai/sdk 1': () => official('anthropic-1', anthropicChecks),
  '@anthropic-ai/sdk 0': () => official('anthropic-0', anthropicChecks),
  '@google/genai 3': () => official('genai-3', genaiChecks),
  '@google/genai 2': () => official('genai-2', genaiChecks),
  'AI SDK 7 `openai()`': () => aiSdk(7, ({ openai }) => openai),
  'AI SDK 7 `openai.chat()`': () => aiSdk(7, ({ openai }) => openai.chat),
  'AI SDK 7 `openai-compatible`': () => aiSdk(7, ({ compatible }) => compatible),
  'AI SDK 7 `anthropic()`': () => aiSdk(7, ({ anthropic }) => anthropic),
  'AI SDK 7 `google()`': () => aiSdk(7, ({ google }) => google),
  'AI SDK 6 `openai()`': () => aiSdk(6, ({ openai }) => openai),
  'AI SDK 6 `openai.chat()`': () => aiSdk(6, ({ openai }) => openai.chat),
  'AI SDK 6 `openai-compatible`': () => aiSdk(6, ({ compatible }) => compatible),
  'AI SDK 6 `anthropic()`': () => aiSdk(6, ({ anthropic }) => anthropic),
  'AI SDK 6 `google()`': () => aiSdk(6, ({ google }) => google),
  'LangChain `ChatOpenAI`': () => langchain(({ openai }) => openai),
  'LangChain `ChatOpenAI`, Responses': () => langchain(({ responses }) => responses),
  'LangChain `ChatAnthropic`': () => langchain(({ anthropic }) => anthropic),
  'LangChain `ChatGoogleGenerativeAI`': () => langchain(({ google }) => google),
  'OpenAI Agents': () => agents(true),
  'OpenAI Agents, Chat Completions': () => agents(false),
  'LlamaIndex `OpenAI`': llamaindex,
};

const words = (error) => {
  const cause = error?.cause?.message ? ` (${error.cause.message})` : '';
  return `${error?.message ?? error}${cause}`.split('\n').slice(0, 6).join(' ').slice(0, 600);
};

async function timed(work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${CHECK_MS} ms`)), CHECK_MS);
  });
  await Promise.race([work(), late]).finally(() => clearTimeout(timer));
}

const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
// What libraries reject beside the promise that is awaited says nothing more.
process.on('unhandledRejection', () => {});

for (const [client, load] of Object.entries(CLIENTS)) {
  if (process.env.CLIENTS_ONLY && !client.includes(process.env.CLIENTS_ONLY)) continue;
  let checks;
  try {
    checks = await load();
  } catch (error) {
    for (const model of Object.keys(models)) say({ client, model, check: 'loads', error: words(error) });
    continue;
  }
  await Promise.all(
    Object.entries(models).map(async ([model, name]) => {
      for (const [check, run] of Object.entries(checks)) {
        try {
          await timed(() => run(name));
          say({ client, model, check });
        } catch (error) {
          say({ client, model, check, error: words(error) });
        }
      }
    }),
  );
}
process.exit(0);
