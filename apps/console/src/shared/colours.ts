const HUES = 360;
/** Nearer than this to another, a colour is hard to tell from it. */
const NEAR_DEGREES = 22;

/**
 * The hue of a name. It follows from the name alone, so that a model has its colour on every page and over every range,
 * whatever stands beside it.
 */
export function findHue(name: string): number {
  let hash = 2_166_136_261;
  for (const letter of name) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  // Names that differ in a last letter differ in low bits alone until they are mixed.
  hash = Math.imul(hash ^ (hash >>> 15), 2_246_822_507) >>> 0;
  return ((hash ^ (hash >>> 13)) >>> 0) % HUES;
}

/** A theme gives it lightness and strength, which stand out from its panels. */
const colourOfHue = (hue: number): string => `oklch(var(--tg-hue-lightness) var(--tg-hue-chroma) ${hue})`;

/** The colour of a model, or of a key. */
export const findColour = (name: string): string => colourOfHue(findHue(name));

const distance = (a: number, b: number): number => Math.min(Math.abs(a - b), HUES - Math.abs(a - b));

/**
 * What each of some names is drawn with side by side. Of two whose colours are near to each other the later one by name
 * has stripes: it keeps its colour.
 */
export function findFills(names: readonly string[]): ReadonlyMap<string, string> {
  const fills = new Map<string, string>();
  const plain: number[] = [];
  for (const name of [...new Set(names)].sort()) {
    const hue = findHue(name);
    const isNear = plain.some((other) => distance(hue, other) < NEAR_DEGREES);
    if (!isNear) plain.push(hue);
    fills.set(name, isNear ? striped(colourOfHue(hue)) : colourOfHue(hue));
  }
  return fills;
}

const striped = (colour: string): string =>
  `repeating-linear-gradient(45deg, ${colour} 0 3px, color-mix(in oklch, ${colour} 45%, var(--tg-panel)) 3px 6px)`;
