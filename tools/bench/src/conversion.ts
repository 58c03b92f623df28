// `npm run bench -- conversion`: nanoseconds per chunk of a converted and of a passed-on stream, beside reading and writing its JSON.
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createResponseRewriter, createStreamConverter, type ResponseRewriter } from '@tollgate/protocols';
import { type ClientProtocol, CLIENT_PROTOCOLS } from '@tollgate/vocabulary';
import { writePart } from './write-part.ts';
import { readJson, toPlan, upstreamStream } from './streams.ts';

/** `--write` puts the table into docs/benchmarks.md. */
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });

const CHUNKS = 2_000;
const ROUNDS = 31;
const WARM_UP = 5;

interface Measured {
  readonly upstream: ClientProtocol;
  readonly work: string;
  /** Does the work for every chunk; answers the nanoseconds that the chunks took. */
  readonly run: () => number;
}

function timed(work: () => void): number {
  const started = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - started);
}

/** What a reader gets is added up, so that no work can be left out as unused. */
let sent = 0;

function throughput(upstream: ClientProtocol, work: string, create: () => ResponseRewriter): Measured {
  const { before, chunks, after } = upstreamStream(upstream, CHUNKS);
  const run = () => {
    const rewriter = create();
    rewriter.push(before);
    const nanoseconds = timed(() => {
      for (const chunk of chunks) sent += rewriter.push(chunk)?.length ?? 0;
    });
    rewriter.push(after);
    rewriter.end();
    return nanoseconds;
  };
  return { upstream, work, run };
}

const REFERENCE = 'JSON.parse + JSON.stringify';

function reference(upstream: ClientProtocol): Measured {
  const texts = upstreamStream(upstream, CHUNKS).chunks.map(readJson);
  const run = () =>
    timed(() => {
      for (const text of texts) sent += JSON.stringify(JSON.parse(text)).length;
    });
  return { upstream, work: REFERENCE, run };
}

const measured: readonly Measured[] = CLIENT_PROTOCOLS.flatMap((upstream) => [
  reference(upstream),
  throughput(upstream, 'passed on', () => createResponseRewriter(upstream, { stream: 'sse' })),
  throughput(upstream, 'passed on, model renamed', () =>
    createResponseRewriter(upstream, { stream: 'sse', model: 'model' }),
  ),
  ...CLIENT_PROTOCOLS.filter((client) => client !== upstream).map((client) => {
    const plan = toPlan(client, upstream);
    return throughput(upstream, `to ${client}`, () => createStreamConverter(plan, 'sse'));
  }),
]);

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;

/** Every round does each work once, so that a slow moment of the machine meets all of them alike. */
function measure(): number[] {
  const runs: number[][] = measured.map(() => []);
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const [index, { run }] of measured.entries()) {
      const nanoseconds = run() / CHUNKS;
      if (round >= 0) runs[index]?.push(nanoseconds);
    }
  }
  return runs.map(median);
}

const COLUMNS = [20, 27, 8, 12] as const;
const row = ([upstream, work, nanoseconds, ratio]: readonly [string, string, string, string]): string =>
  `| ${upstream.padEnd(COLUMNS[0])} | ${work.padEnd(COLUMNS[1])} | ${nanoseconds.padStart(COLUMNS[2])} | ${ratio.padStart(COLUMNS[3])} |`;

function report(): string {
  const medians = measure();
  const rule = COLUMNS.map((width, index) => (index < 2 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  const rows = measured.map(({ upstream, work }, index) => {
    const base = measured.findIndex((each) => each.upstream === upstream && each.work === REFERENCE);
    const nanoseconds = medians[index] ?? 0;
    return row([
      `\`${upstream}\``,
      work,
      nanoseconds.toFixed(0),
      (nanoseconds / (medians[base] ?? 1)).toFixed(2),
    ]);
  });
  return [row(['upstream', 'work', 'ns/chunk', 'to reference']), `| ${rule.join(' | ')} |`, ...rows].join(
    '\n',
  );
}

const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
const text = `Node ${process.version}, ${availableParallelism()} cores (${processor}), ${ROUNDS} rounds of ${CHUNKS} chunks:\n\n${report()}`;
process.stdout.write(`${text}\n\n${sent} bytes written\n`);
if (values.write) await writePart('benchmarks.md', 'conversion', text);
