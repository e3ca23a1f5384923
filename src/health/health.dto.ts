import { ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import type { RestoreOutcome } from '../storage/backup-activity.js';

class LastRestore implements RestoreOutcome {
  @ApiProperty()
  readonly time: string;

  @ApiProperty()
  readonly backup: string;

  @ApiProperty({ enum: ['restored', 'failed'] })
  readonly outcome: RestoreOutcome['outcome'];

  @ApiProperty()
  readonly reason: string;
}

/** Details for superusers only. */
class HealthDetails {
  @ApiPropertyOptional()
  readonly canBackup?: boolean;

  @ApiPropertyOptional()
  readonly realIP?: string;

  @ApiPropertyOptional()
  readonly possibleProxyHeader?: string;

  @ApiPropertyOptional()
  readonly lastRestore?: LastRestore;
}

/** The answer of `GET /api/health`. */
export class Health {
  @ApiProperty({ type: 'integer' })
  readonly code: number;

  @ApiProperty()
  readonly message: string;

  @ApiProperty()
  readonly data: HealthDetails;
}
