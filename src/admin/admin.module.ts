import { Module } from '@nestjs/common';
import { AdminFiles } from './admin-files.js';
import { AdminController } from './admin.controller.js';
import { AdminService } from './admin.service.js';

/** The admin UI, built into the package and served under `/_/`. */
@Module({ controllers: [AdminController], providers: [AdminFiles, AdminService] })
export class AdminModule {}
