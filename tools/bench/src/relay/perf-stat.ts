/** What `perf stat` counted of an event, or why there is no number: its own word, or that it shared the counter with others. */
type Counted = { readonly value: number } | { readonly missing: string };

/** Of all lines of an event together, less of the time than this was counted, in percent: others had the counter meanwhile. */
const MIN_COUNTED_PERCENT = 99;
const LINE = /^([\d.]+|<[^>]+>),[^,]*,([^,]+),\d+,([\d.]+)/;

interface Line {
  readonly value: string;
  readonly event: string;
  readonly percent: number;
}

function parseLine(text: string): Line[] {
  const [, value, event, percent] = LINE.exec(text) ?? [];
  return value === undefined || event === undefined
    ? []
    : [{ value, event: nameEvent(event), percent: Number(percent) }];
}

/**
 * Reads what `perf stat -x, --no-scale` prints: value, unit, event, time and percent of the time that it was counted. A processor
 * with two kinds of cores has a line for each kind (`cpu_core/instructions:u/`); what was counted on both is added up.
 */
export function parsePerfStat(output: string): ReadonlyMap<string, Counted> {
  const byEvent = Map.groupBy(output.split('\n').flatMap(parseLine), ({ event }) => event);
  return new Map([...byEvent].map(([event, all]) => [event, addUp(all)]));
}

/** `cpu_core/instructions/u` and `cpu_core/instructions:u/` are `instructions:u`. */
const nameEvent = (event: string): string => {
  const [, name = event, modifier = ''] = /^cpu_\w+\/([^/]+)\/(\w*)$/.exec(event) ?? [];
  return modifier === '' ? name : `${name}:${modifier}`;
};

function addUp(lines: readonly Line[]): Counted {
  const counted = lines.filter(({ value }) => !value.startsWith('<'));
  if (counted.length === 0) return { missing: lines[0]?.value.slice(1, -1) ?? '' };
  const percent = counted.reduce((sum, line) => sum + line.percent, 0);
  if (percent < MIN_COUNTED_PERCENT) return { missing: `counted ${percent.toFixed(0)} % of the time` };
  return { value: counted.reduce((sum, line) => sum + Number(line.value), 0) };
}
