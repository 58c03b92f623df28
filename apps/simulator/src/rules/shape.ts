import { field, isObject, list } from '../question.ts';

/** Which members a vendor knows at a place of a request. What is not described may be anything. */
export type Shape =
  | 'any'
  | { readonly fields: Readonly<Record<string, Shape>> }
  | { readonly list: Shape }
  /** One schema for each value of a member such as `type`; `absent` where there is none. */
  | { readonly tag: string; readonly of: Readonly<Record<string, Shape>>; readonly absent?: Shape }
  /** An object whose keys are the caller's own. */
  | { readonly map: Shape }
  | { readonly lazy: () => Shape };

export type Step = string | number | { readonly tag: string } | { readonly entry: number };

/** A member that the vendor does not know, or a tag that it knows no schema for. */
export interface Finding {
  readonly path: readonly Step[];
  readonly member: string;
  /** The known tags, where it is the tag that is unknown. */
  readonly expected?: readonly string[];
}

/** An object that has these members, separated by blanks, and those with a shape of their own. */
export const closed = (names: string, nested: Readonly<Record<string, Shape>> = {}): Shape => ({
  fields: {
    ...Object.fromEntries(names.split(/\s+/).map((name) => [name, 'any' as const])),
    ...nested,
  },
});

export const toList = (entry: Shape): Shape => ({ list: entry });
export const tagged = (tag: string, of: Readonly<Record<string, Shape>>, absent?: Shape): Shape =>
  absent === undefined ? { tag, of } : { tag, of, absent };
export const toMap = (map: Shape): Shape => ({ map });

/** One shape for several tags. */
export const each = (tags: string, shape: Shape): Readonly<Record<string, Shape>> =>
  Object.fromEntries(tags.split(/\s+/).map((tag) => [tag, shape]));

/** All that does not fit, in the order of the request. */
export function findUnknown(shape: Shape, value: unknown, path: readonly Step[] = []): readonly Finding[] {
  if (shape === 'any' || value === null || value === undefined) return [];
  if ('lazy' in shape) return findUnknown(shape.lazy(), value, path);
  if ('list' in shape) {
    if (!Array.isArray(value)) return [];
    return value.flatMap((entry: unknown, index) => findUnknown(shape.list, entry, [...path, index]));
  }
  if (!isObject(value)) return [];
  if ('map' in shape) {
    return Object.values(value).flatMap((entry, index) =>
      findUnknown(shape.map, entry, [...path, { entry: index }]),
    );
  }
  if ('tag' in shape) {
    const tag = value[shape.tag];
    if (tag === undefined) return shape.absent ? findUnknown(shape.absent, value, path) : [];
    const known = typeof tag === 'string' ? shape.of[tag] : undefined;
    if (!known) return [{ path, member: shape.tag, expected: Object.keys(shape.of) }];
    return findUnknown(known, value, [...path, { tag: String(tag) }]);
  }
  return Object.entries(value).flatMap(([name, member]) => {
    const known = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined;
    return known === undefined ? [{ path, member: name }] : findUnknown(known, member, [...path, name]);
  });
}

/** `messages[0].content`, as OpenAI names a place. */
export const bracketPath = (path: readonly Step[]): string =>
  path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`;
    if (typeof step === 'object') return 'entry' in step ? `${before}[${step.entry}].value` : before;
    return before === '' ? step : `${before}.${step}`;
  }, '');

/** `messages.0.content.1.tool_use`, as Anthropic names a place: with the tags on the way. */
export const dottedPath = (path: readonly Step[]): string =>
  path.map((step) => (typeof step === 'object' ? ('tag' in step ? step.tag : step.entry) : step)).join('.');

/** What stands at a path of a request. */
export const valueAt = (body: unknown, path: readonly Step[]): unknown =>
  path.reduce<unknown>((value, step) => {
    if (typeof step === 'number') return list(value)[step];
    if (typeof step === 'string') return field(value, step);
    return 'entry' in step && isObject(value) ? Object.values(value)[step.entry] : value;
  }, body);
