import type { DecodeRequestContext } from '../../convert/conversion.ts';
import { audioType, sourceOfUrl } from '../../convert/media.ts';
import { given, objectAt, someTextAt, textAt } from '../../json.ts';
import type { Part, Source } from '../../neutral/request.ts';

/** A string, or a list of content parts. */
export function partsOfContent(content: unknown, at: string, context: DecodeRequestContext): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown, index) => partOf(part, `${at}[${index}]`, context));
}

function partOf(part: unknown, at: string, { notes }: DecodeRequestContext): Part[] {
  switch (textAt(part, 'type')) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
      return [{ kind: 'text', text: textAt(part, 'text') }];
    case 'refusal':
      return [{ kind: 'refusal', text: textAt(part, 'refusal') }];
    case 'input_image':
      return [
        {
          kind: 'image',
          source: sourceOf(part, 'image_url'),
          ...given({ detail: someTextAt(part, 'detail') }),
          at,
        },
      ];
    case 'input_file': {
      const source = someTextAt(part, 'file_url') ? sourceOf(part, 'file_url') : sourceOf(part, 'file_data');
      return [{ kind: 'file', source, ...given({ name: someTextAt(part, 'filename') }), at }];
    }
    case 'input_audio': {
      const audio = objectAt(part, 'input_audio') ?? part;
      const mediaType = audioType(textAt(audio, 'format'));
      return [{ kind: 'audio', source: { type: 'data', mediaType, data: textAt(audio, 'data') }, at }];
    }
    default:
      return notes.refuse(at, `a part of type "${textAt(part, 'type')}" is not known.`);
  }
}

function sourceOf(part: unknown, key: string): Source {
  const id = someTextAt(part, 'file_id');
  return id === undefined ? sourceOfUrl(textAt(part, key)) : { type: 'id', id };
}
