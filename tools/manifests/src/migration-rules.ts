/**
 * Tables whose rows are counted in people, keys and settings: what locks or rewrites one is over in a moment. Every
 * other table that a migration finds may have grown without bound.
 */
const SMALL = new Set([
  'billing.account',
  'billing.api_key',
  'billing.app_user',
  'billing.session',
  'billing.export_job',
  'billing.export_schedule',
  'pricing.draft',
]);

interface Rule {
  readonly pattern: RegExp;
  readonly why: string;
  /** Also of small tables: the former release still uses what is taken away. */
  readonly contracts?: true;
}

/** What one action of an `ALTER TABLE` must not be. */
const ACTIONS: readonly Rule[] = [
  {
    pattern: /^DROP (?!CONSTRAINT\b|NOT NULL\b|DEFAULT\b)/i,
    why: 'drops a column that the former release reads',
    contracts: true,
  },
  { pattern: /^RENAME\b/i, why: 'renames what the former release names', contracts: true },
  { pattern: /^SET SCHEMA\b/i, why: 'moves what the former release names', contracts: true },
  { pattern: /^ALTER (?:COLUMN )?\S+ (?:SET DATA )?TYPE\b/i, why: 'changes a type', contracts: true },
  {
    pattern: /^ALTER (?:COLUMN )?\S+ DROP DEFAULT\b/i,
    why: 'drops a default that the former release relies on',
    contracts: true,
  },
  {
    pattern: /^ALTER (?:COLUMN )?\S+ SET NOT NULL\b/i,
    why: 'sets NOT NULL: first a CHECK that is NOT VALID, then VALIDATE, in releases of their own',
    contracts: true,
  },
  {
    pattern: /^ADD (?:COLUMN )?(?!CONSTRAINT|CHECK|UNIQUE|PRIMARY|FOREIGN)(?!.*\bDEFAULT\b).*\bNOT NULL\b/i,
    why: 'adds a column that the former release does not fill',
    contracts: true,
  },
  {
    pattern:
      /^ADD .*\bDEFAULT \(?(?:\w+\.)?(?:gen_random_uuid|uuidv[47]|random|clock_timestamp|nextval|timeofday)\b/i,
    why: 'adds a column with a default of every row its own, which rewrites the table',
  },
  {
    pattern: /^ADD (?!.*\bNOT VALID\b).*(?:\bCHECK\b|\bREFERENCES\b)/i,
    why: 'adds a constraint that reads the whole table under a lock: NOT VALID first, then VALIDATE',
  },
  {
    pattern: /^ADD (?!.*\bUSING INDEX\b).*(?:\bUNIQUE\b|\bPRIMARY KEY\b)/i,
    why: 'builds an index under a lock: CREATE UNIQUE INDEX CONCURRENTLY, then ADD CONSTRAINT USING INDEX',
  },
];

/** What a statement must not be; the first group names the table. */
const STATEMENTS: readonly Rule[] = [
  {
    pattern: /^DROP (?:TABLE|VIEW|FUNCTION|TYPE|SCHEMA|SEQUENCE|TRIGGER|MATERIALIZED VIEW)\b/i,
    why: 'drops what the former release uses',
    contracts: true,
  },
  {
    pattern: /^ALTER (?:VIEW|FUNCTION|TYPE|SEQUENCE|SCHEMA)\b.*\bRENAME\b/i,
    why: 'renames',
    contracts: true,
  },
  {
    pattern: /^CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY\b).*? ON (?!ONLY\b)([\w.]+)/i,
    why: 'builds an index while nobody can write: CONCURRENTLY, with transaction = false',
  },
  { pattern: /^(?:LOCK|TRUNCATE|CLUSTER|VACUUM FULL)\s+(?:TABLE )?([\w.]+)/i, why: 'locks the whole table' },
  { pattern: /^REINDEX (?!.*\bCONCURRENTLY\b)/i, why: 'locks the whole table' },
];

/** What a migration does that a release may not do while the one before it still runs. */
interface Fault {
  readonly statement: string;
  readonly why: string;
}

/**
 * Reads the SQL of a migration's `up`, and finds what would stop or break the services of the release before.
 *
 * @param source of the migration; one with a line `readonly contract = '…'` has said why all of it may be.
 */
export function migrationFaults(source: string): Fault[] {
  if (/^\s*(?:readonly )?contract = '[^']{10,}'/m.test(source)) return [];
  const statements = parseStatements(source);
  const made = new Set(
    statements.flatMap(
      (each) => /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?([\w.]+)/i.exec(each)?.[1] ?? [],
    ),
  );
  const isLight = (table: string | undefined) => table !== undefined && (made.has(table) || SMALL.has(table));
  const isNew = (table: string | undefined) => table !== undefined && made.has(table);
  const faultsIn = (
    rules: readonly Rule[],
    text: string,
    tableOf: (found: RegExpExecArray) => string | undefined,
  ) =>
    rules.flatMap(({ pattern, why, contracts }) => {
      const found = pattern.exec(text);
      if (!found || (contracts ? isNew(tableOf(found)) : isLight(tableOf(found)))) return [];
      return [{ statement: text, why }];
    });
  return statements.flatMap((statement) => {
    const alter = /^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?([\w.]+) (.*)$/i.exec(statement);
    if (!alter) return faultsIn(STATEMENTS, statement, (found) => found[1]);
    const [, table, actions = ''] = alter;
    return topLevel(actions, ',').flatMap((action) => faultsIn(ACTIONS, action, () => table));
  });
}

/** The statements of the strings in `up`, each on one line, without comments and without the bodies of functions. */
export function parseStatements(source: string): string[] {
  const up = /async up\([\s\S]*?(?=\n {2}(?:async )?down\(|$)/.exec(source)?.[0] ?? '';
  const strings = [...up.matchAll(/query\(\s*(?:`([^`]*)`|'((?:[^'\\]|\\.)*)')/g)];
  return strings
    .map(([, template, text]) => template ?? text ?? '')
    .flatMap((sql) => {
      const bare = sql
        .replace(/--[^\n]*/g, '')
        .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
        .replace(/\s+/g, ' ');
      return topLevel(bare, ';');
    });
}

/** Splits where a sign stands outside of brackets and of quotes. */
function topLevel(text: string, sign: string): string[] {
  const parts: string[] = [];
  let [depth, quoted, part] = [0, false, ''];
  for (const character of text) {
    if (character === "'") quoted = !quoted;
    if (!quoted && character === '(') depth += 1;
    if (!quoted && character === ')') depth -= 1;
    if (!quoted && depth === 0 && character === sign) {
      parts.push(part.trim());
      part = '';
    } else part += character;
  }
  return [...parts, part.trim()].filter(Boolean);
}
