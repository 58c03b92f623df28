import { CITY, ECHO, heard, heardBoth, heardCity, joined, SAY, TIME, USE_TOOLS, WEATHER } from './checks.mjs';

/** @param sdk the module `ai` of one version, and what makes a model of a provider of that version. */
export function aiSdkChecks({ generateText, streamText, generateObject, stepCountIs, tool }, z, modelOf) {
  const inputSchema = z.object({ city: z.string() });
  const tools = {
    get_weather: tool({ description: 'Weather', inputSchema, execute: async (input) => WEATHER(input) }),
    get_time: tool({ description: 'Time', inputSchema, execute: async (input) => TIME(input) }),
  };
  const loop = { tools, stopWhen: stepCountIs(4) };
  const common = (model) => ({ model: modelOf(model), maxRetries: 0 });
  return {
    async text(model) {
      const { text, usage } = await generateText({ ...common(model), system: 'Be brief', prompt: SAY });
      heard(text, ECHO);
      if (!(usage.inputTokens > 0 && usage.outputTokens > 0)) throw new Error('no usage was told');
    },
    async stream(model) {
      const errors = [];
      const { textStream } = streamText({
        ...common(model),
        prompt: SAY,
        onError: (e) => errors.push(e.error),
      });
      const text = await joined(textStream);
      if (errors[0]) throw errors[0];
      heard(text, ECHO);
    },
    async tools(model) {
      const first = await generateText({ ...common(model), ...loop, prompt: USE_TOOLS });
      heardBoth(first.text);
      const messages = [
        { role: 'user', content: USE_TOOLS },
        ...first.response.messages,
        { role: 'user', content: SAY },
      ];
      heard((await generateText({ ...common(model), ...loop, messages })).text, ECHO);
    },
    async 'tools in a stream'(model) {
      const errors = [];
      const result = streamText({
        ...common(model),
        ...loop,
        prompt: USE_TOOLS,
        onError: (e) => errors.push(e.error),
      });
      const text = await joined(result.textStream);
      if (errors[0]) throw errors[0];
      heardBoth(text);
    },
    async object(model) {
      heardCity((await generateObject({ ...common(model), schema: inputSchema, prompt: CITY })).object);
    },
  };
}
