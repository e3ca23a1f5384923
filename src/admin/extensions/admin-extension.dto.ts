import { ApiProperty, ApiPropertyOptional } from '../../http/dto/api-decorators.js';
import type { AdminExtension } from './admin-extension.js';

class AdminFieldTypeInfo {
  @ApiProperty()
  readonly type: string;

  @ApiPropertyOptional()
  readonly label?: string;

  /** The names of custom elements. */
  @ApiPropertyOptional()
  readonly input?: string;

  @ApiPropertyOptional()
  readonly cell?: string;
}

class AdminPageInfo {
  @ApiProperty()
  readonly path: string;

  @ApiProperty()
  readonly title: string;

  @ApiProperty()
  readonly element: string;
}

class AdminActionInfo {
  @ApiProperty()
  readonly label: string;

  @ApiProperty()
  readonly run: string;

  @ApiPropertyOptional({ type: [String] })
  readonly collections?: readonly string[];

  @ApiPropertyOptional()
  readonly question?: string;
}

/** What a module adds to the admin UI (EXT-44). */
export class AdminExtensionInfo {
  @ApiProperty()
  readonly script: string;

  @ApiProperty({ type: [AdminFieldTypeInfo] })
  readonly fieldTypes: readonly AdminFieldTypeInfo[];

  @ApiProperty({ type: [AdminPageInfo] })
  readonly pages: readonly AdminPageInfo[];

  @ApiProperty({ type: [AdminActionInfo] })
  readonly actions: readonly AdminActionInfo[];
}

export function infoOf({ script, fieldTypes = [], pages = [], actions = [] }: AdminExtension): AdminExtensionInfo {
  return { script, fieldTypes, pages, actions };
}
