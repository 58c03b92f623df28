// What every library is asked, and what it must hear. A check rejects with what it heard in place of that.
import assert from 'node:assert/strict';

export const SAY = 'Hello there';
export const ECHO = 'Echo: Hello there';
export const USE_TOOLS = 'Use tools please';
/** What a model answers that is told to answer by a schema. */
export const CITY = `Which city? [[sim ${JSON.stringify({ text: JSON.stringify({ city: 'Paris' }) })}]]`;

export const WEATHER = ({ city }) => `Sunny in ${city}`;
export const TIME = ({ city }) => `Noon in ${city}`;

export const heard = (text, expected) => assert.equal(text, expected);
export const heardBoth = (text) => {
  assert.match(text, /Sunny in Paris/);
  assert.match(text, /Noon in Paris/);
};
export const heardCity = (object) => assert.deepEqual({ ...object }, { city: 'Paris' });

/** The text of a stream of pieces. */
export async function joined(pieces) {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
