import { ECHO, heard, heardBoth, joined, SAY, TIME, USE_TOOLS, WEATHER } from './checks.mjs';

export function llamaindexChecks({ agent, tool }, z, modelOf) {
  const parameters = z.object({ city: z.string() });
  const tools = [
    tool({
      name: 'get_weather',
      description: 'Weather',
      parameters,
      execute: async (input) => WEATHER(input),
    }),
    tool({ name: 'get_time', description: 'Time', parameters, execute: async (input) => TIME(input) }),
  ];
  const messages = [{ role: 'user', content: SAY }];
  return {
    async text(model) {
      heard((await modelOf(model).chat({ messages })).message.content, ECHO);
    },
    async stream(model) {
      const texts = async function* () {
        for await (const { delta } of await modelOf(model).chat({ messages, stream: true })) yield delta;
      };
      heard(await joined(texts()), ECHO);
    },
    async tools(model) {
      const { data } = await agent({ llm: modelOf(model), tools }).run(USE_TOOLS);
      heardBoth(JSON.stringify(data.result));
    },
  };
}
