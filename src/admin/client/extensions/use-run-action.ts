import type { CollectionModel } from '../api/collection-model.js';
import { useConfirm } from '../design/confirm.js';
import type { ExtensionAction } from './actions.js';
import { runAction } from './run-action.js';
import { useAdminTheme } from './use-admin-theme.js';

/** Runs actions of modules on records, busy after the question that they ask; whether one was run and went well. */
export function useRunAction(
  collection: CollectionModel,
  onBusy: (busy: boolean) => void,
): (action: ExtensionAction, ids: readonly string[]) => Promise<boolean> {
  const confirm = useConfirm();
  const theme = useAdminTheme();
  return async (action, ids) => {
    const { label, question } = action;
    if (question && !(await confirm({ title: `${label}?`, body: question, action: label }))) return false;
    onBusy(true);
    try {
      return await runAction(action, collection, ids, theme);
    } finally {
      onBusy(false);
    }
  };
}
