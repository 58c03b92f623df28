import { EFFORTS, isJson, type Json, type ParameterName, type Parameters } from './formats/format.ts';
import type { FormatId } from './formats/format-id.ts';
import { toolsIn } from './tools.ts';

/** What a person sets for every request, as they type it; what is empty is the model's own. */
export interface Settings {
  readonly system: string;
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  /** One text a line. */
  readonly stop: string;
  readonly seed: string;
  readonly presencePenalty: string;
  readonly frequencyPenalty: string;
  readonly effort: string;
  readonly output: string;
  readonly schema: string;
  readonly tools: string;
}

export const DEFAULT_SETTINGS: Settings = {
  system: '',
  temperature: '',
  topP: '',
  // Without a bound what may be held is all that the model can write, which is more than the playground's key has.
  maxTokens: '4096',
  stop: '',
  seed: '',
  presencePenalty: '',
  frequencyPenalty: '',
  effort: '',
  output: '',
  schema: '',
  tools: '',
};

export const OUTPUTS = ['json', 'schema'] as const;

/** Parameters for which a format has no place: they are not sent. */
export const LACKS: Readonly<Record<FormatId, readonly ParameterName[]>> = {
  openai: [],
  'openai-response': ['stop', 'seed', 'presencePenalty', 'frequencyPenalty'],
  anthropic: ['seed', 'presencePenalty', 'frequencyPenalty'],
  gemini: [],
};

interface Range {
  readonly min: number;
  readonly max: number;
  readonly isWhole?: boolean;
}

/** What the formats take at most; a vendor may take less, and says so. */
export const RANGES = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  maxTokens: { min: 1, max: 10_000_000, isWhole: true },
  seed: { min: -2_147_483_648, max: 2_147_483_647, isWhole: true },
  presencePenalty: { min: -2, max: 2 },
  frequencyPenalty: { min: -2, max: 2 },
} as const satisfies Partial<Record<keyof Settings, Range>>;

type NumberName = keyof typeof RANGES;
export const NUMBERS = Object.keys(RANGES) as readonly NumberName[];

/** The settings as they are sent; what is no such thing is named and stands in the way of sending. */
export interface ReadSettings extends Parameters {
  readonly faults: Readonly<Record<NumberName | 'tools' | 'schema', boolean>>;
}

const isWithin = (value: number | null, { min, max, isWhole = false }: Range): boolean =>
  value === null || (value >= min && value <= max && (!isWhole || Number.isInteger(value)));

export function readSettings(settings: Settings): ReadSettings {
  const { tools } = toolsIn(settings.tools);
  const schema = settings.output === 'schema' ? schemaIn(settings.schema) : null;
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, numberIn(settings[name])])) as Record<
    NumberName,
    number | null
  >;
  const wrong = Object.fromEntries(
    NUMBERS.map((name) => [name, !isWithin(numbers[name], RANGES[name])]),
  ) as Record<NumberName, boolean>;
  return {
    ...numbers,
    system: settings.system.trim(),
    stop: settings.stop.split('\n').filter((line) => line !== ''),
    effort: EFFORTS.find((effort) => effort === settings.effort) ?? null,
    output: settings.output === 'json' ? 'json' : schema && { schema },
    tools: tools ?? [],
    faults: { ...wrong, tools: tools === null, schema: settings.output === 'schema' && schema === null },
  };
}

/** Null where nothing is typed, NaN where it is no number. */
const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text.trim()));

function schemaIn(text: string): Json | null {
  try {
    const schema: unknown = JSON.parse(text);
    return isJson(schema) ? schema : null;
  } catch {
    return null;
  }
}

/** The schema that the editor offers to begin with. */
export const SAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
    additionalProperties: false,
  },
  null,
  2,
);

/** The settings of a link or of what was kept: texts by their names, nothing else. */
export function toSettings(kept: unknown): Settings {
  if (!isJson(kept)) return DEFAULT_SETTINGS;
  const texts = Object.entries(DEFAULT_SETTINGS).map(([name, none]) => {
    const text = kept[name];
    return [name, typeof text === 'string' ? text : none];
  });
  return Object.fromEntries(texts) as Settings;
}

const DEFAULTS = new Map<string, string>(Object.entries(DEFAULT_SETTINGS));

/** Those that somebody set, for a link. */
export const listSet = (settings: Settings): Partial<Settings> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, text]) => text !== '' && text !== DEFAULTS.get(name)),
  );
