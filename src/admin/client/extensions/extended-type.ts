import type { ExtensionInfo } from '../api/models.js';

/** How values of a field type are edited and shown, where a module says so. */
export interface ExtendedType {
  readonly script: string;
  readonly type: string;
  readonly label?: string;
  readonly input?: string;
  readonly cell?: string;
}

export function extendedTypes(extensions: readonly ExtensionInfo[]): ExtendedType[] {
  return extensions.flatMap(({ script, fieldTypes }) => fieldTypes.map((each) => ({ ...each, script })));
}

export function extendedType(type: string, extensions: readonly ExtensionInfo[]): ExtendedType | undefined {
  return extendedTypes(extensions).find((each) => each.type === type);
}
