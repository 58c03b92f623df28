import type { Source } from './read-sources.ts';

interface RetiredWord {
  /** As it is found, in any place of a text. */
  readonly pattern: RegExp;
  readonly write: string;
  /** A text in which it stands. */
  readonly example: string;
  /** Where it is looked for; everywhere unless it says so. */
  readonly only?: RegExp;
}

/**
 * Words that were ours alone, and the field's word for each. Only what cannot be meant otherwise is looked for: "kept" or
 * "claims" as an English word is none of these.
 */
export const RETIRED_WORDS: Readonly<Record<string, RetiredWord>> = {
  rooms: { pattern: /\b[Rr]elayRooms\b|\brooms\b/g, example: 'const rooms = 1', write: 'dependencies' },
  house: {
    pattern: /\b[Hh]ouses?\b|\b\w+House\b|\bhouse[A-Z]\w*/g,
    example: 'The house is closed',
    write: 'deployment; in tests: stack',
  },
  most: {
    pattern: /\bMOST(?:_\w+)?\b|\bmost[A-Z]\w*|\bconst most\b|(?<!at )\bmost(?=:)/g,
    example: '{ first: 1, most: 2 }',
    write: 'MAX_…, max…, { initial, max, factor }',
  },
  ground: {
    pattern: /\bGround\b|\bground\b|\b\w+Ground\b/g,
    example: 'startGround()',
    write: 'TestEnvironment, environment',
  },
  till: { pattern: /\b(?:open)?Till\b|\btill\b/g, example: 'openTill()', write: 'BilledClient, client' },
  furnish: { pattern: /\b[Ff]urnish\w*/g, example: 'furnishDemo()', write: 'seed-demo-data' },
  pretend: { pattern: /\b[Pp]retend\w*/g, example: 'a pretended vendor', write: 'stubs' },
  'made books': {
    pattern: /\bmadeBooks\b|\bmakeUpBooks\b|\bmade-books\b|\bMADE_\w+/g,
    example: 'makeUpBooks()',
    write: 'synthetic-ledger',
  },
  alone: { pattern: /\bALONE\b/g, example: 'ALONE', write: 'SINGLE' },
  'left spools': {
    pattern: /\bleft-spools\b|\bleftSpools?\b/gi,
    example: 'leftSpools',
    write: 'orphaned-spools',
  },
  twin: { pattern: /\b[Tt]wins?\b|(?:Twin|TWIN)S?(?![a-z])/g, example: 'its twin', write: 'duplicate' },
  spot: { pattern: /\bSpot\b/g, example: 'interface Spot {}', write: 'Slot' },
  parked: {
    pattern: /(?<![A-Za-z])(?:un)?[Pp]ark(?:s|ed|ings?)?(?![a-z])/g,
    example: 'it is parked',
    write: 'cooling down',
  },
  'stand-ins': {
    pattern: /\bstandIns?\b|\bStandIns?\b|\bstand-ins?\b/g,
    example: 'its stand-ins',
    write: 'fallbacks',
  },
  'hand over': { pattern: /\bhandOver\b/g, example: 'handOver()', write: 'deliver' },
  lanes: {
    pattern: /\b[Ll]anes?\b|\blane[A-Z]\w*|\buseLanes?\b/g,
    example: 'useLanes(2)',
    write: 'shards',
    only: /^(?!apps\/console)/,
  },
  mustOwn: { pattern: /\bmustOwn\b/g, example: 'mustOwn(user)', write: 'requireRole' },
  keepsBooks: { pattern: /\bkeepsBooks\b/g, example: 'keepsBooks(user)', write: 'canReadLedger' },
  actsForAll: { pattern: /\bactsForAll\b/g, example: 'actsForAll(user)', write: 'canManageAllAccounts' },
  purse: { pattern: /\b[Pp]urses?\w*/g, example: 'purseOf(key)', write: 'credit scope label' },
  dearest: { pattern: /\b[Dd]earest\b/g, example: 'the dearest', write: 'most expensive' },
  mend: { pattern: /\b[Mm]end(?:s|ed|ing)?\b/g, example: 'to mend', write: 'fix' },
  anew: { pattern: /\banew\b/g, example: 'begin anew', write: 'again' },
  hurry: { pattern: /\b[Hh]urr(?:y|ies|ied)\b/g, example: 'hurry()', write: 'runSoon' },
  wish: {
    pattern: /\b\w*Wish(?:es)?\b|\bwish(?:es|ed)?\b/g,
    example: 'interface LinkWish {}',
    write: 'params, request or form values',
  },
  stated: {
    pattern: /\bStated[A-Z]\w*|\bstated[A-Z]\w*/g,
    example: 'statedRoute',
    write: 'input or explicit',
  },
  toasts: { pattern: /\bNoticesPlace\b/g, example: 'NoticesPlace', write: 'ToastRegion' },
  looks: { pattern: /\bLooksPanel\b/g, example: 'LooksPanel', write: 'AppearancePanel' },
  late: { pattern: /\buseLate\b/g, example: 'useLate()', write: 'useDeferred' },
  secrets: {
    pattern: /\bpromised-secrets\b|\bpromisedSecrets\b/g,
    example: 'promisedSecrets',
    write: 'documented-secrets',
  },
  '…Of': {
    pattern: /^export (?:async )?(?:function\*?|const) \w+Of\b/gm,
    example: 'export const costOf = 1',
    write: 'a verb: findX, toX, parseX, requireX',
  },
  '...{': { pattern: /\.\.\.\{/g, example: 'call({ ...{ a, b } })', write: 'the members themselves' },
  'types of ours': {
    pattern: /\b(?:type|interface|class|enum) (?:Call|Terms|Passed|Told|Run|Claim|Door|Break)\b/g,
    example: 'interface Told {',
    write: 'RelayRequest, ForwardOptions, StreamResult, Execution, Lease, AuthLayout, Mutation',
  },
  folders: {
    pattern: /\/(?:once|cores|people)\//g,
    example: 'apps/gateway/src/once/lease.ts',
    write: 'idempotency/, cluster/, members/',
  },
  files: {
    pattern: /\/(?:kept|may|breaks|reach|wanted)\.ts/g,
    example: 'apps/console/src/shared/may.ts',
    write: 'browser-storage, permissions, mutations, network-reachability',
  },
  wanted: {
    pattern: /\bWanted\b|[a-z]Wanted\b|\b(?:const|let) wanted\b/g,
    example: 'const wanted = 1',
    write: 'params, request or expected',
  },
  standing: {
    pattern: /\b(?:const|let) standing\b/g,
    example: 'let standing: Status',
    write: 'status or existing',
  },
  told: { pattern: /\b(?:const|let|function) told\b/g, example: 'const told = 1', write: 'notified' },
  steady: { pattern: /\.(?:steady|learn)\(/g, example: 'target.steady()', write: 'healthy, applyRemote' },
  growth: { pattern: /\bgrowth:/g, example: '{ initial: 1, growth: 2 }', write: 'factor' },
  damage: { pattern: /\bDamage\b/g, example: 'Damage', write: 'Mutation' },
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
