import { TOKEN_KIND_NAMES, TOKEN_KINDS, type TokenKind } from './token-kinds.ts';

/**
 * What vendors charge beside tokens, each counted in whole units. The request itself is none of them: it has a price of its
 * own.
 */
export const UNIT_KINDS = [
  'images',
  'characters',
  'audio_milliseconds',
  'video_milliseconds',
  'searches',
  'fetches',
  'file_searches',
  'container_sessions',
  'rerank_units',
  'pages',
] as const;
export type UnitKind = (typeof UNIT_KINDS)[number];

/** What people read, where nobody has translated it. */
const UNIT_KIND_NAMES: Readonly<Record<UnitKind, string>> = {
  images: 'Images',
  characters: 'Characters',
  audio_milliseconds: 'Audio Milliseconds',
  video_milliseconds: 'Video Milliseconds',
  searches: 'Searches',
  fetches: 'Fetches',
  file_searches: 'File Searches',
  container_sessions: 'Container Sessions',
  rerank_units: 'Rerank Units',
  pages: 'Pages',
};

/** Everything of a request that is counted and priced. */
export const METER_KINDS = [...TOKEN_KINDS, ...UNIT_KINDS] as const;
export type MeterKind = TokenKind | UnitKind;
export const METER_KIND_NAMES: Readonly<Record<MeterKind, string>> = {
  ...TOKEN_KIND_NAMES,
  ...UNIT_KIND_NAMES,
};

/** Tokens and units of one request by kind; a kind that is absent counts zero. */
export type Counts = Partial<Record<MeterKind, number>>;

const UNITS: ReadonlySet<string> = new Set(UNIT_KINDS);

export const isUnitKind = (kind: string): kind is UnitKind => UNITS.has(kind);
