import { readTexts } from '../../shared/search-params.ts';
import { type FormatId, isFormatId } from './formats/format-id.ts';

/** What stands in the address: a link brings somebody else to the same models, settings and prompt. */
export interface PlaygroundSearch {
  readonly model?: string;
  readonly format?: FormatId;
  /** Models that are asked beside the first, such as "sim-claude@anthropic". */
  readonly beside?: readonly string[];
  /** The group whose models are offered. */
  readonly group?: string;
  /** What is tried out in place of a conversation; the page knows which there are. */
  readonly task?: string;
  /** Settings that a link brings, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What a link proposes to ask. */
  readonly prompt?: string;
  /** The conversation that goes on, of those that this browser keeps. */
  readonly chat?: string;
}

export function readPlaygroundSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const { format, ...rest } = readTexts(search, ['model', 'format', 'group', 'task', 'prompt', 'chat']);
  const beside = readList(search['beside']);
  const settings = readRecord(search['settings']);
  return {
    ...rest,
    ...(isFormatId(format) ? { format } : {}),
    ...(beside.length === 0 ? {} : { beside }),
    ...(settings === null ? {} : { settings }),
  };
}

const readList = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).filter(
    (each): each is string => typeof each === 'string' && each !== '',
  );

function readRecord(value: unknown): Readonly<Record<string, string>> | null {
  if (typeof value !== 'object' || value === null) return null;
  const texts = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return texts.length === 0 ? null : Object.fromEntries(texts);
}
