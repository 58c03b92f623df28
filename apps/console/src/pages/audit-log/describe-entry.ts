import type { AuditEntry } from '../../api/audit-log.ts';

type Named = Pick<
  AuditEntry,
  'action' | 'object' | 'object_name' | 'object_owner' | 'actor' | 'before' | 'after'
>;

/** Kinds of things whose number or month says what they are. */
const NUMBERED = /^(?:transaction|period|partition|request|usage|catalogue version) (?<name>\S+)$/;
/** What pricing notes is a path, such as `/api/catalogue/drafts/prices/publish`. */
const PATH =
  /^\/api\/catalogue\/(?:drafts|upstreams)\/(?<name>[^/]+)(?:\/credentials\/(?<credential>[^/]+))?/;

/** What an entry is about, as people call it, and who owns that; without a name where it is only an id. */
export function findSubject(entry: Named): { readonly name?: string; readonly owner?: string } {
  const { object, object_name: now, object_owner: owner } = entry;
  const then = [entry.after, entry.before].map((fields) => fields?.['name'] ?? fields?.['email']);
  const called = now ?? then.find((name) => typeof name === 'string');
  if (typeof called === 'string') return owner === null ? { name: called } : { name: called, owner };
  if (object === null) return { name: entry.actor };
  const path = PATH.exec(object)?.groups;
  const name =
    NUMBERED.exec(object)?.groups?.['name'] ??
    (path && decodeURIComponent(path['credential'] ?? path['name'] ?? '')) ??
    (object.startsWith('user ') ? entry.actor : /^[A-Z]+ \//.test(object) ? object : undefined);
  return name === undefined ? {} : { name };
}

interface FieldChange {
  readonly field: string;
  /** Of plain values alone. */
  readonly before?: string | null;
  readonly after?: string | null;
}

/** What a change changed, field by field; what was made or removed as a whole changed nothing. */
export function listChanges({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly FieldChange[] {
  if (before === null || after === null) return [];
  return Object.keys(after).map((field) => {
    const [from, to] = [before[field] ?? null, after[field] ?? null];
    return isPlain(from) && isPlain(to) && !/_id$/.test(field)
      ? { field, before: from === null ? null : String(from), after: to === null ? null : String(to) }
      : { field };
  });
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** What a version of the catalogue changed. */
export function listPublished({
  action,
  after,
}: Pick<AuditEntry, 'action' | 'after'>): readonly { readonly name: string; readonly change: string }[] {
  const changes = action === 'catalogue.publish' ? after?.['changes'] : undefined;
  return Array.isArray(changes) ? changes.filter(isNamedChange) : [];
}

const isNamedChange = (value: unknown): value is { name: string; change: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'change' in value;
