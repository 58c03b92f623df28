import { CITY, ECHO, heard, heardBoth, heardCity, joined, SAY, TIME, USE_TOOLS, WEATHER } from './checks.mjs';

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const NAMES = ['get_weather', 'get_time'];
/** What a caller of a vendor knows of the vendor's models; models of others are asked for as much. */
const reasons = (model) => !/gpt4o/.test(model);
/** Whose own format is Chat as well: what it is asked passes as it is. */
const reasonsInChat = (model) => reasons(model) && !/mistrallarge/.test(model);
const hasBudget = (model) => !/claudeopus48/.test(model);
const resultOf = (name, args) => ({ get_weather: WEATHER, get_time: TIME })[name](args);

/** Without what the SDK adds to what it heard, which vendors refuse. */
const ADDED = /^(?:parsed|parsed_arguments|refusal)$/;
const asSaid = (item) =>
  JSON.parse(JSON.stringify(item, (key, value) => (ADDED.test(key) && !value?.length ? undefined : value)));

export function openaiChatChecks(client) {
  const tools = NAMES.map((name) => ({ type: 'function', function: { name, parameters: SCHEMA } }));
  const ask = (model, content, more = {}) => ({ model, messages: [{ role: 'user', content }], ...more });
  const run = async (request, stream) =>
    stream
      ? (await client.chat.completions.stream(request).finalChatCompletion()).choices[0].message
      : (await client.chat.completions.create(request)).choices[0].message;
  async function loop(model, stream) {
    const request = ask(model, USE_TOOLS, {
      tools,
      ...(reasonsInChat(model) && { reasoning_effort: 'medium' }),
    });
    const message = await run(request, stream);
    const results = message.tool_calls.map(({ id, function: { name, arguments: args } }) => ({
      role: 'tool',
      tool_call_id: id,
      content: resultOf(name, JSON.parse(args)),
    }));
    heardBoth(
      (await run({ ...request, messages: [...request.messages, asSaid(message), ...results] }, stream))
        .content,
    );
  }
  const response_format = {
    type: 'json_schema',
    json_schema: { name: 'city', schema: SCHEMA, strict: true },
  };
  return {
    text: async (model) => heard((await run(ask(model, SAY))).content, ECHO),
    stream: async (model) => heard((await run(ask(model, SAY), true)).content, ECHO),
    tools: (model) => loop(model, false),
    'tools in a stream': (model) => loop(model, true),
    async object(model) {
      const parsed = await client.chat.completions.parse(ask(model, CITY, { response_format }));
      heardCity(JSON.parse(parsed.choices[0].message.content));
    },
  };
}

export function openaiResponsesChecks(client) {
  const tools = NAMES.map((name) => ({ type: 'function', name, parameters: SCHEMA, strict: true }));
  const run = (request, stream) =>
    stream ? client.responses.stream(request).finalResponse() : client.responses.create(request);
  async function loop(model, stream, store) {
    const question = { role: 'user', content: USE_TOOLS };
    const request = { model, tools, store, ...(reasons(model) && { reasoning: { effort: 'medium' } }) };
    const first = await run({ ...request, input: [question] }, stream);
    const results = first.output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name, arguments: args }) => ({
        type: 'function_call_output',
        call_id,
        output: resultOf(name, JSON.parse(args)),
      }));
    const next = store
      ? { previous_response_id: first.id, input: results }
      : { input: [question, ...first.output.map(asSaid), ...results] };
    heardBoth((await run({ ...request, ...next }, stream)).output_text);
  }
  const text = { format: { type: 'json_schema', name: 'city', schema: SCHEMA, strict: true } };
  return {
    text: async (model) => heard((await run({ model, input: SAY })).output_text, ECHO),
    stream: async (model) => heard((await run({ model, input: SAY }, true)).output_text, ECHO),
    tools: (model) => loop(model, false, false),
    'tools in a stream': (model) => loop(model, true, false),
    'previous response': (model) => loop(model, true, true),
    object: async (model) =>
      heardCity(JSON.parse((await client.responses.parse({ model, input: CITY, text })).output_text)),
  };
}

export function anthropicChecks(client) {
  const tools = NAMES.map((name) => ({ name, input_schema: SCHEMA }));
  const run = (request, stream) =>
    stream ? client.messages.stream(request).finalMessage() : client.messages.create(request);
  const ask = (model, content, more = {}) => ({
    model,
    max_tokens: 3_000,
    messages: [{ role: 'user', content }],
    ...more,
  });
  const textOf = ({ content }) => content.find(({ type }) => type === 'text')?.text;
  async function loop(model, stream) {
    const thinking = hasBudget(model) ? { type: 'enabled', budget_tokens: 2_000 } : { type: 'adaptive' };
    const request = ask(model, USE_TOOLS, { tools, thinking });
    const { content } = await run(request, stream);
    const results = content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: resultOf(name, input),
      }));
    const messages = [
      ...request.messages,
      { role: 'assistant', content },
      { role: 'user', content: results },
    ];
    heardBoth(textOf(await run({ ...request, messages }, stream)));
  }
  return {
    text: async (model) => heard(textOf(await run(ask(model, SAY, { system: 'Be brief' }))), ECHO),
    stream: async (model) => heard(textOf(await run(ask(model, SAY), true)), ECHO),
    tools: (model) => loop(model, false),
    'tools in a stream': (model) => loop(model, true),
    async object(model) {
      const format = { type: 'json_schema', schema: SCHEMA };
      heardCity(JSON.parse(textOf(await run(ask(model, CITY, { output_config: { format } })))));
    },
  };
}

export function genaiChecks(client) {
  const functionDeclarations = NAMES.map((name) => ({ name, parametersJsonSchema: SCHEMA }));
  const config = { tools: [{ functionDeclarations }], thinkingConfig: { includeThoughts: true } };
  async function say(chat, message, stream) {
    const answers = stream
      ? await chat.sendMessageStream({ message })
      : [await chat.sendMessage({ message })];
    let text = '';
    const calls = [];
    for await (const answer of answers) {
      const parts = answer.candidates?.[0]?.content?.parts ?? [];
      text += parts.flatMap((part) => (part.text && !part.thought ? [part.text] : [])).join('');
      calls.push(...(answer.functionCalls ?? []));
    }
    return { text, calls };
  }
  async function loop(model, stream) {
    const chat = client.chats.create({ model, config });
    const { calls } = await say(chat, USE_TOOLS, stream);
    const results = calls.map(({ id, name, args }) => ({
      functionResponse: { ...(id && { id }), name, response: { output: resultOf(name, args) } },
    }));
    heardBoth((await say(chat, results, stream)).text);
    heard((await say(chat, SAY, stream)).text, ECHO);
  }
  return {
    async text(model) {
      const systemInstruction = 'Be brief';
      const { text } = await client.models.generateContent({
        model,
        contents: SAY,
        config: { systemInstruction },
      });
      heard(text, ECHO);
    },
    async stream(model) {
      const texts = async function* () {
        for await (const { text } of await client.models.generateContentStream({ model, contents: SAY }))
          yield text ?? '';
      };
      heard(await joined(texts()), ECHO);
    },
    tools: (model) => loop(model, false),
    'tools in a stream': (model) => loop(model, true),
    async object(model) {
      const responseSchema = {
        type: 'OBJECT',
        properties: { city: { type: 'STRING', minLength: '1' } },
        required: ['city'],
      };
      const { text } = await client.models.generateContent({
        model,
        contents: CITY,
        config: { responseMimeType: 'application/json', responseSchema },
      });
      heardCity(JSON.parse(text));
    },
  };
}
