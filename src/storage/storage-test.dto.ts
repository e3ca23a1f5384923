import { ApiProperty } from '../http/dto/api-decorators.js';
import { IsOneOf, IsRequired } from '../http/dto/validators.js';

const FILE_SYSTEMS = ['storage', 'backups'] as const;

/** Which of the stored S3 settings to try. */
export class StorageTestDto {
  @ApiProperty({ enum: FILE_SYSTEMS })
  @IsRequired()
  @IsOneOf(...FILE_SYSTEMS)
  readonly filesystem: (typeof FILE_SYSTEMS)[number] | '' = '';
}
