import { isObject } from '../json.ts';
import type { NamedId, Path, StoredRules } from '../stored/stored.ts';
import { needed } from '../stored/walk.ts';

const OPAQUE = new Set([
  'args',
  'response',
  'parameters',
  'parametersJsonSchema',
  'responseSchema',
  'responseJsonSchema',
  'labels',
]);

/** A page or a video of the public web; all else is a file that is kept in the operator's own account. */
const isPublic = (uri: string): boolean =>
  /^https?:\/\//i.test(uri) && !/^https?:\/\/[^/?#]*generativelanguage/i.test(uri);

/** Files and cached prompts. Nobody receives one through us, so that each is somebody else's. */
export const geminiStored: StoredRules = {
  named: (body) => namedIn(body, []),
  gives: () => false,
  mayGive: /(?!)/,
  given: () => [],
};

function namedIn(value: unknown, path: Path): NamedId[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => namedIn(each, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]): NamedId[] => {
    const at = [...path, key];
    if (OPAQUE.has(key)) return [];
    if (key === 'cachedContent' || key === 'cached_content') return needed(at, inner);
    if (key === 'fileUri' || key === 'file_uri')
      return typeof inner === 'string' && isPublic(inner) ? [] : needed(at, inner);
    return typeof inner === 'object' ? namedIn(inner, at) : [];
  });
}
