import type { LiteLlmConfig } from './config.ts';

/** Kinds that have nothing like them here: a request falls back when it fails, for whatever reason. */
const OF_REASONS = ['context_window_fallbacks', 'content_policy_fallbacks'] as const;

/** By model, which others are asked when it fails: its own list, else that for all. `notes` gets what is not among them. */
export function movedFallbacks(
  config: LiteLlmConfig,
  known: ReadonlySet<string>,
  notes: string[],
): Record<string, string[]> {
  const sections = [config.litellm_settings, config.router_settings];
  const own = sections.flatMap((section) => section?.fallbacks ?? []).flatMap(Object.entries) as [
    string,
    string[],
  ][];
  const forAll = sections.flatMap((section) => section?.default_fallbacks ?? []);
  for (const name of OF_REASONS)
    for (const model of sections.flatMap((section) => section?.[name] ?? []).flatMap(Object.keys))
      notes.push(`${name} of ${model}: are left out; here fallbacks are asked whatever the reason`);
  const stated = new Map(own);
  for (const model of forAll.length > 0 ? known : []) if (!stated.has(model)) stated.set(model, forAll);
  return Object.fromEntries(
    [...stated].flatMap(([model, fallbacks]): [string, string[]][] => {
      const others = fallbacks.filter((each) => each !== model);
      const kept = others.filter((each) => known.has(each));
      if (!known.has(model)) notes.push(`fallbacks of ${model}: left out, for it did not come over`);
      else if (kept.length < others.length)
        notes.push(
          `fallbacks of ${model}: without ${others.filter((each) => !known.has(each)).join(', ')}, which did not come over`,
        );
      return known.has(model) && kept.length > 0 ? [[model, kept]] : [];
    }),
  );
}
