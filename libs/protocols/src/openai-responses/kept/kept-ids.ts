import { createHash } from 'node:crypto';

/** Forty hexadecimal digits that stand for a longer text. */
const shortId = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 40);

/** The id of a response that was made of another vendor's answer. */
export const responseId = (id: string): string => (id.startsWith('resp_') ? id : `resp_${shortId(id)}`);

/** The id of an item of a response: every item has its own, and it tells which response it is of. */
export const itemId = (prefix: string, response: string, index: number): string =>
  `${prefix}_${shortId(response)}${index}`;

const RESPONSE = /^resp_[0-9a-f]{40}$/;
const ITEM = /^(?:msg|rs|fc|ctc)_([0-9a-f]{40})\d{1,6}$/;

/** What the ids of a response's items have in common; undefined for an id that was not made here. */
export const partOfResponseId = (id: string): string | undefined =>
  RESPONSE.test(id) ? shortId(id) : undefined;

export const partOfItemId = (id: string): string | undefined => ITEM.exec(id)?.[1];
