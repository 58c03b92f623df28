import fc from 'fast-check';
import { PROPERTIES } from './properties.ts';

const SEED = 20_261_121;
const RUNS = 200;

test.each(PROPERTIES)(`$name (seed ${SEED})`, ({ property }) => {
  fc.assert(property, { seed: SEED, numRuns: RUNS });
});
