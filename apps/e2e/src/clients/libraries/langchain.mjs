import { CITY, ECHO, heard, heardBoth, heardCity, joined, SAY, TIME, USE_TOOLS, WEATHER } from './checks.mjs';

export function langchainChecks({ tool, HumanMessage, SystemMessage }, z, modelOf) {
  const schema = z.object({ city: z.string() });
  const tools = [
    tool(async (input) => WEATHER(input), { name: 'get_weather', description: 'Weather', schema }),
    tool(async (input) => TIME(input), { name: 'get_time', description: 'Time', schema }),
  ];
  async function loop(bound, ask) {
    const messages = [new HumanMessage(USE_TOOLS)];
    for (let steps = 0; steps < 4; steps += 1) {
      const answer = await ask(bound, messages);
      messages.push(answer);
      if (!answer.tool_calls?.length) return { text: answer.text, messages };
      for (const call of answer.tool_calls) {
        const called = tools.find(({ name }) => name === call.name);
        messages.push(await called.invoke({ ...call, type: 'tool_call' }));
      }
    }
    throw new Error('it never stops calling tools');
  }
  const streamed = async (bound, messages) => {
    let whole;
    for await (const chunk of await bound.stream(messages)) whole = whole ? whole.concat(chunk) : chunk;
    return whole;
  };
  return {
    async text(model) {
      heard((await modelOf(model).invoke([new SystemMessage('Be brief'), new HumanMessage(SAY)])).text, ECHO);
    },
    async stream(model) {
      const texts = async function* () {
        for await (const chunk of await modelOf(model).stream(SAY)) yield chunk.text;
      };
      heard(await joined(texts()), ECHO);
    },
    async tools(model) {
      const bound = modelOf(model).bindTools(tools);
      const { text, messages } = await loop(bound, (each, said) => each.invoke(said));
      heardBoth(text);
      heard((await bound.invoke([...messages, new HumanMessage(SAY)])).text, ECHO);
    },
    async 'tools in a stream'(model) {
      heardBoth((await loop(modelOf(model).bindTools(tools), streamed)).text);
    },
    async object(model) {
      heardCity(await modelOf(model).withStructuredOutput(schema).invoke(CITY));
    },
  };
}
