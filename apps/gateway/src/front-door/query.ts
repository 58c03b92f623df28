/** A request target in its parts; the key that Gemini clients put into the query is taken out of it. */
interface SplitQuery {
  readonly path: string;
  /** Without the leading "?" and without `key`. */
  readonly query: string;
  readonly key: string | undefined;
}

export function splitQuery(target: string): SplitQuery {
  const at = target.indexOf('?');
  if (at < 0) return { path: target, query: '', key: undefined };
  const params = new URLSearchParams(target.slice(at + 1));
  const key = params.get('key') ?? undefined;
  params.delete('key');
  return { path: target.slice(0, at), query: params.toString(), key };
}
