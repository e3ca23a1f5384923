import { Injectable, Logger } from '@nestjs/common';
import { CollectionStore } from '../collections/collection-store.js';
import { StartError } from '../config/start.error.js';
import { HookRegistry } from '../hooks/hook-registry.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';

/** Checks whether code and collections of this installation fit each other, after migrations. */
@Injectable()
export class DefinitionCheck {
  private readonly logger = new Logger('Hooks');

  constructor(
    private readonly store: CollectionStore,
    private readonly types: FieldTypeRegistry,
    private readonly hooks: HookRegistry,
  ) {}

  /** Throws a StartError for a field whose type no module brings: whatever reads its collection would fail. */
  requireFieldTypes(): void {
    for (const collection of this.store.catalog.all()) {
      const orphan = collection.fields.find(({ type }) => !this.types.find(type));
      if (!orphan) continue;
      throw new StartError(
        `The field "${orphan.name}" of the collection "${collection.name}" is of the type "${orphan.type}", which no ` +
          'module registers. Import its module again, or remove the field first.',
      );
    }
  }

  /** Warns of handlers whose collection does not exist. */
  warnOfIdleHooks(): void {
    const collections = this.store.catalog.all();
    for (const { hook, label, collection } of this.hooks.named()) {
      if (collections.some(({ id, name }) => id === collection || name === collection)) continue;
      this.logger.warn(`${label} is a ${hook} for "${collection}", and there is no collection of this name or id.`);
    }
  }
}
