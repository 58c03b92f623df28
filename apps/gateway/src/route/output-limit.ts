const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/**
 * The most output tokens that an upstream is told by fields that replace the caller's; 0 where they say nothing of it.
 * A field that takes the caller's limit away leaves the model's own.
 */
export function statedOutput(fields: Readonly<Record<string, unknown>>, modelsOwn: number): number {
  const generation = fields['generationConfig'];
  const stated = [
    ...LIMITS.filter((name) => name in fields).map((name) => fields[name]),
    ...(generation === undefined ? [] : [memberOf(generation, 'maxOutputTokens')]),
  ];
  return Math.max(0, ...stated.map((value) => (typeof value === 'number' ? value : modelsOwn)));
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined;
