/** Below these a name may hold a slash that is written as %2F. */
const NAMES_WITH_SLASHES = /^\/v1(?:beta)?\/models\//;

/** Letters and digits in segments that do not begin with a dot: nobody can take that for another path. */
const PLAIN = /^(?:\/[A-Za-z0-9_-][A-Za-z0-9_.:-]*)+$/;

/** What RFC 3986 (2.3) lets nobody encode: who compares a path before decoding it takes `/%72eadyz` for another one. */
const PLAINLY_ENCODED = /%(?:3[0-9]|[46][1-9a-f]|[57][0-9a]|2[de]|5f|7e)/i;

/**
 * What is wrong with a request target that this server and one behind it could take for different paths; undefined
 * for one that has a single meaning.
 */
export function faultOfTarget(target: string): string | undefined {
  if (PLAIN.test(target)) return undefined;
  if (!target.startsWith('/')) return 'The request target must be a path.';
  const [path = ''] = target.split('?', 1);
  const decoded = decode(path);
  // The router answers what is not encoded rightly.
  if (decoded === undefined) return undefined;
  if (hasControl(decoded)) return 'The path holds a control character.';
  if (decoded.includes('\\')) return 'The path holds a backslash.';
  if (target.includes('#')) return 'The request target holds a fragment.';
  if (path.includes('//')) return 'The path holds an empty segment.';
  if (decoded.split('/').some((segment) => isDots(segment))) return 'The path holds a dot segment.';
  if (!NAMES_WITH_SLASHES.test(path) && PLAINLY_ENCODED.test(path))
    return 'The path encodes a character that needs none.';
  if (/%2f/i.test(path) && !NAMES_WITH_SLASHES.test(path)) return 'The path holds an encoded slash.';
  // "%252e" is "%2e" for whoever decodes once more.
  const twice = decode(decoded) ?? decoded;
  if (twice !== decoded && (hasControl(twice) || twice.split(/[/\\]/).some((segment) => isDots(segment))))
    return 'The path is encoded twice.';
  return undefined;
}

/** Some servers take parameters off a segment first. */
const isDots = (segment: string): boolean => /^\.{1,2}(?:;.*)?$/.test(segment);

const hasControl = (text: string): boolean => [...text].some((sign) => sign < ' ' || sign === '\x7f');

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
