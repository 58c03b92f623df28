import type { HostileStack } from './hostile-stack.ts';

/** Cases that the programs do not pass yet; `npm run hostile` runs them all the same, and says which pass by now. */
const OUTSTANDING: readonly RegExp[] = [];

const isOutstanding = (area: string, name: string): boolean =>
  OUTSTANDING.some((pattern) => pattern.test(`${area}: ${name}`));

/** One attack, and what must come of it. */
export interface HostileCase {
  /** Of its own in its area. */
  readonly name: string;
  /** @throws with what was wrong. */
  readonly run: () => Promise<void>;
}

/** Attacks of one kind. Its file begins by naming what it proves. */
export interface HostileArea {
  readonly name: string;
  /** What holds if all of its cases pass. */
  readonly proves: string;
  /** The cases; what they need is made here. */
  readonly cases: (at: HostileStack) => Promise<readonly HostileCase[]> | readonly HostileCase[];
  /** What it does to the stack stops other callers by itself, as the documents say. */
  readonly disturbs?: boolean;
  /** How many run at once; several where none is said. */
  readonly atOnce?: number;
}

interface AreaResult {
  readonly count: number;
  /** Names of cases that are known to fail, and did not. */
  readonly fixed: readonly string[];
  /** Names of cases that are known to fail, and did, or were left out. */
  readonly outstanding: readonly string[];
  /** The cases that failed, and how. */
  readonly failures: readonly string[];
}

const AT_ONCE = 6;
const CASE_MS = 60_000;

/**
 * Runs all cases of an area; one that fails does not keep the others from running.
 *
 * @param withOutstanding those that are known to fail, too.
 */
export async function runArea(
  area: HostileArea,
  at: HostileStack,
  withOutstanding = false,
): Promise<AreaResult> {
  const all = await area.cases(at);
  const known = all.filter(({ name }) => isOutstanding(area.name, name));
  const cases = withOutstanding ? all : all.filter((each) => !known.includes(each));
  const fixed = new Set(withOutstanding ? known.map(({ name }) => name) : []);
  const twice = cases.map(({ name }) => name).filter((name, index, all) => all.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`${area.name} has two cases named ${twice[0]}`);
  const failures: string[] = [];
  const left = cases.values();
  await Promise.all(
    Array.from({ length: area.atOnce ?? AT_ONCE }, async () => {
      for (const { name, run } of left) {
        try {
          await within(Promise.resolve().then(run), CASE_MS);
        } catch (error) {
          const how = `${name}: ${error instanceof Error ? error.message : String(error)}`;
          if (!fixed.delete(name)) failures.push(how);
        }
      }
    }),
  );
  return {
    count: cases.length,
    failures,
    fixed: [...fixed],
    outstanding: known.map(({ name }) => name).filter((name) => !fixed.has(name)),
  };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no end after ${ms / 1_000} s`)), ms);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** @throws what is wrong, unless it holds. */
export function must(holds: boolean, wrong: () => string): void {
  if (!holds) throw new Error(wrong());
}
