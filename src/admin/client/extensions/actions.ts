import type { CollectionModel } from '../api/collection-model.js';
import type { ExtensionInfo } from '../api/models.js';

/** An action of a module on records, and the script that has it. */
export interface ExtensionAction {
  readonly script: string;
  readonly label: string;
  readonly run: string;
  readonly question?: string;
}

/** The actions on the records of a collection. */
export function actionsFor(
  { id, name }: Pick<CollectionModel, 'id' | 'name'>,
  extensions: readonly ExtensionInfo[],
): ExtensionAction[] {
  return extensions.flatMap(({ script, actions }) =>
    actions
      .filter(({ collections }) => !collections || collections.includes(name) || collections.includes(id))
      .map((action) => ({ ...action, script })),
  );
}
