import { ApiProperty, ApiPropertyOptional, ApiSchema } from '../http/dto/api-decorators.js';
import { IsText } from '../http/dto/validators.js';

/** How a backup is to be called; '' leaves that open. */
export class NewBackupDto {
  @ApiPropertyOptional()
  @IsText({ message: 'The name must be a text.' })
  readonly name: string = '';
}

/** A form with the archive. It is read as a file, not as a value. */
export class BackupUploadDto {
  @ApiProperty({ type: 'string', format: 'binary' })
  readonly file: unknown;
}

/** A backup as it is listed. */
@ApiSchema({ name: 'Backup' })
export class ListedBackup {
  @ApiProperty()
  readonly key: string;

  @ApiProperty({ type: 'integer' })
  readonly size: number;

  @ApiProperty()
  readonly modified: string;
}
