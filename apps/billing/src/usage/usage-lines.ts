import { countsSchema, type UsageEvent, type UsageLine, usageLineSchema } from '@tollgate/contracts';
import { type Counts, isUnitKind, METER_KINDS, type MeterKind, UNIT_KINDS } from '@tollgate/vocabulary';
import { z } from 'zod';
import { findMeterColumn, type MeterColumn } from './meter-columns.ts';

/** What one line of a request costs the customer and us, each rounded once. */
export interface LineCost {
  readonly costPico: bigint;
  /** Null where the catalogue does not say what the upstream charges. */
  readonly upstreamCostPico: bigint | null;
}

const storedLine = usageLineSchema.extend({
  counts: countsSchema,
  /** Units that we counted ourselves. */
  counted: z.array(z.enum(UNIT_KINDS)).optional(),
  cost_pico: z.string(),
  upstream_cost_pico: z.string().nullable(),
});
export const storedLines = z.array(storedLine);
type StoredLine = z.infer<typeof storedLine>;

/**
 * The lines as the usage log keeps them beside its columns; null where those say all: one line in the standard tier, without
 * units.
 */
export function toStoredLines(
  { lines, counted = [] }: Pick<UsageEvent, 'lines' | 'counted'>,
  costs: readonly LineCost[],
): StoredLine[] | null {
  const [first] = lines;
  if (lines.length === 1 && first && isPlain(first)) return null;
  return lines.map((line, index) => ({
    ...line,
    // What an upstream reports of the models beside the first it has counted itself.
    ...(index === 0 ? findCounted(line, counted) : {}),
    cost_pico: String(costs[index]?.costPico ?? 0n),
    upstream_cost_pico: costs[index]?.upstreamCostPico?.toString() ?? null,
  }));
}

function findCounted({ counts }: UsageLine, kinds: readonly MeterKind[]): Pick<StoredLine, 'counted'> {
  const counted = kinds.filter((kind) => isUnitKind(kind)).filter((kind) => counts[kind] !== undefined);
  return counted.length === 0 ? {} : { counted };
}

const isPlain = ({ service_tier, region, counts }: UsageLine): boolean =>
  service_tier === undefined && region === undefined && !Object.keys(counts).some(isUnitKind);

/** What all lines have together. */
export function sumCounts(lines: readonly UsageLine[]): Readonly<Counts> {
  const [first] = lines;
  if (first && lines.length === 1) return first.counts;
  const sums: Counts = {};
  for (const { counts } of lines)
    for (const kind of Object.keys(counts) as MeterKind[])
      sums[kind] = (sums[kind] ?? 0) + (counts[kind] ?? 0);
  return sums;
}

/** A row of the usage log, as its driver gives it. */
interface LoggedRow extends Readonly<Partial<Record<MeterColumn, string | number>>> {
  readonly model: string;
  readonly cost_pico: string;
  readonly upstream_cost_pico?: string | null;
  readonly lines?: unknown;
}

/** The lines of a row of the usage log: the one that its columns are where it keeps none. */
export const readLines = (row: LoggedRow): StoredLine[] =>
  row.lines === null || row.lines === undefined
    ? [
        {
          model: row.model,
          counts: readCounts(row),
          cost_pico: row.cost_pico,
          upstream_cost_pico: row.upstream_cost_pico ?? null,
        },
      ]
    : storedLines.parse(typeof row.lines === 'string' ? JSON.parse(row.lines) : row.lines);

/** The kinds that a row has any of. */
export function readCounts(row: Readonly<Partial<Record<MeterColumn, string | number>>>): Counts {
  const counts: Counts = {};
  for (const kind of METER_KINDS) {
    const count = Number(row[findMeterColumn(kind)] ?? 0);
    if (count > 0) counts[kind] = count;
  }
  return counts;
}
