import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { toastError, toastSuccess } from '../design/toast.js';
import type { ExtensionAction } from './actions.js';
import { ExtensionError, loadExtension, textOf } from './load-extension.js';
import type { useAdminTheme } from './use-admin-theme.js';

/** Runs an action and tells how it went; whether it went well. What it throws is told too and goes no further. */
export async function runAction(
  { script, run, label }: ExtensionAction,
  collection: CollectionModel,
  ids: readonly string[],
  theme: ReturnType<typeof useAdminTheme>,
): Promise<boolean> {
  try {
    const work = (await loadExtension(script))[run];
    if (typeof work !== 'function')
      throw new ExtensionError(`The script ${script} does not export a function “${run}”.`);
    const said = (await work({ client: api, theme, collection, ids })) as unknown;
    toastSuccess(typeof said === 'string' && said ? said : `${label}: done.`);
    return true;
  } catch (error) {
    // What the server refused is told in its words; a mistake of the script in its own.
    toastError(error instanceof TypeError ? new ExtensionError(`${label} failed: ${textOf(error)}`) : error);
    return false;
  }
}
