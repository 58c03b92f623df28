// `npm run chaos -- --minutes 5 --seed 1`: a house under load, parts of which are killed; then an audit of its books.
import { parseArgs } from 'node:util';
import { runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string', default: '20' },
    rate: { type: 'string', default: '100' },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new Error(`--${name} must be a number above zero, not "${text}".`);
  return value;
}

async function chaos(): Promise<number> {
  const options = {
    seconds: positive('minutes', values.minutes) * 60,
    seed: positive('seed', values.seed),
    kills: positive('kills', values.kills),
    perSecond: positive('rate', values.rate),
  };
  say(
    `${options.kills} kills in ${options.seconds} s at ${options.perSecond} requests/s, seed ${options.seed}`,
  );
  const report = await runChaos({ ...options, say });
  say('');
  say(`requests sent        ${report.sent}`);
  say(`answered             ${report.answered}`);
  say(`in the books         ${report.rows} (${report.rows - report.answered} whose answer broke off)`);
  say(`at rest after        ${(report.settledMs / 1_000).toFixed(1)} s`);
  for (const finding of report.findings) say(`WRONG: ${finding}`);
  say(report.findings.length === 0 ? 'The books are right.' : 'The books are wrong.');
  return report.findings.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await chaos();
} catch (error) {
  say((error as Error).message);
  process.exitCode = 2;
}
