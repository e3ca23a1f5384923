import type { FieldType } from './field-type.js';

/** The field types of one application, by name. Filled at start-up, read everywhere. */
export class FieldTypeRegistry {
  private readonly types = new Map<string, FieldType>();

  constructor(types: Iterable<FieldType> = []) {
    for (const type of types) this.register(type);
  }

  /** Adds a type. Throws when its name is taken: two meanings of one stored definition would corrupt data. */
  register(type: FieldType): void {
    if (this.types.has(type.type)) throw new Error(`The field type "${type.type}" is registered twice.`);
    this.types.set(type.type, type);
  }

  find(type: string): FieldType | undefined {
    return this.types.get(type);
  }

  /** The type with this name. Throws when nobody registered it, for example after a team's module was taken out. */
  get(type: string): FieldType {
    const found = this.types.get(type);
    if (!found) throw new Error(`There is no field type "${type}".`);
    return found;
  }

  names(): string[] {
    return [...this.types.keys()];
  }
}
