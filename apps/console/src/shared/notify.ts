import type { NotificationData } from '@mantine/notifications';
import i18next from 'i18next';

/** Notices are loaded with the first one: no page needs them to be seen. */
const load = () => import('@mantine/notifications').then(({ notifications }) => notifications);

let isCalled = false;
const listeners = new Set<() => void>();

/** Whether there was a notice yet, for the corner that shows them. */
export const notices = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  areCalled: () => isCalled,
};

export function notify(notice: NotificationData): void {
  isCalled = true;
  listeners.forEach((listener) => listener());
  void load().then((notifications) => {
    if (notice.id !== undefined) notifications.hide(notice.id);
    notifications.show({ closeButtonProps: { 'aria-label': i18next.t('close') }, ...notice });
  });
}

export const hideNotice = (id: string): void => void load().then((notifications) => notifications.hide(id));
