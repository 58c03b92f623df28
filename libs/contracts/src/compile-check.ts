import type { z } from 'zod';

type Check<T = unknown> = (value: T) => boolean;
/** What a check asks, in its definition. */
type Asked = z.core.$ZodChecks['_zod']['def'];

/**
 * A check of values that come from JSON against a schema, several times as fast as parsing: what it holds to be good, the schema
 * takes as it is. Of what it does not, the schema says what is wrong, or reads it in another way.
 *
 * @throws Error at the first value, for a schema of a kind that is not known here.
 */
export function compileCheck<S extends z.ZodType>(schema: S): (value: unknown) => value is z.infer<S> {
  let check: Check | undefined;
  return (value): value is z.infer<S> => (check ??= compile(schema))(value);
}

function compile(schema: z.core.$ZodType): Check {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return ofString(def);
    case 'number':
      return ofNumber(def);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
      return isOneOf(def.values);
    case 'enum':
      return isOneOf(Object.values(def.entries));
    case 'array':
      return ofArray(def);
    case 'record':
      return ofRecord(def);
    case 'object':
      return ofObject(def);
    default:
      throw notKnown(def.type);
  }
}

/** What is not known would be let through: it is an error of whoever writes the schema. */
const notKnown = (what: string) => new Error(`nothing is compiled of a schema with "${what}"`);

const ALWAYS = (): boolean => true;
/** Of no check nothing is called. */
const both = <T>(one: Check<T>, other: Check<T>): Check<T> =>
  one === ALWAYS ? other : (value) => one(value) && other(value);
const all = <T>(checks: readonly Check<T>[]): Check<T> => checks.reduce<Check<T>>(both, ALWAYS);

function isOneOf(values: readonly unknown[]): Check {
  const [only] = values;
  if (values.length === 1) return (value) => value === only;
  const known = new Set(values);
  return (value) => known.has(value);
}

const isAsked = (def: object): def is Asked => 'check' in def;

/** What a schema asks of a value beside its type, and its own format, which stands in its definition. */
const definitionsOf = ({ checks = [], ...own }: z.core.$ZodTypeDef): Asked[] =>
  [own, ...checks.map((each) => each._zod.def)].filter(isAsked);

function ofString(def: z.core.$ZodTypeDef): Check {
  const checks = definitionsOf(def).map((each): Check<string> => {
    if (each.check === 'min_length') return ({ length }) => length >= each.minimum;
    if (each.check === 'max_length') return ({ length }) => length <= each.maximum;
    if (each.check !== 'string_format') throw notKnown(each.check);
    const { pattern } = each;
    if (!pattern || pattern.global || pattern.sticky || !AS_PATTERN_SAYS.has(each.format))
      throw notKnown(each.format);
    return (text) => pattern.test(text);
  });
  const checked = all(checks);
  return (value) => typeof value === 'string' && checked(value);
}

/** Formats of which the pattern says all. */
const AS_PATTERN_SAYS: ReadonlySet<string> = new Set(['regex', 'uuid', 'datetime']);

function ofNumber(def: z.core.$ZodTypeDef): Check {
  let isInteger = false;
  let least = -Infinity;
  for (const each of definitionsOf(def)) {
    if (each.check === 'number_format' && each.format === 'safeint') isInteger = true;
    else if (each.check === 'greater_than' && typeof each.value === 'number' && isInteger)
      least = Math.max(least, each.inclusive ? each.value : Math.floor(each.value) + 1);
    else throw notKnown(each.check);
  }
  if (!isInteger) throw notKnown('a number that is not whole');
  return (value) => Number.isSafeInteger(value) && (value as number) >= least;
}

function ofArray(def: z.core.$ZodArrayDef): Check {
  const ofElement = compile(def.element);
  let least = 0;
  let most = Infinity;
  for (const each of definitionsOf(def))
    if (each.check === 'min_length') least = Math.max(least, each.minimum);
    else if (each.check === 'max_length') most = Math.min(most, each.maximum);
    else throw notKnown(each.check);
  return (value) =>
    Array.isArray(value) && value.length >= least && value.length <= most && value.every(ofElement);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function ofRecord(def: z.core.$ZodRecordDef): Check {
  if (definitionsOf(def).length > 0) throw notKnown('a check of a record');
  const [ofKey, ofValue] = [compile(def.keyType), compile(def.valueType)];
  // Where not each key may be absent, the schema knows more than is asked here.
  if (!('partial' in def)) throw notKnown('a record that is whole');
  return (value) => {
    if (!isObject(value)) return false;
    for (const key in value) if (!ofKey(key) || !ofValue(value[key])) return false;
    return true;
  };
}

function ofObject(def: z.core.$ZodObjectDef): Check {
  if (definitionsOf(def).length > 0) throw notKnown('a check of an object');
  if (def.catchall?._zod.def.type !== 'never') throw notKnown('fields of any name');
  const fields = Object.entries(def.shape).map(([name, field]) => {
    const { def: ofField } = (field as z.core.$ZodTypes)._zod;
    const isOptional = ofField.type === 'optional';
    return { name, isOptional, isGood: compile(isOptional ? ofField.innerType : field) };
  });
  return (value) => {
    if (!isObject(value)) return false;
    let found = 0;
    for (const { name, isOptional, isGood } of fields) {
      const each = value[name];
      if (each !== undefined) {
        if (!isGood(each)) return false;
        found += 1;
      } else if (!isOptional) return false;
    }
    // None but these: a name that objects inherit is not among them, or is one more.
    for (const _ in value) found -= 1;
    return found === 0;
  };
}
