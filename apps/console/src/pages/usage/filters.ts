import { readDays } from '../../shared/days.ts';
import { readTexts } from '../../shared/search-params.ts';

/** What the address of the log says. */
export interface UsageSearch {
  /** The account whose log it is, or `all`; that of who looks without one. */
  readonly account?: string;
  /** One request, by its id. */
  readonly request?: string;
  readonly key?: string;
  readonly model?: string;
  /** A status, or a class of them. */
  readonly status?: string;
  readonly code?: string;
  /** The limit that was hit. */
  readonly limit?: string;
  readonly operation?: string;
  readonly upstream?: string;
  /** A part of what the client was told. */
  readonly said?: string;
  /** How many upstreams were tried at least. */
  readonly attempts?: string;
  /** At least so many milliseconds. */
  readonly firstByte?: string;
  /** At least so many, in and out. */
  readonly tokens?: string;
  /** At least so many USD. */
  readonly charge?: string;
  /** The first and the last day that are shown, in the time zone of the account. */
  readonly from?: string;
  readonly to?: string;
  /** Of these days a part, such as "10:00-11:00": from then on the first to then on the last. */
  readonly hours?: string;
  /** A column, with a minus where the greatest comes first. */
  readonly sort?: string;
}

export const ALL_ACCOUNTS = 'all';

/** What is asked for by the least that there is of it. */
export const LEAST = ['attempts', 'firstByte', 'tokens', 'charge'] as const;

const WHOLE = /^[1-9]\d{0,8}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** What each filter may say, where that is not just any text. */
const FORMS = {
  account: new RegExp(`^${ALL_ACCOUNTS}$|${UUID.source}`, 'i'),
  request: /\S/,
  key: UUID,
  model: /./,
  status: /^(?:2xx|4xx|5xx|error|[1-5]\d\d)$/,
  code: /^[a-z0-9_]{1,64}$/,
  limit: /^[a-z][a-z ]{0,31}$/,
  operation: /^[a-z]{1,32}$/,
  upstream: /./,
  said: /\S/,
  attempts: WHOLE,
  firstByte: WHOLE,
  tokens: WHOLE,
  charge: /^\d{1,9}(?:\.\d{1,12})?$/,
  sort: /^-?(?:time|input|output|latency|status|cost)$/,
  hours: /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/,
} as const;
const NAMES = Object.keys(FORMS) as (keyof typeof FORMS)[];

/** Whether a filter takes a text; the address leaves out what it does not. */
export const fitsFilter = (name: keyof typeof FORMS, text: string): boolean => FORMS[name].test(text);

/** Takes what it understands of an address and leaves the rest. */
export function readFilters(search: Readonly<Record<string, unknown>>): UsageSearch {
  const texts = readTexts(search, [...NAMES, 'from', 'to']);
  const read: { -readonly [name in keyof UsageSearch]: string } = { ...readDays(texts.from, texts.to) };
  for (const name of NAMES) {
    const text = texts[name]?.trim();
    if (text !== undefined && fitsFilter(name, text)) read[name] = text;
  }
  if (read.from === undefined || read.to === undefined) delete read.hours;
  return read;
}
