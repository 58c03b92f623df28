import { billingConfigSchema, billingSeedSchema } from '@tollgate/billing/config';
import { gatewayConfigSchema } from '@tollgate/gateway/config';
import { serviceConfigSchema } from '@tollgate/platform';
import { pricingConfigSchema, pricingSeedSchema } from '@tollgate/pricing/config';
import { markdownTable } from '@tollgate/run/markdown-table';
import { z } from 'zod';

/** A variable as its schema describes it. */
interface Setting {
  readonly name: string;
  /** In Markdown; "required" where there is none, "none" where it may be left out. */
  readonly fallback: string;
  /** In Markdown; empty where anything goes, or where the meaning says it. */
  readonly values: string;
  readonly meaning: string;
}

/** The programs that read variables, in the order of the page. */
export const PROGRAMS: Readonly<Record<string, z.ZodObject>> = {
  Gateway: beyondShared(gatewayConfigSchema),
  Billing: beyondShared(billingConfigSchema),
  Pricing: beyondShared(pricingConfigSchema),
};
const SEEDS: Readonly<Record<string, z.ZodObject>> = {
  'billing/bundle/seed.js': billingSeedSchema,
  'pricing/bundle/seed.js': pricingSeedSchema,
};

/** What a schema says of each of its variables. */
export function listSettings(schema: z.ZodObject): Setting[] {
  return Object.entries(schema.shape).map(([name, type]) => {
    const field = type as z.ZodType;
    const { description, default_text } = (field.meta() ?? {}) as Record<string, string | undefined>;
    return {
      name,
      fallback: default_text ?? describeFallback(field),
      values: describeValues(field),
      meaning: description ?? '',
    };
  });
}

function beyondShared(schema: z.ZodObject): z.ZodObject {
  const own = Object.entries(schema.shape).filter(([name]) => !(name in serviceConfigSchema.shape));
  return z.object(Object.fromEntries(own));
}

function describeFallback(field: z.ZodType): string {
  const without = field.safeParse(undefined);
  if (!without.success) return 'required';
  if (without.data === undefined) return 'none';
  const text = String(without.data);
  return text === '' ? 'empty' : `\`${text}\``;
}

interface Bounds {
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly Bounds[];
  readonly type?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
}

const describeValues = (field: z.ZodType): string =>
  inWords(z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as Bounds);

function inWords(bounds: Bounds): string {
  if (bounds.enum) return bounds.enum.map((each) => `\`${each}\``).join(', ');
  if (bounds.const !== undefined) return `\`${bounds.const}\``;
  if (bounds.anyOf) return bounds.anyOf.map(inWords).join(' or ');
  const { minimum, exclusiveMinimum, maximum } = bounds;
  const given = (limit: number | undefined) => limit !== undefined && Math.abs(limit) < 2 ** 53 - 1;
  if (given(maximum)) return `${shown(minimum ?? 0)} to ${shown(maximum ?? 0)}`;
  if (given(exclusiveMinimum)) return `more than ${shown(exclusiveMinimum ?? 0)}`;
  return given(minimum) ? `${shown(minimum ?? 0)} or more` : '';
}

const shown = (number: number): string => number.toLocaleString('en-US');

function toTable(schema: z.ZodObject): string {
  const rows = listSettings(schema).map(({ name, fallback, values, meaning }) => [
    `\`${name}\``,
    fallback,
    values,
    meaning,
  ]);
  return markdownTable(['variable', 'default', 'values', 'meaning'], rows);
}

/** The page `docs/configuration.md`, from the schemas that the programs read their variables with. */
export function configurationDocument(): string {
  const programs = Object.entries(PROGRAMS).map(([name, schema]) => `## ${name}\n\n${toTable(schema)}`);
  const seeds = Object.entries(SEEDS).map(([name, schema]) => `\`${name}\`:\n\n${toTable(schema)}`);
  return `${[
    '# Configuration',
    '<!-- Written by npm run docs from the schemas of the services. -->',
    `A service reads its variables once, at start. One that is missing or malformed ends the process with exit code 78 and a
list of what is wrong; values are not shown. An empty variable counts as missing. Changes need a restart, which loses no
request: see [upgrading](upgrade.md).`,
    `## Every service\n\nThe gateway, billing and pricing:\n\n${toTable(serviceConfigSchema)}`,
    ...programs,
    `## Migrations\n\n\`migrate.js\` of billing and of pricing read \`DATABASE_URL\`, of the role that owns the tables, and \`SERVICE_DATABASE_URL\`, what the service connects with; see [who owns the tables](operations.md#who-owns-the-tables).`,
    `## Seeds\n\nFor a first start; see [by hand](operations.md#by-hand-without-the-launcher).`,
    ...seeds,
    `## The simulator\n\nIt reads \`HOST\` (\`127.0.0.1\`) and \`PORT\` (any free one).`,
    `## The launcher\n\n\`npm start\` has [variables of its own](run-locally.md), and sets those of the services.`,
  ].join('\n\n')}\n`;
}
