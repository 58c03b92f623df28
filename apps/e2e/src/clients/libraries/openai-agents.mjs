import { CITY, ECHO, heard, heardBoth, heardCity, joined, SAY, TIME, USE_TOOLS, WEATHER } from './checks.mjs';

export function agentsChecks({ Agent, tool }, z, runner, { responses }) {
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
  const agent = (model, more = {}) => new Agent({ name: 'Agent', instructions: 'Be brief', model, ...more });
  return {
    async text(model) {
      heard((await runner.run(agent(model), SAY)).finalOutput, ECHO);
    },
    async stream(model) {
      const result = await runner.run(agent(model), SAY, { stream: true });
      heard(await joined(result.toTextStream({ compatibleWithNodeStreams: true })), ECHO);
      await result.completed;
    },
    async tools(model) {
      const first = await runner.run(agent(model, { tools }), USE_TOOLS);
      heardBoth(first.finalOutput);
      const next = [...first.history, { role: 'user', content: SAY }];
      heard((await runner.run(agent(model, { tools }), next)).finalOutput, ECHO);
    },
    async 'tools in a stream'(model) {
      const result = await runner.run(agent(model, { tools }), USE_TOOLS, { stream: true });
      await result.completed;
      heardBoth(result.finalOutput);
    },
    async object(model) {
      heardCity((await runner.run(agent(model, { outputType: parameters }), CITY)).finalOutput);
    },
    ...(responses && {
      async 'previous response'(model) {
        const first = await runner.run(agent(model, { tools }), USE_TOOLS);
        const { finalOutput } = await runner.run(agent(model, { tools }), 'Recall', {
          previousResponseId: first.lastResponseId,
        });
        heardBoth(finalOutput);
      },
    }),
  };
}
