import type { Source } from './read-sources.ts';

interface RetiredWord {
  /** As it is found, in any place of a text. */
  readonly pattern: RegExp;
  readonly write: string;
  /** Where it is looked for; everywhere unless it says so. */
  readonly only?: RegExp;
}

/**
 * Words that were ours alone, and the field's word for each. Only what cannot be meant otherwise is looked for: "kept" or
 * "claims" as an English word is none of these.
 */
export const RETIRED_WORDS: Readonly<Record<string, RetiredWord>> = {
  rooms: { pattern: /\b[Rr]elayRooms\b|\brooms\b/g, write: 'dependencies' },
  house: { pattern: /\b[Hh]ouses?\b|\b\w+House\b|\bhouse[A-Z]\w*/g, write: 'deployment; in tests: stack' },
  most: {
    pattern: /\bMOST(?:_\w+)?\b|\bmost[A-Z]\w*|\bconst most\b|(?<!at )\bmost(?=:)/g,
    write: 'MAX_…, max…, { initial, max, factor }',
  },
  ground: { pattern: /\bGround\b|\bground\b|\b\w+Ground\b/g, write: 'TestEnvironment, environment' },
  till: { pattern: /\b(?:open)?Till\b|\btill\b/g, write: 'BilledClient, client' },
  furnish: { pattern: /\b[Ff]urnish\w*/g, write: 'seed-demo-data' },
  pretend: { pattern: /\b[Pp]retend\w*/g, write: 'stubs' },
  'made books': {
    pattern: /\bmadeBooks\b|\bmakeUpBooks\b|\bmade-books\b|\bMADE_\w+/g,
    write: 'synthetic-ledger',
  },
  alone: { pattern: /\bALONE\b/g, write: 'SINGLE' },
  'left spools': { pattern: /\bleft-spools\b|\bleftSpools?\b/gi, write: 'orphaned-spools' },
  twin: { pattern: /\b[Tt]wins?\b|(?:Twin|TWIN)S?(?![a-z])/g, write: 'duplicate' },
  spot: { pattern: /\bSpot\b/g, write: 'Slot' },
  parked: { pattern: /(?<![A-Za-z])(?:un)?[Pp]ark(?:s|ed|ings?)?(?![a-z])/g, write: 'cooling down' },
  'stand-ins': { pattern: /\bstandIns?\b|\bStandIns?\b|\bstand-ins?\b/g, write: 'fallbacks' },
  'hand over': { pattern: /\bhandOver\b/g, write: 'deliver' },
  lanes: {
    pattern: /\b[Ll]anes?\b|\blane[A-Z]\w*|\buseLanes?\b/g,
    write: 'shards',
    only: /^(?!apps\/console)/,
  },
  mustOwn: { pattern: /\bmustOwn\b/g, write: 'requireRole' },
  keepsBooks: { pattern: /\bkeepsBooks\b/g, write: 'canReadLedger' },
  actsForAll: { pattern: /\bactsForAll\b/g, write: 'canManageAllAccounts' },
  purse: { pattern: /\b[Pp]urses?\w*/g, write: 'credit scope label' },
  dearest: { pattern: /\b[Dd]earest\b/g, write: 'most expensive' },
  mend: { pattern: /\b[Mm]end(?:s|ed|ing)?\b/g, write: 'fix' },
  anew: { pattern: /\banew\b/g, write: 'again' },
  hurry: { pattern: /\b[Hh]urr(?:y|ies|ied)\b/g, write: 'runSoon' },
  wish: { pattern: /\b\w*Wish(?:es)?\b|\bwish(?:es|ed)?\b/g, write: 'params, request or form values' },
  stated: { pattern: /\bStated[A-Z]\w*|\bstated[A-Z]\w*/g, write: 'input or explicit' },
  toasts: { pattern: /\bNoticesPlace\b/g, write: 'ToastRegion' },
  looks: { pattern: /\bLooksPanel\b/g, write: 'AppearancePanel' },
  late: { pattern: /\buseLate\b/g, write: 'useDeferred' },
  secrets: { pattern: /\bpromised-secrets\b|\bpromisedSecrets\b/g, write: 'documented-secrets' },
  '…Of': {
    pattern: /^export (?:async )?(?:function\*?|const) \w+Of\b/gm,
    write: 'a verb: findX, toX, parseX, requireX',
  },
  '...{': { pattern: /\.\.\.\{/g, write: 'the members themselves' },
  damage: { pattern: /\bDamage\b/g, write: 'Mutation' },
};

/** The folders in which each retired word stands, in texts or in the names of files: `apps/billing`, `docs`. */
export function findRetiredWords(sources: readonly Source[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const [word, { pattern, only }] of Object.entries(RETIRED_WORDS)) {
    const folders = sources
      .filter(({ path }) => only?.test(path) ?? true)
      .filter(({ path, text }) => `${path}\n${text}`.search(pattern) >= 0)
      .map(({ path }) => /^(?:apps|libs|tools)\/[^/]+|^[^/]+/.exec(path)?.[0] ?? path);
    if (folders.length > 0) found[word] = [...new Set(folders)].sort();
  }
  return found;
}
