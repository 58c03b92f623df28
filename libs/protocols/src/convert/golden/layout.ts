/** JSON with every value on one line that fits there: golden files stay short and their differences readable. */
export function layout(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (flat.length + indent.length <= 200 || typeof value !== 'object' || value === null) return flat;
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each: unknown) => `${inner}${layout(each, inner)}`)
    : Object.entries(value).map(([key, each]) => `${inner}${JSON.stringify(key)}: ${layout(each, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
