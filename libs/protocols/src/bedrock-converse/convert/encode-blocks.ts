import type { EncodeRequestContext } from '../../convert/conversion.ts';
import { audioFormat } from '../../convert/media.ts';
import { customInput, inputObject } from '../../convert/tool-input.ts';
import { given, type JsonObject } from '../../json.ts';
import type { Part, Source } from '../../neutral/request.ts';

type File = Extract<Part, { kind: 'file' }>;
type Result = Extract<Part, { kind: 'tool_result' }>;

const IMAGES: ReadonlyMap<string, string> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const DOCUMENTS: ReadonlyMap<string, string> = new Map([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['text/html', 'html'],
  ['text/markdown', 'md'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);

const VIDEOS: ReadonlyMap<string, string> = new Map([
  ['video/mp4', 'mp4'],
  ['video/quicktime', 'mov'],
  ['video/x-matroska', 'mkv'],
  ['video/webm', 'webm'],
  ['video/x-flv', 'flv'],
  ['video/mpeg', 'mpeg'],
  ['video/x-ms-wmv', 'wmv'],
  ['video/3gpp', 'three_gp'],
]);

const documentFormat = (mediaType: string): string | undefined =>
  DOCUMENTS.get(mediaType) ?? (mediaType.startsWith('text/') ? 'txt' : undefined);

/** Writes the parts of one request: the names of its documents must all differ. */
export function createBlockEncoder(context: EncodeRequestContext): (part: Part) => JsonObject[] {
  const { names, notes } = context;
  const taken = new Set<string>();

  function documentName(name: string | undefined): string {
    const plain = (name ?? '')
      .replace(/\.[A-Za-z0-9]{1,5}$/, '')
      .replaceAll(/[^A-Za-z0-9 ()[\]-]+/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, 180);
    const base = plain === '' ? 'document' : plain;
    let free = base;
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${base}-${count}`;
    taken.add(free.toLowerCase());
    return free;
  }

  function bytesOf(
    source: Source,
    at: string,
    kind: 'image' | 'file' | 'audio',
  ): { mediaType: string; bytes: string } {
    if (source.type === 'data') return { mediaType: source.mediaType.toLowerCase(), bytes: source.data };
    if (source.type === 'url') notes.ask(kind === 'image' ? 'image_url' : 'file_url', at);
    return notes.refuse(at, 'this model must be sent the data itself.');
  }

  function requireFormat(format: string | undefined, mediaType: string, at: string): string {
    return format ?? notes.refuse(at, `this model takes no data of the type "${mediaType}".`);
  }

  function fileBlock({ source, name, at = 'file' }: File): JsonObject {
    const { mediaType, bytes } = bytesOf(source, at, 'file');
    if (mediaType.startsWith('video/'))
      return { video: { format: requireFormat(VIDEOS.get(mediaType), mediaType, at), source: { bytes } } };
    const format = requireFormat(documentFormat(mediaType), mediaType, at);
    return { document: { format, name: documentName(name), source: { bytes } } };
  }

  /** A result must say something. */
  function resultBlock({ callId, isError, content }: Result): JsonObject {
    const said = content.flatMap(blockOf);
    return {
      toolResult: {
        toolUseId: callId,
        ...given({ status: isError ? 'error' : undefined }),
        content: said.length > 0 ? said : [{ text: '(nothing)' }],
      },
    };
  }

  function blockOf(part: Part): JsonObject[] {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return part.text.trim() === '' ? [] : [{ text: part.text }];
      case 'image': {
        const { source, at = 'image' } = part;
        const { mediaType, bytes } = bytesOf(source, at, 'image');
        return [
          { image: { format: requireFormat(IMAGES.get(mediaType), mediaType, at), source: { bytes } } },
        ];
      }
      case 'file':
        return [fileBlock(part)];
      case 'audio': {
        const { mediaType, bytes } = bytesOf(part.source, part.at ?? 'audio', 'audio');
        return [{ audio: { format: audioFormat(mediaType), source: { bytes } } }];
      }
      case 'thinking':
        return thinkingBlock(part);
      case 'tool_call': {
        const input = part.custom ? customInput(part.input) : inputObject(part.input);
        return [
          { toolUse: { toolUseId: part.id, name: names.toUpstream(part.name, part.namespace), input } },
        ];
      }
      case 'tool_result':
        return [resultBlock(part)];
    }
  }
  return blockOf;
}

/** Only what came by this format goes back by it. */
function thinkingBlock({ text, state }: Extract<Part, { kind: 'thinking' }>): JsonObject[] {
  if (state?.format !== 'bedrock-converse') return [];
  return state.kind === 'redacted'
    ? [{ reasoningContent: { redactedContent: state.data } }]
    : [{ reasoningContent: { reasoningText: { text: state.text ?? text, signature: state.data } } }];
}
