import { useBlocker } from '@tanstack/react-router';
import { useConfirm } from './confirm.js';

/** Asks before a place with unsaved changes is left, by a link, by going back or by closing the page (UI-3). */
export function useLeaveQuestion(dirty: boolean): void {
  const confirm = useConfirm();
  useBlocker({
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname &&
      !(await confirm({
        title: 'Leave without saving?',
        body: 'What you changed here has not been saved.',
        action: 'Discard changes',
        danger: true,
      })),
    enableBeforeUnload: dirty,
    disabled: !dirty,
  });
}
