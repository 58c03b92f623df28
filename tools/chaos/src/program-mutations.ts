/** A mistake in a running program, made while it is loaded; nothing on the disk changes. */
export interface ProgramMutation {
  /** Of the services whose name begins so. */
  readonly service: 'gateway' | 'billing';
  /** The end of the name of the built file. */
  readonly file: string;
  /** A regular expression for the one place in it. */
  readonly find: string;
  readonly replace: string;
  /** What the audit must say of it. */
  readonly finding: string;
}

/** `npm run chaos -- --mutation <name>`: the audit must be red for each of them. */
export const PROGRAM_MUTATIONS: Readonly<Record<string, ProgramMutation>> = {
  'tokens-doubled': {
    service: 'gateway',
    file: 'gateway/dist/relay/usage-event.js',
    find: String.raw`\.\.\.ofTokens\.tokens,`,
    replace: '...ofTokens.tokens, output: 2 * (ofTokens.tokens.output ?? 0),',
    finding: 'whole answers are billed by other tokens than they say',
  },
  'prices-raised': {
    service: 'billing',
    file: 'libs/catalogue/dist/price.js',
    find: String.raw`divideHalfEven\(numerator, 10n`,
    replace: 'divideHalfEven((numerator * 3n) / 2n, 10n',
    finding: 'usage rows cost something else than the public prices say',
  },
  'group-ratio-ignored': {
    service: 'billing',
    file: 'billing/dist/usage/posting.js',
    find: String.raw`parseRatio\(group\.ratio\)`,
    replace: "parseRatio('1')",
    finding: 'usage rows cost something else than the public prices say',
  },
  'version-forgotten': {
    service: 'gateway',
    file: 'gateway/dist/relay/usage-event.js',
    find: String.raw`snapshot_version: facts\.snapshotVersion,\s*snapshot_hash: facts\.snapshotHash`,
    replace: 'snapshot_version: 1',
    finding: 'requests are priced by a version that did not hold',
  },
  'stream-confused': {
    service: 'gateway',
    file: 'gateway/dist/relay/usage-event.js',
    find: String.raw`stream: facts\.stream`,
    replace: 'stream: !facts.stream',
    finding: 'usage rows name another account, key, group',
  },
  'left-and-forgotten': {
    service: 'gateway',
    file: 'gateway/dist/relay/departures.js',
    find: String.raw`onGone\(\);`,
    replace: "onGone(); end('stop');",
    finding: 'answers that the client left are billed by less than the upstream served',
  },
  'lost-attempts-forgotten': {
    service: 'gateway',
    file: 'gateway/dist/relay/record-usage.js',
    find: String.raw`void deps\.publisher\.publish\(event\);`,
    replace: '',
    finding: 'attempts that the upstream broke off are no cost',
  },
};
