import type { CataloguePlan } from './plan.ts';

const SIGNS = { added: '+', removed: '-', changed: '~' } as const;

/** What a plan would do, for people to read. */
export function planText({ differences, secrets }: CataloguePlan): string {
  const lines = differences.flatMap(({ section, name, change, fields }) => [
    `${SIGNS[change]} ${section} ${name}`,
    ...(change === 'changed'
      ? fields.map((field) => `    ${field.path || '/'}: ${shown(field, 'from')} -> ${shown(field, 'to')}`)
      : []),
  ]);
  const missing = secrets.map(
    ({ variable, credential }) =>
      `* secret of ${credential} from ${variable ?? 'nowhere: give it a secret_env'}`,
  );
  const count = (change: keyof typeof SIGNS) => differences.filter((each) => each.change === change).length;
  const sum =
    lines.length + missing.length === 0
      ? 'Nothing to do: the file says what holds.'
      : `Plan: ${count('added')} to add, ${count('changed')} to change, ${count('removed')} to remove.`;
  return [...lines, ...missing, sum].join('\n');
}

const shown = (field: { from?: unknown; to?: unknown }, end: 'from' | 'to'): string =>
  end in field ? (JSON.stringify(withoutSealed(field[end])) ?? 'nothing') : 'nothing';

/** Secrets are not known here, so that there is nothing to show of them. */
function withoutSealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'sealed')
      .map(([name, part]: [string, unknown]) => [name, withoutSealed(part)]),
  );
}
