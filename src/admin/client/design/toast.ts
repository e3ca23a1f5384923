import type { NotificationData } from '@mantine/notifications';
import { isSignedOut, messageOf } from '../api/failure.js';

/** Fired on the document when there is a toast to show: the code that draws toasts is fetched then. */
export const TOASTS_WANTED = 'roost:toast';

/** The errors that are still to be seen. */
const failures = new Set<string>();

function show(toast: NotificationData, isGood = false): void {
  document.dispatchEvent(new CustomEvent(TOASTS_WANTED));
  void import('@mantine/notifications').then(
    ({ notifications }) => {
      // What failed before has been put right, or is no longer what one looks at.
      if (isGood) {
        for (const id of failures) notifications.hide(id);
        failures.clear();
      }
      const id = notifications.show(toast);
      if (toast.role === 'alert') failures.add(id);
    },
    // Nothing can be said without the code that says it; failed forms show their error themselves.
    () => undefined,
  );
}

/** A short word after something went well. */
export function toastSuccess(message: string): void {
  show({ message, color: 'green.8', autoClose: 3500 }, true);
}

export function toastInfo(message: string): void {
  show({ message, color: 'accent', autoClose: 5000 });
}

/** Says what went wrong; stays long enough to be read, and is announced at once. The sign-in speaks for itself. */
export function toastError(error: unknown): void {
  if (isSignedOut(error)) return;
  show({ message: messageOf(error), color: 'red.8', autoClose: 9000, role: 'alert' });
}
