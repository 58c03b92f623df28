import { isObject, type JsonObject } from '../json.ts';
import type { FieldRules } from '../neutral/features.ts';
import type { Notes } from '../neutral/notes.ts';

/** Looks at every field of a request and notes what of it the upstream cannot take. */
export function noteFields(body: JsonObject, rules: FieldRules, notes: Notes, prefix = ''): void {
  for (const [key, value] of Object.entries(body)) {
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    const path = `${prefix}${key}`;
    const rule = Object.hasOwn(rules, path) ? rules[path] : undefined;
    if (rule === undefined) notes.ask('vendor_hint', path);
    else if (rule !== null && !(rule.unless ?? []).includes(value)) notes.ask(rule.feature, path);
    if (rule === null && isObject(value) && hasInner(rules, path))
      noteFields(value, rules, notes, `${path}.`);
  }
}

const hasInner = (rules: FieldRules, path: string): boolean =>
  Object.keys(rules).some((rule) => rule.startsWith(`${path}.`));
