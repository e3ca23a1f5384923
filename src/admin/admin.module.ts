import { Module } from '@nestjs/common';
import { AdminFiles } from './admin-files.js';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { AdminExtensionRegistryModule } from './extensions/admin-extension-registry.module.js';
import { AdminExtensionsController } from './extensions/admin-extensions.controller.js';
import { ListViewsController } from './views/list-views.controller.js';
import { ListViewsService } from './views/list-views.service.js';

/** The admin UI, built into the package and served under `/_/`. */
@Module({
  imports: [AdminExtensionRegistryModule],
  controllers: [AdminExtensionsController, ListViewsController, AdminController],
  // The built client is beside the compiled code.
  providers: [
    { provide: AdminFiles, useFactory: () => new AdminFiles(new URL('.', import.meta.url)) },
    AdminService,
    ListViewsService,
  ],
})
export class AdminModule {}
