import { Module } from '@nestjs/common';
import { PublicFilesController } from './public-files.controller.js';
import { PublicFilesService } from './public-files.service.js';

/** Static files of the application that is built on Roost. */
@Module({ controllers: [PublicFilesController], providers: [PublicFilesService] })
export class PublicFilesModule {}
