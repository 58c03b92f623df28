import { isObject } from '../json.ts';
import type { NamedId, Path } from './stored.ts';

/** Fields that name what is kept at a vendor, wherever they stand. */
const KEPT =
  /^(?:.+_)?(?:file|container|vector_store|response|conversation|prompt|batch|approval_request)_ids?$/;
/** What an answer told of its tools: no vendor looks at it again. */
const ECHO = /(?:_call|_citation|_tool_result|code_execution_output|code_execution_result)$/;

/**
 * Every id in a value that stands in a field of one of the names.
 *
 * @param opaque fields whose contents are the caller's own words, such as arguments and schemas: they are not searched.
 */
export const keptIdsIn = (value: unknown, opaque: ReadonlySet<string>): NamedId[] =>
  walk(value, opaque, [], false, []);

/** @param path where the value stands; the same list for all of a walk, which is copied where an id is found. */
function walk(
  value: unknown,
  opaque: ReadonlySet<string>,
  path: (string | number)[],
  echo: boolean,
  found: NamedId[],
): NamedId[] {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (typeof value[index] !== 'object') continue;
      path.push(index);
      walk(value[index], opaque, path, echo, found);
      path.pop();
    }
    return found;
  }
  if (!isObject(value)) return found;
  const { type } = value;
  const echoes = echo || (typeof type === 'string' && ECHO.test(type));
  for (const key in value) {
    const inner = value[key];
    if (opaque.has(key)) continue;
    if (KEPT.test(key)) {
      const at = [...path, key];
      const ids = Array.isArray(inner)
        ? inner.map((id: unknown, index) => [id, [...at, index]] as const)
        : [[inner, at] as const];
      for (const [id, place] of ids) if (typeof id === 'string') found.push(namedAt(place, id, echoes));
    }
    if (typeof inner !== 'object') continue;
    path.push(key);
    walk(inner, opaque, path, echoes || key === 'annotations', found);
    path.pop();
  }
  return found;
}

const namedAt = (path: Path, id: string, echo: boolean): NamedId =>
  echo
    ? { path, id, use: 'label', without: path, ownPasses: false }
    : { path, id, use: 'needed', ownPasses: false };

export const needed = (path: Path, id: unknown): NamedId[] =>
  typeof id === 'string' && id !== '' ? [{ path, id, use: 'needed', ownPasses: false }] : [];
