import { isObject, type JsonObject, listAt, objectAt, textAt } from '../../json.ts';
import { toMilliseconds } from './sound-length.ts';

/** What a client may ask for; the first is what it gets that asks for nothing. */
export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const;

/** A piece of a transcript, in milliseconds. */
interface Segment {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Undefined where an answer does not say when each piece was said. */
function readSegments(answer: JsonObject): readonly Segment[] | undefined {
  if (!Array.isArray(answer['segments'])) return undefined;
  const segments = listAt(answer, 'segments').map((each) => ({
    start: isObject(each) ? toMilliseconds(each['start']) : undefined,
    end: isObject(each) ? toMilliseconds(each['end']) : undefined,
    text: textAt(each, 'text').trim(),
  }));
  const isTimed = segments.every(({ start, end }) => start !== undefined && end !== undefined);
  return isTimed ? (segments as Segment[]) : undefined;
}

/**
 * A transcript as text, made of the answer to one that was asked for as JSON: texts and subtitles report nothing that could be
 * billed. Undefined where the answer does not hold what it takes.
 */
export function renderTranscript(answer: JsonObject, format: 'text' | 'srt' | 'vtt'): string | undefined {
  if (format === 'text') return typeof answer['text'] === 'string' ? `${answer['text']}\n` : undefined;
  const segments = readSegments(answer);
  if (format === 'srt')
    return segments
      ?.map(
        ({ start, end, text }, at) => `${at + 1}\n${timeOf(start, ',')} --> ${timeOf(end, ',')}\n${text}\n\n`,
      )
      .join('');
  const cues = segments?.map(
    ({ start, end, text }) =>
      `${timeOf(start, '.')} --> ${timeOf(end, '.')}\n${text.replaceAll('-->', '->')}\n\n`,
  );
  return cues && `WEBVTT\n\n${cues.join('')}`;
}

/** Such as `00:01:02,345`. */
function timeOf(ms: number, mark: string): string {
  const parts = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1_000) % 60];
  return `${parts.map((part) => String(part).padStart(2, '0')).join(':')}${mark}${String(ms % 1_000).padStart(3, '0')}`;
}

/** How long the sound was, as an answer says: what it bills, else what it heard, else when the last piece ended. */
export function readLength(answer: unknown): number | undefined {
  const usage = objectAt(answer, 'usage');
  if (usage && textAt(usage, 'type') === 'duration') return toMilliseconds(usage['seconds']);
  if (!isObject(answer)) return undefined;
  const heard = toMilliseconds(answer['duration']);
  return heard ?? readSegments(answer)?.reduce((last, { end }) => Math.max(last, end), 0);
}
