import type { ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDialog } from '../../shared/FormDialog.tsx';

/** A dialog around a form whose change is published at once. */
export function DialogFrame(props: Omit<ComponentProps<typeof FormDialog>, 'submit' | 'note' | 'size'>) {
  const { t } = useTranslation('upstreams');
  return <FormDialog {...props} size="xl" submit={t('publish')} note={t('atOnce')} />;
}
