import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { FieldTypeRegistryModule } from '../collections/field-type-registry.module.js';
import { DatabaseCopy } from './database-copy.js';
import { WholeCopy } from './whole-copy.js';

/** Everything of one database into another (chapter 08 B). */
@Module({
  imports: [CollectionsModule, FieldTypeRegistryModule],
  providers: [DatabaseCopy, WholeCopy],
  exports: [DatabaseCopy, WholeCopy],
})
export class TransferModule {}
