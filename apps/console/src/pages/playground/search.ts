import { readTexts } from '../../shared/search-params.ts';
import { type FormatId, isFormatId } from './formats/format-id.ts';

/** What stands in the address: a link brings somebody else to the same models. */
export interface PlaygroundSearch {
  readonly model?: string;
  readonly format?: FormatId;
  /** A second model is asked beside the first. */
  readonly beside?: string;
  readonly besideFormat?: FormatId;
  /** The group whose models are offered. */
  readonly group?: string;
  /** What is tried out in place of a conversation; the page knows which there are. */
  readonly task?: string;
}

export function readPlaygroundSearch(search: Readonly<Record<string, unknown>>): PlaygroundSearch {
  const { format, besideFormat, ...rest } = readTexts(search, [
    'model',
    'format',
    'beside',
    'besideFormat',
    'group',
    'task',
  ]);
  return {
    ...rest,
    ...(isFormatId(format) ? { format } : {}),
    ...(rest.beside !== undefined && isFormatId(besideFormat) ? { besideFormat } : {}),
  };
}
