import { ApiProperty, ApiPropertyOptional } from '../http/dto/api-decorators.js';
import { FREE_OBJECT } from '../http/dto/schema.js';
import { HasMaxLength, IsJsonObject, IsList, IsOneOf, IsRequired, IsText } from '../http/dto/validators.js';

/** The rules that can be tested, by what they let somebody do. */
export const TESTED_KINDS = ['list', 'view', 'create', 'update', 'delete', 'auth', 'manage'] as const;
export type TestedKind = (typeof TESTED_KINDS)[number];

/** As many records as one test judges. */
export const MAX_TESTED_RECORDS = 100;

/** A rule that need not be stored, and who is to try it on what (UI-74). */
export class RuleTestDto {
  /** Empty: everyone. */
  @ApiProperty()
  @IsText()
  readonly rule: string = '';

  @ApiProperty({ enum: TESTED_KINDS })
  @IsText()
  @IsRequired()
  @IsOneOf(...TESTED_KINDS)
  readonly kind: string = '';

  /** The auth collection of the account, by id or name; without one it is a guest who tries. */
  @ApiPropertyOptional()
  @IsText()
  readonly accountCollection: string = '';

  /** The id of the account. */
  @ApiPropertyOptional()
  @IsText()
  readonly account: string = '';

  /** The records to judge; for a create rule there are none. */
  @ApiPropertyOptional({ type: [String] })
  @IsList()
  @IsText({ each: true })
  @HasMaxLength(MAX_TESTED_RECORDS)
  readonly ids: readonly string[] = [];

  /** What a create or an update sends. */
  @ApiPropertyOptional({ schema: FREE_OBJECT } as object)
  @IsJsonObject()
  readonly body: Readonly<Record<string, unknown>> = {};
}

export class RuleTestPart {
  @ApiProperty()
  readonly text: string;

  /** Why it cannot be evaluated for this account, in which case it refuses. */
  @ApiPropertyOptional()
  readonly problem?: string;
}

export class RuleTestRecord {
  /** Empty for the record that would be created. */
  @ApiProperty()
  readonly id: string;

  @ApiProperty()
  readonly passes: boolean;

  /** Whether each part lets it pass, were it the whole rule. */
  @ApiProperty({ type: [Boolean] })
  readonly parts: readonly boolean[];
}

/** Which records a rule lets pass, and what each of its parts says. */
export class RuleTestAnswer {
  /** How the parts are joined; empty for one alone. */
  @ApiProperty({ enum: ['and', 'or', ''] })
  readonly join: 'and' | 'or' | '';

  /** The operands of the outermost `&&` or `||`; none where the rule does not apply: it is empty, or to a superuser. */
  @ApiProperty({ type: [RuleTestPart] })
  readonly parts: readonly RuleTestPart[];

  @ApiProperty({ type: [RuleTestRecord] })
  readonly records: readonly RuleTestRecord[];
}
