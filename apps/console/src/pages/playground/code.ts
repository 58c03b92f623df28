import type { RelayRequest } from './progress.ts';
import type { Json } from './formats/format.ts';
import type { FormatId } from './formats/format-id.ts';

interface Facts {
  readonly format: FormatId;
  readonly request: RelayRequest;
  readonly model: string;
  /** The relay's address without a path. */
  readonly origin: string;
}

type CodeLanguage = 'curl' | 'python' | 'typescript';
export const CODE_LANGUAGES: readonly { readonly id: CodeLanguage; readonly name: string }[] = [
  { id: 'curl', name: 'curl' },
  { id: 'python', name: 'Python' },
  { id: 'typescript', name: 'TypeScript' },
];

/** A request as code that sends the same; the key is read from the variable TOLLGATE_KEY. */
export function codeFor(language: CodeLanguage, facts: Facts): string {
  if (language === 'curl') return curl(facts);
  return language === 'python' ? PYTHON[facts.format](facts) : TYPESCRIPT[facts.format](facts);
}

const CURL_AUTH: Readonly<Record<FormatId, string>> = {
  openai: 'Authorization: Bearer $TOLLGATE_KEY',
  'openai-response': 'Authorization: Bearer $TOLLGATE_KEY',
  anthropic: 'x-api-key: $TOLLGATE_KEY',
  gemini: 'x-goog-api-key: $TOLLGATE_KEY',
};

const curl = ({ format, request, origin }: Facts): string =>
  [
    `curl -N '${origin}${request.path}' \\`,
    `  -H "${CURL_AUTH[format]}" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(request.body, null, 2).replaceAll("'", `'\\''`)}'`,
  ].join('\n');

/** The fields of a body but those that an SDK's method says by itself. */
const without = (body: Json, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** What Google's SDKs take: everything but the contents lies in one object. */
function googleCall({ model, request }: Facts): Json {
  const { contents, generationConfig, ...rest } = request.body;
  const config = { ...(generationConfig as Json | undefined), ...rest };
  return { model, contents, ...(Object.keys(config).length === 0 ? {} : { config }) };
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

function typescript(value: unknown, indent = ''): string {
  const deeper = `${indent}  `;
  if (typeof value === 'string') return singleQuoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Array.isArray(value)
    ? (value as unknown[]).map((each) => typescript(each, deeper))
    : Object.entries(value).map(
        ([name, each]) => `${IDENTIFIER.test(name) ? name : singleQuoted(name)}: ${typescript(each, deeper)}`,
      );
  if (entries.length === 0) return open + close;
  return `${open}\n${entries.map((entry) => `${deeper}${entry},\n`).join('')}${indent}${close}`;
}

/** JSON's escapes hold in JavaScript; only the quotes differ. */
const singleQuoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

function python(value: unknown, indent = ''): string {
  const deeper = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  // JSON's escapes hold in Python: a character beyond the first plane stands there as itself.
  if (typeof value !== 'object') return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Array.isArray(value)
    ? (value as unknown[]).map((each) => python(each, deeper))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${python(each, deeper)}`);
  if (entries.length === 0) return open + close;
  return `${open}\n${entries.map((entry) => `${deeper}${entry},\n`).join('')}${indent}${close}`;
}

/** Keyword arguments of a call, one on a line. */
const keywords = (body: Json): string =>
  Object.entries(body)
    .map(([name, value]) => `    ${name}=${python(value, '    ')},\n`)
    .join('');

type Writers = Readonly<Record<FormatId, (facts: Facts) => string>>;

const openaiPython = (origin: string) => `import os
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key=os.environ["TOLLGATE_KEY"])
`;

const PYTHON: Writers = {
  openai: ({ origin, request }) => `${openaiPython(origin)}
stream = client.chat.completions.create(
${keywords(request.body)})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
`,
  'openai-response': ({ origin, request }) => `${openaiPython(origin)}
stream = client.responses.create(
${keywords(request.body)})
for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)
`,
  anthropic: ({ origin, request }) => `import os
from anthropic import Anthropic

client = Anthropic(base_url="${origin}", api_key=os.environ["TOLLGATE_KEY"])

with client.messages.stream(
${keywords(without(request.body, 'stream'))}) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
`,
  gemini: (facts) => `import os
from google import genai

client = genai.Client(
    api_key=os.environ["TOLLGATE_KEY"],
    http_options={"base_url": "${facts.origin}"},
)

stream = client.models.generate_content_stream(
${keywords(googleCall(facts))})
for chunk in stream:
    print(chunk.text or "", end="", flush=True)
`,
};

const openaiTypescript = (origin: string) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.TOLLGATE_KEY });
`;

const TYPESCRIPT: Writers = {
  openai: ({ origin, request }) => `${openaiTypescript(origin)}
const stream = await client.chat.completions.create(${typescript(request.body)});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
}
`,
  'openai-response': ({ origin, request }) => `${openaiTypescript(origin)}
const stream = await client.responses.create(${typescript(request.body)});
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
}
`,
  anthropic: ({ origin, request }) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${origin}', apiKey: process.env.TOLLGATE_KEY });

const stream = client.messages.stream(${typescript(without(request.body, 'stream'))});
stream.on('text', (text) => process.stdout.write(text));
await stream.done();
`,
  gemini: (facts) => `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({
  apiKey: process.env.TOLLGATE_KEY,
  httpOptions: { baseUrl: '${facts.origin}' },
});

const stream = await client.models.generateContentStream(${typescript(googleCall(facts))});
for await (const chunk of stream) {
  process.stdout.write(chunk.text ?? '');
}
`,
};
