import type { AuditFilter } from '../../api/audit-log.ts';
import { toSpan } from '../../shared/spans.ts';
import type { AuditSearch } from './search.ts';

/** The filter that the service takes: moments instead of days, the end exclusive. */
export function toFilter({ actor, action, sort, ...days }: AuditSearch, zone: string): AuditFilter {
  return {
    ...(actor === undefined ? {} : { actor }),
    ...(action === undefined ? {} : { action }),
    ...(sort === undefined ? {} : { sort }),
    ...toSpan(days, zone),
  };
}
