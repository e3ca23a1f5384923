import { Module } from '@nestjs/common';
import { RecordsModule } from '../records/records.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { FileAccess } from './file-access.js';
import { FileDownloadService } from './file-download.service.js';
import { FileTokenController } from './file-token.controller.js';
import { FileTokensService } from './file-tokens.service.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { ImageProcess } from './image-process.js';
import { Thumbnailer } from './thumbnailer.js';
import { Thumbnails } from './thumbnails.js';

/** Reading files (chapter 05 E to G). */
@Module({
  imports: [RecordsModule, StorageModule, TokensModule],
  controllers: [FilesController, FileTokenController],
  providers: [FileAccess, FileDownloadService, FilesService, FileTokensService, ImageProcess, Thumbnailer, Thumbnails],
  exports: [FilesService],
})
export class FilesModule {}
