import { notifications } from '@mantine/notifications';
import { messageOf } from '../api/failure.js';

/** A short word after something went well. */
export function toastSuccess(message: string): void {
  notifications.show({ message, color: 'green.8', autoClose: 3500 });
}

export function toastInfo(message: string): void {
  notifications.show({ message, color: 'accent', autoClose: 5000 });
}

/** Says what went wrong; stays long enough to be read, and is announced at once. */
export function toastError(error: unknown): void {
  notifications.show({ message: messageOf(error), color: 'red.8', autoClose: 9000, role: 'alert' });
}
