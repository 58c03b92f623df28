import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { toMediaType } from '../../convert/media.ts';
import { given, isObject, listAt, objectAt, someTextAt, textAt } from '../../json.ts';
import type { Part, ReasoningState, Source } from '../../neutral/request.ts';
import { inputText } from '../../convert/tool-input.ts';

/** A string, or a list of content blocks. */
export function partsOfBlocks(content: unknown, at: string, context: DecodeRequestContext): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown, index) => partsOf(block, `${at}[${index}]`, context));
}

function partsOf(block: unknown, at: string, context: DecodeRequestContext): Part[] {
  const { notes } = context;
  if (objectAt(block, 'cache_control')) notes.ask('cache_control', 'cache_control');
  const type = textAt(block, 'type');
  switch (type) {
    case 'text':
      return textAt(block, 'text') === '' ? [] : [{ kind: 'text', text: textAt(block, 'text') }];
    case 'image':
      return [{ kind: 'image', source: sourceOf(objectAt(block, 'source'), at, context), at }];
    case 'document':
      return document(block, at, context);
    case 'thinking':
      return thinking(textAt(block, 'thinking'), textAt(block, 'signature'), 'signed', context);
    case 'redacted_thinking':
      return thinking('', textAt(block, 'data'), 'redacted', context);
    case 'tool_use':
      return [
        {
          kind: 'tool_call',
          id: textAt(block, 'id'),
          name: textAt(block, 'name'),
          input: inputText(isObject(block) ? block['input'] : undefined),
          custom: false,
        },
      ];
    case 'tool_result':
      return [
        {
          kind: 'tool_result',
          callId: textAt(block, 'tool_use_id'),
          isError: isObject(block) && block['is_error'] === true,
          content: partsOfBlocks(isObject(block) ? block['content'] : undefined, `${at}.content`, context),
          at,
        },
      ];
    case 'search_result': {
      const text = listAt(block, 'content')
        .map((part) => textAt(part, 'text'))
        .join('\n');
      notes.emulate(at);
      return [{ kind: 'text', text: `${textAt(block, 'title')}\n${textAt(block, 'source')}\n\n${text}` }];
    }
    default:
      // Traces of tools that the vendor ran, and references to tools it would load: another model cannot read them.
      notes.drop(`${at} (${type})`);
      return [];
  }
}

function document(block: unknown, at: string, context: DecodeRequestContext): Part[] {
  const source = objectAt(block, 'source');
  const title = someTextAt(block, 'title');
  const about = someTextAt(block, 'context');
  if (objectAt(block, 'citations')?.['enabled'] === true) context.notes.drop(`${at}.citations`);
  const type = textAt(source, 'type');
  const words = (...texts: readonly (string | undefined)[]): Part[] => {
    const text = texts.filter(Boolean).join('\n\n');
    return text === '' ? [] : [{ kind: 'text', text }];
  };
  if (type === 'text') return words(title, about, textAt(source, 'data'));
  if (type === 'content')
    return [...words(title, about), ...partsOfBlocks(source?.['content'], `${at}.source.content`, context)];
  return [
    ...words(about),
    { kind: 'file', source: sourceOf(source, at, context), ...given({ name: title }), at },
  ];
}

function sourceOf(source: unknown, at: string, { notes }: DecodeRequestContext): Source {
  switch (textAt(source, 'type')) {
    case 'base64':
      return {
        type: 'data',
        mediaType: toMediaType(textAt(source, 'media_type')),
        data: textAt(source, 'data'),
      };
    case 'url':
      return { type: 'url', url: textAt(source, 'url') };
    case 'file':
      return { type: 'id', id: textAt(source, 'file_id') };
    default:
      return notes.refuse(`${at}.source`, 'must be of type base64, url or file.');
  }
}

function thinking(
  text: string,
  signature: string,
  kind: ReasoningState['kind'],
  { states }: DecodeRequestContext,
): Part[] {
  if (signature === '') return text === '' ? [] : [{ kind: 'thinking', text }];
  const held = states.unwrap(signature) ?? [{ format: 'anthropic-messages' as const, kind, data: signature }];
  if (held.length === 0) return text === '' ? [] : [{ kind: 'thinking', text }];
  return held.map((state, index) => ({
    kind: 'thinking',
    text: state.text ?? (index === 0 ? text : ''),
    state,
  }));
}
