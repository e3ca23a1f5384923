import { Global, Module } from '@nestjs/common';
import { BodyReader } from './body-reader.js';
import { MultipartReader } from './multipart-reader.js';

/** What routes with a body need. */
@Global()
@Module({ providers: [BodyReader, MultipartReader], exports: [BodyReader, MultipartReader] })
export class HttpModule {}
