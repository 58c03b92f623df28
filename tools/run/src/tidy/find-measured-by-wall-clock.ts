import type { Source } from './read-sources.ts';

const IS_CHECKED =
  /^(?:apps\/(?:gateway|billing|pricing)|libs\/[^/]+|tools\/(?:harness|chaos))\/src\/(?!.*\.spec\.ts$)/;
/** Added, subtracted or compared, or taken for the clock of something that is told no other. */
const MEASURES =
  /Date\.now\(\)\)?\s*(?:[-+]|[<>]=?)(?!>)|(?:(?<![=-])[<>]=?|[-+])\s*\(?Date\.now\(\)|= Date\.now\b(?!\()/;

/** Files of services, and of what waits for them in tests, in which a length of time is measured by a clock that anybody may set. */
export const findMeasuredByWallClock = (code: readonly Source[]): string[] =>
  code.filter(({ path, text }) => IS_CHECKED.test(path) && MEASURES.test(text)).map(({ path }) => path);
