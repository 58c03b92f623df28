import type { SupportTable } from '../neutral/features.ts';
import type { Notes } from '../neutral/notes.ts';
import type { NeutralRequest, Part, Turn } from '../neutral/request.ts';

type Medium = Extract<Part, { kind: 'image' | 'file' | 'audio' }>;

export const isMedia = (part: Part): part is Medium =>
  part.kind === 'image' || part.kind === 'file' || part.kind === 'audio';

/**
 * Only users may send what is no text, and at some vendors the model itself: what another side brings of it, the user does right
 * after them.
 */
export function withMediaOfUsers(
  request: NeutralRequest,
  { media_of_assistant: support }: SupportTable,
  notes: Notes,
): NeutralRequest {
  const moves = ({ role, parts }: Turn) =>
    role !== 'user' && !(role === 'assistant' && support === 'carried') && parts.some(isMedia);
  if (!request.turns.some(moves)) return request;
  const turns = request.turns.flatMap((turn): Turn[] => {
    if (!moves(turn)) return [turn];
    const media = turn.parts.filter(isMedia);
    for (const { at } of media) notes.emulate(at ?? 'media');
    const rest = turn.parts.filter((part) => !isMedia(part));
    return [...(rest.length > 0 ? [{ ...turn, parts: rest }] : []), { role: 'user', parts: media }];
  });
  return { ...request, turns };
}
