// The validators of the AI SDK's providers read every answer and stream of libs/protocols' `emittedAnswers`, as their fetch
// would bring them. Prints a line of JSON for what one of them refuses, and at last how many they read.
import { pathToFileURL } from 'node:url';

const { emittedAnswers } = await import(pathToFileURL(process.env.CLIENTS_EMITTED).href);

const PROVIDERS = [
  ['openai-responses', 'openai', ({ createOpenAI }, options) => createOpenAI(options)('m')],
  ['openai-chat', 'openai', ({ createOpenAI }, options) => createOpenAI(options).chat('m')],
  [
    'openai-chat',
    'openai-compatible',
    ({ createOpenAICompatible }, options) => createOpenAICompatible({ name: 'x', ...options })('m'),
  ],
  ['anthropic-messages', 'anthropic', ({ createAnthropic }, options) => createAnthropic(options)('m')],
  ['gemini', 'google', ({ createGoogleGenerativeAI }, options) => createGoogleGenerativeAI(options)('m')],
];
const prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const words = (error) => [error?.message, error?.cause?.message].filter(Boolean).join(' / ').slice(0, 1_000);

let answer;
const options = {
  apiKey: 'x',
  baseURL: 'http://127.0.0.1/v1',
  fetch: async () =>
    new globalThis.Response(answer.whole ? JSON.stringify(answer.whole) : answer.stream, {
      headers: { 'content-type': answer.whole ? 'application/json' : 'text/event-stream' },
    }),
};

const REFUSED = /validation failed|Invalid JSON|schema/i;
const refusalIn = (error) => (REFUSED.test(words(error)) ? words(error) : undefined);

/** What is refused; an error that the relay told is none. */
async function refusalOf(model) {
  try {
    if (answer.whole) await model.doGenerate({ prompt });
    else {
      const { stream } = await model.doStream({ prompt });
      for await (const part of stream) if (part.type === 'error') throw part.error;
    }
  } catch (error) {
    return refusalIn(error);
  }
  return undefined;
}

/** No provider of Chat Completions offers free-form tools, so that none is answered with their calls. */
const canBeAnswered = ({ client, whole, stream }) =>
  client !== 'openai-chat' || !(stream ?? JSON.stringify(whole)).includes('"type":"custom"');

const emitted = emittedAnswers().filter(canBeAnswered);
let count = 0;
for (const suffix of ['', '-6']) {
  for (const [client, name, modelOf] of PROVIDERS) {
    const provider = `@ai-sdk/${name}${suffix}`;
    const model = modelOf(await import(provider), options);
    for (answer of emitted.filter((each) => each.client === client)) {
      count += 1;
      const error = await refusalOf(model);
      if (error !== undefined)
        say({ provider, upstream: answer.upstream, whole: Boolean(answer.whole), error });
    }
  }
}
say({ count });
process.exit(0);
