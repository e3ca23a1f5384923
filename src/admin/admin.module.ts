import { Module } from '@nestjs/common';
import { AdminFiles } from './admin-files.js';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';
import { AdminExtensionRegistryModule } from './extensions/admin-extension-registry.module.js';
import { AdminExtensionsController } from './extensions/admin-extensions.controller.js';

/** The admin UI, built into the package and served under `/_/`. */
@Module({
  imports: [AdminExtensionRegistryModule],
  controllers: [AdminExtensionsController, AdminController],
  // What is built lies next to the compiled code.
  providers: [{ provide: AdminFiles, useFactory: () => new AdminFiles(new URL('.', import.meta.url)) }, AdminService],
})
export class AdminModule {}
