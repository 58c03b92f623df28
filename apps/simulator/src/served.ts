import type { SimulatedUsage } from './answer.ts';

/** What one request was answered, and so what a provider would put on its invoice. */
interface ServedAnswer {
  readonly at_ms: number;
  readonly model: string;
  /** What the user asked last. */
  readonly asked: string;
  /** Undefined where the script says that none is reported. */
  readonly usage: SimulatedUsage | undefined;
}

const DEFAULT_MAX = 1_000;

/** Keeps what was served, the last so many: whoever audits a relay compares its books with this. */
export interface ServedAnswers {
  max: number;
  add(answer: ServedAnswer): void;
  all(): readonly ServedAnswer[];
}

export function createServedAnswers(): ServedAnswers {
  let answers: ServedAnswer[] = [];
  return {
    max: DEFAULT_MAX,
    add(answer) {
      answers.push(answer);
      if (answers.length > this.max) answers = answers.slice(-Math.ceil(this.max / 2));
    },
    all: () => answers,
  };
}
