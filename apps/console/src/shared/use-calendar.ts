import 'dayjs/locale/zh-cn';
import { useTranslation } from 'react-i18next';

/** What every calendar has in the language of the page: names of months, the form of a day, and words for its buttons. */
export function useCalendar() {
  const { t, i18n } = useTranslation('days');
  const isChinese = i18n.language === 'zh-CN';
  return {
    locale: isChinese ? 'zh-cn' : 'en',
    valueFormat: isChinese ? 'YYYY年M月D日' : 'MMM D, YYYY',
    // Both would be told by faint colours alone.
    hideOutsideDates: true,
    weekendDays: [],
    // The kit names the calendar after an element that is not there.
    popoverProps: { withRoles: false },
    clearButtonProps: { 'aria-label': t('clear') },
    ariaLabels: { nextMonth: t('nextMonth'), previousMonth: t('previousMonth') },
  };
}
