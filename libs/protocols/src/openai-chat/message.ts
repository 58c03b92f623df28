import { isObject, type JsonObject, listAt, objectAt, someTextAt, textAt } from '../json.ts';

/** A piece of what a message says, or what one event adds to it. */
export type MessagePiece =
  | { readonly kind: 'text' | 'refusal' | 'thinking'; readonly text: string }
  | { readonly kind: 'image'; readonly mediaType: string; readonly data: string };

/**
 * What a message or a delta says, in every way in which servers of this format say it: content as a text or as a list of
 * parts (Mistral, with its thinking among them), reasoning under two names, images beside the content (OpenRouter).
 */
export function findPieces(message: unknown): MessagePiece[] {
  const reasoning = textAt(message, 'reasoning_content') || textAt(message, 'reasoning');
  const refusal = textAt(message, 'refusal');
  const pieces: MessagePiece[] = [
    { kind: 'thinking', text: reasoning },
    ...contentOf(isObject(message) ? message['content'] : undefined),
    { kind: 'refusal', text: refusal },
    ...listAt(message, 'images').flatMap(imageOf),
  ];
  return pieces.filter((piece) => piece.kind === 'image' || piece.text !== '');
}

function contentOf(content: unknown): MessagePiece[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (Array.isArray(content)) return content.flatMap(contentPart);
  return isObject(content) ? contentPart(content) : [];
}

function contentPart(part: unknown): MessagePiece[] {
  if (typeof part === 'string') return [{ kind: 'text', text: part }];
  switch (textAt(part, 'type')) {
    case 'thinking':
    case 'reasoning':
      return [{ kind: 'thinking', text: thoughtOf(part) }];
    case 'refusal':
      return [{ kind: 'refusal', text: textAt(part, 'refusal') }];
    case 'image_url':
      return imageOf(part);
    default:
      return [{ kind: 'text', text: textAt(part, 'text') }];
  }
}

/** A thought as a text, or as parts that are texts. */
const thoughtOf = (part: unknown): string =>
  textAt(part, 'thinking') ||
  textAt(part, 'text') ||
  listAt(part, 'thinking')
    .map((each) => (typeof each === 'string' ? each : textAt(each, 'text')))
    .join('');

const DATA_URL = /^data:(image\/[\w.+-]+)(?:;[\w=-]+)*;base64,(.+)$/s;

/** An image that came with the answer; one that is only named is nowhere to be had any more. */
function imageOf(part: unknown): MessagePiece[] {
  const [, mediaType, data] = DATA_URL.exec(urlAt(part)) ?? [];
  return mediaType === undefined || data === undefined ? [] : [{ kind: 'image', mediaType, data }];
}

/** The address in an `image_url` part, which some write as the text that it is. */
export const urlAt = (part: unknown): string =>
  textAt(part, 'image_url') || textAt(objectAt(part, 'image_url'), 'url');

/** A call as servers write it: ids, names and arguments may be missing, and arguments may be an object. */
export interface WrittenCall {
  /** Where it belongs among the calls of a stream, as far as that is said. */
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly custom: boolean;
  readonly whole: JsonObject;
}

/** The calls of a message or a delta, with the one call of servers that know no more than one. */
export function findCalls(message: unknown): WrittenCall[] {
  const legacy = objectAt(message, 'function_call');
  return [
    ...listAt(message, 'tool_calls').filter(isObject).map(writtenCall),
    ...(legacy ? [writtenCall({ function: legacy })] : []),
  ];
}

export function writtenCall(call: JsonObject): WrittenCall {
  const custom = objectAt(call, 'custom');
  const named = custom ?? objectAt(call, 'function');
  return {
    index: typeof call['index'] === 'number' ? call['index'] : undefined,
    id: textAt(call, 'id'),
    name: textAt(named, 'name'),
    input: custom ? textAt(custom, 'input') : argumentsOf(named),
    custom: custom !== undefined,
    whole: call,
  };
}

/** Arguments as a text. An empty object says no more than no text does: texts may follow it. */
function argumentsOf(named: unknown): string {
  const text = someTextAt(named, 'arguments');
  if (text !== undefined) return text;
  const object = objectAt(named, 'arguments');
  return object && Object.keys(object).length > 0 ? JSON.stringify(object) : '';
}
