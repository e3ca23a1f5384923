import { ApiOpen, ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import { ref } from '../http/dto/schema.js';
import { HasMaxLength, IsFlag, IsJsonObject, IsList, IsRequired, IsText } from '../http/dto/validators.js';
import type { CollectionBody } from '../kernel/collections/collection-body.js';
import type { FieldDefinition } from '../kernel/fields/field-definition.js';

const RULE = {
  type: 'string',
  nullable: true,
  description: 'A filter expression; empty: everyone; null: superusers only.',
} as const;

const NO_LIST = 'The collections have to be a list of objects.';

/** A field of a collection. Each type has options besides. */
@ApiOpen()
export class Field {
  @ApiPropertyOptional()
  readonly id: string;

  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly type: string;

  @ApiPropertyOptional()
  readonly system: boolean;

  @ApiPropertyOptional()
  readonly hidden: boolean;

  @ApiPropertyOptional()
  readonly presentable: boolean;

  @ApiPropertyOptional()
  readonly required: boolean;

  @ApiPropertyOptional()
  readonly help: string;
}

/** The definition of a collection as it is answered. Each type has options besides. */
@ApiOpen()
export class Collection {
  @ApiProperty()
  readonly id: string;

  @ApiProperty()
  readonly name: string;

  @ApiProperty({ enum: ['base', 'auth', 'view'] })
  readonly type: string;

  @ApiProperty()
  readonly system: boolean;

  @ApiProperty(RULE)
  readonly listRule: string | null;

  @ApiProperty(RULE)
  readonly viewRule: string | null;

  @ApiProperty(RULE)
  readonly createRule: string | null;

  @ApiProperty(RULE)
  readonly updateRule: string | null;

  @ApiProperty(RULE)
  readonly deleteRule: string | null;

  @ApiProperty({ type: [Field] })
  readonly fields: readonly Field[];

  @ApiProperty({ type: [String] })
  readonly indexes: readonly string[];

  @ApiProperty()
  readonly created: string;

  @ApiProperty()
  readonly updated: string;
}

/** What is to be imported (COL-93). An empty import could only delete everything, so there has to be something. */
export class ImportDto {
  @ApiProperty({ type: 'array', items: ref('CollectionInput') as { $ref: string } })
  @IsList({ message: NO_LIST })
  @IsJsonObject({ each: true, message: NO_LIST })
  @IsRequired()
  readonly collections: readonly CollectionBody[] = [];

  @ApiPropertyOptional()
  @IsFlag({ message: 'deleteMissing has to be true or false.' })
  readonly deleteMissing: boolean = false;
}

/** A query that may become a view (COL-102). */
export class DryRunDto {
  @ApiProperty()
  @IsText()
  @IsRequired()
  @HasMaxLength(5000)
  readonly query: string = '';
}

/** What a query would give if it were a view. */
export class DryRunResult {
  @ApiProperty({ type: [Field] })
  readonly fields: readonly FieldDefinition[];

  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } })
  readonly sample: readonly Record<string, unknown>[];
}

/** A provider of OAuth2 accounts that collections can use. */
export class OAuth2ProviderInfo {
  @ApiProperty()
  readonly name: string;

  @ApiProperty()
  readonly displayName: string;

  @ApiProperty({ description: 'An SVG image, or nothing.' })
  readonly logo: string;
}
