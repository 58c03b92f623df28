import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import type { Published } from '../../api/catalogue.ts';
import { ChangedMeanwhile } from '../../api/changed-meanwhile.ts';
import { FormDialog } from '../../shared/FormDialog.tsx';
import { ShowMeanwhile } from '../catalogue/ShowMeanwhile.tsx';
import type { Choice } from '../catalogue/use-decision.ts';

interface DialogFrameProps extends Omit<ComponentProps<typeof FormDialog>, 'submit' | 'note' | 'size'> {
  readonly onDecide: (choice: Choice, newest: Published) => void;
}

/** A dialog around a form whose change is published at once. */
export function DialogFrame({ error, onDecide, children, ...props }: DialogFrameProps) {
  const { t } = useTranslation('upstreams');
  const isMeanwhile = error instanceof ChangedMeanwhile;
  return (
    <FormDialog
      {...props}
      size="xl"
      submit={t('publish')}
      note={t('atOnce')}
      error={isMeanwhile ? null : error}
    >
      {children}
      <ShowMeanwhile error={error} onDecide={onDecide} />
    </FormDialog>
  );
}
