import { Global, Module } from '@nestjs/common';
import { builtinFieldTypes } from '../kernel/fields/builtin-field-types.js';
import { FieldTypeRegistry } from '../kernel/fields/field-type-registry.js';

/** The one registry of field types, with the built-in ones in it. */
@Global()
@Module({
  providers: [{ provide: FieldTypeRegistry, useFactory: () => new FieldTypeRegistry(builtinFieldTypes()) }],
  exports: [FieldTypeRegistry],
})
export class FieldTypeRegistryModule {}
