import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { auditLedger, auditQuery, auditsQuery } from '../../api/audits.ts';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

/** The audit that was asked for here, or else the newest, where it runs or found something, whoever asked for it. */
export function useAudit() {
  const { t } = useTranslation('finance');
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const asking = useMutation({
    mutationFn: auditLedger,
    onSuccess: (begun) => queryClient.setQueryData(auditQuery(begun.id).queryKey, begun),
    onError: (failure) => notify({ color: 'red', title: t('refused'), message: errorText(failure) }),
  });
  const newest = useLookup(auditsQuery).data?.[0];
  const id = asking.data?.id ?? (newest?.verified === true ? undefined : newest?.id);
  const { data: audit } = useLookup({ ...auditQuery(id ?? ''), enabled: id !== undefined });
  return {
    audit,
    isRunning: asking.isPending || audit?.ended_at === null,
    ask: (isFromStart: boolean) => asking.mutate({ from_start: isFromStart }),
  };
}
