import { checksumId } from '../ids.js';
import type { FieldDefinition } from './field-definition.js';

/**
 * The same definitions, each with an id. Missing ones follow from type and name (COL-27), so that the same field gets
 * the same id everywhere, and never collide with an id that is there already.
 */
export function withFieldIds(definitions: readonly FieldDefinition[]): FieldDefinition[] {
  const taken = new Set(definitions.map((definition) => definition.id));
  return definitions.map((definition) => {
    if (definition.id !== '') return definition;
    const id = checksumId(definition.type, definition.name, (candidate) => taken.has(candidate));
    taken.add(id);
    return { ...definition, id };
  });
}
