// `npm run fuzz -- --seconds 600 --seed 1`: every property with ever new inputs, until the time is over or one fails.
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { PROPERTIES } from './properties.ts';

const RUNS = 200;

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`--${name} must be a whole number, not "${text}".`);
  return value;
}

function fuzz(seconds: number, firstSeed: number): number {
  const started = Date.now();
  const elapsed = () => Math.round((Date.now() - started) / 1_000);
  let inputs = 0;
  say(`${PROPERTIES.length} properties for ${seconds} s from seed ${firstSeed}`);
  for (let seed = firstSeed; ; seed += 1) {
    for (const { name, property } of PROPERTIES) {
      if (elapsed() >= seconds) {
        say(`Nothing failed in ${elapsed()} s: ${inputs} inputs up to seed ${seed}.`);
        return 0;
      }
      const result = fc.check(property, { seed, numRuns: RUNS });
      inputs += result.numRuns;
      if (!result.failed) continue;
      say(`FAILED after ${elapsed()} s: ${name}`);
      say(fc.defaultReportMessage(result) ?? '');
      say(String((result.errorInstance as Error | null)?.stack ?? result.errorInstance));
      return 1;
    }
    say(`${String(elapsed()).padStart(5)} s  seed ${seed}  ${inputs} inputs`);
  }
}

try {
  process.exitCode = fuzz(wholeNumber('seconds', values.seconds), wholeNumber('seed', values.seed));
} catch (error) {
  say((error as Error).message);
  process.exitCode = 2;
}
