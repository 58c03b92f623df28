import { ASSUMED_CONTEXT_WINDOW, type TokenKind } from '@tollgate/vocabulary';

type Json = Readonly<Record<string, unknown>>;

/** What a picture, a sound or a document counts at least, and so many characters of its base64 for one token more. */
const MEDIA = { least: 4_096, charactersPerToken: 32 };
/** What vendors put before a request unseen: a template, and how to call tools where there are some. */
const UNSEEN = { request: 256, tools: 1_024 };
/** What a format adds to every value: names of roles, marks between parts. */
const PER_VALUE = 4;

/** What a request can cost at most on its way in, in tokens. */
export interface TokenBound {
  readonly input: number;
  /** Neither sound nor pictures can come back, and no sound goes in: tokens of those kinds cannot be billed. */
  readonly textOnly: boolean;
  /** What comes back, where that is no text. */
  readonly writes?: TokenKind | undefined;
}

/**
 * The most input tokens that a request can have. A token has at least one byte, so the number of bytes of all text is a bound;
 * and no model reads more than its context window. Inline media are estimated. Where a request points at content that is
 * elsewhere (an address, a file, an earlier answer, a tool that the upstream runs), the whole context window counts.
 */
export const boundTokens = (body: Json, contextWindow: number | null): TokenBound =>
  tokenBounds(body)(contextWindow);

/** As {@link boundTokens}, for models that read more or less: the body is looked through once. */
export function tokenBounds(body: Json): (contextWindow: number | null) => TokenBound {
  const elsewhere = pointsElsewhere(body);
  const textOnly = !elsewhere && !soundsOrDraws(body);
  const written = elsewhere
    ? ASSUMED_CONTEXT_WINDOW
    : tokensIn(body, false) + UNSEEN.request + (hasTools(body) ? UNSEEN.tools : 0);
  return (contextWindow) => ({
    input: elsewhere ? Math.max(contextWindow ?? written, 1) : Math.min(contextWindow ?? Infinity, written),
    textOnly,
  });
}

const hasTools = ({ tools }: Json): boolean => Array.isArray(tools) && tools.length > 0;

function tokensIn(value: unknown, literal: boolean): number {
  if (typeof value === 'string') return PER_VALUE + Buffer.byteLength(value);
  if (Array.isArray(value))
    return value.reduce<number>((sum, part) => sum + tokensIn(part, literal), PER_VALUE);
  if (typeof value !== 'object' || value === null) return PER_VALUE + String(value).length;
  const media = literal ? undefined : mediaField(value as Json);
  let sum = PER_VALUE;
  for (const name in value) {
    const part = (value as Json)[name];
    sum += Buffer.byteLength(name);
    sum +=
      name === media && typeof part === 'string'
        ? tokensOfMedium(part)
        : tokensIn(part, literal || isLiteral(name, value as Json));
  }
  return sum;
}

/** What the inline media of a request count, which are no text. */
export function mediaTokens(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + mediaTokens(part), 0);
  const owner = value as Json;
  const media = mediaField(owner);
  let sum = 0;
  for (const name in owner) {
    const part = owner[name];
    if (name === media && typeof part === 'string') sum += tokensOfMedium(part);
    else if (typeof part === 'object' && !isLiteral(name, owner)) sum += mediaTokens(part);
  }
  return sum;
}

const tokensOfMedium = (data: string): number =>
  Math.max(MEDIA.least, Math.ceil(data.length / MEDIA.charactersPerToken));

/** The field of an object that holds an inline medium, in the shapes in which vendors read one. */
function mediaField(value: Json): string | undefined {
  const type = value['media_type'] ?? value['mimeType'] ?? value['mime_type'];
  if (type !== undefined && MEDIUM.test(String(type)) && value['type'] !== 'text') return 'data';
  if (typeof value['data'] === 'string' && SOUND.has(String(value['format']))) return 'data';
  for (const name of DATA_ADDRESSES) if (value[name] !== undefined && isMedium(value[name])) return name;
  return undefined;
}
const DATA_ADDRESSES = ['url', 'image_url', 'file_data'] as const;

function isMedium(address: unknown): boolean {
  const [, type = ''] = /^data:([^;,]*)[;,]/.exec(String(address).slice(0, 200)) ?? [];
  return MEDIUM.test(type);
}

/** Other documents are text once they are unpacked. */
const MEDIUM = /^(?:image|audio|video)\/|^application\/pdf$/;
const SOUND = new Set(['wav', 'mp3', 'flac', 'opus', 'ogg', 'aac', 'm4a', 'pcm16', 'pcm', 'webm']);

/** Arguments, results and schemas of tools are read as they are written, whatever they look like. */
const isLiteral = (name: string, owner: Json): boolean =>
  LITERAL.has(name) || (name === 'input' && String(owner['type']).endsWith('tool_use'));
const LITERAL = new Set([
  'args',
  'response',
  'arguments',
  'parameters',
  'input_schema',
  'schema',
  'metadata',
]);

const ELSEWHERE = new Set([
  'previous_response_id',
  'conversation',
  'prompt',
  'container',
  'cachedContent',
  'cached_content',
  'file_id',
  'file_url',
  'fileData',
  'fileUri',
  'file_uri',
]);
const ADDRESSES = new Set(['url', 'image_url']);
/** Tools that the caller runs. */
const OWN_TOOLS = new Set(['function', 'custom', 'namespace']);

function pointsElsewhere(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(pointsElsewhere);
  if (typeof value !== 'object' || value === null) return false;
  const owner = value as Json;
  for (const name in owner) if (isElsewhere(name, owner[name], owner)) return true;
  return false;
}

function isElsewhere(name: string, part: unknown, owner: Json): boolean {
  if (part === null || part === undefined || isLiteral(name, owner)) return false;
  if (name === 'audio' && typeof part === 'object' && 'id' in part) return true;
  if (ELSEWHERE.has(name) || (name === 'type' && part === 'item_reference')) return true;
  if (name === 'tools' && Array.isArray(part)) return part.some(isRunElsewhere);
  if (ADDRESSES.has(name) && typeof part === 'string') return !part.startsWith('data:');
  return pointsElsewhere(part);
}

/** Whether an upstream runs a tool itself and reads what it finds. */
function isRunElsewhere(tool: unknown): boolean {
  if (typeof tool !== 'object' || tool === null) return false;
  const { type } = tool as Json;
  if (typeof type === 'string') return !OWN_TOOLS.has(type);
  if ('input_schema' in tool || 'function' in tool) return false;
  return Object.keys(tool).some((name) => !/^function_?declarations$/i.test(name));
}

/** Sound that is sent, or sound or pictures that are asked for. Video has sound. */
function soundsOrDraws(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(soundsOrDraws);
  if (typeof value !== 'object' || value === null) return false;
  const owner = value as Json;
  for (const name in owner) if (soundsOrDrawsIn(name, owner[name], owner)) return true;
  return false;
}

function soundsOrDrawsIn(name: string, part: unknown, owner: Json): boolean {
  if (part === null || part === undefined || isLiteral(name, owner)) return false;
  if (name === 'audio' || name === 'input_audio') return true;
  if (MODALITIES.test(name)) return Array.isArray(part) && part.some((each) => !/^text$/i.test(String(each)));
  if (typeof part === 'string') return SOUNDING.test(part.slice(0, 200));
  return soundsOrDraws(part);
}
const MODALITIES = /^(?:response_?)?modalities$/i;
const SOUNDING = /^(?:data:)?(?:audio|video)\//;
