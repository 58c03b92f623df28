import { lazy, Suspense, useSyncExternalStore } from 'react';
import { notices } from '../shared/notify.ts';

const Notices = lazy(() => import('./Notices.tsx'));

export function ToastRegion() {
  const areCalled = useSyncExternalStore(notices.subscribe, notices.areCalled);
  return (
    areCalled && (
      <Suspense>
        <Notices />
      </Suspense>
    )
  );
}
