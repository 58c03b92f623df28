/** What output costs, as a share of what input does, where new-api says so in its program and not in its database. */
interface OwnRatio {
  readonly ratio: number;
  /** A stored ratio is not listened to. */
  readonly isLocked: boolean;
}

const locked = (ratio: number): OwnRatio => ({ ratio, isLocked: true });
const open = (ratio: number): OwnRatio => ({ ratio, isLocked: false });
/** 2.50 for output where input is 0.30, and the like: as the program divides them. */
const [FLASH, FLASH_PREVIEW] = [8.333333333333334, 23.333333333333332];

/** The first pattern that a model's name fits decides. Names of special conversations are cut before. */
const OWN_RATIOS: readonly (readonly [RegExp, OwnRatio])[] = [
  [/-all$|^gpt-4o?-gizmo/, open(2)],
  [/^gpt-4o-2024-05-13$/, locked(3)],
  [/^gpt-4o-mini-tts/, open(20)],
  [/^gpt-4o/, open(4)],
  [/^gpt-5\.4-nano/, locked(6.25)],
  [/^gpt-5\.[456]/, locked(6)],
  [/^gpt-5/, locked(8)],
  [/^gpt-4\.5-preview/, locked(2)],
  [/^gpt-4-turbo|^gpt-.*gpt-4-110[56]$|^gpt-4-110[56]$/, locked(3)],
  [/^gpt-/, open(2)],
  [/^o[13]/, locked(4)],
  [/^chatgpt-4o-latest$/, locked(3)],
  [/claude-3|claude-(?:sonnet|opus|haiku)-4/, locked(5)],
  [/^mistral-/, locked(3)],
  [/^gemini-(?:1\.5|2\.0)/, locked(4)],
  [/^gemini-2\.5-pro/, open(8)],
  [/^gemini-2\.5-flash-preview.*-nothinking$/, open(4)],
  [/^gemini-2\.5-flash-preview/, open(FLASH_PREVIEW)],
  [/^gemini-2\.5-flash-lite/, open(4)],
  [/^gemini-(?:2\.5-flash|robotics-er-1\.5)/, open(FLASH)],
  [/^gemini-3-pro-image/, open(60)],
  [/^gemini-3-pro/, open(6)],
  [/^gemini-/, open(4)],
  [/^command-r$/, locked(3)],
  [/^command-r-plus$/, locked(5)],
  [/^command-r(?:-plus)?-08-2024$/, locked(4)],
  [/^command/, open(4)],
  [/^ERNIE-(?:Speed-|Lite-|Character|Functions)/, locked(2)],
  [/^llama2-70b-4096$/, locked(1.25)],
  [/^llama3-8b-8192$/, locked(2)],
  [/^llama3-70b-8192$/, locked(1.3389830508474578)],
];

/** As new-api has it: a name with a slash is never locked, and what it does not know costs as much as input. */
export function findCompletionRatio(model: string, stored: number | undefined): number {
  const own = OWN_RATIOS.find(([pattern]) => pattern.test(model))?.[1] ?? open(1);
  if (stored !== undefined && (model.includes('/') || !own.isLocked)) return stored;
  return own.ratio;
}
