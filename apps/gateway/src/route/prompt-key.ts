/** So many characters tell conversations apart. */
const MAX_CHARACTERS = 4_096;
const MAX_PARTS = 200;

const SYSTEM = ['system', 'instructions', 'systemInstruction', 'system_instruction'];
const TURNS = ['messages', 'input', 'contents'];

/**
 * What stays the same over all turns of a conversation: the text of the system prompt and of the messages up to the
 * first of the user, at most 4,096 characters of it. An upstream that keeps prompts can then answer from its cache.
 */
export function promptKey(body: Readonly<Record<string, unknown>>): string {
  const text = createText();
  for (const name of SYSTEM) text.add(body[name]);
  for (const name of TURNS) {
    const turns = body[name];
    if (!Array.isArray(turns)) text.add(turns);
    else for (const turn of turns as unknown[]) if (text.add(turn) || isUsers(turn)) break;
  }
  return text.read();
}

const isUsers = (turn: unknown): boolean =>
  typeof turn === 'object' && turn !== null && 'role' in turn && turn.role === 'user';

function createText() {
  let text = '';
  let parts = 0;
  /** True once there is enough. */
  function add(value: unknown): boolean {
    if (text.length >= MAX_CHARACTERS || parts >= MAX_PARTS) return true;
    if (typeof value === 'string') {
      parts += 1;
      text += `${value.slice(0, MAX_CHARACTERS - text.length)}\n`;
    } else if (typeof value === 'object' && value !== null) {
      parts += 1;
      for (const part of Object.values(value) as unknown[]) if (add(part)) return true;
    }
    return false;
  }
  return { add, read: () => text };
}
