import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { runningVerificationsQuery, verificationQuery, verifyPeriods } from '../../api/periods.ts';
import { notify } from '../../shared/notify.ts';
import { useErrorText } from '../../shared/States.tsx';
import { useLookup } from '../../shared/use-lookup.ts';

/** The verification that was asked for here, or else one that runs, whoever asked for it. */
export function useVerification() {
  const { t } = useTranslation('finance');
  const errorText = useErrorText();
  const queryClient = useQueryClient();
  const asking = useMutation({
    mutationFn: verifyPeriods,
    onSuccess: (begun) => queryClient.setQueryData(verificationQuery(begun.id).queryKey, begun),
    onError: (failure) => notify({ color: 'red', title: t('refused'), message: errorText(failure) }),
  });
  const running = useLookup(runningVerificationsQuery).data?.[0];
  const id = asking.data?.id ?? running?.id;
  const { data: verification } = useLookup({ ...verificationQuery(id ?? ''), enabled: id !== undefined });
  return {
    verification,
    isRunning: asking.isPending || verification?.ended_at === null,
    verify: asking.mutate,
    forget: asking.reset,
  };
}
