import type { Source } from '../neutral/request.ts';

/** A URL as clients give it: `data:image/png;base64,…` holds the data itself. */
export function sourceOfUrl(url: string): Source {
  const match = /^data:([^;,]+)?(?:;[^,]*)?;base64,(.*)$/s.exec(url);
  return match
    ? { type: 'data', mediaType: match[1] ?? 'application/octet-stream', data: match[2] ?? '' }
    : { type: 'url', url };
}

/** The other way round: one URL for any source that has one. */
export const urlOf = (source: Exclude<Source, { type: 'id' }>): string =>
  source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

const AUDIO_FORMATS: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mp3' };

export const audioType = (format: string): string => AUDIO_FORMATS[format] ?? `audio/${format}`;

export const audioFormat = (mediaType: string): string =>
  mediaType
    .replace(/^audio\//, '')
    .replace(/^(?:mpeg|mpga)$/, 'mp3')
    .replace(/^(?:x-wav|wave)$/, 'wav');
