import Anthropic from '@anthropic-ai/sdk';
import { type Content, GoogleGenAI, type Part } from '@google/genai';
import OpenAI from 'openai';

/** What a model said in one turn. */
interface Said {
  readonly text: string;
  readonly calls: number;
}

/** A conversation with tools and reasoning, as one official SDK holds it: every turn may go to another model. */
interface Conversation {
  /** The user says something. */
  say(model: string, text: string): Promise<Said>;
  /** The calls of the last turn get this result. */
  give(model: string, result: string): Promise<Said>;
}

interface Access {
  readonly baseUrl: string;
  readonly key: string;
}

const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };
const NAME = 'get_weather';

function chat({ baseUrl, key }: Access, stream: boolean): Conversation {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  let calls: readonly OpenAI.ChatCompletionMessageToolCall[] = [];
  const tools = [{ type: 'function' as const, function: { name: NAME, parameters: schema } }];
  async function ask(model: string): Promise<Said> {
    const request = { model, messages, tools, reasoning_effort: 'high' as const };
    const { choices } = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    const message = choices[0]?.message;
    if (!message) throw new Error('there is no answer');
    messages.push(message);
    calls = message.tool_calls ?? [];
    return { text: message.content ?? '', calls: calls.length };
  }
  return {
    say(model, content) {
      messages.push({ role: 'user', content });
      return ask(model);
    },
    give(model, content) {
      messages.push(...calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content })));
      return ask(model);
    },
  };
}

/** Without what the SDK adds to what it heard, which OpenAI refuses. */
const asSaid = (item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem =>
  JSON.parse(
    JSON.stringify(item, (key, value: unknown) => (/^parsed(?:_arguments)?$/.test(key) ? undefined : value)),
  ) as OpenAI.Responses.ResponseInputItem;

function responses({ baseUrl, key }: Access, stream: boolean): Conversation {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const input: OpenAI.Responses.ResponseInputItem[] = [];
  let calls: readonly string[] = [];
  async function ask(model: string): Promise<Said> {
    const request: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
      model,
      input,
      store: false,
      tools: [{ type: 'function', name: NAME, parameters: schema, strict: false }],
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    };
    const { stream: _none, ...asked } = request;
    const { output, output_text } = stream
      ? await client.responses.stream(asked).finalResponse()
      : await client.responses.create(request);
    input.push(...output.map(asSaid));
    calls = output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
    return { text: output_text, calls: calls.length };
  }
  return {
    say(model, content) {
      input.push({ role: 'user', content });
      return ask(model);
    },
    give(model, output) {
      input.push(...calls.map((call_id) => ({ type: 'function_call_output' as const, call_id, output })));
      return ask(model);
    },
  };
}

function messages({ baseUrl, key }: Access, stream: boolean): Conversation {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: key, maxRetries: 0 });
  const said: Anthropic.MessageParam[] = [];
  let calls: readonly string[] = [];
  async function ask(model: string): Promise<Said> {
    const request: Anthropic.MessageCreateParamsNonStreaming = {
      model,
      messages: said,
      max_tokens: 3_000,
      tools: [{ name: NAME, input_schema: schema }],
      thinking: { type: 'enabled', budget_tokens: 2_000 },
    };
    const { content } = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    said.push({ role: 'assistant', content });
    calls = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    return { text, calls: calls.length };
  }
  return {
    say(model, content) {
      said.push({ role: 'user', content });
      return ask(model);
    },
    give(model, content) {
      const results = calls.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content }));
      said.push({ role: 'user', content: results });
      return ask(model);
    },
  };
}

function generateContent({ baseUrl, key }: Access, stream: boolean): Conversation {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } });
  const contents: Content[] = [];
  let calls: Part[] = [];
  async function ask(model: string): Promise<Said> {
    const config = {
      tools: [{ functionDeclarations: [{ name: NAME, parametersJsonSchema: schema }] }],
      thinkingConfig: { includeThoughts: true, thinkingBudget: 2_000 },
    };
    const request = { model, contents, config };
    const parts: Part[] = [];
    const answers = stream
      ? await client.models.generateContentStream(request)
      : [await client.models.generateContent(request)];
    for await (const answer of answers) parts.push(...(answer.candidates?.[0]?.content?.parts ?? []));
    contents.push({ role: 'model', parts });
    calls = parts.filter(({ functionCall }) => functionCall !== undefined);
    const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
    return { text, calls: calls.length };
  }
  return {
    say(model, text) {
      contents.push({ role: 'user', parts: [{ text }] });
      return ask(model);
    },
    give(model, output) {
      const parts = calls.map(({ functionCall }) => ({
        functionResponse: {
          ...(functionCall?.id ? { id: functionCall.id } : {}),
          name: NAME,
          response: { output },
        },
      }));
      contents.push({ role: 'user', parts });
      return ask(model);
    },
  };
}

/** By the format that the SDK speaks. */
export const CONVERSATIONS = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  gemini: generateContent,
} as const;
