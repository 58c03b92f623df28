/** A number as it was written. */
class Written {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

/** A reviver is told, since ES2026, how a number was written. */
type Reviver = (
  this: unknown,
  key: string,
  value: unknown,
  context?: { readonly source?: string },
) => unknown;

/**
 * What an answer, or an event of one, says in `usage.cost`: the very digits that were sent, which never become a floating-point
 * number. Undefined where it says nothing, or no number.
 */
export function readReportedCost(json: string): string | undefined {
  if (!json.includes('"cost"')) return undefined;
  const keepDigits: Reviver = (key, value, context) =>
    key === 'cost' && typeof value === 'number' ? new Written(context?.source ?? String(value)) : value;
  let parsed: unknown;
  try {
    parsed = JSON.parse(json, keepDigits);
  } catch {
    return undefined;
  }
  // Events of Responses hold the answer, those of Messages the message that it begins with.
  const costs = [parsed, memberOf(parsed, 'response'), memberOf(parsed, 'message')].map((each) =>
    memberOf(memberOf(each, 'usage'), 'cost'),
  );
  return costs.find((cost) => cost instanceof Written)?.digits;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
