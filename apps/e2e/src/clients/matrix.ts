import { UPSTREAM_MODEL_NAMES, type UpstreamModel } from './upstreams.ts';

/** What came of one check of one client on one upstream model. */
export interface Checked {
  readonly client: string;
  readonly model: UpstreamModel;
  readonly check: string;
  /** Undefined when it passed. */
  readonly error?: string;
}

interface KnownFailure {
  readonly client: RegExp;
  readonly model: UpstreamModel;
  readonly error: RegExp;
  readonly why: string;
}

/** What vendors refuse of clients of their own format, which the relay passes as it came. */
const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    client: /^Codex/,
    model: 'gpt-4o',
    error: /Encrypted content is not supported/,
    why: 'refused by the vendor: Codex asks for encrypted reasoning, which gpt-4o does not have',
  },
  {
    client: /^opencode `@ai-sdk\/openai-compatible`/,
    model: 'gpt-5.1',
    error: /'max_tokens' is not supported/,
    why: 'refused by the vendor: this provider writes `max_tokens`, which gpt-5.1 refuses; `@ai-sdk/openai` does not',
  },
];

const findKnown = ({ client, model }: Checked): KnownFailure | undefined =>
  KNOWN_FAILURES.find((known) => known.client.test(client) && known.model === model);

/** What failed beside what is known to be refused, and what is known to be and was not. */
export const listFailures = (checked: readonly Checked[]): string[] =>
  checked.flatMap((each) => {
    const { client, model, check, error } = each;
    const known = findKnown(each);
    if (known ? error !== undefined && known.error.test(error) : error === undefined) return [];
    return [`${client} on ${model}, ${check}: ${error ?? 'it passes, and is known to fail'}`];
  });

/** A row for each client: how many checks passed on each model, or what failed. */
export function matrixRows(checked: readonly Checked[]): string[][] {
  const byClient = Map.groupBy(checked, ({ client }) => client);
  return [...byClient].map(([client, its]) => [
    client,
    [...new Set(its.map(({ check }) => check))].join(', '),
    ...UPSTREAM_MODEL_NAMES.map((model) => toCell(its.filter((each) => each.model === model))),
  ]);
}

function toCell(checked: readonly Checked[]): string {
  const failed = checked.filter(({ error }) => error !== undefined);
  const known = failed.map(findKnown).find((each) => each !== undefined);
  if (known && listFailures(checked).length === 0) return known.why;
  if (checked.length === 0) return 'not run';
  if (failed.length === 0) return `pass (${checked.length})`;
  const said = failed.map(({ check, error }) => `${check}: ${error ?? ''}`.slice(0, 200));
  return `**${failed.length} of ${checked.length} fail**: ${said.join('; ')}`.replaceAll('|', '\\|');
}
