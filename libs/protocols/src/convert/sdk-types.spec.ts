import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientProtocol } from '@tollgate/vocabulary';
import { isObject, type JsonObject, textAt } from '../json.ts';
import { type Emitted, emittedAnswers, splitEvents } from './golden/emitted.ts';

// Every member that a client gets is one that its official SDK declares, with a value of its declared type: what was emitted
// is written down as TypeScript, and the compiler finds what is unknown, missing or of another type.

const ROOT = join(import.meta.dirname, '../../../..');

const PRELUDE = `
import type OpenAI from 'openai';
import type Anthropic from '@anthropic-ai/sdk';
import type { GenerateContentResponse } from '@google/genai';

/** As JSON: enums are their texts, there are no functions, and what would be null may be left out. */
type Json<T> = T extends string ? \`\${T}\` : T extends (infer E)[] ? Json<E>[]
  : T extends object
    ? { [K in keyof T as Kept<T, K> & Filled<T, K>]: Json<T[K]> } & { [K in keyof T as Kept<T, K> & Nullable<T, K>]?: Json<T[K]> }
    : T;
type Kept<T, K extends keyof T> = K extends 'output_text' ? never : T[K] extends (...args: never) => unknown ? never : K;
type Nullable<T, K extends keyof T> = null extends T[K] ? K : undefined extends T[K] ? K : never;
type Filled<T, K extends keyof T> = null extends T[K] ? never : undefined extends T[K] ? never : K;

/** What servers beside OpenAI added to the format, and its clients read. */
interface Thought { reasoning_content?: string; reasoning_details?: unknown; images?: { type: 'image_url'; image_url: { url: string }; index?: number }[] }
interface Signed { extra_content?: { google?: { thought_signature?: string } } }
type Message = Omit<OpenAI.ChatCompletionMessage, 'tool_calls'> & Thought
  & { tool_calls?: (OpenAI.ChatCompletionMessageToolCall & Signed)[] };
type Delta = Omit<OpenAI.ChatCompletionChunk.Choice.Delta, 'tool_calls'> & Thought
  & { tool_calls?: (OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall & Signed)[] };
interface ErrorEvent { error: { message: string; type: string; param?: string | null; code?: string | null } }

type Whole = {
  'openai-chat': Omit<OpenAI.ChatCompletion, 'choices'>
    & { choices: (Omit<OpenAI.ChatCompletion.Choice, 'message'> & { message: Message })[] };
  'openai-responses': Json<OpenAI.Responses.Response>;
  'anthropic-messages': Json<Anthropic.Message>;
  gemini: Json<Partial<GenerateContentResponse>>;
};
type Event = {
  'openai-chat': ErrorEvent | (Omit<OpenAI.ChatCompletionChunk, 'choices'>
    & { choices: (Omit<OpenAI.ChatCompletionChunk.Choice, 'delta'> & { delta: Delta })[] });
  'openai-responses': Json<OpenAI.Responses.ResponseStreamEvent>;
  'anthropic-messages': Json<Anthropic.RawMessageStreamEvent> | Json<Anthropic.ErrorResponse>;
  gemini: Whole['gemini'] | { error: { code: number; message: string; status: string } };
};
`;

/** Members that clients get though the types of the SDK do not have them, each with its reason. */
const BEYOND: readonly (readonly [why: string, key: string, isIn: (holder: JsonObject) => boolean])[] = [
  ['the API says it', 'store', ({ object }) => object === 'response'],
  [
    'the API says null until it knows',
    'usage',
    ({ object, usage }) => object === 'response' && usage === null,
  ],
  ['the API says it', 'status', ({ type }) => type === 'custom_tool_call'],
  ['openai 6 requires it', 'name', ({ type }) => type === 'response.function_call_arguments.done'],
  ['the API tells what was cited', 'annotations', (holder) => !('type' in holder) && !('role' in holder)],
  ['a relay in front bills by it', 'cache_creation', (holder) => !('service_tier' in holder)],
  ['agents act on it', 'details', ({ type }) => typeof type === 'string' && /_error$/.test(type)],
  [
    'the interface of relays has it',
    'type',
    ({ status, code }) => typeof status === 'string' && typeof code === 'number',
  ],
  ['as Google’s errors have it', 'details', ({ status }) => typeof status === 'string'],
];

/** What the newest version of an API tells and older ones do not; upstreams that speak those refuse it when it comes back. */
const NEWEST = { tool_use: { caller: { type: 'direct' } } };

/** What is compiled: without the members that are known to be beyond the types. */
const written = (value: object): string =>
  JSON.stringify(value, function (this: JsonObject, key, each: unknown) {
    if (BEYOND.some(([, member, isIn]) => member === key && isIn(this))) return undefined;
    return textAt(each, 'type') === 'tool_use' && isObject(each) && !('caller' in each)
      ? { ...each, ...NEWEST.tool_use }
      : each;
  });

/** Members whose text tells what a value is; all other texts and numbers are alike to the compiler. */
const TELLING =
  /^(?:type|object|role|status|finish_reason|finishReason|stop_reason|reason|code|blockReason|caller)$/;
/** What models and callers choose: any JSON is right. */
const FREE = /^(?:input|args|metadata)$/;

/** Two values of one shape need to be compiled only once. */
const shapeOf = (text: string): string =>
  JSON.stringify(JSON.parse(text), (key, each: unknown) => {
    if (FREE.test(key) && isObject(each)) return {};
    if (typeof each === 'string' && !TELLING.test(key)) return 's';
    return typeof each === 'number' ? 0 : each;
  });

interface Checked {
  readonly client: ClientProtocol;
  readonly kind: 'Whole' | 'Event';
  /** JSON, which is TypeScript too. */
  readonly text: string;
}

const checkedOf = ({ client, whole, stream }: Emitted): Checked[] => [
  ...(whole ? [{ client, kind: 'Whole' as const, text: written(whole) }] : []),
  ...splitEvents(stream ?? '').map((value) => ({ client, kind: 'Event' as const, text: written(value) })),
];

/** What the compiler finds wrong. */
function compile(checked: readonly Checked[]): string {
  const cache = join(ROOT, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const directory = mkdtempSync(join(cache, 'sdk-types-'));
  try {
    const lines = checked.map(
      ({ client, kind, text }, index) => `export const a${index}: ${kind}['${client}'] = ${text};`,
    );
    writeFileSync(join(directory, 'emitted.ts'), `${PRELUDE}${lines.join('\n')}\n`);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--module', 'nodenext'];
    const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
    const args = [compiler, ...options, '--ignoreConfig', '--types', '', '--pretty', 'false', 'emitted.ts'];
    execFileSync(process.execPath, args, { cwd: directory, encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const all = emittedAnswers().flatMap(checkedOf);
const distinct = [
  ...new Map(all.map((each) => [`${each.client} ${each.kind} ${shapeOf(each.text)}`, each])).values(),
];

test('whole answers and events of all pairs are what the official SDKs declare', () => {
  expect(distinct.length).toBeGreaterThan(300);
  expect(compile(distinct)).toBe('');
});

const WRONG: readonly (Omit<Checked, 'text'> & { readonly value: object })[] = [
  // A member that no SDK declares.
  {
    client: 'anthropic-messages',
    kind: 'Event',
    value: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x', more: 1 } },
  },
  // A null in the place of a member that is left out.
  {
    client: 'openai-chat',
    kind: 'Event',
    value: {
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { tool_calls: null }, finish_reason: null }],
    },
  },
  // A member that is missing.
  { client: 'openai-responses', kind: 'Event', value: { type: 'response.created', sequence_number: 0 } },
  // A word that an enum does not have.
  { client: 'gemini', kind: 'Whole', value: { candidates: [{ finishReason: 'DONE' }] } },
];

test('what no SDK declares is found, and so is a null, a gap and a strange word', () => {
  const found = compile(WRONG.map(({ value, ...of }) => ({ ...of, text: written(value) })))
    .split('\n')
    .flatMap((line) => /^emitted\.ts\((\d+),/.exec(line)?.[1] ?? []);
  expect(new Set(found).size).toBe(WRONG.length);
});
