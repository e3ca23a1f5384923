import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CollectionGuard } from './collection.guard.js';
import { CollectionEntity } from './collection.entity.js';
import { CollectionDrafts } from './collection-drafts.js';
import { CollectionTransactions } from './collection-transactions.js';
import { CollectionImporter } from './collection-importer.js';
import { CollectionList } from './collection-list.js';
import { CollectionSecrets } from './collection-secrets.js';
import { CollectionRows } from './collection-rows.js';
import { CollectionSaver } from './collection-saver.js';
import { CollectionStore } from './collection-store.js';
import { CollectionValidator } from './collection-validator.js';
import { CollectionWriter } from './collection-writer.js';
import { CollectionsMetaController } from './collections-meta.controller.js';
import { CollectionsController } from './collections.controller.js';
import { CollectionsService } from './collections.service.js';
import { DependentViews } from './dependent-views.js';
import { FieldTypeRegistryModule } from './field-type-registry.module.js';
import { OAuth2ProviderList } from './oauth2-provider-list.js';
import { SignInMethods } from './sign-in-methods.js';
import { VisibleFields } from './visible-fields.js';
import { SqlViews } from './sql-views.js';
import { CatalogReader } from './catalog-reader.js';
import { ViewDryRun } from './view-dry-run.js';

/** Definitions of collections and the tables behind them (chapter 01). */
@Module({
  imports: [TypeOrmModule.forFeature([CollectionEntity]), FieldTypeRegistryModule],
  controllers: [CollectionsMetaController, CollectionsController],
  providers: [
    CollectionDrafts,
    CollectionGuard,
    CollectionTransactions,
    CollectionImporter,
    CollectionList,
    CollectionRows,
    CollectionSecrets,
    CollectionSaver,
    CollectionStore,
    CollectionValidator,
    CollectionWriter,
    CollectionsService,
    DependentViews,
    OAuth2ProviderList,
    SignInMethods,
    VisibleFields,
    SqlViews,
    CatalogReader,
    ViewDryRun,
  ],
  exports: [
    CollectionGuard,
    CollectionRows,
    CollectionStore,
    CollectionsService,
    OAuth2ProviderList,
    VisibleFields,
    SignInMethods,
    CatalogReader,
  ],
})
export class CollectionsModule {}
