import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { toMediaType } from '../../convert/media.ts';
import { inputText } from '../../convert/tool-input.ts';
import { given, isObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { Part, ReasoningState, Source } from '../../neutral/request.ts';
import { statesOfSignature } from './signature.ts';

/** Calls of this format may have no id: a result then belongs to the first open call of its name. */
interface CallIds {
  ofCall(name: string, id: string | undefined): string;
  ofResult(name: string, id: string | undefined): string;
}

export function createCallIds(): CallIds {
  let count = 0;
  /** Calls by name in their order, from `next` on, and the ids that have their result. */
  const calls = new Map<string, { readonly ids: string[]; next: number }>();
  const answered = new Set<string>();

  function firstOpen(name: string): string | undefined {
    const named = calls.get(name);
    while (named && answered.has(named.ids[named.next] ?? '')) named.next += 1;
    return named?.ids[named.next];
  }

  return {
    ofCall(name, given) {
      const id = given ?? `call_${(count += 1)}`;
      const named = calls.get(name);
      if (named) named.ids.push(id);
      else calls.set(name, { ids: [id], next: 0 });
      answered.delete(id);
      return id;
    },
    ofResult(name, given) {
      const id = given ?? firstOpen(name) ?? `call_unknown_${name}`;
      answered.add(id);
      return id;
    },
  };
}

export function partsOfContent(
  content: unknown,
  at: string,
  ids: CallIds,
  context: DecodeRequestContext,
): Part[] {
  const parts: Part[] = [];
  for (const [index, part] of listAt(content, 'parts').entries()) {
    const place = `${at}.parts[${index}]`;
    const signature = someTextAt(part, 'thoughtSignature');
    if (signature !== undefined) addStates(parts, statesOfSignature(signature, context.states));
    for (const each of partOf(part, place, ids, context)) parts.push(each);
  }
  return parts;
}

/** A signature belongs to the thought before the part that carries it. */
function addStates(parts: Part[], states: readonly ReasoningState[]): void {
  for (const state of states) {
    const last = parts.at(-1);
    if (last?.kind === 'thinking' && last.state === undefined && (state.text ?? last.text) === last.text) {
      parts[parts.length - 1] = { ...last, state };
    } else {
      parts.push({ kind: 'thinking', text: state.text ?? '', state });
    }
  }
}

function partOf(part: unknown, at: string, ids: CallIds, { notes }: DecodeRequestContext): Part[] {
  for (const [key, value] of Object.entries(isObject(part) ? part : {}))
    if (!READ.has(key) && (value ?? null) !== null) notes.drop(`${at}.${key}`);
  const call = objectAt(part, 'functionCall');
  if (call) {
    const name = textAt(call, 'name');
    return [
      {
        kind: 'tool_call',
        id: ids.ofCall(name, someTextAt(call, 'id')),
        name,
        input: inputText(call['args']),
        custom: false,
      },
    ];
  }
  const response = objectAt(part, 'functionResponse');
  if (response) return [resultOf(response, at, ids)];
  const media = mediaOf(part, at);
  if (media) return [media];
  const text = textAt(part, 'text');
  if (isObject(part) && part['thought'] === true) return text === '' ? [] : [{ kind: 'thinking', text }];
  return text === '' ? [] : [{ kind: 'text', text }];
}

/** Members of a part that have a place in every format; what else it says is for its vendor's models. */
const READ = new Set([
  'text',
  'thought',
  'thoughtSignature',
  'functionCall',
  'functionResponse',
  'inlineData',
  'inline_data',
  'fileData',
  'file_data',
]);

function mediaOf(part: unknown, at: string): Part | undefined {
  const inline = objectAt(part, 'inlineData') ?? objectAt(part, 'inline_data');
  if (inline) {
    const mediaType = toMediaType(textAt(inline, 'mimeType') || textAt(inline, 'mime_type'));
    return mediaPart({ type: 'data', mediaType, data: textAt(inline, 'data') }, mediaType, at);
  }
  const file = objectAt(part, 'fileData') ?? objectAt(part, 'file_data');
  if (file) {
    const url = textAt(file, 'fileUri') || textAt(file, 'file_uri');
    const mediaType = textAt(file, 'mimeType') || textAt(file, 'mime_type');
    // Addresses of the vendor's own file store can be read by nobody else.
    const source: Source =
      /^https?:\/\/generativelanguage\./.test(url) || url.startsWith('gs:')
        ? { type: 'id', id: url }
        : { type: 'url', url, ...given({ mediaType: mediaType || undefined }) };
    return mediaPart(source, mediaType, at);
  }
  return undefined;
}

function mediaPart(source: Source, mediaType: string, at: string): Part {
  if (mediaType.startsWith('image/')) return { kind: 'image', source, at };
  return mediaType.startsWith('audio/') ? { kind: 'audio', source, at } : { kind: 'file', source, at };
}

function resultOf(response: Readonly<Record<string, unknown>>, at: string, ids: CallIds): Part {
  const value = objectAt(response, 'response') ?? {};
  const error = value['error'];
  const output = error === undefined ? (value['output'] ?? value['result']) : error;
  const only = Object.keys(value).length === 1;
  const text =
    only && typeof output === 'string'
      ? output
      : JSON.stringify(only && output !== undefined ? output : value);
  const media = listAt(response, 'parts').flatMap((part) => mediaOf(part, at) ?? []);
  return {
    kind: 'tool_result',
    callId: ids.ofResult(textAt(response, 'name'), someTextAt(response, 'id')),
    isError: error !== undefined,
    content: [...(text === '' ? [] : [{ kind: 'text' as const, text }]), ...media],
    at,
  };
}
