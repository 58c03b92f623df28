import type { Source } from '../neutral/request.ts';

/** Vendors know JPEG by its own name alone, and many clients call it by another. */
export const toMediaType = (said: string): string =>
  said.toLowerCase() === 'image/jpg' ? 'image/jpeg' : said;

/** A URL as clients give it: `data:image/png;base64,…` holds the data itself. */
export function sourceOfUrl(url: string): Source {
  const match = /^data:([^;,]+)?(?:;[^,]*)?;base64,(.*)$/s.exec(url);
  return match
    ? { type: 'data', mediaType: toMediaType(match[1] ?? 'application/octet-stream'), data: match[2] ?? '' }
    : { type: 'url', url };
}

/** The other way round: one URL for any source that has one. */
export const toUrl = (source: Exclude<Source, { type: 'id' }>): string =>
  source.type === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`;

/** The words of a plain-text document that came with the request. */
export const plainText = (source: Source): string | undefined =>
  source.type === 'data' && source.mediaType.startsWith('text/')
    ? Buffer.from(source.data, 'base64').toString('utf8')
    : undefined;

export const audioType = (format: string): string => `audio/${format}`;

export const audioFormat = (mediaType: string): string =>
  mediaType
    .replace(/^audio\//, '')
    .replace(/^(?:mpeg|mpga)$/, 'mp3')
    .replace(/^(?:x-wav|wave)$/, 'wav');
