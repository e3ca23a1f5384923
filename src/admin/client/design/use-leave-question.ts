import { useBlocker } from '@tanstack/react-router';
import { useConfirm } from './confirm.js';

/** Goes back from an address that was typed, of which the router does not know how far away it is. */
async function leaveTyped(): Promise<void> {
  await new Promise((resolve) => {
    window.addEventListener('popstate', resolve, { once: true });
    window.history.back();
  });
}

/** Asks before a place with unsaved changes is left, by a link, by going back or by closing the page (UI-3). */
export function useLeaveQuestion(dirty: boolean): void {
  const confirm = useConfirm();
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      const wantsToLeave = await confirm({
        title: 'Leave without saving?',
        body: 'What you changed here has not been saved.',
        action: 'Discard changes',
        danger: true,
      });
      if (wantsToLeave || window.history.state !== null) return !wantsToLeave;
      await leaveTyped();
      // It is where it was.
      return false;
    },
    enableBeforeUnload: dirty,
    disabled: !dirty,
  });
}
