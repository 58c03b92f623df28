/** A name for a draft that is begun today. */
export function freshName(prefix: string, today = new Date()): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${prefix}-${today.getFullYear()}-${two(today.getMonth() + 1)}-${two(today.getDate())}`;
}
