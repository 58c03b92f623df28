import { CODECS } from '@tollgate/protocols';

/**
 * The most output tokens that an upstream is told by fields that replace the caller's; 0 where they say nothing of it.
 * A field that takes the caller's limit away leaves the model's own.
 */
export function findExplicitOutput(fields: Readonly<Record<string, unknown>>, modelsOwn: number): number {
  let stated = 0;
  for (const { outputFields, respell } of Object.values(CODECS)) {
    const respelled = respell?.(fields);
    const replaced = respelled?.ok ? respelled.body : fields;
    for (const { path, role } of outputFields) {
      if (!Object.hasOwn(replaced, path[0] ?? '')) continue;
      const value = valueAt(replaced, path);
      const count = typeof value === 'number' ? value : role === 'limit' ? modelsOwn : 0;
      if (role === 'limit' || role === 'raises') stated = Math.max(stated, count);
      else if (role === 'beside' && count > 0) stated = Math.max(stated, modelsOwn + count);
    }
  }
  return stated;
}

const valueAt = (fields: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    fields,
  );
