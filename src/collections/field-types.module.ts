import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';
import type { FieldType } from '../kernel/fields/field-type.js';
import { FieldTypeRegistryModule } from './field-type-registry.module.js';

/** How a team adds field types of its own: `imports: [FieldTypesModule.register(GeoShapeField)]`. */
@Module({})
export class FieldTypesModule {
  /** The start fails when a type has the name of another one. */
  static register(...types: readonly Type<FieldType>[]): DynamicModule {
    return {
      module: FieldTypesModule,
      imports: [FieldTypeRegistryModule],
      providers: [
        {
          provide: Symbol('registered field types'),
          useFactory: (registry: FieldTypeRegistry) =>
            types.forEach((FieldClass) => registry.register(new FieldClass())),
          inject: [FieldTypeRegistry],
        },
      ],
    };
  }
}
