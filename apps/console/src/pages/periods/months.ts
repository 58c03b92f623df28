/** The month before this one, such as "2026-10". */
export function lastMonth(today = new Date()): string {
  const first = new Date(today.getFullYear(), today.getMonth() - 1, 1);
  return `${first.getFullYear()}-${String(first.getMonth() + 1).padStart(2, '0')}`;
}
