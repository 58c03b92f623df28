import type { NeutralRequest, Tool } from '../neutral/request.ts';

/** With a choice among some tools only those are offered. */
export function offeredTools({ tools, toolChoice }: NeutralRequest): readonly Tool[] {
  if (toolChoice?.mode === 'tool' || toolChoice?.allowed === undefined) return tools;
  const allowed = new Set(toolChoice.allowed);
  return tools.filter(({ name }) => allowed.has(name));
}
