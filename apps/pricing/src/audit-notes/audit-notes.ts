import { type AuditNote, MESSAGE } from '@tollgate/contracts';
import type { Logger, RequestReplyClient } from '@tollgate/platform';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

type Noted = Pick<AuditNote, 'action' | 'object' | 'reason' | 'after'>;

/** Has billing write into the audit log what somebody did here, or was kept from. */
export interface AuditNotes {
  /** What billing did not take stands in the log of this service. */
  note(request: FastifyRequest, person: AuditNote['person'], noted: Noted): Promise<void>;
}

export const createAuditNotes = (billing: RequestReplyClient, logger: Pick<Logger, 'error'>): AuditNotes => ({
  async note({ id, ip }, person, noted) {
    const note: AuditNote = { person, ...noted, request_id: id, address: ip };
    try {
      await billing.request(MESSAGE.auditNote, note, z.null());
    } catch (error) {
      logger.error({ event: 'audit_note_lost', err: error, note }, 'billing did not write this down');
    }
  },
});
